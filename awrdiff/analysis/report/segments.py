"""Segments by statistic: listed objects, and their share of the total."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Row, Section

_FEW = 0.01  # of what is counted: so little of the other kind needs no list of its own


class SegmentList(Struct, frozen=True):
    """Segments list; `less`: the list it includes.

    From 11.1 physical reads include direct path reads. `temporary`: part of `statistic` for temporary segments, in none
    of its events.
    """

    section: str
    column: str
    statistic: str = ""
    less: SegmentList | None = None
    temporary: str = ""


class Segments(Struct, frozen=True):
    """Rows of an object, partitions merged; `share` (0..1), or `at_most`."""

    name: str  # OWNER.NAME
    share: float
    at_most: float
    count: float
    row: Row


def objects_of(side: Side, statistic: SegmentList) -> dict[str, Segments]:
    """List by object, without unnamed ones."""
    section = side.section(statistic.section)
    if section is None:
        return {}
    rows: dict[str, list[Row]] = defaultdict(list)
    for record in section.records:
        owner, name = section.text(record, "owner"), section.text(record, "object_name")
        if name and "**" not in f"{owner}{name}":
            rows[f"{owner}.{name}" if owner else name].append(record)
    if statistic.less is not None:
        return dict(_differences(side, section, rows, statistic, statistic.less))
    return {name: _as_printed(side, section, statistic, name, records) for name, records in rows.items()}


def elsewhere_at_most(side: Side, statistic: SegmentList) -> float:
    """Maximum share (0..1) of an unlisted object."""
    if statistic.less is None:
        return min((o.share for o in objects_of(side, statistic).values()), default=1.0)
    least = min((count for _, count in _counts(side, statistic)), default=None)
    whole = whole_of(side, statistic)
    return 1.0 if least is None else _part(least, whole)


def whole_of(side: Side, statistic: SegmentList) -> float:
    """Total, in segments or not; 0 if not printed."""
    return _total(side, statistic.statistic) - (
        _total(side, statistic.less.statistic) if statistic.less is not None else 0.0
    )


def is_material(side: Side, part: SegmentList, whole: SegmentList) -> bool:
    """True if `part` matters; statistics of 0 are not printed."""
    total, some = side.statistic(whole.statistic), side.statistic(part.statistic)
    return side.has(part.section) if total is None or some is None else some.number >= _FEW * total.number


def is_separate(side: Side, statistic: SegmentList) -> bool:
    """True if `less` is printed by segment, or negligible."""
    if statistic.less is None:
        return True
    if side.statistic(statistic.statistic) is None:
        return False
    if side.has(statistic.less.section):
        return side.statistic(statistic.less.statistic) is not None
    return not is_material(side, statistic.less, statistic)


def _as_printed(side: Side, section: Section, statistic: SegmentList, name: str, records: list[Row]) -> Segments:
    share = sum(v.number / 100 for r in records if (v := section.number(r, "pct_total")) is not None)
    count = sum(v.number for r in records if (v := section.number(r, statistic.column)) is not None)
    permanent = _total(side, statistic.statistic) - _total(side, statistic.temporary)
    return Segments(name, share, max(share, _part(count, permanent)), count, records[0])


def _differences(
    side: Side, section: Section, rows: dict[str, list[Row]], statistic: SegmentList, less: SegmentList
) -> Iterator[tuple[str, Segments]]:
    """Lists have equal lengths: a shorter one has all captured segments."""
    listed, whole = dict(_counts(side, less)), whole_of(side, statistic)
    rest = max(_total(side, less.statistic) - sum(listed.values()), 0.0)
    ended = len(listed) < len(section.records) and not side.report.gaps
    unlisted = 0.0 if ended else min([*listed.values(), rest])
    for name, records in rows.items():
        low = high = 0.0
        for record in records:
            count, included = section.number(record, statistic.column), listed.get(_key(section, record))
            if count is not None:
                low += max(count.number - (unlisted if included is None else included), 0.0)
                high += max(count.number - (included or 0.0), 0.0)
        yield name, Segments(name, _part(low, whole), _part(high, whole), low, records[0])


def _counts(side: Side, statistic: SegmentList) -> Iterator[tuple[tuple[str, ...], float]]:
    section = side.section(statistic.section)
    for record in section.records if section is not None else ():
        if section is not None and (count := section.number(record, statistic.column)) is not None:
            yield _key(section, record), count.number


def _key(section: Section, record: Row) -> tuple[str, ...]:
    return tuple(section.text(record, c) for c in ("owner", "object_name", "subobject_name") if c in section.index)


def _total(side: Side, statistic: str) -> float:
    total = side.statistic(statistic) if statistic else None
    return total.number if total is not None else 0.0


def _part(count: float, whole: float) -> float:
    return min(count / whole, 1.0) if whole > 0 else 0.0
