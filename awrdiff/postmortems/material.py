"""All that an incident gives its post-mortem, read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.export.outline import title
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons import queries as comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import (
    ActionItem,
    Evidence,
    Incident,
    IncidentRole,
    TimelineEvent,
    Verdict,
    VerdictState,
)
from awrdiff.pins import anchors


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of the incident; `computed` is None while it is not ready."""

    comparison: Comparison
    computed: Computed | None

    @property
    def title(self) -> str:
        return self.comparison.title or (title(self.computed) if self.computed else str(self.comparison))


@dataclass(frozen=True, slots=True)
class Kept:
    """A piece of evidence, and what stands at its place now: None where that is gone, or being computed."""

    evidence: Evidence
    now: anchors.Standing | None


@dataclass(frozen=True, slots=True)
class Material:
    """`verdicts` are those that stand: of each finding the last that was given, unless it was withdrawn."""

    incident: Incident
    compared: tuple[Compared, ...]
    evidence: tuple[Kept, ...]
    verdicts: tuple[Verdict, ...]
    events: tuple[TimelineEvent, ...]
    actions: tuple[ActionItem, ...]
    roles: tuple[IncidentRole, ...]

    def local(self, moment: datetime) -> datetime:
        """In the zone that the incident states."""
        return moment.astimezone(ZoneInfo(self.incident.time_zone))


def material_of(incident: Incident) -> Material:
    attached = incident.attached_comparisons.select_related("comparison")
    compared = tuple(Compared(one.comparison, _computed(one.comparison)) for one in attached)
    given = Verdict.objects.filter(comparison__in=[one.comparison for one in compared], is_current=True)
    return Material(
        incident,
        compared,
        tuple(_kept(incident, {one.comparison.pk: one.comparison for one in compared})),
        tuple(given.exclude(state=VerdictState.WITHDRAWN).select_related("user").prefetch_related("sign_offs__user")),
        tuple(incident.events.select_related("user")),
        tuple(incident.actions.select_related("owner")),
        tuple(incident.roles.select_related("user")),
    )


def _computed(comparison: Comparison) -> Computed | None:
    try:
        return comparisons.overview(comparison) if comparison.is_ready else None
    except NotFound:
        return None


def _kept(incident: Incident, known: dict[object, Comparison]) -> Iterator[Kept]:
    """Also of comparisons that were taken off the incident since."""
    for one in incident.evidence.select_related("comparison", "added_by"):
        comparison = known.setdefault(one.comparison_id, one.comparison)
        yield Kept(one, anchors.standing(comparison, one.anchor, one.pair) if comparison.is_ready else None)
