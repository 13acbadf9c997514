"""The load of a database's latest windows as bars; those of the newest comparison in the colours of its sides."""

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
    """A report's window (ISO texts), its load in active sessions, and where it leads."""

    pk: UUID
    begin_at: str
    end_at: str
    sessions: float | None
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class LoadLine:
    """`chart`: None where no report prints its load. `text`: from when to when."""

    chart: Chart | None
    text: str


def of_reports(access: AccessContext, reports: Iterable[Report], sides: Mapping[UUID, str]) -> LoadLine | None:
    """A window read from several files counts once; None where there is but one."""
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
    """`sides`: `first` or `second`, of the reports of one comparison. None where no report prints its window."""
    dated = sorted(((begin, end, one) for one in windows if (span := _span(one)) for begin, end in [span]), key=_order)
    if not dated:
        return None
    text = _span_text(dated[0][0], max(end for _, end, _ in dated))
    shown = [one for _, _, one in dated[-MOST:]]
    loads = [one.sessions for one in shown if one.sessions is not None]
    if not loads:
        return LoadLine(None, text)
    most, width = max(loads) or 1.0, 100 / max(len(shown), _ROOM)
    marks = tuple(_bar(one, at * width, width, most, sides.get(one.pk, "")) for at, one in enumerate(shown))
    low, high = fmt.significant(min(loads)), fmt.significant(max(loads))
    said = f"Active sessions of {fmt.count_text(len(loads), 'report')}: {low}{f' to {high}' if low != high else ''}"
    return LoadLine(Chart(marks, HEIGHT, said, left=36, levels=(Label(12, high), Label(94, "0"))), text)


def _bar(one: LoadWindow, x: float, width: float, most: float, side: str) -> Mark:
    known = one.sessions is not None
    load = fmt.significant(one.sessions) if one.sessions is not None else "no load printed"
    height = max(100 * (one.sessions or 0.0) / most, 1.0) if known else _UNKNOWN
    cls = " ".join(filter(None, [side, "" if known else "unknown"]))
    return bar(cls, (x, x + width * (1 - _GAP)), (100 - height, 100), f"{one.title}: {load}", one.url)


def _order(found: tuple[datetime, datetime, LoadWindow]) -> tuple[datetime, datetime, UUID]:
    begin, end, one = found
    return begin, end, one.pk


def _span(one: LoadWindow) -> tuple[datetime, datetime] | None:
    """None where it is not printed, or no moment of any database that there has been."""
    try:
        begin, end = (datetime.fromisoformat(t or one.begin_at) for t in (one.begin_at, one.end_at))
    except ValueError:
        return None
    begin, end = begin.replace(tzinfo=None), end.replace(tzinfo=None)
    return (begin, max(begin, end)) if _YEARS[0] <= begin.year <= end.year <= _YEARS[1] else None


def _span_text(begin: datetime, end: datetime) -> str:
    days = [f"{day.day} {day:%b %Y}" for day in (begin, end)]
    return f"{days[0]} {begin:%H:%M} – {end:%H:%M}" if begin.date() == end.date() else " – ".join(days)
