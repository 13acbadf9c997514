"""What a comparison can be refused for, in a sentence for the person who asks."""

from __future__ import annotations

GONE = "The comparison has been deleted."


class ComparisonRefused(Exception):
    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class NoSuchReport(ComparisonRefused):
    """Of what was to be compared."""
