"""Warnings before a deletion."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from awrdiff.analysis.report_time_windows import moment, window
from awrdiff.fleet.thinning import MOST_LISTED, OldReport, Preview
from awrdiff.web import value_formatting as fmt

ReportLine = tuple[UUID, str, str]  # id, title; how bad its hour was, or why it stays


def lines_of(preview: Preview) -> dict[str, Any]:
    """Databases with removals and days, first reports of each list, and how many are not listed."""
    return {
        "databases": [
            (
                preview.databases_by_id[going.database],
                going,
                f"{fmt.count_text(going.days, 'day')}: "
                + " – ".join(dict.fromkeys((_day(going.first), _day(going.last)))),
            )
            for going in preview.databases[:MOST_LISTED]
        ],
        "more_databases": len(preview.databases[MOST_LISTED:]),
        "first": [_report(preview, old_report, _how_bad(old_report)) for old_report in preview.first],
        "more": preview.reports - len(preview.first),
        "held": [f"{fmt.plain(count)} {why}" for why, count in sorted(preview.holds.items())],
        "held_first": [_report(preview, old_report, old_report.hold) for old_report in preview.held_first],
        "more_held": sum(preview.holds.values()) - len(preview.held_first),
    }


def _day(text: str) -> str:
    parsed = moment(text)
    return f"{parsed.day} {parsed:%b %Y}" if parsed else text


def _report(preview: Preview, old_report: OldReport, note: str) -> ReportLine:
    title = f"{preview.databases_by_id[old_report.database].label} · {window(old_report.begin_at, None)}"
    return old_report.pk, title, note


def _how_bad(old_report: OldReport) -> str:
    if old_report.above is not None:
        alarm = ", an alarm" if old_report.is_alarm else ""
        way = "below" if old_report.above < 0 else "above"
        return f"{fmt.significant(abs(old_report.above))} sessions {way} normal{alarm}"
    return f"{fmt.significant(old_report.sessions or 0.0)} active sessions, not held against normal"


def document(preview: Preview) -> dict[str, Any]:
    return {
        "at": preview.rule.at.isoformat(),
        "reports": preview.reports,
        "bytes": preview.bytes,
        "staying": preview.staying,
        "unknown": preview.unknown,
        "held": dict(preview.holds),
        "databases": [
            {
                "id": str(preview.databases_by_id[of_database.database].uid),
                "reports": of_database.reports,
                "bytes": of_database.bytes,
                "days": of_database.days,
                "first": of_database.first,
                "last": of_database.last,
            }
            for of_database in preview.databases[:MOST_LISTED]
        ],
        "first": [str(old_report.pk) for old_report in preview.first],
    }
