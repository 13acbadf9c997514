"""Reports and comparisons in progress: stage, error, next step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.queries import is_awaited, shown_state, stage_of
from awrdiff.comparisons.tasks import REPORT_FAILED
from awrdiff.processing.sandbox import CRASHED, TOO_MUCH_MEMORY, TOO_MUCH_TIME
from awrdiff.processing.work_claims import GAVE_UP_CODE, TOO_LONG_CODE
from awrdiff.reports.models import FILE_LOST, Report
from awrdiff.web import links
from awrdiff.web.presenters.page import titles

# Codes of what may end otherwise another time: the server had a fault, or too little of something.
OF_THE_MACHINE = frozenset({"", GAVE_UP_CODE, TOO_LONG_CODE, TOO_MUCH_TIME, TOO_MUCH_MEMORY, CRASHED})
DONE = {"ready": "read", "failed": "failed"}


def comparison_work(
    access: AccessContext, comparison: Comparison, reports: list[Report], pair: int = 0
) -> dict[str, Any]:
    stage = stage_of(comparison, [r.state for r in reports], pair)
    progress = f": {sum(r.is_ready for r in reports)} of {len(reports)} read" if stage == "reading" else ""
    here = f"?pair={REVERSE}" if pair == REVERSE else ""
    may_retry = access.can_write and _comparison_may_succeed(comparison, reports)
    return {
        "failed": shown_state(comparison, pair) == "failed",
        "stage": f"{titles.stage_text(stage)}{progress}",
        "error": comparison.renewal_error if is_awaited(comparison, pair) else comparison.error,
        "files": [_file(access, r) for r in reports],
        "status_url": (links.status(access, comparison) or links.comparison(access, comparison)) + here,
        "retry_url": reverse("comparison-retry", args=[comparison.pk]) if may_retry else None,
        "may_choose": access.can_write,  # other files
    }


def report_work(access: AccessContext, report: Report) -> dict[str, Any]:
    may_retry = access.can_write and _may_succeed(report)
    return {
        "failed": report.shown_state == "failed",
        "stage": titles.stage_text(report.stage or ("waiting" if report.shown_state == "pending" else "")),
        "error": report.error,
        "status_url": links.report(access, report),
        "retry_url": reverse("report-retry", args=[report.pk]) if may_retry else None,
        "may_choose": access.can_write,
        "left_out": report.is_left_out,
    }


def _may_succeed(report: Report) -> bool:
    """The same version would fail again: files do not change."""
    if report.error_code == FILE_LOST:
        return bool(report.file)  # whoever runs the server may have put it back
    return report.error_code in OF_THE_MACHINE


def _comparison_may_succeed(comparison: Comparison, reports: Iterable[Report]) -> bool:
    if comparison.error_code == REPORT_FAILED:
        return all(_may_succeed(r) for r in reports if r.is_failed)
    return comparison.error_code in OF_THE_MACHINE


def parts_of(access: AccessContext, parts: Iterable[Report]) -> list[dict[str, Any]]:
    """With progress."""
    return [_file(access, r) for r in parts]


def _file(access: AccessContext, report: Report) -> dict[str, Any]:
    state = DONE.get(report.state) or titles.stage_text(report.stage or "waiting")
    return {
        "name": report.name,
        "url": links.report(access, report),
        "state": "left out" if report.is_left_out else state,
        "error": report.error,
        "failed": report.is_failed and not report.is_left_out,
    }
