"""Largest changes since the span before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from awrdiff.analysis.course.movers import Mover
from awrdiff.analysis.metrics.declared import BY_ID
from awrdiff.analysis.words import number
from awrdiff.databases.models import Database
from awrdiff.web import format as fmt
from awrdiff.web.presenters.database.figures import chart_unit, unit_said
from awrdiff.web.presenters.database.span import Span

_NOT_LISTED = "not among the largest"


@dataclass(frozen=True, slots=True)
class MoverLine:
    kind: str
    name: str
    url: str
    before: str
    now: str
    change: str
    unit: str
    known: str
    cls: str


@dataclass(frozen=True, slots=True)
class MoversView:
    """`before`: earlier span; `nothing`: reason for no list."""

    before: str
    lines: Sequence[MoverLine]
    nothing: str


def present(database: Database, movers: Sequence[Mover] | None, span: Span, course: str) -> MoversView | None:
    """None without earlier span. `movers` None: too many reports."""
    if span.before is None:
        return None
    if movers is None:
        return MoversView(span.before.said, (), "Of so many reports this is not told: choose a shorter time.")
    query = {**span.query, "course": course}
    lines = [_line(database, mover, query) for mover in movers]
    nothing = "Nothing changed by a hundredth of a session and a twentieth of itself, or a time has under five reports."
    return MoversView(span.before.said, lines, nothing)


def _line(database: Database, mover: Mover, query: dict[str, str]) -> MoverLine:
    metric = BY_ID.get(mover.key) if mover.kind == "figure" else None
    in_sessions = metric is None or metric.unit == "sessions"
    better = metric.better if metric is not None else "lower"
    worse = mover.change > 0 if better == "lower" else mover.change < 0 if better == "higher" else None
    unit = (chart_unit(metric) or None) if metric is not None else None
    value_texts = [_text(value, unit) if value is not None else _NOT_LISTED for value in (mover.before, mover.now)]
    return MoverLine(
        kind=mover.kind,
        name=metric.title if metric is not None else mover.key,
        url=_url(database, mover, query),
        before=value_texts[0],
        now=value_texts[1],
        change=_change(mover, in_sessions=in_sessions),
        unit="active sessions" if metric is None else unit_said(metric),
        known=" → ".join(f"{n} of {of}" for n, of in zip(mover.listed_in, mover.of, strict=True)),
        cls="" if worse is None else "worse" if worse else "better",
    )


def _text(value: float, unit: str | None) -> str:
    return number(value) if unit is None else fmt.quantity(value, unit)


def _change(mover: Mover, *, in_sessions: bool) -> str:
    if mover.before is None or mover.now is None:
        return "entered" if mover.before is None else "left"
    if in_sessions:
        return fmt.signed(mover.change)
    if BY_ID[mover.key].unit == "percent":
        return fmt.points(mover.change)
    return fmt.relative(mover.before, mover.now) if mover.before > 0 and mover.now >= 0 else fmt.signed(mover.change)


def _url(database: Database, mover: Mover, query: dict[str, str]) -> str:
    if mover.kind == "figure":
        return f"{reverse('database-metrics', args=[database.uid])}?{urlencode({**query, 'metric': mover.key})}"
    return reverse(f"database-{mover.kind}", args=[database.uid, mover.key])
