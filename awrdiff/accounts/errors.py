"""What people can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class PeopleRefused(ValueError):
    """An invitation or change that cannot be."""


class TooMuch(Exception):
    """Something was done too often: a link used, a password tried. `sentence` is for whoever did, `retry_s` when it
    works again."""

    def __init__(self, sentence: str, retry_s: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.retry_s = retry_s
