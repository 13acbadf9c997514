"""Pairs of a comparison's reports: First with each other, then, of three or more, the latest with the one before.

REVERSE is the first pair reversed.
"""

from __future__ import annotations

from awrdiff.accounts.access import NotFound
from awrdiff.comparisons.errors import NO_PAIR
from awrdiff.comparisons.models import REVERSE


def latest_pair(reports: int) -> int:
    return reports - 1 if reports > 2 else 0


def of_first(reports: int) -> range:
    return range(reports - 1)


def places_of_pair(pair: int, reports: int) -> tuple[int, int]:
    """First and Second among `reports`. Raises NotFound."""
    if pair in of_first(reports):
        return 0, pair + 1
    if reports > 2 and pair == latest_pair(reports):
        return reports - 2, reports - 1
    if pair == REVERSE:
        return 1, 0
    raise NotFound(NO_PAIR)


def other_way(pair: int) -> int | None:
    """None where compared one way."""
    return {0: REVERSE, REVERSE: 0}.get(pair)


def pair_of_swap(pair: int, reports: int) -> int:
    """Pair of these two reports after places 0 and 1 swap (before 1.1); beyond REVERSE none is stored."""
    if pair == 0:
        return REVERSE
    if not (reports > 2 and 0 < pair <= latest_pair(reports)):
        return REVERSE + pair
    first, second = ({0: 1, 1: 0}.get(at, at) for at in places_of_pair(pair, reports))
    there = pair_of_places(first, second, reports)
    return REVERSE + pair if there is None else there


def pair_of_places(first: int, second: int, reports: int) -> int | None:
    """None of two that are no pair."""
    return next((p for p in range(latest_pair(reports) + 1) if places_of_pair(p, reports) == (first, second)), None)
