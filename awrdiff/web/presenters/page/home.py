"""Home page: work by database or search, with load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Page
from django.urls import reverse
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.names.releases import with_product
from awrdiff.analysis.windows import window
from awrdiff.comparisons.library import Database, key_of
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.placed_reports import PlacedReport
from awrdiff.reports.models import Report
from awrdiff.web import clock, links
from awrdiff.web import format as fmt
from awrdiff.web.charts.frame import Chart, Label
from awrdiff.web.charts.marks import Mark, bar
from awrdiff.web.presenters.page import titles

MOST_WINDOWS = 40  # windows
HEIGHT = 40  # pixels
_ROOM, _GAP = 12, 0.25  # bars that a line has room for, at least; of a bar's room
_UNKNOWN = 6.0  # percent of the height, of a window without a load
_YEARS = (1980, 2200)


@dataclass(frozen=True, slots=True)
class LoadWindow:
    """Window in ISO, load in active sessions."""

    pk: UUID
    begin_at: str
    end_at: str
    sessions: float | None
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class LoadLine:
    """`chart`: None without load. `text`: time span."""

    chart: Chart | None
    text: str


def load_of_reports(access: AccessContext, reports: Iterable[Report], sides: Mapping[UUID, str]) -> LoadLine | None:
    """Files of one window count once; None for one window."""
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
    """`sides`: `first` or `second` by report id. None without windows."""
    dated = sorted(
        ((begin, end, window) for window in windows if (span := _span(window)) for begin, end in [span]), key=_order
    )
    if not dated:
        return None
    text = _span_text(dated[0][0], max(end for _, end, _ in dated))
    latest_windows = [window for _, _, window in dated[-MOST_WINDOWS:]]
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
    try:
        begin, end = (datetime.fromisoformat(t or window.begin_at) for t in (window.begin_at, window.end_at))
    except ValueError:
        return None
    begin, end = begin.replace(tzinfo=None), end.replace(tzinfo=None)
    return (begin, max(begin, end)) if _YEARS[0] <= begin.year <= end.year <= _YEARS[1] else None


def _span_text(begin: datetime, end: datetime) -> str:
    days = [f"{day.day} {day:%b %Y}" for day in (begin, end)]
    return f"{days[0]} {begin:%H:%M} – {end:%H:%M}" if begin.date() == end.date() else " – ".join(days)


UNNAMED = "No database named"
MOST_COUNTED = 1000  # of what a search finds; of more it is said that there are


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    comparison: Comparison
    url: str
    title: str
    state: str  # "" where it is ready
    verdict: str  # in a line; "" where none is stored
    files: str
    made: str


@dataclass(frozen=True, slots=True)
class ReportLine:
    report: Report
    url: str
    title: str
    said: str


@dataclass(frozen=True, slots=True)
class Group:
    """`all_url`: the rest; `about_url`: the database's page."""

    name: str
    said: str
    comparisons: Sequence[ComparisonLine]
    reports: Sequence[ReportLine]
    line: LoadLine | None
    all_url: str = ""
    about_url: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """Newest comparisons and reports; `latest`: for the load line. Search results mix databases (and clocks): no load
    line.
    """

    database: Database
    comparisons: Sequence[Comparison]
    reports: Sequence[Report]
    verdicts: Mapping[UUID, str]
    is_one: bool = True
    latest: Sequence[Report] = ()
    counts: str = ""


def counted(number: int, of: str, most: int | None = None) -> str:
    """`most`: counted up to one more."""
    return f"more than {fmt.count_text(most, of)}" if most and number > most else fmt.count_text(number, of)


@dataclass(frozen=True, slots=True)
class Pager:
    """`newer` and `older`: "" at an end."""

    said: str
    newer: str
    older: str


def group(
    access: AccessContext,
    work: Work,
    placed_reports: Mapping[UUID, Sequence[PlacedReport]],
    parameters: Mapping[str, str],
    *,
    leads_on: bool = True,
) -> Group:
    """`parameters`: to carry on."""
    now = timezone.now()
    database = work.database
    there = [c for c in work.comparisons if c.pk in placed_reports]
    lines = [comparison_line(access, c, placed_reports[c.pk], work.verdicts.get(c.pk, ""), now) for c in there]
    more = database.comparisons > len(lines) or database.reports > len(work.reports)
    return Group(
        name=database.name or UNNAMED,
        said=" · ".join(
            filter(None, [f"DBID {dbid}" if (dbid := database.group.dbid) else "", work.counts or _counts(database)])
        ),
        comparisons=lines,
        reports=list(report_lines(access, work.reports)),
        line=load_line(access, work, placed_reports) if work.is_one else None,
        all_url=f"{reverse('home')}?{urlencode({**parameters, 'db': database.group.address})}"
        if more and leads_on
        else "",
        about_url=reverse("database", args=[database.group.uid]) if database.group.uid and access.can_read else "",
    )


def _counts(database: Database) -> str:
    """Unreadable files are not counted as reports."""
    counts = (
        fmt.count_text(database.comparisons, "comparison"),
        fmt.count_text(database.reports - database.unread, "report"),
        f"{fmt.count_text(database.unread, 'file')} not read",
    )
    numbers = (database.comparisons, database.reports - database.unread, database.unread)
    return ", ".join(text for text, number in zip(counts, numbers, strict=True) if number)


def load_line(
    access: AccessContext, work: Work, placed_reports: Mapping[UUID, Sequence[PlacedReport]]
) -> LoadLine | None:
    """Own windows, also of compared reports; None for one."""
    own = {r.pk: r for r in work.latest or work.reports}
    sides: dict[UUID, str] = {}
    for comparison in work.comparisons:
        compared = [s.report for s in split_traces(placed_reports.get(comparison.pk, ()))[0]]
        own |= {r.pk: r for r in compared if key_of(r) == work.database.group.key}
        if not sides and len(compared) == 2:
            sides = {compared[0].pk: "first", compared[1].pk: "second"}
    return load_of_reports(access, own.values(), sides)


def comparison_line(
    access: AccessContext, comparison: Comparison, placed_reports: Sequence[PlacedReport], verdict: str, now: datetime
) -> ComparisonLine:
    return ComparisonLine(
        comparison=comparison,
        url=links.comparison(access, comparison),
        title=titles.comparison_title(comparison, placed_reports),
        state="" if comparison.is_ready else "failed" if comparison.is_failed else "in progress",
        verdict=verdict if comparison.is_ready else "",
        files=", ".join(dict.fromkeys(s.name for s in placed_reports)),
        made=made_at(comparison.created_at, now),
    )


def report_lines(access: AccessContext, reports: Sequence[Report]) -> Iterator[ReportLine]:
    """Files of the same window name each other."""
    files: dict[tuple[object, ...], list[str]] = {}
    for report in reports:
        files.setdefault(_hour(report), []).append(report.name)
    for report in reports:
        names = files[_hour(report)] if report.begin_at else []
        yield report_line(access, report, [name for name in dict.fromkeys(names) if name != report.name])


def _hour(report: Report) -> tuple[object, ...]:
    return report.kind, report.dbid, report.db_name, report.instance_number, report.begin_at, report.end_at


def report_line(access: AccessContext, report: Report, also: Sequence[str] = ()) -> ReportLine:
    """`also`: other files of the same window."""
    host = " · ".join(p for p in (with_product(report.release or ""), report.host_name) if p)
    state = "could not be read" if report.is_failed else "" if report.is_ready else "being read"
    spans = window(report.begin_at, report.end_at) if report.begin_at else ""
    read = f"also read from {', '.join(also)}" if also else ""
    return ReportLine(
        report=report,
        url=links.report(access, report) or "",
        title=spans or report.name,
        said=" · ".join(
            p for p in (state, titles.KINDS.get(report.kind, ""), host, report.name if spans else "", read) if p
        ),
    )


def made_at(moment: datetime, now: datetime) -> str:
    """`today 14:02 UTC`, `yesterday …`, `Thu 19 Nov …`; with the year beyond 180 days."""
    moment, now = clock.local(moment), clock.local(now)
    days = (now.date() - moment.date()).days
    at = f"{moment:%H:%M}{clock.zone_text()}"
    if days in (0, 1):
        return f"{'yesterday' if days else 'today'} {at}"
    near = timedelta(0) <= now - moment < timedelta(days=180)
    return f"{moment:%a} {moment.day} {moment:%b} {at}" if near else f"{moment.day} {moment:%b %Y} {at}"


def pager(page: Page[Any], query: Mapping[str, str], name: str, of: str, most: int | None = None) -> Pager | None:
    """None for a single page."""
    if page.paginator.num_pages < 2:
        return None
    text = f"{page.start_index()} – {page.end_index()} of {counted(page.paginator.count, of, most)}"
    newer = page.previous_page_number() if page.has_previous() else 0
    older = page.next_page_number() if page.has_next() else 0
    return Pager(text, *(f"?{urlencode({**query, name: str(number)})}" if number else "" for number in (newer, older)))
