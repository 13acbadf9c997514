"""Whole numbers in typed texts and addresses. Standard library only."""

from __future__ import annotations

MOST_OF_A_KEY = 10**18 - 1  # below the most that a database's key can be
_LONGEST = 40  # with zeros before it


def whole_number(text: str | None, most: int = MOST_OF_A_KEY, least: int = 0) -> int | None:
    """ASCII digits only; None beyond the bounds."""
    if not text or len(text) > _LONGEST or not text.isascii() or not text.isdecimal():
        return None
    return number if least <= (number := int(text)) <= most else None


def small_number(text: str | None) -> int:
    """0 unless at most six digits' worth."""
    return whole_number(text, 999_999) or 0
