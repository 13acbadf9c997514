"""What making or opening a share link can be refused for, in a sentence for the person who asks."""

from __future__ import annotations


class BadDays(ValueError):
    """The wish for how long a link works is not a number of days."""


class BadPassword(ValueError):
    """A password that no link gets."""


class BadChoice(ValueError):
    """What is to be shown is none of the choices."""


class MadeBefore(Exception):
    """The same form made a link already."""

    def __init__(self) -> None:
        super().__init__(
            "This link was made before, and its address is told only once: revoke it, and make another "
            "under another key."
        )


class PasswordNeeded(Exception):
    """The link has a password, and whoever asks has not proved to know it."""

    def __init__(self) -> None:
        super().__init__("This link has a password: enter it first.")


class WrongPassword(PasswordNeeded):
    """It was tried in vain."""

    def __init__(self, sentence: str) -> None:
        Exception.__init__(self, sentence)
