"""All that an incident gives its post-mortem, read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.model.comparison import IdentityFacts
from awrdiff.analysis.model.ranked import Ranked
from awrdiff.comparisons import queries as comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.titles import titles_of
from awrdiff.incidents import attached, evidence, queries
from awrdiff.incidents.account import WhatHappened, account_of
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.fields import zone_of
from awrdiff.incidents.hours import Hours, Sides, own_pair, sides_of
from awrdiff.incidents.models import ActionItem, Incident, IncidentComparison, IncidentRole, TimelineEvent, Verdict


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of the incident, what both reports of the `pair` that it is told of say of themselves (nothing while
    it is not ready), and what it tells for a timeline (awrdiff/incidents/comparison_events.py). `sides`: which of the
    two is the incident's hour; `bad` is its place among all that are compared."""

    comparison: Comparison
    pair: int
    sides: Sides
    identity: tuple[IdentityFacts, ...]
    told: Sequence[Any]
    title: str

    @property
    def ranked(self) -> Ranked | None:
        """Read when it is asked for."""
        return comparisons.movers_of(self.comparison, self.pair) if self.identity else None


@dataclass(frozen=True, slots=True)
class Material:
    """`verdicts` are those that hold: of each finding the last that was given, unless it was withdrawn; `hours` tells
    them from the incident's hour."""

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
        """The incident's, that local times of reports are taken to be in, too; UTC where it is not known any more."""
        return zone_of(self.incident.time_zone)

    def local(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone)


def material_of(incident: Incident) -> Material:
    found = list(queries.with_places(IncidentComparison.objects.filter(incident=incident).select_related("comparison")))
    attached.refresh(found)
    names = titles_of([one.comparison for one in found])
    kept = _evidence(incident, {one.comparison_id: one.comparison for one in found})
    verdicts = queries.verdicts_of(incident)
    hours = Hours.of(found, verdicts, [one.evidence for one in kept])
    reports = queries.reports_of(incident)
    attached.refresh_reports(reports)
    return Material(
        incident,
        tuple(_compared(one, names[one.comparison_id]) for one in found),
        tuple(kept),
        tuple(verdicts),
        tuple(queries.events_of(incident)),
        tuple(queries.actions_of(incident)),
        tuple(IncidentRole.objects.filter(incident=incident).select_related("user")),
        hours,
        account_of(found, reports, verdicts, hours),
    )


def _compared(one: IncidentComparison, title: str) -> Compared:
    pair = own_pair(one)
    return Compared(one.comparison, pair, sides_of(one, pair), _identity(one.comparison, pair), one.told, title)


def _identity(comparison: Comparison, pair: int) -> tuple[IdentityFacts, ...]:
    try:
        return comparisons.identity(comparison, pair) if comparison.is_ready else ()
    except NotFound:
        return ()


def _evidence(incident: Incident, known: dict[Any, Comparison]) -> list[Live]:
    """Also of comparisons that were taken off the incident since."""
    kept = queries.evidence_of(incident)
    for one in kept:
        one.comparison = known.get(one.comparison_id, one.comparison)
    return evidence.live(kept)
