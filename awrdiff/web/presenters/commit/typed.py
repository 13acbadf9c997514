"""Numbers that a reader types into the page; they stay in its address."""

from __future__ import annotations


def positive(given: str, *, most: float) -> float | None:
    """None where it is no number above 0 and below `most`."""
    try:
        found = float(given.replace(",", "."))
    except ValueError:
        return None
    return found if 0 < found < most else None


__all__ = ["positive"]
