"""Segments by what Oracle counts for them: which objects a list names, and how much of it all each of them has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from awrdiff.analysis.report.side import Side
from parsers.model import Row, Section

_FEW = 0.01  # of what is counted: so little of the other kind needs no list of its own


class Counted(Struct, frozen=True):
    """What a list counts by segment, and `statistic` in all; `less` of it what another list counts.

    Oracle lists physical reads, and from 11.1 on those by direct path among them; those through the buffer cache are
    the difference. `temporary`: the statistic of what is in `statistic`, of temporary segments, and in no event of it.
    """

    section: str
    column: str
    statistic: str = ""
    less: Counted | None = None
    temporary: str = ""


class Segments(Struct, frozen=True):
    """An object's rows of one list: its partitions together. It has `share` (0..1) of all, or up to `at_most`."""

    name: str  # OWNER.NAME
    share: float
    at_most: float
    count: float
    row: Row


def objects_of(side: Side, counted: Counted) -> dict[str, Segments]:
    """The list by object. Objects without a name are left out."""
    section = side.section(counted.section)
    if section is None:
        return {}
    rows: dict[str, list[Row]] = defaultdict(list)
    for record in section.records:
        owner, name = section.text(record, "owner"), section.text(record, "object_name")
        if name and "**" not in f"{owner}{name}":
            rows[f"{owner}.{name}" if owner else name].append(record)
    if counted.less is not None:
        return dict(_differences(side, section, rows, counted, counted.less))
    return {name: _as_printed(side, section, counted, name, records) for name, records in rows.items()}


def elsewhere_at_most(side: Side, counted: Counted) -> float:
    """The share (0..1) that an object has at the most which the list does not name."""
    if counted.less is None:
        return min((o.share for o in objects_of(side, counted).values()), default=1.0)
    least = min((count for _, count in _counts(side, counted)), default=None)
    whole = whole_of(side, counted)
    return 1.0 if least is None else _part(least, whole)


def whole_of(side: Side, counted: Counted) -> float:
    """How much was counted in all, in segments or not; 0 where that is not printed."""
    return _total(side, counted.statistic) - (_total(side, counted.less.statistic) if counted.less is not None else 0.0)


def is_material(side: Side, part: Counted, whole: Counted) -> bool:
    """Whether `part` of `whole` is worth telling apart: a statistic that is 0 is not printed, nor is a list of it."""
    total, some = side.statistic(whole.statistic), side.statistic(part.statistic)
    return side.has(part.section) if total is None or some is None else some.number >= _FEW * total.number


def is_told_apart(side: Side, counted: Counted) -> bool:
    """Whether what is `less` is printed by segment, or is next to nothing."""
    if counted.less is None:
        return True
    if side.statistic(counted.statistic) is None:
        return False
    if side.has(counted.less.section):
        return side.statistic(counted.less.statistic) is not None
    return not is_material(side, counted.less, counted)


def _as_printed(side: Side, section: Section, counted: Counted, name: str, records: list[Row]) -> Segments:
    share = sum(v.number / 100 for r in records if (v := section.number(r, "pct_total")) is not None)
    count = sum(v.number for r in records if (v := section.number(r, counted.column)) is not None)
    permanent = _total(side, counted.statistic) - _total(side, counted.temporary)
    return Segments(name, share, max(share, _part(count, permanent)), count, records[0])


def _differences(
    side: Side, section: Section, rows: dict[str, list[Row]], counted: Counted, less: Counted
) -> Iterator[tuple[str, Segments]]:
    """Of a segment that the other list does not name, that may be as much as of the last one that it names.

    Both lists end after as many segments: a shorter one has all of those that were captured.
    """
    listed, whole = dict(_counts(side, less)), whole_of(side, counted)
    rest = max(_total(side, less.statistic) - sum(listed.values()), 0.0)
    ended = len(listed) < len(section.records) and not side.report.gaps
    unlisted = 0.0 if ended else min([*listed.values(), rest])
    for name, records in rows.items():
        low = high = 0.0
        for record in records:
            count, taken = section.number(record, counted.column), listed.get(_key(section, record))
            if count is not None:
                low += max(count.number - (unlisted if taken is None else taken), 0.0)
                high += max(count.number - (taken or 0.0), 0.0)
        yield name, Segments(name, _part(low, whole), _part(high, whole), low, records[0])


def _counts(side: Side, counted: Counted) -> Iterator[tuple[tuple[str, ...], float]]:
    section = side.section(counted.section)
    for record in section.records if section is not None else ():
        if section is not None and (count := section.number(record, counted.column)) is not None:
            yield _key(section, record), count.number


def _key(section: Section, record: Row) -> tuple[str, ...]:
    return tuple(section.text(record, c) for c in ("owner", "object_name", "subobject_name") if c in section.index)


def _total(side: Side, statistic: str) -> float:
    total = side.statistic(statistic) if statistic else None
    return total.number if total is not None else 0.0


def _part(count: float, whole: float) -> float:
    return min(count / whole, 1.0) if whole > 0 else 0.0
