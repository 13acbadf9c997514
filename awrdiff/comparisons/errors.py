"""Refusals of comparisons, with a sentence for the user."""

from __future__ import annotations

GONE = "The comparison has been deleted."
NO_PAIR = "The comparison has no such pair."


class ComparisonRefused(Exception):
    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class NoSuchReport(ComparisonRefused):
    """A report to compare is missing."""
