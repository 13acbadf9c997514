"""Which passwords are refused: what a guesser tries early, by the estimate of zxcvbn."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from zxcvbn import zxcvbn

SAFE_SCORE = 4  # of 0 to 4: more than 10^10 guesses
LONGEST_READ = 72  # what follows makes it no weaker, and the estimate slow
OURS = ("awrdiff", "oracle")


class HardToGuess:
    """A password validator of Django's settings."""

    def validate(self, password: str, user: Any = None) -> None:
        names = [str(getattr(user, name, "") or "") for name in ("username", "first_name", "last_name", "email")]
        found = zxcvbn(password[:LONGEST_READ], user_inputs=[*filter(None, names), *OURS])
        if found["score"] < SAFE_SCORE:
            why = found["feedback"]["warning"]
            raise ValidationError(f"This password is easy to guess. {why}".strip(), code="password_easy_to_guess")

    def get_help_text(self) -> str:
        return "Take several unrelated words, or let a password manager make one."
