"""An incident with everything a post-mortem is drafted from: findings confirmed, rejected, explained and undecided."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.comparison import Subject
from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, finding_verdicts, services, timeline
from awrdiff.incidents.models import Incident
from awrdiff.reports.models import Report
from tests.web import compared
from tests.web.pages import store_comparison

WAITS = "foreground_wait_events"
CONFIRMED, REJECTED = "Hard parsing collapsed on the shared pool.", "The disks were slower."
EXPLAINED, UNDECIDED = "More redo was written.", "The host ran out of CPU."
BY_UNDECIDED = "Sessions piled up."


@dataclass
class Told:
    incident: Incident
    comparison: Comparison
    row: str


def findings():
    computed = compared.comparison()
    first = computed.findings[0]
    return [
        replace(first, rule=f"rule-{n}", title=title, text=f"Figures of {n}.", subject=Subject("other", str(n)))
        for n, title in enumerate((CONFIRMED, REJECTED, EXPLAINED, UNDECIDED, BY_UNDECIDED))
    ]


def told(access: AccessContext, reports: list[Report], *, hostile: str = "") -> Told:
    """Verdicts: confirmed, rejected, explained by the confirmed one, and one explained by what nobody confirmed."""
    computed = replace(compared.comparison(), findings=tuple(findings()))
    comparison = store_comparison(access, reports, computed)
    typed = services.Typed(
        title=f"Receipts were slow{hostile}",
        severity="2",
        begins_at="2018-01-11T13:40",
        ends_at="2018-01-11T15:10",
        time_zone="Europe/Vienna",
        summary=f"Nobody could print a receipt.{hostile}",
    )
    incident = services.make(access, typed)
    comparisons_and_reports.attach(access, incident, comparison, "Receipts")
    services.give_role(access, incident, str(access.user.pk), "lead")
    timeline.add(access, incident, timeline.TypedEvent("2018-01-11T14:05", f"Failover{hostile}"))
    row = f"{WAITS}/{compared.row_id(WAITS, 'log file sync')}"
    evidence.keep(access, incident, comparison, row)
    action_items.add(access, incident, action_items.TypedAction("Bind the literals", str(access.user.pk), "2018-02-01"))
    link = "https://tickets.example/1?a=1&b=2"
    action_items.add(access, incident, action_items.TypedAction(f"Ask the vendor{hostile}", link=link))
    _judge(access, comparison, hostile)
    return Told(incident, comparison, row)


def _judge(access: AccessContext, comparison: Comparison, hostile: str) -> None:
    at = [anchors.of_finding(one) for one in findings()]
    for typed in (
        finding_verdicts.TypedVerdict(at[0], "confirmed", why=f"seen in the traces{hostile}", role="dba"),
        finding_verdicts.TypedVerdict(at[1], "rejected", why=f"the array was idle{hostile}"),
        finding_verdicts.TypedVerdict(at[2], "explained_by", why="it follows", explained_by=at[0]),
        finding_verdicts.TypedVerdict(at[4], "explained_by", why="it follows", explained_by=at[3]),
    ):
        finding_verdicts.give(access, comparison, typed)
