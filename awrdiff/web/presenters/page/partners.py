"""A report's comparisons and other reports."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import TRACE, split_traces
from awrdiff.comparisons import library
from awrdiff.comparisons.placed_reports import placed_reports_in
from awrdiff.reports.models import Report
from awrdiff.web import links
from awrdiff.web.presenters.page import titles
from awrdiff.web.presenters.page.pieces import Choice

MOST_PARTNERS, MOST_STANDING = 40, 8


def partners_of(access: AccessContext, report: Report, came_from: str, pair: int) -> dict[str, Any]:
    """`came_from`, `pair`: comparison that linked here."""
    standing = list(library.standing_on(access, report, came_from=came_from)[:MOST_STANDING])
    placed_reports = placed_reports_in(standing)
    lines = [
        (comparison, titles.comparison_title(comparison, split_traces(placed_reports[comparison.pk])[0]))
        for comparison in standing
        if comparison.pk in placed_reports
    ]
    back = [(comparison.pk, title) for comparison, title in lines if str(comparison.pk) == came_from]
    may_compare = report.kind != TRACE
    candidates = library.partners(access, report, most=MOST_PARTNERS) if may_compare else []
    here = urlencode({"with": report.pk, "db": library.group_of(report).address})
    return {
        "chosen": report,
        "standing": [(links.comparison(access, comparison), title) for comparison, title in lines],
        "came_from": next((Choice(links.place(pk, pair), title) for pk, title in back), None),
        "partners": [(report.pk, _name_with_file(report)) for report in candidates],
        "may_compare": may_compare,
        "choose_url": f"{reverse('home')}?{here}",
    }


def _name_with_file(report: Report) -> str:
    title = titles.report_title(report)
    return title if report.name in title else f"{title} · {report.name}"
