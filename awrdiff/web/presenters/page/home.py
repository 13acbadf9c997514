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
from awrdiff.analysis.names.oracle_releases import with_product
from awrdiff.analysis.report_time_windows import window
from awrdiff.comparisons.comparisons_by_database import Database, key_of
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.report_places_and_titles import PlacedReport
from awrdiff.reports.models import Report
from awrdiff.web import links
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.frame import Chart, Label
from awrdiff.web.charts.shapes import Mark, bar
from awrdiff.web.presenters.page import titles
from awrdiff.web.value_formatting import local, zone_text

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


LoadLine = tuple[Chart | None, str]  # drawn where there is a load; time span


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
        ((*span, window) for window in windows if (span := _span(window)) is not None),
        key=lambda dated_window: (*dated_window[:2], dated_window[2].pk),
    )
    if not dated:
        return None
    begin, end = dated[0][0], max(end for _, end, _ in dated)
    days = [f"{day.day} {day:%b %Y}" for day in (begin, end)]
    text = f"{days[0]} {begin:%H:%M} – {end:%H:%M}" if begin.date() == end.date() else " – ".join(days)
    latest_windows = [window for _, _, window in dated[-MOST_WINDOWS:]]
    loads = [window.sessions for window in latest_windows if window.sessions is not None]
    if not loads:
        return None, text
    most, width = max(loads) or 1.0, 100 / max(len(latest_windows), _ROOM)
    marks = tuple(
        _bar(window, at * width, width, most, sides.get(window.pk, "")) for at, window in enumerate(latest_windows)
    )
    low, high = fmt.significant(min(loads)), fmt.significant(max(loads))
    summary = f"Active sessions of {fmt.count_text(len(loads), 'report')}: {low}{f' to {high}' if low != high else ''}"
    return Chart(marks, HEIGHT, summary, left=36, levels=(Label(12, high), Label(94, "0"))), text


def _bar(window: LoadWindow, x: float, width: float, most: float, side: str) -> Mark:
    has_load = window.sessions is not None
    load = fmt.significant(window.sessions) if window.sessions is not None else "no load printed"
    height = max(100 * (window.sessions or 0.0) / most, 1.0) if has_load else _UNKNOWN
    cls = " ".join(filter(None, [side, "" if has_load else "unknown"]))
    return bar(cls, (x, x + width * (1 - _GAP)), (100 - height, 100), f"{window.title}: {load}", window.url)


def _span(window: LoadWindow) -> tuple[datetime, datetime] | None:
    try:
        begin, end = (datetime.fromisoformat(t or window.begin_at) for t in (window.begin_at, window.end_at))
    except ValueError:
        return None
    begin, end = begin.replace(tzinfo=None), end.replace(tzinfo=None)
    return (begin, max(begin, end)) if _YEARS[0] <= begin.year <= end.year <= _YEARS[1] else None


UNNAMED = "No database named"
MOST_COUNTED = 1000  # of what a search finds; of more it is said that there are


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


def count_text(number: int, of: str, most: int | None = None) -> str:
    """`most`: counted up to one more."""
    return f"more than {fmt.count_text(most, of)}" if most and number > most else fmt.count_text(number, of)


def group(
    access: AccessContext,
    work: Work,
    placed_reports: Mapping[UUID, Sequence[PlacedReport]],
    parameters: Mapping[str, str],
    *,
    leads_on: bool = True,
) -> dict[str, Any]:
    """`parameters`: to carry on."""
    now = timezone.now()
    database = work.database
    lines = [
        {
            "comparison": comparison,
            "url": links.comparison(access, comparison),
            "title": titles.comparison_title(comparison, placed_reports[comparison.pk]),
            "state": "" if comparison.is_ready else "failed" if comparison.is_failed else "in progress",
            "verdict": work.verdicts.get(comparison.pk, "") if comparison.is_ready else "",
            "files": ", ".join(dict.fromkeys(place.name for place in placed_reports[comparison.pk])),
            "made": made_at(comparison.created_at, now),
        }
        for comparison in work.comparisons
        if comparison.pk in placed_reports
    ]
    more = database.comparisons > len(lines) or database.reports > len(work.reports)
    dbid = f"DBID {database.group.dbid}" if database.group.dbid else ""
    all_url = f"{reverse('home')}?{urlencode({**parameters, 'db': database.group.address})}"
    return {
        "name": database.name or UNNAMED,
        "summary": " · ".join(filter(None, [dbid, work.counts or _counts(database)])),
        "comparisons": lines,
        "reports": list(report_lines(access, work.reports)),
        "line": load_line(access, work, placed_reports) if work.is_one else None,
        "all_url": all_url if more and leads_on else "",
        "about_url": reverse("database", args=[database.group.uid]) if database.group.uid and access.can_read else "",
    }


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


def report_lines(access: AccessContext, reports: Sequence[Report]) -> Iterator[tuple[Report, str, str, str]]:
    """Report, address, title, facts. Files of the same window name each other."""
    files: dict[tuple[object, ...], list[str]] = {}
    for report in reports:
        files.setdefault(_hour(report), []).append(report.name)
    for report in reports:
        names = files[_hour(report)] if report.begin_at else []
        also = ", ".join(name for name in dict.fromkeys(names) if name != report.name)
        spans = window(report.begin_at, report.end_at) if report.begin_at else ""
        facts = (
            "could not be read" if report.is_failed else "" if report.is_ready else "being read",
            titles.KINDS.get(report.kind, ""),
            with_product(report.release or ""),
            report.host_name,
            report.name if spans else "",
            f"also read from {also}" if also else "",
        )
        yield report, links.report(access, report) or "", spans or report.name, " · ".join(filter(None, facts))


def _hour(report: Report) -> tuple[object, ...]:
    return report.kind, report.dbid, report.db_name, report.instance_number, report.begin_at, report.end_at


def made_at(moment: datetime, now: datetime) -> str:
    """`today 14:02 UTC`, `yesterday …`, `Thu 19 Nov …`; with the year beyond 180 days."""
    moment, now = local(moment), local(now)
    days = (now.date() - moment.date()).days
    at = f"{moment:%H:%M}{zone_text()}"
    if days in (0, 1):
        return f"{'yesterday' if days else 'today'} {at}"
    near = timedelta(0) <= now - moment < timedelta(days=180)
    return f"{moment:%a} {moment.day} {moment:%b} {at}" if near else f"{moment.day} {moment:%b %Y} {at}"


def pager(
    page: Page[Any], query: Mapping[str, str], name: str, of: str, most: int | None = None
) -> dict[str, str] | None:
    """None for a single page."""
    if page.paginator.num_pages < 2:
        return None
    newer = page.previous_page_number() if page.has_previous() else 0
    older = page.next_page_number() if page.has_next() else 0
    return {
        "position": f"{page.start_index()} – {page.end_index()} of {count_text(page.paginator.count, of, most)}",
        "newer": f"?{urlencode({**query, name: str(newer)})}" if newer else "",
        "older": f"?{urlencode({**query, name: str(older)})}" if older else "",
    }
