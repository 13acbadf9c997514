"""Material of a post-mortem from its incident, read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.model.comparison import IdentityFacts
from awrdiff.analysis.model.ranked_changes import Ranked
from awrdiff.comparisons import queries as comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.report_places_and_titles import titles_of
from awrdiff.incidents import comparisons_and_reports, evidence, queries
from awrdiff.incidents.bad_hour_selection import Hours, Sides, own_pair, sides_of
from awrdiff.incidents.bad_hour_summary import WhatHappened, account_of
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.field_validation import zone_of
from awrdiff.incidents.models import ActionItem, Incident, IncidentComparison, IncidentRole, TimelineEvent, Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """`identity`: header facts of `pair`, none until ready. `bad`: place of the incident's hour."""

    comparison: Comparison
    pair: int
    sides: Sides
    identity: tuple[IdentityFacts, ...]
    events: Sequence[Any]
    title: str

    @property
    def ranked(self) -> Ranked | None:
        return comparisons.movers_of(self.comparison, self.pair) if self.identity else None


@dataclass(frozen=True, slots=True)
class Material:
    """`verdicts`: current ones; `hours` reads them from the incident's hour."""

    incident: Incident
    compared: tuple[Compared, ...]
    evidence: tuple[Live, ...]
    verdicts: tuple[Verdict, ...]
    events: tuple[TimelineEvent, ...]
    actions: tuple[ActionItem, ...]
    roles: tuple[IncidentRole, ...]
    hours: Hours
    happened: WhatHappened

    @property
    def zone(self) -> tzinfo:
        """Applied to reports' local times; UTC if unknown."""
        return zone_of(self.incident.time_zone)

    def local(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone)


def material_of(incident: Incident) -> Material:
    links = list(queries.with_places(IncidentComparison.objects.filter(incident=incident).select_related("comparison")))
    comparisons_and_reports.refresh(links)
    names = titles_of([link.comparison for link in links])
    kept_evidence = _evidence(incident, {link.comparison_id: link.comparison for link in links})
    verdicts = queries.verdicts_of(incident)
    hours = Hours.of(links, verdicts, [live.evidence for live in kept_evidence])
    reports = queries.reports_of(incident)
    comparisons_and_reports.refresh_reports(reports)
    return Material(
        incident,
        tuple(_compared(link, names[link.comparison_id]) for link in links),
        tuple(kept_evidence),
        tuple(verdicts),
        tuple(queries.events_of(incident)),
        tuple(queries.actions_of(incident)),
        tuple(IncidentRole.objects.filter(incident=incident).select_related("user")),
        hours,
        account_of(links, reports, verdicts, hours),
    )


def _compared(attached: IncidentComparison, title: str) -> Compared:
    pair = own_pair(attached)
    return Compared(
        attached.comparison, pair, sides_of(attached, pair), _identity(attached.comparison, pair), attached.told, title
    )


def _identity(comparison: Comparison, pair: int) -> tuple[IdentityFacts, ...]:
    try:
        return comparisons.identity(comparison, pair) if comparison.is_ready else ()
    except NotFound:
        return ()


def _evidence(incident: Incident, known_comparisons: dict[Any, Comparison]) -> list[Live]:
    live_evidence = queries.evidence_of(incident)
    for live in live_evidence:
        live.comparison = known_comparisons.get(live.comparison_id, live.comparison)
    return evidence.live(live_evidence)
