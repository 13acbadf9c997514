"""Refusals with a sentence for the user; web maps them to HTTP statuses."""

from __future__ import annotations


class UploadRefused(Exception):
    """Upload that is not kept."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class TooLarge(UploadRefused):
    """Larger than this server takes."""


class WrongKind(UploadRefused):
    """No report, or an archive that cannot be unpacked."""


class NoRoom(UploadRefused):
    """The disk is full."""


class TeamFull(NoRoom):
    """Quota of reports or bytes of the team reached."""


class TookTooLong(UploadRefused):
    """File removed before its report was made; may be resent."""


class TraceRefused(Exception):
    """Message says why the trace was refused."""


class ReportInUse(Exception):
    """Message names what uses the report."""
