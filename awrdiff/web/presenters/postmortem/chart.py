"""The chart of a post-mortem, drawn of the table that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from django.utils.safestring import SafeString, mark_safe

from awrdiff.analysis.export.html import chart
from awrdiff.analysis.verdict.bars import REST, Bar, BarPart, Bars
from awrdiff.postmortems.live import BY_CLASS

MOST_ROWS, MOST_SESSIONS = 30, 1e9


def chart_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> SafeString:
    """A bar for each column of `BY_CLASS`, its parts the rows but for the last, which is their sum; "" of any other
    table. An imported table may hold anything: what is no figure is not drawn."""
    if not head or head[0] != BY_CLASS or not 2 <= len(rows) <= MOST_ROWS:
        return SafeString()
    bars = Bars(tuple(_bar(name, at, rows[:-1]) for at, name in enumerate(head) if at))
    return mark_safe("".join(chart(bars))) if bars.bars and bars.scale else SafeString()  # noqa: S308 - it escapes


def _bar(name: str, at: int, rows: Sequence[Sequence[str]]) -> Bar:
    sizes = [(row[0], size) for row in rows if len(row) > at and (size := _size(row[at]))]
    parts = tuple(BarPart(part, "" if part == REST else part, size) for part, size in sizes)
    return Bar(name, sum(part.sessions for part in parts), parts)


def _size(text: str) -> float:
    try:
        size = float(text.replace(",", ""))
    except ValueError:
        return 0.0
    return size if isfinite(size) and 0 <= size <= MOST_SESSIONS else 0.0
