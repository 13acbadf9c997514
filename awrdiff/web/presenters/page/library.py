"""The team's own work as the first page shows it: by database, or what a search found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Page
from django.urls import reverse
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.names.releases import with_product
from awrdiff.analysis.windows import window
from awrdiff.comparisons.library import Database, key_of
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.placed_reports import PlacedReport
from awrdiff.reports.models import Report
from awrdiff.web import clock, links
from awrdiff.web import format as fmt
from awrdiff.web.presenters.page import load_line as loads
from awrdiff.web.presenters.page import titles

UNNAMED = "No database named"
COUNTED = 1000  # of what a search finds; of more it is said that there are


@dataclass(frozen=True, slots=True)
class ComparisonLine:
    pk: UUID
    url: str
    title: str
    own_title: str
    state: str  # "" where it is ready
    verdict: str  # in a line; "" where none is stored
    files: str
    made: str
    rename_url: str
    delete_url: str


@dataclass(frozen=True, slots=True)
class ReportLine:
    pk: UUID
    url: str
    title: str
    said: str
    may_compare: bool
    delete_url: str


@dataclass(frozen=True, slots=True)
class Group:
    """One database, or what was found. `all_url` leads to the rest of it, `about_url` to what is
    known of the database."""

    name: str
    said: str
    comparisons: Sequence[ComparisonLine]
    reports: Sequence[ReportLine]
    line: loads.LoadLine | None
    all_url: str = ""
    about_url: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """What is shown of a database: its newest comparisons, the reports of its latest windows, and more of the `latest`
    for its load. What a search found is of several, and one line would put the clocks of all of them together; `counts`
    says how much that is."""

    database: Database
    comparisons: Sequence[Comparison]
    reports: Sequence[Report]
    verdicts: Mapping[UUID, str]
    is_one: bool = True
    latest: Sequence[Report] = ()
    counts: str = ""


def counted(number: int, of: str, most: int | None = None) -> str:
    """`most`: it was counted up to one more."""
    return f"more than {fmt.count_text(most, of)}" if most and number > most else fmt.count_text(number, of)


@dataclass(frozen=True, slots=True)
class Pager:
    """`Newer` and `older` lead on, "" at an end."""

    said: str
    newer: str
    older: str


def group(
    access: AccessContext,
    work: Work,
    seen: Mapping[UUID, Sequence[PlacedReport]],
    kept: Mapping[str, str],
    *,
    leads_on: bool = True,
) -> Group:
    """`kept` is what the address carries on. `leads_on`: where it shows not all of a database, to the rest."""
    now = timezone.now()
    database = work.database
    there = [c for c in work.comparisons if c.pk in seen]
    lines = [comparison_line(access, c, seen[c.pk], work.verdicts.get(c.pk, ""), now) for c in there]
    more = database.comparisons > len(lines) or database.reports > len(work.reports)
    return Group(
        name=database.name or UNNAMED,
        said=" · ".join(
            filter(None, [f"DBID {dbid}" if (dbid := database.group.dbid) else "", work.counts or _counts(database)])
        ),
        comparisons=lines,
        reports=list(report_lines(access, work.reports)),
        line=load_line(access, work, seen) if work.is_one else None,
        all_url=f"{reverse('home')}?{urlencode({**kept, 'db': database.group.address})}" if more and leads_on else "",
        about_url=reverse("database", args=[database.group.uid]) if database.group.uid and access.can_read else "",
    )


def _counts(database: Database) -> str:
    """A file that could not be read is no report."""
    counts = (
        fmt.count_text(database.comparisons, "comparison"),
        fmt.count_text(database.reports - database.unread, "report"),
        f"{fmt.count_text(database.unread, 'file')} not read",
    )
    numbers = (database.comparisons, database.reports - database.unread, database.unread)
    return ", ".join(said for said, number in zip(counts, numbers, strict=True) if number)


def load_line(access: AccessContext, work: Work, seen: Mapping[UUID, Sequence[PlacedReport]]) -> loads.LoadLine | None:
    """The database's own windows, also of reports that stand in the comparisons alone; None where there is but one."""
    own = {r.pk: r for r in work.latest or work.reports}
    sides: dict[UUID, str] = {}
    for comparison in work.comparisons:
        compared = [s.report for s in split_traces(seen.get(comparison.pk, ()))[0]]
        own |= {r.pk: r for r in compared if key_of(r) == work.database.group.key}
        if not sides and len(compared) == 2:
            sides = {compared[0].pk: "first", compared[1].pk: "second"}
    return loads.of_reports(access, own.values(), sides)


def comparison_line(
    access: AccessContext, found: Comparison, seen: Sequence[PlacedReport], verdict: str, now: datetime
) -> ComparisonLine:
    reports, _ = split_traces(seen)
    return ComparisonLine(
        pk=found.pk,
        url=links.comparison(access, found),
        title=titles.comparison_title(found, reports),
        own_title=found.title,
        state="" if found.is_ready else "failed" if found.is_failed else "in progress",
        verdict=verdict if found.is_ready else "",
        files=", ".join(dict.fromkeys(s.name for s in seen)),
        made=made_at(found.created_at, now),
        rename_url=reverse("comparison-title", args=[found.pk]),
        delete_url=reverse("comparison-delete", args=[found.pk]),
    )


def report_lines(access: AccessContext, reports: Sequence[Report]) -> Iterator[ReportLine]:
    """Of files about one window each names the others."""
    files: dict[tuple[object, ...], list[str]] = {}
    for report in reports:
        files.setdefault(_hour(report), []).append(report.name)
    for report in reports:
        names = files[_hour(report)] if report.begin_at else []
        yield report_line(access, report, [name for name in dict.fromkeys(names) if name != report.name])


def _hour(report: Report) -> tuple[object, ...]:
    return report.kind, report.dbid, report.db_name, report.instance_number, report.begin_at, report.end_at


def report_line(access: AccessContext, found: Report, also: Sequence[str] = ()) -> ReportLine:
    """What is known of it: the file where nothing is. `also`: other files about the same window."""
    host = " · ".join(p for p in (with_product(found.release or ""), found.host_name) if p)
    state = "could not be read" if found.is_failed else "" if found.is_ready else "being read"
    spans = window(found.begin_at, found.end_at) if found.begin_at else ""
    read = f"also read from {', '.join(also)}" if also else ""
    return ReportLine(
        pk=found.pk,
        url=links.report(access, found) or "",
        title=spans or found.name,
        said=" · ".join(
            p for p in (state, titles.KINDS.get(found.kind, ""), host, found.name if spans else "", read) if p
        ),
        may_compare=not found.is_failed,
        delete_url=reverse("report-delete", args=[found.pk]),
    )


def made_at(moment: datetime, now: datetime) -> str:
    """`today 14:02 UTC`, `yesterday …`, `Thu 19 Nov …` within a year, else with the year."""
    moment, now = clock.local(moment), clock.local(now)
    days = (now.date() - moment.date()).days
    at = f"{moment:%H:%M}{clock.zone_text()}"
    if days in (0, 1):
        return f"{'yesterday' if days else 'today'} {at}"
    near = timedelta(0) <= now - moment < timedelta(days=180)
    return f"{moment:%a} {moment.day} {moment:%b} {at}" if near else f"{moment.day} {moment:%b %Y} {at}"


def pager(page: Page[Any], query: Mapping[str, str], name: str, of: str, most: int | None = None) -> Pager | None:
    """None where all stand on one page; `most` as above."""
    if page.paginator.num_pages < 2:
        return None
    said = f"{page.start_index()} – {page.end_index()} of {counted(page.paginator.count, of, most)}"
    newer = page.previous_page_number() if page.has_previous() else 0
    older = page.next_page_number() if page.has_next() else 0
    return Pager(said, *(f"?{urlencode({**query, name: str(number)})}" if number else "" for number in (newer, older)))
