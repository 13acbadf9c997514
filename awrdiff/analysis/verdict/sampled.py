"""Two windows by their samples of active sessions: slot by slot, and what two ASH reports list by event, statement,
object and session.

A share of an ASH report's activity is active sessions once it is multiplied by their mean. Samples are counted, so a
share has a scatter: a change within twice of it, or within the digits printed, is not said to be one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt

from msgspec import Struct

from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.analysis.model.ranked import Range
from awrdiff.analysis.model.sampled import Activity, Sampled, SampledKind, SampledList, SampledRow, Stretch
from awrdiff.analysis.report.analyses import analyses_of
from awrdiff.analysis.report.sampled import mean_sessions, sample_s, samples
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.slots import SLOTS, Slot, number_of, slots_of, usual_length_s
from parsers.model import Section, Value

MOST_EVENTS = 5  # of a slot


# Over time


def activity_of(first: Side, second: Side) -> Activity | None:
    """Where a side prints its slots, or ADDM's analyses of parts of its window."""
    stretches = [stretches_of(side) for side in (first, second)]
    if not any(stretches):
        return None
    lengths = [usual_length_s(slots_of(side.report.section(SLOTS))) for side in (first, second)]
    return Activity(stretches[0], stretches[1], joined=all(lengths) and lengths[0] == lengths[1])


def stretches_of(side: Side) -> tuple[Stretch, ...]:
    """Active sessions over the window: by the slots of its samples, else by ADDM's analyses, of which it takes two."""
    slots = slots_of(side.report.section(SLOTS))
    return tuple(_stretches(side, slots)) if slots else tuple(_analysed(side))


def _analysed(side: Side) -> Iterator[Stretch]:
    """Times of analyses are cut to the minute."""
    analyses = analyses_of(side.report)
    if len(analyses) < 2 or any(after.begin < before.end for before, after in pairwise(analyses)):
        return
    begin = side.report.period.begin.time
    begin = analyses[0].begin if begin is None else min(analyses[0].begin, begin.replace(second=0))
    for at, one in enumerate(analyses):
        parts = tuple((name, share * one.sessions) for name, share in one.findings.items())
        length_s = (one.end - one.begin).total_seconds()
        yield Stretch(at, f"{one.begin:%H:%M}", (one.begin - begin).total_seconds(), length_s, one.sessions, parts)


def _stretches(side: Side, slots: Sequence[Slot]) -> Iterator[Stretch]:
    section = side.report.section(SLOTS)
    usual_s, each_s = usual_length_s(slots), sample_s(side)
    counted = _samples_by_slot(section) if section is not None else {}
    for slot in slots:
        if slot.length_s <= 0 or slot.printed not in counted:
            continue
        total, events = counted[slot.printed]
        per_sample = each_s / slot.length_s
        largest = sorted(events.items(), key=lambda item: -item[1])[:MOST_EVENTS]
        named = tuple((name, n * per_sample) for name, n in largest)
        yield Stretch(number_of(slot, usual_s), slot.clock, slot.begin_s, slot.length_s, total * per_sample, named)


def _samples_by_slot(section: Section) -> dict[str, tuple[float, dict[str, float]]]:
    """Samples of each slot, in all and by event."""
    found: dict[str, tuple[float, dict[str, float]]] = {}
    for record in section.records:
        total, of_event = section.number(record, "slot_samples"), section.number(record, "event_samples")
        if total is not None:
            events = found.setdefault(section.text(record, "slot"), (total.number, {}))[1]
            events[section.text(record, "event")] = of_event.number if of_event is not None else 0.0
    return found


# By what was sampled


class _List(Struct, frozen=True):
    """Where a list is printed: the column that names a row, what splits it further, and what stands beside it."""

    kind: SampledKind
    sections: tuple[str, ...]
    column: str
    share: str = "pct_activity"
    parts: str = ""  # a name of several parts is their sum
    beside: tuple[str, ...] = ()
    caused: str = "event"  # its largest event is named beside it


_LISTS = (
    _List(
        "event", ("top_user_events", "top_background_events"), "event", "pct_event", beside=("event_class",), caused=""
    ),
    _List("sql", ("top_sql_with_top_events",), "sql_id", parts="plan_hash"),
    _List("object", ("top_db_objects",), "object"),
    _List("session", ("top_sessions",), "session", beside=("user", "program")),
    _List("blocker", ("top_blocking_sessions",), "blocking_session", beside=("user", "program")),
)


def sampled_of(first: Side, second: Side, sections: Iterable[ComparedSection]) -> Sampled | None:
    """Bars of two ASH reports that both print their mean."""
    sides = (first, second)
    means = [mean_sessions(side) for side in sides]
    if any(side.report.kind != "ash" for side in sides) or means[0] is None or means[1] is None:
        return None
    scales = tuple(_Scale(mean, samples(side)) for mean, side in zip((means[0], means[1]), sides, strict=True))
    by_id = {s.id: s for s in sections}
    lists = [SampledList(one.kind, tuple(_rows(one, by_id, scales))) for one in _LISTS]
    counts = (scales[0].samples, scales[1].samples)
    return Sampled(_range(means[0]), _range(means[1]), counts, tuple(of for of in lists if of.rows))


class _Scale(Struct, frozen=True):
    """What shares of one side's activity are of."""

    mean: Value
    samples: int | None

    def sessions(self, share: float, half: float) -> Range:
        return Range(max(share - half, 0.0) / 100.0 * self.mean.low, (share + half) / 100.0 * self.mean.high)

    def scatter(self, sessions: Range) -> float:
        """Its square."""
        return sessions.middle * self.mean.number / self.samples if self.samples else 0.0


def _range(value: Value) -> Range:
    return Range(value.low, value.high)


class _Found(Struct):
    """One side of one name, gathered over its rows."""

    parts: dict[str, Value]
    events: dict[str, float]

    def share(self) -> tuple[float, float]:
        return sum(v.number for v in self.parts.values()), sum(v.half for v in self.parts.values())


def _rows(of: _List, sections: Mapping[str, ComparedSection], scales: Sequence[_Scale]) -> list[SampledRow]:
    sides: dict[str, tuple[_Found, _Found]] = defaultdict(lambda: (_Found({}, {}), _Found({}, {})))
    where: dict[str, tuple[float, str, ComparedRow]] = {}
    for section in (sections[i] for i in of.sections if i in sections):
        for row in section.rows:
            name = _text(row, of.column)
            if name:
                level = _gather(of, row, sides[name])
                if name not in where or level > where[name][0]:
                    where[name] = (level, section.id, row)
    rows = [_row(of, name, found, scales, where[name]) for name, found in sides.items()]
    return sorted((r for r in rows if r.first or r.second), key=lambda r: -r.size)


def _gather(of: _List, row: ComparedRow, found: tuple[_Found, _Found]) -> float:
    """Adds what one row prints; how large it is where it is larger."""
    level = 0.0
    part, event = _text(row, of.parts) if of.parts else "", _text(row, of.caused) if of.caused else ""
    for at, side in enumerate(found):
        share, of_event = _value(row, of.share, at), _value(row, "pct_event", at)
        if share is None:
            continue
        side.parts.setdefault(part, share)
        own = of_event if of_event is not None else share
        level = max(level, own.number)
        if event:
            side.events[event] = side.events.get(event, 0.0) + own.number
    return level


def _row(
    of: _List,
    name: str,
    found: tuple[_Found, _Found],
    scales: Sequence[_Scale],
    where: tuple[float, str, ComparedRow],
) -> SampledRow:
    first, second = (
        scale.sessions(*side.share()) if side.parts else None for side, scale in zip(found, scales, strict=True)
    )
    _, section, row = where
    beside = [text for column in of.beside if (text := _text(row, column))]
    return SampledRow(
        key=name,
        beside=" · ".join([*beside, *_mostly(found)]),
        first=first,
        second=second,
        certain=_is_certain(first, second, scales),
        section=section,
        row_id=row.row_id,
    )


def _mostly(found: tuple[_Found, _Found]) -> Iterator[str]:
    """The largest event of the side that has more of it."""
    events = max((side.events for side in found), key=lambda of: sum(of.values()))
    if events:
        yield f"mostly {max(events, key=lambda event: events[event])}"


def _is_certain(first: Range | None, second: Range | None, scales: Sequence[_Scale]) -> bool:
    if first is None or second is None:
        return False
    if max(first.low, second.low) <= min(first.high, second.high):
        return False
    scatter = sqrt(scales[0].scatter(first) + scales[1].scatter(second))
    return abs(second.middle - first.middle) > 2 * scatter


def _value(row: ComparedRow, column: str, side: int) -> Value | None:
    delta = row.values.get(column)
    found = None if delta is None else delta[side]
    return found if isinstance(found, Value) else None


def _text(row: ComparedRow, column: str) -> str:
    if column in row.key:
        return row.key[column]
    delta = row.values.get(column)
    found = "" if delta is None else delta.second or delta.first or ""
    return found if isinstance(found, str) else f"{found.number:.15g}"


__all__ = ["activity_of", "sampled_of"]
