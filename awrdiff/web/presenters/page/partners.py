"""What a report is compared with: the comparisons it stands in, the one its page was opened from, other reports."""

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
    """`came_from`, `pair`: the id of the comparison whose page led here, and what it showed, as the address says it."""
    standing = list(library.standing_on(access, report, came_from=came_from)[:MOST_STANDING])
    seen = placed_reports_in(standing)
    lines = [_standing(access, one, seen[one.pk]) for one in standing if one.pk in seen]
    back = [one for one in lines if str(one.pk) == came_from]
    may_compare = report.kind != TRACE
    found = library.partners(access, report, most=MOST_PARTNERS) if may_compare else []
    here = urlencode({"with": report.pk, "db": library.group_of(report).address})
    return {
        "chosen": report,
        "standing": lines,
        "came_from": next((replace(one, url=links.place(one.pk, pair)) for one in back), None),
        "partners": [Partner(one.pk, _name_with_file(one)) for one in found],
        "may_compare": may_compare,
        "choose_url": f"{reverse('home')}?{here}",
    }


def _standing(access: AccessContext, found: Comparison, seen: list[PlacedReport]) -> Standing:
    return Standing(found.pk, links.comparison(access, found), titles.comparison_title(found, split_traces(seen)[0]))


def _name_with_file(report: Report) -> str:
    title = titles.report_title(report)
    return title if report.name in title else f"{title} · {report.name}"
