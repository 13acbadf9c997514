"""Partners of a report: its comparisons, the one it was opened from, other reports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import TRACE, split_traces
from awrdiff.comparisons import library
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.placed_reports import PlacedReport, placed_reports_in
from awrdiff.reports.models import Report
from awrdiff.web import links
from awrdiff.web.presenters.page import titles

MOST_PARTNERS, MOST_STANDING = 40, 8


@dataclass(frozen=True, slots=True)
class Standing:
    pk: UUID
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Partner:
    pk: UUID
    title: str


def partners_of(access: AccessContext, report: Report, came_from: str, pair: int) -> dict[str, Any]:
    """`came_from`, `pair`: the comparison that linked here, and its pair, as in the address."""
    standing = list(library.standing_on(access, report, came_from=came_from)[:MOST_STANDING])
    placed_reports = placed_reports_in(standing)
    lines = [
        _standing(access, comparison, placed_reports[comparison.pk])
        for comparison in standing
        if comparison.pk in placed_reports
    ]
    back = [standing_line for standing_line in lines if str(standing_line.pk) == came_from]
    may_compare = report.kind != TRACE
    candidates = library.partners(access, report, most=MOST_PARTNERS) if may_compare else []
    here = urlencode({"with": report.pk, "db": library.group_of(report).address})
    return {
        "chosen": report,
        "standing": lines,
        "came_from": next((replace(report, url=links.place(report.pk, pair)) for report in back), None),
        "partners": [Partner(report.pk, _name_with_file(report)) for report in candidates],
        "may_compare": may_compare,
        "choose_url": f"{reverse('home')}?{here}",
    }


def _standing(access: AccessContext, comparison: Comparison, placed_reports: list[PlacedReport]) -> Standing:
    return Standing(
        comparison.pk,
        links.comparison(access, comparison),
        titles.comparison_title(comparison, split_traces(placed_reports)[0]),
    )


def _name_with_file(report: Report) -> str:
    title = titles.report_title(report)
    return title if report.name in title else f"{title} · {report.name}"
