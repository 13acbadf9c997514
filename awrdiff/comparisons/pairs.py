"""Which two of the compared reports a pair is of."""

from __future__ import annotations

from awrdiff.accounts.access import NotFound

NO_PAIR = "The comparison has no such pair."


def places_of_pair(pair: int, reports: int) -> tuple[int, int]:
    """Of First and Second, in a comparison of so many reports. Raises NotFound."""
    if not 0 <= pair < reports - 1:
        raise NotFound(NO_PAIR)
    return 0, pair + 1
