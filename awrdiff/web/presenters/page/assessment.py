"""Above the sections of one report: verdict, findings and unchecked rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from awrdiff.analysis.entities.kinds import Ref
from awrdiff.analysis.export.single import rules_by_missing_table
from awrdiff.analysis.model.sampled import Activity
from awrdiff.analysis.model.single import Assessment
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.bars import ASH_LISTS, bars_of_report
from awrdiff.analysis.verdict.sampled import stretches_of
from awrdiff.web import format as fmt
from awrdiff.web.charts.frame import Chart
from awrdiff.web.presenters.page import activity, alone, bars
from awrdiff.web.presenters.page.movers import LinkView
from awrdiff.web.presenters.page.overview import FindingView, finding_view, heading_of, rules_said
from awrdiff.web.presenters.page.pieces import Piece, pieces


@dataclass(frozen=True, slots=True)
class AssessmentView:
    """`unchecked`: missing data, and the number of rules that need it.

    `names`: links for names in its texts.
    """

    assessment: Assessment
    names: Mapping[str, LinkView]
    verdict: tuple[Piece, ...]
    findings: tuple[FindingView, ...]
    more_findings: tuple[FindingView, ...]  # notes: they open on demand
    more_heading: str
    rules: str
    weighed: bool
    all_clear: bool  # calm, and read whole
    unchecked: tuple[str, ...]
    bars: bars.BarsView | None
    when: Chart | None
    time: tuple[alone.TimeRow, ...]
    who: tuple[alone.WhoRow, ...]

    @property
    def has_averages(self) -> bool:
        return any(row.average != fmt.NONE for row in self.time)


def present(assessment: Assessment, titles: Mapping[str, str], side: Side) -> AssessmentView:
    """`titles`: by section id, for evidence links; `side`: the report's time and course."""
    finding_views = [finding_view(f, titles) for f in assessment.findings]
    stretches = stretches_of(side)
    events = _events(side, titles)
    stacked = bars_of_report(side)
    return AssessmentView(
        assessment=assessment,
        names=events,
        verdict=pieces(assessment.verdict),
        findings=tuple(sorted((f for f in finding_views if not f.is_note), key=lambda f: f.cls != "crit")),
        more_findings=(notes := tuple(f for f in finding_views if f.is_note)),
        more_heading=heading_of(notes),
        rules=rules_said(assessment.rules) if assessment.weighed else "",
        weighed=assessment.weighed,
        all_clear=assessment.state == "calm" and all(f.severity == "note" for f in assessment.findings),
        unchecked=tuple(rules_by_missing_table(assessment.unchecked)) if assessment.weighed else (),
        bars=bars.present(stacked, [side.report.host.cpus], events, {}),
        when=activity.in_brief(Activity(stretches, (), joined=False)) if stretches else None,
        time=alone.time_rows(stacked, events),
        who=alone.who_rows(side, titles),
    )


def _events(side: Side, titles: Mapping[str, str]) -> dict[str, LinkView]:
    """The panel of each event."""
    events = {event.name: event.section for event in side.foreground.values()}
    for section in filter(None, map(side.report.section, ASH_LISTS)) if side.report.kind == "ash" else ():
        events |= {section.text(record, "event"): section.id for record in section.records}
    return {
        name: LinkView(name, section, Ref("event", name).path) for name, section in events.items() if section in titles
    }
