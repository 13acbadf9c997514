"""Load of a database's latest windows as bars; the newest comparison's in its sides' colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.windows import window
from awrdiff.reports.models import Report
from awrdiff.web import format as fmt
from awrdiff.web import links
from awrdiff.web.charts.frame import Chart, Label
from awrdiff.web.charts.marks import Mark, bar

MOST = 40  # windows
HEIGHT = 40  # pixels
_ROOM, _GAP = 12, 0.25  # bars that a line has room for, at least; of a bar's room
_UNKNOWN = 6.0  # percent of the height, of a window without a load
_YEARS = (1980, 2200)


@dataclass(frozen=True, slots=True)
class LoadWindow:
    """A report's window (ISO), load in active sessions, and link."""

    pk: UUID
    begin_at: str
    end_at: str
    sessions: float | None
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class LoadLine:
    """`chart`: None if no report prints load. `text`: its time span."""

    chart: Chart | None
    text: str


def of_reports(access: AccessContext, reports: Iterable[Report], sides: Mapping[UUID, str]) -> LoadLine | None:
    """Several files of one window count once; None for a single window."""
    once: dict[tuple[str, ...], Report] = {}
    for report in sorted(reports, key=lambda r: (r.pk not in sides, r.db_time_s is None)):
        once.setdefault((report.begin_at, report.end_at, report.instance_name.lower()), report)
    windows = [
        LoadWindow(
            r.pk,
            r.begin_at,
            r.end_at,
            r.db_time_s / r.elapsed_s if r.db_time_s is not None and r.elapsed_s else None,
            links.report(access, r) or "",
            window(r.begin_at, r.end_at),
        )
        for r in once.values()
    ]
    return draw(windows, sides) if len(windows) > 1 else None


def draw(windows: Iterable[LoadWindow], sides: Mapping[UUID, str]) -> LoadLine | None:
    """`sides`: `first` or `second` by report id. None if no report prints its window."""
    dated = sorted(
        ((begin, end, window) for window in windows if (span := _span(window)) for begin, end in [span]), key=_order
    )
    if not dated:
        return None
    text = _span_text(dated[0][0], max(end for _, end, _ in dated))
    latest_windows = [window for _, _, window in dated[-MOST:]]
    loads = [window.sessions for window in latest_windows if window.sessions is not None]
    if not loads:
        return LoadLine(None, text)
    most, width = max(loads) or 1.0, 100 / max(len(latest_windows), _ROOM)
    marks = tuple(
        _bar(window, at * width, width, most, sides.get(window.pk, "")) for at, window in enumerate(latest_windows)
    )
    low, high = fmt.significant(min(loads)), fmt.significant(max(loads))
    summary = f"Active sessions of {fmt.count_text(len(loads), 'report')}: {low}{f' to {high}' if low != high else ''}"
    return LoadLine(Chart(marks, HEIGHT, summary, left=36, levels=(Label(12, high), Label(94, "0"))), text)


def _bar(window: LoadWindow, x: float, width: float, most: float, side: str) -> Mark:
    has_load = window.sessions is not None
    load = fmt.significant(window.sessions) if window.sessions is not None else "no load printed"
    height = max(100 * (window.sessions or 0.0) / most, 1.0) if has_load else _UNKNOWN
    cls = " ".join(filter(None, [side, "" if has_load else "unknown"]))
    return bar(cls, (x, x + width * (1 - _GAP)), (100 - height, 100), f"{window.title}: {load}", window.url)


def _order(dated_window: tuple[datetime, datetime, LoadWindow]) -> tuple[datetime, datetime, UUID]:
    begin, end, window = dated_window
    return begin, end, window.pk


def _span(window: LoadWindow) -> tuple[datetime, datetime] | None:
    """None if not printed or no plausible moment."""
    try:
        begin, end = (datetime.fromisoformat(t or window.begin_at) for t in (window.begin_at, window.end_at))
    except ValueError:
        return None
    begin, end = begin.replace(tzinfo=None), end.replace(tzinfo=None)
    return (begin, max(begin, end)) if _YEARS[0] <= begin.year <= end.year <= _YEARS[1] else None


def _span_text(begin: datetime, end: datetime) -> str:
    days = [f"{day.day} {day:%b %Y}" for day in (begin, end)]
    return f"{days[0]} {begin:%H:%M} – {end:%H:%M}" if begin.date() == end.date() else " – ".join(days)
