"""Refusals, each with a sentence for the user."""

from __future__ import annotations


class PeopleRefused(ValueError):
    """Impossible invitation or change."""


class TooMuch(Exception):
    """Rate limit passed; `retry_s`: seconds until it works again."""

    def __init__(self, sentence: str, retry_s: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.retry_s = retry_s
