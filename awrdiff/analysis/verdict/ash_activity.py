"""Two windows by samples of active sessions, slot by slot, and ASH lists.

Share times mean is active sessions; changes within twice the scatter are no change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt

from msgspec import Struct

from awrdiff.analysis.model.ash_activity import Activity, Sampled, SampledKind, SampledList, SampledRow, Stretch
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.analysis.model.ranked_changes import Range
from awrdiff.analysis.report.activity_over_time_slots import (
    SLOTS,
    Slot,
    number_of,
    samples_of,
    slots_of,
    usual_length_s,
)
from awrdiff.analysis.report.addm_analyses import analyses_of
from awrdiff.analysis.report.ash_and_addm_load import mean_sessions, sample_s, samples
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Value

MOST_EVENTS = 5  # of a slot


# Over time


def activity_of(first: Side, second: Side) -> Activity | None:
    """None without slots or ADDM analyses of parts."""
    stretches = [stretches_of(side) for side in (first, second)]
    if not any(stretches):
        return None
    lengths = [usual_length_s(slots_of(side.report.section(SLOTS))) for side in (first, second)]
    return Activity(stretches[0], stretches[1], joined=all(lengths) and lengths[0] == lengths[1])


def stretches_of(side: Side) -> tuple[Stretch, ...]:
    """By sample slots, else two or more ADDM analyses."""
    slots = slots_of(side.report.section(SLOTS))
    return tuple(_stretches(side, slots)) if slots else tuple(_analysed(side))


def _analysed(side: Side) -> Iterator[Stretch]:
    analyses = analyses_of(side.report)
    if len(analyses) < 2 or any(after.begin < before.end for before, after in pairwise(analyses)):
        return
    begin = side.report.period.begin.time
    begin = analyses[0].begin if begin is None else min(analyses[0].begin, begin.replace(second=0))
    for at, analysis in enumerate(analyses):
        parts = tuple((name, share * analysis.sessions) for name, share in analysis.findings.items())
        length_s = (analysis.end - analysis.begin).total_seconds()
        yield Stretch(
            at, f"{analysis.begin:%H:%M}", (analysis.begin - begin).total_seconds(), length_s, analysis.sessions, parts
        )


def _stretches(side: Side, slots: Sequence[Slot]) -> Iterator[Stretch]:
    usual_s, each_s = usual_length_s(slots), sample_s(side)
    samples: dict[str, tuple[float, dict[str, float]]] = {}
    for printed, event, own, total in samples_of(side.report.section(SLOTS)):
        samples.setdefault(printed, (total, {}))[1][event] = own
    for slot in slots:
        if slot.length_s <= 0 or slot.printed not in samples:
            continue
        total, events = samples[slot.printed]
        per_sample = each_s / slot.length_s
        largest = sorted(events.items(), key=lambda item: -item[1])[:MOST_EVENTS]
        event_shares = tuple((name, n * per_sample) for name, n in largest)
        yield Stretch(
            number_of(slot, usual_s), slot.clock, slot.begin_s, slot.length_s, total * per_sample, event_shares
        )


# By what was sampled


class _List(Struct, frozen=True):
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
    """None unless both ASH reports print their mean."""
    sides = (first, second)
    means = [mean_sessions(side) for side in sides]
    if any(side.report.kind != "ash" for side in sides) or means[0] is None or means[1] is None:
        return None
    scales = tuple(_Scale(mean, samples(side)) for mean, side in zip((means[0], means[1]), sides, strict=True))
    by_id = {s.id: s for s in sections}
    lists = [SampledList(spec.kind, tuple(_rows(spec, by_id, scales))) for spec in _LISTS]
    counts = (scales[0].samples, scales[1].samples)
    return Sampled(_range(means[0]), _range(means[1]), counts, tuple(of for of in lists if of.rows))


class _Scale(Struct, frozen=True):
    mean: Value
    samples: int | None

    def sessions(self, share: float, half: float) -> Range:
        return Range(max(share - half, 0.0) / 100.0 * self.mean.low, (share + half) / 100.0 * self.mean.high)

    def scatter(self, sessions: Range) -> float:
        """Variance."""
        return sessions.middle * self.mean.number / self.samples if self.samples else 0.0


def _range(value: Value) -> Range:
    return Range(value.low, value.high)


class _Entry(Struct):
    parts: dict[str, Value]
    events: dict[str, float]

    def share(self) -> tuple[float, float]:
        return sum(v.number for v in self.parts.values()), sum(v.half for v in self.parts.values())


def _rows(of: _List, sections: Mapping[str, ComparedSection], scales: Sequence[_Scale]) -> list[SampledRow]:
    sides: dict[str, tuple[_Entry, _Entry]] = defaultdict(lambda: (_Entry({}, {}), _Entry({}, {})))
    where: dict[str, tuple[float, str, ComparedRow]] = {}
    for section in (sections[i] for i in of.sections if i in sections):
        for row in section.rows:
            name = _text(row, of.column)
            if name:
                level = _gather(of, row, sides[name])
                if name not in where or level > where[name][0]:
                    where[name] = (level, section.id, row)
    rows = [_row(of, name, entry, scales, where[name]) for name, entry in sides.items()]
    return sorted((r for r in rows if r.first or r.second), key=lambda r: -r.size)


def _gather(of: _List, row: ComparedRow, entry: tuple[_Entry, _Entry]) -> float:
    level = 0.0
    part, event = _text(row, of.parts) if of.parts else "", _text(row, of.caused) if of.caused else ""
    for at, side in enumerate(entry):
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
    entry: tuple[_Entry, _Entry],
    scales: Sequence[_Scale],
    where: tuple[float, str, ComparedRow],
) -> SampledRow:
    first, second = (
        scale.sessions(*side.share()) if side.parts else None for side, scale in zip(entry, scales, strict=True)
    )
    _, section, row = where
    beside = [text for column in of.beside if (text := _text(row, column))]
    events = max((side.events for side in entry), key=lambda of: sum(of.values()))
    mostly = [f"mostly {max(events, key=lambda event: events[event])}"] if events else []
    is_certain = False
    if first is not None and second is not None and max(first.low, second.low) > min(first.high, second.high):
        scatter = sqrt(scales[0].scatter(first) + scales[1].scatter(second))
        is_certain = abs(second.middle - first.middle) > 2 * scatter
    return SampledRow(
        key=name,
        beside=" · ".join([*beside, *mostly]),
        first=first,
        second=second,
        certain=is_certain,
        section=section,
        row_id=row.row_id,
    )


def _value(row: ComparedRow, column: str, side: int) -> Value | None:
    delta = row.values.get(column)
    cell = None if delta is None else delta[side]
    return cell if isinstance(cell, Value) else None


def _text(row: ComparedRow, column: str) -> str:
    if column in row.key:
        return row.key[column]
    delta = row.values.get(column)
    text = "" if delta is None else delta.second or delta.first or ""
    return text if isinstance(text, str) else f"{text.number:.15g}"
