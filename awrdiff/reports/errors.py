"""What is refused, in a sentence for the person who asked."""

from __future__ import annotations


class UploadRefused(Exception):
    """`status` is the HTTP status that fits."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status


class ReportInUse(Exception):
    """The report cannot be deleted; the message says what uses it."""
