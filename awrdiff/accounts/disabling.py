"""Accounts that nobody signs in with for a while, or ever again: by whoever runs or administers the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import ApiToken, Membership, Role, Team, User
from awrdiff.accounts.opened import Closed, close_everywhere


def disable(user: User, by: User | None = None) -> Counter[str]:
    """What they opened ends, of whichever team, and is counted: it works no more, also once the account is enabled
    again. Raises PeopleRefused for what is no person."""
    with transaction.atomic():
        was_active = _switch(user, active=False)
        closed = close_everywhere(user, by)
        if was_active:
            _tell(user, by, "disabled", closed)
        return sum((one.ended for one in closed.values()), Counter())


def enable(user: User, by: User | None = None) -> None:
    """Raises PeopleRefused for what is no person."""
    with transaction.atomic():
        if not _switch(user, active=True):
            _tell(user, by, "enabled", {})


def _switch(user: User, *, active: bool) -> bool:
    """Whether they were active before. The row is locked until the transaction ends: what they are just making waits
    for it."""
    found = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ApiToken.objects.filter(user=found, is_service=True).exists():
        raise PeopleRefused(f"{found} is a service: revoke its token instead.")
    User.objects.filter(pk=found.pk).update(is_active=active)
    return found.is_active


def _tell(user: User, by: User | None, action: str, closed: Mapping[int, Closed]) -> None:
    for one in Membership.objects.filter(user=user).select_related("team", "user"):
        notify(one.team, by, action, one, closed=str(closed.get(one.team_id, "")))


def hold(maker: User | None, team: Team) -> None:
    """In the transaction that makes what ends as they leave the team or are disabled, which both wait for. Rows that
    point to them go in meanwhile: whoever comments holds the comparison that making a link of it waits for. None:
    whoever runs the server. Raises PermissionDenied where they left or were disabled just now."""
    if maker is None:
        return
    found = User.objects.select_for_update(no_key=True).filter(pk=maker.pk).first()
    if found is not None and ApiToken.objects.filter(user=found, is_service=True).exists():
        return
    if found is None or not found.is_active:
        raise PermissionDenied("This account is disabled.")
    if not Membership.objects.filter(team=team, user=found).exists():
        raise PermissionDenied("You are not on this team any more.")


def left_alone(user: User) -> QuerySet[Team]:
    """Teams that have no other owner who can sign in."""
    others = Membership.objects.filter(role=Role.OWNER, user__is_active=True).exclude(user=user)
    owned = Team.objects.filter(membership__user=user, membership__role=Role.OWNER)
    return owned.exclude(pk__in=others.values("team"))


def services_of(user: User) -> QuerySet[ApiToken]:
    """Tokens of services that they made, and may know: these are their teams' and go on."""
    return ApiToken.objects.filter(made_by=user, is_service=True, revoked_at=None).select_related("team")
