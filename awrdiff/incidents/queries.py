"""Reads of incidents; guests none, link holders only their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
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

from awrdiff.accounts.access import AccessContext, require_row
from awrdiff.audit.services import saw
from awrdiff.comparisons.comparisons_by_database import on_day, terms
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.incidents.field_validation import zones
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
from awrdiff.reports.queries import HEAVY_OF_REPORT
from awrdiff.search.models import Indexed
from awrdiff.search.word_search import in_incidents, judged_in_incidents

MOST_PLACES = 400  # that are looked through for those of a page
_WHO = ("event__user", "action__owner", "evidence__added_by", "verdict__user", "comment__thread", "section__postmortem")


def saying(access: AccessContext, text: str) -> Q:
    """Every word is in its texts, verdicts or begin (UTC)."""
    wanted = Q()
    for term in terms(text):
        tagged = Exists(IncidentTag.objects.filter(incident=OuterRef("pk"), name__icontains=term.text))
        by_fields = Q(title__icontains=term.text) | Q(summary__icontains=term.text) | tagged | on_day(term, "begins_at")
        own, judged_ids = (search(access, term.text).values("whose") for search in (in_incidents, judged_in_incidents))
        wanted &= by_fields | Q(pk__in=own) | Q(pk__in=judged_ids)
    return wanted


def matching_places(
    access: AccessContext, words: Sequence[str], incidents: Collection[UUID]
) -> dict[UUID, list[Indexed]]:
    """By incident, places with a word, oldest first."""
    there: dict[UUID, list[Indexed]] = defaultdict(list)
    for search in (in_incidents, judged_in_incidents):
        matches = search(access, *words).filter(whose__in=incidents, incident=None)
        for row in matches.select_related(*_WHO).order_by("pk")[:MOST_PLACES]:
            there[row.whose].append(row)
    return there


MOST_AROUND = 60  # incidents that the page of a comparison knows
SIGNED = Prefetch("sign_offs", SignOff.objects.select_related("user"))
UNRESOLVED = (Status.OPEN, Status.MITIGATED)


@dataclass(frozen=True, slots=True)
class Wanted:
    """List filters. `status` may be `unresolved`. `mine`: maker, role or open item."""

    text: str = ""
    status: str = ""
    severity: str = ""
    tag: str = ""
    mine: bool = False


def incidents_for(access: AccessContext) -> QuerySet[Incident]:
    """Latest first."""
    return Incident.objects.filter(team=access.team) if access.can_read else Incident.objects.none()


def incident_for(access: AccessContext, pk: UUID) -> Incident:
    """Share links allow only their own. Raises NotFound."""
    incidents = Incident.objects.filter(team=access.team, pk=pk)
    related = incidents.select_related("team__notices_to", "created_by", "updated_by")
    may = access.can_read if access.link is None else access.link.incident_id == pk
    incident = require_row(related, "There is no such incident.", may=may)
    saw(access, "incident", incident.pk)
    return incident


def list_incidents(access: AccessContext, wanted: Wanted) -> QuerySet[Incident]:
    """With `comparisons`, `open_actions`, tags and roles."""
    incidents = incidents_for(access)
    if wanted.status:
        incidents = incidents.filter(status__in=UNRESOLVED if wanted.status == "unresolved" else [wanted.status])
    if wanted.severity:
        incidents = incidents.filter(severity__in=[level for level in wanted.severity if level in "1234"])
    if wanted.tag:
        incidents = incidents.filter(Exists(IncidentTag.objects.filter(incident=OuterRef("pk"), name=wanted.tag)))
    if wanted.mine:
        here = {"incident": OuterRef("pk")}
        roles = IncidentRole.objects.filter(**here, user=access.user)
        owned = ActionItem.objects.filter(**here, owner=access.user, state=ActionState.OPEN)
        incidents = incidents.filter(Q(created_by=access.user) | Exists(roles) | Exists(owned))
    if wanted.text:
        incidents = incidents.filter(saying(access, wanted.text))
    opened = ActionItem.objects.filter(state=ActionState.OPEN)
    with_counts = incidents.annotate(comparisons=_count(IncidentComparison.objects.all()), open_actions=_count(opened))
    return with_counts.prefetch_related("tags", Prefetch("roles", IncidentRole.objects.select_related("user")))


def _count(rows: QuerySet[IncidentComparison] | QuerySet[ActionItem]) -> Coalesce:
    own = rows.filter(incident=OuterRef("pk")).order_by().values("incident")
    return Coalesce(Subquery(own.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0)


def tags_of(access: AccessContext) -> list[str]:
    tag_rows = IncidentTag.objects.filter(incident__in=incidents_for(access).order_by())
    return list(tag_rows.order_by("name").values_list("name", flat=True).distinct()[:200])


def last_zone(access: AccessContext) -> str:
    """Zone of the last incident, else UTC."""
    last = incidents_for(access).order_by("-created_at").values_list("time_zone", flat=True).first()
    return last if last in zones() else "UTC"


def comparisons_of(incident: Incident) -> list[IncidentComparison]:
    """In order of attachment, with comparison and places."""
    return comparisons_of_each([incident]).get(incident.pk, [])


def comparisons_of_each(incidents: Sequence[Incident]) -> dict[UUID, list[IncidentComparison]]:
    """By incident, in order of attachment."""
    rows = IncidentComparison.objects.filter(incident__in=incidents).select_related("comparison")
    of_each: defaultdict[UUID, list[IncidentComparison]] = defaultdict(list)
    for row in with_places(rows.defer("comparison__overview")):
        of_each[row.incident_id].append(row)
    return of_each


def with_places(attached: QuerySet[IncidentComparison]) -> QuerySet[IncidentComparison]:
    places = ComparisonReport.objects.order_by("position").select_related("report").defer(*HEAVY_OF_REPORT)
    return attached.prefetch_related(Prefetch("comparison__places", queryset=places))


def reports_of(*incidents: Incident) -> list[IncidentReport]:
    attached = IncidentReport.objects.filter(incident__in=incidents).select_related("report")
    return list(attached.defer(*HEAVY_OF_REPORT))


def events_of(incident: Incident) -> list[TimelineEvent]:
    """Chronological, with `changes` and attachments."""
    own_events = TimelineEvent.objects.filter(incident=incident).select_related("user")
    with_counts = own_events.annotate(
        changes=Count("edits", distinct=True), attached=Count("attachments", distinct=True)
    )
    events: list[TimelineEvent] = [*with_counts.order_by("at", "pk")]
    prefetch_related_objects([event for event in events if event.attached], "attachments")  # type: ignore[attr-defined]
    return events


def event_for(access: AccessContext, incident: Incident, pk: int) -> TimelineEvent:
    events = TimelineEvent.objects.filter(incident=incident, pk=pk).select_related("incident", "user")
    return require_row(events, "There is no such event.", may=access.can_read)


def evidence_of(incident: Incident) -> list[Evidence]:
    evidence = Evidence.objects.filter(incident=incident).select_related("comparison", "added_by")
    return list(evidence.defer("comparison__overview"))


def evidence_for(access: AccessContext, incident: Incident, pk: int) -> Evidence:
    evidence = Evidence.objects.filter(incident=incident, pk=pk).select_related("incident", "comparison")
    return require_row(evidence, "There is no such piece of evidence.", may=access.can_read)


def verdicts_of(*incidents: Incident) -> list[Verdict]:
    """Current verdicts on their comparisons."""
    own = IncidentComparison.objects.filter(incident__in=incidents).values("comparison")
    verdicts = Verdict.objects.filter(comparison__in=own, is_current=True).exclude(state=VerdictState.WITHDRAWN)
    return with_authors(verdicts.prefetch_related(SIGNED).order_by("at", "pk"))


def judged_last() -> tuple[Subquery, Subquery]:
    """Times of a comparison's last verdict and sign-off."""
    last_judged = Verdict.objects.filter(comparison=OuterRef("pk")).order_by("-at").values("at")[:1]
    signed = SignOff.objects.filter(verdict__comparison=OuterRef("pk")).order_by("-at").values("at")[:1]
    return Subquery(last_judged), Subquery(signed)


def judged_at(comparison: UUID) -> int:
    """Microsecond of the last verdict or sign-off."""
    times = Comparison.objects.filter(pk=comparison).values_list(*judged_last()).first()
    return latest_of(*times) if times else 0


def latest_of(*times: datetime | None) -> int:
    """Microsecond of the latest; 0 if none."""
    latest = max(filter(None, times), default=None)
    return int(latest.timestamp() * 1_000_000) if latest else 0


def with_authors(verdicts: QuerySet[Verdict]) -> list[Verdict]:
    return list(verdicts.select_related("user", "comparison").defer("comparison__overview"))


def actions_of(incident: Incident) -> list[ActionItem]:
    """Open ones first, by due date."""
    actions = ActionItem.objects.filter(incident=incident).select_related("owner")
    return sorted(actions, key=lambda action: (action.state != ActionState.OPEN, action.due or date.max, action.pk))


def action_for(access: AccessContext, incident: Incident, pk: int) -> ActionItem:
    actions = ActionItem.objects.filter(incident=incident, pk=pk).select_related("incident", "owner")
    return require_row(actions, "There is no such action item.", may=access.can_read)


def actions_for(access: AccessContext, *, state: str = "", mine: bool = False) -> QuerySet[ActionItem]:
    """Across incidents, by due date."""
    actions = ActionItem.objects.filter(incident__team=access.team) if access.can_read else ActionItem.objects.none()
    actions = actions.filter(state=state) if state else actions
    actions = actions.filter(owner=access.user) if mine else actions
    return actions.select_related("incident", "owner").order_by(F("due").asc(nulls_last=True), "pk")


def with_comparison(access: AccessContext, comparison: Comparison) -> list[Incident]:
    """Incidents it is attached to, latest first."""
    return incidents_around(access, comparison)[0]


def incidents_around(
    access: AccessContext, comparison: Comparison, *, most: int = 20
) -> tuple[list[Incident], list[Incident]]:
    """Its incidents, and the latest others not reviewed."""
    attached = IncidentComparison.objects.filter(comparison=comparison, incident=OuterRef("pk"))
    around = incidents_for(access).annotate(has_it=Exists(attached)).filter(Q(has_it=True) | ~Q(status=Status.REVIEWED))
    incidents = list(around.order_by("-has_it", "-begins_at", "pk")[:MOST_AROUND])
    own: list[Incident] = [incident for incident in incidents if incident.has_it]
    return own, [*incidents[len(own) :][:most]]


def hanging_on(comparison: Comparison) -> tuple[int, int]:
    """Numbers of its incidents and evidence."""
    attached = IncidentComparison.objects.filter(comparison=comparison).count()
    return attached, Evidence.objects.filter(comparison=comparison).count()
