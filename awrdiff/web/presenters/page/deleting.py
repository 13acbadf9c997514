"""Warnings before a deletion: everything that goes with it, and what stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from awrdiff.analysis.model.traces import TRACE, split_traces
from awrdiff.comparisons.queries import Hanging
from awrdiff.reports.models import Report
from awrdiff.web import format as fmt


@dataclass(frozen=True, slots=True)
class DeleteView:
    """`before`: comparisons that have to be deleted first, ids and titles."""

    heading: str
    going: tuple[str, ...]
    staying: tuple[str, ...]
    before: Sequence[tuple[UUID, str]]
    back_url: str


@dataclass(frozen=True, slots=True)
class Team:
    """Amount of the team's work on a comparison; `incidents`: number of incidents with it."""

    pins: int = 0
    threads: int = 0
    verdicts: int = 0
    incidents: int = 0
    evidence: int = 0

    def said(self) -> list[str]:
        evidence = fmt.count_text(self.evidence, "piece of evidence", "pieces of evidence")
        return [
            f"{fmt.count_text(self.pins, 'pin')}, of everybody on the team together" if self.pins else "",
            f"{fmt.count_text(self.threads, 'thread')}, with all that is said" if self.threads else "",
            f"{fmt.count_text(self.verdicts, 'judgement')} on its findings" if self.verdicts else "",
            f"its place in {fmt.count_text(self.incidents, 'incident')}" if self.incidents else "",
            f"{evidence} in incidents" if self.evidence else "",
        ]


def links_said(shared: int) -> str:
    """Working share links as a phrase; "" for none."""
    if shared == 1:
        return "its share link: whoever holds it is told that it does not exist"
    return f"its {shared} share links: whoever holds one is told that it does not exist" if shared else ""


def of_comparison(
    title: str, url: str, hanging: Hanging, shared: int, team: Team, *, shared_reports: int = 0
) -> DeleteView:
    """`shared`, `shared_reports`: number of share links to it, and to reports deleted with it."""
    reports, traces = split_traces(hanging.going)
    going = [
        links_said(shared),
        *team.said(),
        *(f"the report “{r.name}”, which stands in no other comparison" for r in reports),
        *(f"the LGWR trace “{r.name}”" for r in traces),
        f"{fmt.count_text(shared_reports, 'share link')} to files that go with it" if shared_reports else "",
    ]
    staying = [f"“{r.name}”: {_who_has(r, hanging)} has it" for r in hanging.staying]
    return DeleteView(f"Delete “{title}”?", tuple(filter(None, going)), tuple(staying), (), url)


def _who_has(report: Report, hanging: Hanging) -> str:
    if report.pk in hanging.of_incidents:
        return "an incident"
    return "another comparison or a report" if report.kind == TRACE else "another comparison"


def of_report(
    report: Report,
    title: str,
    url: str,
    standing: Sequence[tuple[UUID, str]],
    traces: Sequence[Report] = (),
    *,
    shared: int = 0,
) -> DeleteView:
    going = [f"the file “{report.name}” and everything read from it"]
    going += [f"the LGWR trace “{t.name}” attached to it, where nothing else has it" for t in traces]
    going += [links_said(shared)] if shared else []
    return DeleteView(f"Delete the report “{title}”?", tuple(going), (), standing, url)
