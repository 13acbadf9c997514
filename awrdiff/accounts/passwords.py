"""Refusal of easily guessed passwords, by zxcvbn's estimate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from zxcvbn import zxcvbn

SAFE_SCORE = 4  # of 0 to 4: more than 10^10 guesses
SAFE_FOR_A_LINK = 3  # more than 10^8: of one link some sixty an hour are looked at
LONGEST_READ = 72  # what follows makes it no weaker, and the estimate slow
OURS = ("awrdiff", "oracle")


def weakness(password: str, names: Iterable[str], *, safe_score: int = SAFE_SCORE) -> str:
    """Reason in a sentence or two, or ""."""
    estimate = zxcvbn(password[:LONGEST_READ], user_inputs=[*filter(None, names), *OURS])
    if estimate["score"] >= safe_score:
        return ""
    return f"This password is easy to guess. {estimate['feedback']['warning']}".strip()


class HardToGuess:
    """Django password validator."""

    def validate(self, password: str, user: Any = None) -> None:
        names = [str(getattr(user, name, "") or "") for name in ("username", "first_name", "last_name", "email")]
        if reason := weakness(password, names):
            raise ValidationError(reason, code="password_easy_to_guess")

    def get_help_text(self) -> str:
        return "Take several unrelated words, or let a password manager make one."
