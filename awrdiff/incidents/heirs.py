"""What was given to somebody who leaves the team, or may only read from now on, is somebody else's in the same step."""

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
class Given:
    """How many open action items and roles of incidents that are not resolved."""

    actions: int = 0
    roles: int = 0


def given_to_people(access: AccessContext) -> dict[int, Given]:
    """By the id of the user."""

    def counted(rows: Iterable[tuple[int, int]]) -> dict[int, int]:
        return dict(rows)

    items = ActionItem.objects.filter(incident__team=access.team, state=ActionState.OPEN).exclude(owner=None)
    roles = IncidentRole.objects.filter(incident__team=access.team, incident__status__in=UNRESOLVED)
    owned = counted(items.order_by().values_list("owner").annotate(n=Count("pk")))
    had = counted(roles.order_by().values_list("user").annotate(n=Count("pk")))
    return {user: Given(owned.get(user, 0), had.get(user, 0)) for user in owned.keys() | had.keys()}


def of_people(what: Happening) -> None:
    """Listens to what happens to the people of a team. Done items, and roles in what is resolved, stay as they were."""
    if not isinstance(what.subject, Membership) or what.heir is None:
        return
    if what.action in ("left", "removed") or (what.action == "role" and what.subject.role not in roles_that(Can.WRITE)):
        _pass_on(what.team, what.subject.user, what.heir, what.user)


def _pass_on(team: Team, user: User, heir: User, by: User | None) -> None:
    items = ActionItem.objects.filter(incident__team=team, owner=user, state=ActionState.OPEN)
    roles = IncidentRole.objects.filter(incident__team=team, incident__status__in=UNRESOLVED, user=user)
    around = {*items.values_list("incident", flat=True), *roles.values_list("incident", flat=True)}
    known = {one.pk: one for one in lock(Incident, around)}
    for item in items.filter(incident__in=known).select_related("owner"):
        actions.give_to(item, heir, by)
    for role in roles.filter(incident__in=known):
        services.pass_role(known[role.incident_id], role, heir, by)
    services.renew(Incident.objects.filter(pk__in=known))
    for one in known.values():
        notify(team, "assigned", [heir], kind="incident", thing=one.pk, actor=by, about=one.title)
