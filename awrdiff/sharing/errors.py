"""Refusals to make or open a share link, each with a sentence."""

from __future__ import annotations


class BadDays(ValueError):
    """No valid number of days."""


class BadPassword(ValueError):
    """A password too weak for a link."""


class BadChoice(ValueError):
    """An impossible subject or combination."""


class MadeBefore(Exception):
    """The same form has made a link already."""

    def __init__(self) -> None:
        super().__init__(
            "This link was made before, and its address is told only once: revoke it, and make another "
            "under another key."
        )


class PasswordNeeded(Exception):
    """The link has a password that the reader has not proved to know."""

    def __init__(self) -> None:
        super().__init__("This link has a password: enter it first.")


class WrongPassword(PasswordNeeded):
    """A wrong password."""

    def __init__(self, sentence: str) -> None:
        Exception.__init__(self, sentence)
