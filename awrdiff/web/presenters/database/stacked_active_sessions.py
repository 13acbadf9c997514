"""Active sessions over time by CPU and wait class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from uuid import UUID

from django.urls import reverse

from awrdiff.analysis.course.report_timeline import Slot, apart, follows, is_changed, release_between, restarts_between
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.analysis.metrics.declaration_helpers import Metric
from awrdiff.analysis.report_time_windows import gap_text
from awrdiff.analysis.verdict.db_time_bars import fill_of
from awrdiff.comparisons.databases_of_comparisons import ListedComparison
from awrdiff.incidents.past_incident_knowledge import BadHour
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, Time, round_ticks
from awrdiff.web.charts.frame import Chart, Frame, Key, Rule, levels, moments_of, room, rules
from awrdiff.web.charts.shapes import Mark, Place, arc, area, bar, decimal, line, runs
from awrdiff.web.presenters.database.timeline_span import Span


class Layer(NamedTuple):
    metric: Metric
    name: str
    cls: str


DB_TIME = BY_ID["db_time"]
LAYERS = tuple(
    Layer(BY_ID[metric], name, fill_of(name))
    for metric, name in (
        ("db_cpu", "CPU"),
        ("waits_scheduler", "Scheduler"),
        ("waits_user_io", "User I/O"),
        ("waits_system_io", "System I/O"),
        ("waits_concurrency", "Concurrency"),
        ("waits_application", "Application"),
        ("waits_commit", "Commit"),
        ("waits_configuration", "Configuration"),
        ("waits_administrative", "Administrative"),
        ("waits_network", "Network"),
        ("waits_cluster", "Cluster"),
        ("waits_other", "Other"),
    )
)


HEIGHT, ARCS = 240, 34  # pixels; of the arcs above
_MOST_TICKS = 4
_LEAST = 0.005  # active sessions: a class that is nowhere more has no column
_MOST_HITS = 400  # more are too narrow to be pointed at: the table has them all
Extent = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _SlotFigures:
    """Active sessions; None if not printed."""

    slot: Slot
    whole: float | None
    parts: tuple[float | None, ...]
    when: str
    url: str

    @property
    def has_parts(self) -> bool:
        return any(part is not None for part in self.parts)


def present(
    slots: Sequence[Slot], span: Span, incidents: Sequence[BadHour], listed: Sequence[ListedComparison]
) -> dict[str, Any] | None:
    """None without reports. `listed`: comparisons of them."""
    if not slots:
        return None
    comparisons = [c for c in listed if len(c.reports) > 1]
    every = [_figures_of(slot, LAYERS) for slot in slots]
    layer_indexes = [k for k, _ in enumerate(LAYERS) if any((t.parts[k] or 0.0) >= _LEAST for t in every)]
    layers = [LAYERS[k] for k in layer_indexes]
    slot_figures = [
        _SlotFigures(t.slot, t.whole, tuple(t.parts[k] for k in layer_indexes), t.when, t.url) for t in every
    ]
    drawn_slots, around = apart(slots)
    begin = span.begin or drawn_slots[0].begin
    end = max(span.end or drawn_slots[-1].end, drawn_slots[-1].end)
    changes = changes_of(drawn_slots)
    slot_ids = {id(slot) for slot in drawn_slots}
    line_up = [t for t in slot_figures if id(t.slot) in slot_ids]
    across = Time(begin, (end - begin).total_seconds())
    return {
        "chart": _chart(line_up, layers, across, incidents, comparisons, changes=changes),
        "keys": [Key(layer.cls, layer.name, key=layer.cls) for layer in reversed(layers)],
        "heads": ["DB time", *(layer.name for layer in layers)],
        "lines": list(_lines(slot_figures, incidents, comparisons)),
        "absent": ", ".join(layer.name for layer in LAYERS if layer not in layers),
        "letters": "".join(letters for _, letters, _ in changes),
        "has_gaps": any(not follows(a, b) for a, b in pairwise(drawn_slots))
        or any(t.slot.is_made and t.whole is None and not t.has_parts for t in line_up),
        "partial": sum(s.is_partial for s in slots),
        "waiting": sum(not s.is_made for s in slots),  # reports without metrics
        "around": len(around),
        "begin": f"{begin:%Y-%m-%dT%H:%M:%S}",
        "end": f"{end:%Y-%m-%dT%H:%M:%S}",
    }


def _figures_of(slot: Slot, layers: Sequence[Layer]) -> _SlotFigures:
    whole, *parts = (slot.figure(metric) for metric in (DB_TIME, *(layer.metric for layer in layers)))
    numbers = tuple(v.number if v is not None else None for v in parts)
    return _SlotFigures(slot, whole.number if whole is not None else None, numbers, when(slot), report_url(slot))


Changes = tuple[datetime, str, str]  # when, its letters, what it is


def changes_of(slots: Sequence[Slot]) -> list[Changes]:
    """R restart, V other release, P parameters not explained by either."""
    changes = []
    for before, after in pairwise(slots):
        marks: list[tuple[str, str]] = []
        if restarts := restarts_between(before, after):
            marks.append(("R", f"restarted {', '.join(f'{at.day} {at:%b %Y %H:%M}' for at in restarts)}"))
        if release := release_between(before, after):
            marks.append(("V", f"release {release[0]} → {release[1]}"))
        if not marks and is_changed(before, after):
            marks.append(("P", "parameters differ"))
        if marks:
            changes.append((after.begin, "".join(letter for letter, _ in marks), "; ".join(text for _, text in marks)))
    return changes


def _chart(
    slot_figures: Sequence[_SlotFigures],
    layers: Sequence[Layer],
    across: Time,
    incidents: Iterable[BadHour],
    comparisons: Sequence[ListedComparison],
    *,
    changes: Iterable[Changes],
) -> Chart:
    stacks = [[0.0, *accumulate(max(part or 0.0, 0.0) for part in t.parts)] for t in slot_figures]
    most = max([stack[-1] for stack in stacks] + [t.whole for t in slot_figures if t.whole is not None])
    ticks = round_ticks(most, _MOST_TICKS)
    up = Linear(0, ticks[-1][0])
    frame = Frame(up, up)
    extents = [(across.at(t.slot.begin), across.at(t.slot.end)) for t in slot_figures]
    sessions, names = levels(up, ticks), moments_of(across)
    by_report = {p.report: x for t, x in zip(slot_figures, extents, strict=True) for p in t.slot.points}
    return Chart(
        marks=(
            *_bad(incidents, by_report),
            *_areas(list(_runs(slot_figures, [t.has_parts for t in slot_figures])), stacks, layers, extents, frame),
            *_edges(slot_figures, extents, frame),
            *_arcs(comparisons, by_report),
            *(
                _hit(t, x, layers)
                for t, x in zip(slot_figures, extents, strict=True)
                if len(slot_figures) <= _MOST_HITS
            ),
        ),
        height=HEIGHT,
        alt="Average active sessions over time by CPU and wait class. The table below has the same figures.",
        left=room(sessions),
        right=12,
        top=20 + (ARCS if comparisons else 0),
        bottom=22,
        rules=(
            *rules(sessions),
            *rules(names, upright=True),
            *(
                Rule(decimal(across.at(at)), upright=True, cls="mark", title=title, text=letters)
                for at, letters, title in changes
            ),
        ),
        levels=sessions,
        names=names,
    )


def _runs(slot_figures: Sequence[_SlotFigures], is_known: Sequence[bool]) -> Iterator[list[int]]:
    places = (at for at, has_figures in enumerate(is_known) if has_figures)
    return runs(places, lambda a, b: b == a + 1 and follows(slot_figures[a].slot, slot_figures[b].slot))


def _areas(
    runs: Sequence[Sequence[int]],
    stacks: Sequence[Sequence[float]],
    layers: Sequence[Layer],
    extents: Sequence[Extent],
    frame: Frame,
) -> Iterator[Mark]:
    for run in runs:
        for n, layer in enumerate(layers):
            if any(stacks[at][n + 1] > stacks[at][n] for at in run):
                upper, lower = (outline([(at, frame.y(stacks[at][k])) for at in run], extents) for k in (n + 1, n))
                yield area(layer.cls, upper, lower, layer.cls)


def outline(places: Sequence[tuple[int, float]], extents: Sequence[Extent]) -> list[Place]:
    """Steps to the next begin, the last to its end."""
    corners: list[Place] = []
    for k, (at, y) in enumerate(places):
        end = extents[places[k + 1][0]][0] if k + 1 < len(places) else extents[at][1]
        corners += [(extents[at][0], y), (end, y)]
    return corners


def _edges(slot_figures: Sequence[_SlotFigures], extents: Sequence[Extent], frame: Frame) -> Iterator[Mark]:
    """The part above the stack belongs to no class."""
    for run in _runs(slot_figures, [t.whole is not None for t in slot_figures]):
        totals = ((at, slot_figures[at].whole) for at in run)
        yield line("db-time", outline([(at, frame.y(n)) for at, n in totals if n is not None], extents))


def _bad(incidents: Iterable[BadHour], extents: Mapping[str, Extent]) -> Iterator[Mark]:
    for incident in incidents:
        if (extent := extents.get(str(incident.report))) is not None:
            start, end = extent
            url = reverse("incident", args=[incident.incident])
            yield bar("bad", (start, max(end, start + 0.4)), (0, 100), f"Incident: {incident.title}", url)


def _arcs(comparisons: Iterable[ListedComparison], extents: Mapping[str, Extent]) -> Iterator[Mark]:
    for comparison in comparisons:
        first, second = (str(comparison.reports[at]) for at in (0, -1))
        if first in extents and second in extents and first != second:
            a, b = (sum(extents[pk]) / 2 for pk in (first, second))
            rise = 6 + (ARCS - 12) * min(1.0, (abs(b - a) / 100) ** 0.5)
            url = reverse("comparison", args=[comparison.comparison])
            of = f": {comparison.title}" if comparison.title else f" of {len(comparison.reports)} reports"
            yield arc((a, b), 0.0, 100 * rise / HEIGHT, title=f"Comparison{of}", url=url)


def _hit(figures: _SlotFigures, extent: Extent, layers: Sequence[Layer]) -> Mark:
    parts = [f"{layer.name} {number(n)}" for layer, n in zip(layers, figures.parts, strict=True) if n]
    text = f"{number(figures.whole)} active sessions" if figures.whole is not None else "DB time is not printed"
    title = "\n".join((f"{figures.when}: {text}{partial_text(figures.slot)}", *reversed(parts)))
    return bar("hit", extent, (0, 100), title, figures.url)


def report_url(slot: Slot) -> str:
    return report_address(slot.points[0].report) if len(slot.points) == 1 else ""


def report_address(pk: str) -> str:
    """Reverses the common prefix once, for a thousand reports per page."""
    return _address().replace(_NOBODY, pk)


_NOBODY = str(UUID(int=0))


@cache
def _address() -> str:
    return reverse("report", args=[_NOBODY])


def partial_text(slot: Slot) -> str:
    return f", {len(slot.points)} of {slot.of} instances" if slot.is_partial else ""


def when(slot: Slot) -> str:
    """`Mon 6 Jan 2025 09:00–10:00`"""
    begin, end = slot.begin, slot.end
    last = f"{end:%H:%M}" if end.date() == begin.date() else f"{end.day} {end:%b %H:%M}"
    return f"{begin:%a} {begin.day} {begin:%b %Y %H:%M}–{last}"


def _lines(
    slot_figures: Sequence[_SlotFigures], incidents: Iterable[BadHour], comparisons: Iterable[ListedComparison]
) -> Iterator[dict[str, Any]]:
    bad: dict[str, list[BadHour]] = {}
    for incident in incidents:
        bad.setdefault(str(incident.report), []).append(incident)
    compared: dict[str, list[ListedComparison]] = {}
    for comparison in comparisons:
        compared.setdefault(str(comparison.reports[0]), []).append(comparison)
    slots = [t.slot for t in slot_figures]
    for t, between in zip(slot_figures, since_before(slots, changes_of(slots)), strict=True):
        slot = t.slot
        yield {
            "when": t.when,
            "url": t.url,
            "begin": slot.begin.isoformat(timespec="minutes"),
            "end": slot.end.isoformat(timespec="minutes"),
            "cells": [number(n) if n is not None else fmt.NONE for n in (t.whole, *t.parts)],
            "between": between if slot.is_made else "its figures are not taken yet",
            "incidents": [incident for point in slot.points for incident in bad.get(point.report, ())],
            # That begin with it.
            "comparisons": [comparison for point in slot.points for comparison in compared.get(point.report, ())],
        }


def since_before(slots: Sequence[Slot], changes: Iterable[Changes]) -> Iterator[str]:
    """Gaps and changes between each slot and the one before."""
    change_texts = {at: text for at, _, text in changes}
    for before, slot in zip((None, *slots), slots, strict=False):
        texts = (between_text(before, slot), change_texts.get(slot.begin, ""), partial_text(slot).removeprefix(", "))
        yield "; ".join(filter(None, texts))


def between_text(before: Slot | None, after: Slot) -> str:
    """Length of the gap."""
    return gap_text((after.begin - before.end).total_seconds()) if before is not None else ""
