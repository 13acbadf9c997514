"""Likeness of two changes by their parts: events, statements and objects, in active sessions.

Shares compare, so twice as bad is alike, and recovery like its outage reversed: docs/similar-hours.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from awrdiff.analysis.model.ranked_changes import Mover, Ranked

LEAST, LEAST_TELLING = 0.4, 0.2  # of the change
MOST_PARTS = 30  # of each kind, the largest
MOST, LEAST_SHOWN = 4, 0.05
# Every database works and reads blocks, from its disks or from another instance's memory.
EVERYDAY = frozenset(
    {
        "cpu DB CPU",
        "other unaccounted",
        "event db file sequential read",
        "event db file scattered read",
        "event db file parallel read",
        "event direct path read",
        "event read by other session",
        "event cell single block physical read",
        "event cell multiblock physical read",
        "event cell smart table scan",
        "event gc cr block 2-way",
        "event gc current block 2-way",
        "event gc cr grant 2-way",
        "event gc cr multi block request",
    }
)
Changes: TypeAlias = Mapping[str, float]
_OLD_HASH = re.compile(r"sql \d+")  # of Statspack; AWR prints SQL ids


class Change(Struct, frozen=True):
    """Change in active sessions by subject (`event log file sync`).

    `parts` add up to DB time; `names`, statements and objects, are the same time again.
    """

    parts: Changes
    names: Changes

    def reversed(self) -> Change:
        return Change(*({key: -change for key, change in changes.items()} for changes in (self.parts, self.names)))

    def dump(self) -> list[dict[str, float]]:
        return [{key: float(f"{v:.4g}") for key, v in changes.items()} for changes in (self.parts, self.names)]


class Shared(Struct, frozen=True):
    """Common subject, with active sessions of each change."""

    key: str
    mine: float
    other: float


class Likeness(Struct, frozen=True):
    """`overlap` of parts, 0 to 1; `is_reversed`: sides are swapped.

    `mine`, `theirs`: in one change only.
    """

    overlap: float
    is_reversed: bool
    shared: tuple[Shared, ...]
    mine: tuple[tuple[str, float], ...]
    theirs: tuple[tuple[str, float], ...]


def change_of(ranked: Ranked | None) -> Change | None:
    """None for changes too small, or between two databases."""
    movers = [m for m in ranked.movers if m.tone != "neutral"] if ranked else []
    parts = _largest(m for m in movers if m.view == "part")
    names = _largest(m for m in movers if m.subject.kind in ("sql", "object"))
    return Change(parts, names) if parts else None


def _largest(movers: Iterable[Mover]) -> dict[str, float]:
    largest = sorted(movers, key=lambda m: -abs(m.change))[:MOST_PARTS]
    return {f"{m.subject.kind} {m.subject.key}": m.change for m in largest}


def likeness(mine: Change, other: Change) -> Likeness | None:
    """None where they are not alike."""
    a, b = _shares(mine.parts), _shares(other.parts)
    x, y = map(_shares, _comparable(mine.names, other.names))
    straight, reversed_overlap = (_overlap(a, b, way) + _overlap(x, y, way) for way in (1, -1))
    way = 1 if straight >= reversed_overlap else -1
    overlap = _overlap(a, b, way)
    if overlap < LEAST or max(_telling(a, b, way), _overlap(x, y, way)) < LEAST_TELLING:
        return None
    return Likeness(overlap, way < 0, *_largest_subjects(mine, other, way))


def _comparable(mine: Changes, other: Changes) -> tuple[Changes, Changes]:
    """Hash values and SQL ids do not compare: only objects are kept."""
    old = [
        {_OLD_HASH.fullmatch(key) is not None for key in changes if key.startswith("sql ")} for changes in (mine, other)
    ]
    if all(old) and not old[0] & old[1]:
        return _objects(mine), _objects(other)
    return mine, other


def _objects(names: Changes) -> Changes:
    return {key: change for key, change in names.items() if not key.startswith("sql ")}


def _shares(changes: Changes) -> dict[str, float]:
    whole = sum(map(abs, changes.values()))
    return {key: change / (whole or 1.0) for key, change in changes.items()}


def _overlap(a: Changes, b: Changes, way: int) -> float:
    common = whole = 0.0
    for key in a.keys() | b.keys():
        x, y = a.get(key, 0.0), way * b.get(key, 0.0)
        common += min(abs(x), abs(y)) if x * y > 0 else 0.0
        whole += max(abs(x), abs(y)) if x * y > 0 else abs(x) + abs(y)
    return common / whole if whole else 0.0


def _telling(a: Changes, b: Changes, way: int) -> float:
    common_keys = [key for key in a.keys() & b.keys() if key not in EVERYDAY and a[key] * b[key] * way > 0]
    return sum(min(abs(a[key]), abs(b[key])) for key in common_keys)


def _largest_subjects(
    mine: Change, other: Change, way: int
) -> tuple[tuple[Shared, ...], tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]]:
    shared: list[tuple[float, Shared]] = []
    alone: list[list[tuple[float, tuple[str, float]]]] = [[], []]
    for a, b in ((mine.parts, other.parts), (mine.names, other.names)):
        in_a, in_b = _shares(a), _shares(b)
        common_keys = {key for key in a.keys() & b.keys() if a[key] * b[key] * way > 0}
        shared += [(max(abs(in_a[k]), abs(in_b[k])), Shared(k, a[k], b[k])) for k in common_keys]
        for ranked, changes, shares in zip(alone, (a, b), (in_a, in_b), strict=True):
            ranked += [(abs(shares[k]), (k, v)) for k, v in changes.items() if k not in common_keys]
    of_both = [subject for _, subject in sorted(shared, key=lambda s: (-s[0], s[1].key))[:MOST]]
    of_one = [
        tuple(subject for share, subject in sorted(ranked, key=lambda s: (-s[0], s[1]))[:MOST] if share >= LEAST_SHOWN)
        for ranked in alone
    ]
    return tuple(of_both), of_one[0], of_one[1]
