"""What is refused, in a sentence for the person who asked. Web says by which HTTP status."""

from __future__ import annotations


class UploadRefused(Exception):
    """An upload that is not kept."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class TooLarge(UploadRefused):
    """Larger than this server takes."""


class WrongKind(UploadRefused):
    """Something else than a report, or an archive that cannot be unpacked."""


class NoRoom(UploadRefused):
    """The disk is full."""


class TeamFull(NoRoom):
    """The team has as many reports, or bytes of them, as it may."""


class TookTooLong(UploadRefused):
    """The file was removed before its report was made, or was not looked at in time: it may be sent again."""


class TraceRefused(Exception):
    """A trace that is not attached; the message says why."""


class ReportInUse(Exception):
    """The report cannot be deleted; the message says what uses it."""
