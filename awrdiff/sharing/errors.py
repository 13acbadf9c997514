"""Refusals of share links, each with a sentence."""

from __future__ import annotations


class LinkRefused(ValueError):
    """Impossible days, password, subject or combination."""


class MadeBefore(Exception):
    """This form has made a link already."""

    def __init__(self) -> None:
        super().__init__(
            "This link was made before, and its address is told only once: revoke it, and make another "
            "under another key."
        )


class PasswordNeeded(Exception):
    """Link password not proved."""

    def __init__(self) -> None:
        super().__init__("This link has a password: enter it first.")


class WrongPassword(PasswordNeeded):
    def __init__(self, sentence: str) -> None:
        Exception.__init__(self, sentence)
