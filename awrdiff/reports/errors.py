"""What an upload can be refused for, in a sentence for the person who uploads."""

from __future__ import annotations


class UploadRefused(Exception):
    """`status` is the HTTP status that fits."""

    def __init__(self, sentence: str, status: int = 400) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
