"""Reassignment of action items and roles when somebody leaves or becomes a reader."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.happenings import Happening
from awrdiff.accounts.models import Membership, Team, User
from awrdiff.incidents import actions, services
from awrdiff.incidents.models import ActionItem, ActionState, Incident, IncidentRole
from awrdiff.incidents.queries import UNRESOLVED
from awrdiff.notices.services import notify
from awrdiff.processing.rows import lock


@dataclass(frozen=True, slots=True)
class OpenWork:
    """Open action items and roles in unresolved incidents."""

    actions: int = 0
    roles: int = 0


def open_work_of_people(access: AccessContext) -> dict[int, OpenWork]:
    """By the id of the user."""

    def count_of(rows: Iterable[tuple[int, int]]) -> dict[int, int]:
        return dict(rows)

    items = ActionItem.objects.filter(incident__team=access.team, state=ActionState.OPEN).exclude(owner=None)
    roles = IncidentRole.objects.filter(incident__team=access.team, incident__status__in=UNRESOLVED)
    owned = count_of(items.order_by().values_list("owner").annotate(n=Count("pk")))
    had = count_of(roles.order_by().values_list("user").annotate(n=Count("pk")))
    return {user: OpenWork(owned.get(user, 0), had.get(user, 0)) for user in owned.keys() | had.keys()}


def of_people(what: Happening) -> None:
    """Team listener. Done items and roles of resolved incidents stay."""
    if not isinstance(what.subject, Membership) or what.heir is None:
        return
    if what.action in ("left", "removed") or (what.action == "role" and what.subject.role not in roles_that(Can.WRITE)):
        _pass_on(what.team, what.subject.user, what.heir, what.user)


def _pass_on(team: Team, user: User, heir: User, by: User | None) -> None:
    items = ActionItem.objects.filter(incident__team=team, owner=user, state=ActionState.OPEN)
    roles = IncidentRole.objects.filter(incident__team=team, incident__status__in=UNRESOLVED, user=user)
    around = {*items.values_list("incident", flat=True), *roles.values_list("incident", flat=True)}
    incidents = {incident.pk: incident for incident in lock(Incident, around)}
    for item in items.filter(incident__in=incidents).select_related("owner"):
        actions.give_to(item, heir, by)
    for role in roles.filter(incident__in=incidents):
        services.pass_role(incidents[role.incident_id], role, heir, by)
    services.renew(Incident.objects.filter(pk__in=incidents))
    for held_incident in incidents.values():
        notify(team, "assigned", [heir], kind="incident", thing=held_incident.pk, actor=by, about=held_incident.title)
