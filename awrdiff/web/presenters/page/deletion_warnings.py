"""Warnings before a deletion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from awrdiff.analysis.model.lgwr_traces import TRACE, split_traces
from awrdiff.analysis.report_time_windows import moment, window
from awrdiff.comparisons.queries import Hanging
from awrdiff.fleet.thinning import MOST_LISTED, OldReport, Preview
from awrdiff.reports.models import Report
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


@dataclass(frozen=True, slots=True)
class Team:
    """Team's work on a comparison; `incidents`: their number."""

    pins: int = 0
    threads: int = 0
    verdicts: int = 0
    incidents: int = 0
    evidence: int = 0

    def said(self) -> list[str]:
        own, evidence = (
            fmt.count_text(count, "piece of evidence", "pieces of evidence") for count in (self.pins, self.evidence)
        )
        return [
            f"{own} that people keep for themselves" if self.pins else "",
            f"{fmt.count_text(self.threads, 'thread')}, with all that is said" if self.threads else "",
            f"{fmt.count_text(self.verdicts, 'judgement')} on its findings" if self.verdicts else "",
            f"its place in {fmt.count_text(self.incidents, 'incident')}" if self.incidents else "",
            f"{evidence} in incidents" if self.evidence else "",
        ]


def links_said(shared: int) -> str:
    """Working links as a phrase; "" for none."""
    if shared == 1:
        return "its share link: whoever holds it is told that it does not exist"
    return f"its {shared} share links: whoever holds one is told that it does not exist" if shared else ""


def of_comparison(
    title: str, url: str, hanging: Hanging, shared: int, team: Team, *, shared_reports: int = 0
) -> dict[str, Any]:
    """`shared`, `shared_reports`: numbers of share links."""
    reports, traces = split_traces(hanging.going)
    going = [
        links_said(shared),
        *team.said(),
        *(f"the report “{r.name}”, which stands in no other comparison" for r in reports),
        *(f"the LGWR trace “{r.name}”" for r in traces),
        f"{fmt.count_text(shared_reports, 'share link')} to files that go with it" if shared_reports else "",
    ]
    staying = []
    for report in hanging.staying:
        whose = "another comparison or a report" if report.kind == TRACE else "another comparison"
        staying.append(f"“{report.name}”: {'an incident' if report.pk in hanging.of_incidents else whose} has it")
    return {"heading": f"Delete “{title}”?", "going": [*filter(None, going)], "staying": staying, "back_url": url}


def of_report(
    report: Report,
    title: str,
    url: str,
    standing: Sequence[tuple[UUID, str]],
    traces: Sequence[Report] = (),
    *,
    shared: int = 0,
) -> dict[str, Any]:
    """`standing`: ids and titles of comparisons to delete first."""
    going = [f"the file “{report.name}” and everything read from it"]
    going += [f"the LGWR trace “{t.name}” attached to it, where nothing else has it" for t in traces]
    going += [links_said(shared)] if shared else []
    return {"heading": f"Delete the report “{title}”?", "going": going, "before": standing, "back_url": url}
