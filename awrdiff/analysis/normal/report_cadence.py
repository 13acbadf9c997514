"""Rhythm of a database's reports, and when one is overdue."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from msgspec import Struct

LEAST_GAPS = 5
TOGETHER = timedelta(minutes=5)  # what comes within it of the one before came with it, as in an import
_SHARE = 0.95  # of the gaps: as long is usual; a weekend without reports is, an outage is not
_STEADY = 4.0  # times the median gap, at most
_LEAST_LATE = timedelta(minutes=30)


class Rhythm(Struct, frozen=True):
    """`every`: median gap. `patience`: silence before one is overdue."""

    every: timedelta
    patience: timedelta


def rhythm_of(arrivals: Sequence[datetime]) -> Rhythm | None:
    """None where too few or irregular; `arrivals` by time."""
    apart = [*arrivals[:1], *(later for earlier, later in pairwise(arrivals) if later - earlier >= TOGETHER)]
    gaps = sorted((later - earlier).total_seconds() for earlier, later in pairwise(apart))
    if len(gaps) < LEAST_GAPS:
        return None
    every, usual = median(gaps), gaps[min(int(len(gaps) * _SHARE), len(gaps) - 1)]
    if usual > _STEADY * every:
        return None
    return Rhythm(timedelta(seconds=every), timedelta(seconds=usual) + max(timedelta(seconds=usual / 2), _LEAST_LATE))
