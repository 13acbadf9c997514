"""Refusals with a sentence for the user; web maps them to HTTP statuses."""

from __future__ import annotations


class UploadRefused(Exception):
    """An upload that is not kept."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class TooLarge(UploadRefused):
    """Larger than this server takes."""


class WrongKind(UploadRefused):
    """Not a report, or an archive that cannot be unpacked."""


class NoRoom(UploadRefused):
    """The disk is full."""


class TeamFull(NoRoom):
    """Quota of reports or bytes of the team reached."""


class TookTooLong(UploadRefused):
    """The file was removed before its report was made; it may be sent again."""


class TraceRefused(Exception):
    """Message says why the trace was refused."""


class ReportInUse(Exception):
    """Message names what uses the report."""
