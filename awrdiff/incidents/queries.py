"""Reads of the incidents app. Guests find none, whoever holds a share link at most its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    prefetch_related_objects,
)
from django.db.models.functions import Coalesce

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.audit.services import saw
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.incidents.fields import zones
from awrdiff.incidents.found import saying
from awrdiff.incidents.models import (
    ActionItem,
    ActionState,
    Evidence,
    Incident,
    IncidentComparison,
    IncidentReport,
    IncidentRole,
    IncidentTag,
    SignOff,
    Status,
    TimelineEvent,
    Verdict,
    VerdictState,
)
from awrdiff.processing.rows import row_or_none

MOST_AROUND = 60  # incidents that the page of a comparison knows
SIGNED = Prefetch("sign_offs", SignOff.objects.select_related("user"))
UNRESOLVED = (Status.OPEN, Status.MITIGATED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filters of the list; empty: all. `status` may be `unresolved`. `mine`: made by, or with a role or an open
    action item of, whoever looks."""

    text: str = ""
    status: str = ""
    severity: str = ""
    tag: str = ""
    mine: bool = False


def incidents_for(access: AccessContext) -> QuerySet[Incident]:
    """The team's, the latest first."""
    return Incident.objects.filter(team=access.team) if access.can_read else Incident.objects.none()


def incident_for(access: AccessContext, pk: UUID) -> Incident:
    """One incident the access allows; a share link allows its own only."""
    known = Incident.objects.filter(team=access.team) if access.link else incidents_for(access)
    found = row_or_none(known.select_related("team__notices_to", "created_by", "updated_by").filter(pk=pk))
    if found is None or (access.link is not None and access.link.incident_id != found.pk):
        raise NotFound("There is no such incident.")
    saw(access, "incident", found.pk)
    return found


def list_incidents(access: AccessContext, wanted: Wanted) -> QuerySet[Incident]:
    """With `comparisons` and `open_actions` counted, tags and roles at hand."""
    found = incidents_for(access)
    if wanted.status:
        found = found.filter(status__in=UNRESOLVED if wanted.status == "unresolved" else [wanted.status])
    if wanted.severity:
        found = found.filter(severity__in=[one for one in wanted.severity if one in "1234"])
    if wanted.tag:
        found = found.filter(Exists(IncidentTag.objects.filter(incident=OuterRef("pk"), name=wanted.tag)))
    if wanted.mine:
        found = found.filter(_is_mine(access))
    if wanted.text:
        found = found.filter(saying(access, wanted.text))
    opened = ActionItem.objects.filter(state=ActionState.OPEN)
    counted = found.annotate(comparisons=_count(IncidentComparison.objects.all()), open_actions=_count(opened))
    return counted.prefetch_related("tags", Prefetch("roles", IncidentRole.objects.select_related("user")))


def _is_mine(access: AccessContext) -> Q:
    here = {"incident": OuterRef("pk")}
    roles = IncidentRole.objects.filter(**here, user=access.user)
    owned = ActionItem.objects.filter(**here, owner=access.user, state=ActionState.OPEN)
    return Q(created_by=access.user) | Exists(roles) | Exists(owned)


def _count(rows: QuerySet[IncidentComparison] | QuerySet[ActionItem]) -> Coalesce:
    own = rows.filter(incident=OuterRef("pk")).order_by().values("incident")
    return Coalesce(Subquery(own.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0)


def tags_of(access: AccessContext) -> list[str]:
    """Every tag the team uses."""
    found = IncidentTag.objects.filter(incident__in=incidents_for(access).order_by())
    return list(found.order_by("name").values_list("name", flat=True).distinct()[:200])


def last_zone(access: AccessContext) -> str:
    """That of the incident made last; UTC where there is none, or one that is not known here."""
    last = incidents_for(access).order_by("-created_at").values_list("time_zone", flat=True).first()
    return last if last in zones() else "UTC"


def comparisons_of(incident: Incident) -> list[IncidentComparison]:
    """In the order they were attached, each with its comparison and its places at hand."""
    return comparisons_of_each([incident]).get(incident.pk, [])


def comparisons_of_each(incidents: Sequence[Incident]) -> dict[UUID, list[IncidentComparison]]:
    """By incident, as of one."""
    rows = IncidentComparison.objects.filter(incident__in=incidents).select_related("comparison")
    of_each: defaultdict[UUID, list[IncidentComparison]] = defaultdict(list)
    for row in with_places(rows.defer("comparison__overview")):
        of_each[row.incident_id].append(row)
    return of_each


def with_places(found: QuerySet[IncidentComparison]) -> QuerySet[IncidentComparison]:
    heavy = [f"report__{name}" for name in ("header", "issues", "head", "assessment")]
    places = ComparisonReport.objects.order_by("position").select_related("report").defer(*heavy)
    return found.prefetch_related(Prefetch("comparison__places", queryset=places))


def reports_of(*incidents: Incident) -> list[IncidentReport]:
    found = IncidentReport.objects.filter(incident__in=incidents).select_related("report")
    return list(found.defer(*(f"report__{name}" for name in ("header", "issues", "head", "assessment"))))


def events_of(incident: Incident) -> list[TimelineEvent]:
    """In order of time, each with the number of its `changes`, and whether files are `attached`: these are asked for
    where there are any."""
    found = TimelineEvent.objects.filter(incident=incident).select_related("user")
    counted = found.annotate(changes=Count("edits", distinct=True), attached=Count("attachments", distinct=True))
    events: list[TimelineEvent] = [*counted.order_by("at", "pk")]
    prefetch_related_objects([one for one in events if one.attached], "attachments")  # type: ignore[attr-defined]
    return events


def event_for(access: AccessContext, incident: Incident, pk: int) -> TimelineEvent:
    found = row_or_none(TimelineEvent.objects.filter(incident=incident, pk=pk).select_related("incident", "user"))
    if found is None or not access.can_read:
        raise NotFound("There is no such event.")
    return found


def evidence_of(incident: Incident) -> list[Evidence]:
    found = Evidence.objects.filter(incident=incident).select_related("comparison", "added_by")
    return list(found.defer("comparison__overview"))


def evidence_for(access: AccessContext, incident: Incident, pk: int) -> Evidence:
    found = row_or_none(Evidence.objects.filter(incident=incident, pk=pk).select_related("incident", "comparison"))
    if found is None or not access.can_read:
        raise NotFound("There is no such piece of evidence.")
    return found


def verdicts_of(*incidents: Incident) -> list[Verdict]:
    """Those that hold on findings of their comparisons."""
    own = IncidentComparison.objects.filter(incident__in=incidents).values("comparison")
    found = Verdict.objects.filter(comparison__in=own, is_current=True).exclude(state=VerdictState.WITHDRAWN)
    return with_authors(found.prefetch_related(SIGNED).order_by("at", "pk"))


def judged_last() -> tuple[Subquery, Subquery]:
    """Of a comparison: when somebody judged one of its findings last, either way round, and when one was signed off."""
    judged = Verdict.objects.filter(comparison=OuterRef("pk")).order_by("-at").values("at")[:1]
    signed = SignOff.objects.filter(verdict__comparison=OuterRef("pk")).order_by("-at").values("at")[:1]
    return Subquery(judged), Subquery(signed)


def judged_at(comparison: UUID) -> int:
    """The microsecond in which either was."""
    times = Comparison.objects.filter(pk=comparison).values_list(*judged_last()).first()
    return latest_of(*times) if times else 0


def latest_of(*times: datetime | None) -> int:
    """The microsecond of the latest; 0 where there is none."""
    latest = max(filter(None, times), default=None)
    return int(latest.timestamp() * 1_000_000) if latest else 0


def with_authors(found: QuerySet[Verdict]) -> list[Verdict]:
    """With who gave them, and on what, at hand."""
    return list(found.select_related("user", "comparison").defer("comparison__overview"))


def actions_of(incident: Incident) -> list[ActionItem]:
    """Open ones first, the soonest due before others."""
    found = ActionItem.objects.filter(incident=incident).select_related("owner")
    return sorted(found, key=_soonest)


def _soonest(one: ActionItem) -> tuple[bool, date, int]:
    return one.state != ActionState.OPEN, one.due or date.max, one.pk


def action_for(access: AccessContext, incident: Incident, pk: int) -> ActionItem:
    found = row_or_none(ActionItem.objects.filter(incident=incident, pk=pk).select_related("incident", "owner"))
    if found is None or not access.can_read:
        raise NotFound("There is no such action item.")
    return found


def actions_for(access: AccessContext, *, state: str = "", mine: bool = False) -> QuerySet[ActionItem]:
    """Across all incidents: the soonest due first."""
    found = ActionItem.objects.filter(incident__team=access.team) if access.can_read else ActionItem.objects.none()
    found = found.filter(state=state) if state else found
    found = found.filter(owner=access.user) if mine else found
    return found.select_related("incident", "owner").order_by(F("due").asc(nulls_last=True), "pk")


def with_comparison(access: AccessContext, comparison: Comparison) -> list[Incident]:
    """The incidents it is attached to, the latest first."""
    return [one for one, has_it in _incidents_around(access, comparison) if has_it]


def incidents_around(
    access: AccessContext, comparison: Comparison, *, most: int = 20
) -> tuple[list[Incident], list[Incident]]:
    """The incidents it is attached to, and the latest of the others, to which it may be: those not reviewed."""
    found = _incidents_around(access, comparison)
    return [one for one, has_it in found if has_it], [one for one, has_it in found if not has_it][:most]


def _incidents_around(access: AccessContext, comparison: Comparison) -> list[tuple[Incident, bool]]:
    own = IncidentComparison.objects.filter(comparison=comparison)
    found = incidents_for(access).annotate(has_it=Exists(own.filter(incident=OuterRef("pk"))))
    found = found.filter(Q(has_it=True) | ~Q(status=Status.REVIEWED)).order_by("-has_it", "-begins_at", "pk")
    return [(one, one.has_it) for one in found[:MOST_AROUND]]


def hanging_on(comparison: Comparison) -> tuple[int, int]:
    """How many incidents it is attached to, and how much evidence goes with it."""
    attached = IncidentComparison.objects.filter(comparison=comparison).count()
    return attached, Evidence.objects.filter(comparison=comparison).count()
