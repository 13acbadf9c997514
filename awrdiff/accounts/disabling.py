"""Disabling accounts, by the server's operator or administrators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import ApiToken, Membership, Role, Team, User
from awrdiff.accounts.offboarding import Closed, close_everywhere


def disable(user: User, by: User | None = None) -> Counter[str]:
    """Ends access for good; counts by noun. Raises PeopleRefused for a service."""
    with transaction.atomic():
        was_active = _switch(user, active=False)
        closed = close_everywhere(user, by)
        if was_active:
            _tell(user, by, "disabled", closed)
        return sum((team.ended for team in closed.values()), Counter())


def enable(user: User, by: User | None = None) -> None:
    """Raises PeopleRefused for a service."""
    with transaction.atomic():
        if not _switch(user, active=True):
            _tell(user, by, "enabled", {})


def _switch(user: User, *, active: bool) -> bool:
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ApiToken.objects.filter(user=locked, is_service=True).exists():
        raise PeopleRefused(f"{locked} is a service: revoke its token instead.")
    User.objects.filter(pk=locked.pk).update(is_active=active)
    return locked.is_active


def _tell(user: User, by: User | None, action: str, closed: Mapping[int, Closed]) -> None:
    for membership in Membership.objects.filter(user=user).select_related("team", "user"):
        notify(membership.team, by, action, membership, closed=str(closed.get(membership.team_id, "")))


def hold(maker: User | None, team: Team) -> None:
    """Lock the maker of access that must end with them; None: the server.

    Does not block inserts: a commenter holds the comparison that link making awaits. Raises PermissionDenied.
    """
    if maker is None:
        return
    locked = User.objects.select_for_update(no_key=True).filter(pk=maker.pk).first()
    if locked is not None and ApiToken.objects.filter(user=locked, is_service=True).exists():
        return
    if locked is None or not locked.is_active:
        raise PermissionDenied("This account is disabled.")
    if not Membership.objects.filter(team=team, user=locked).exists():
        raise PermissionDenied("You are not on this team any more.")


def teams_without_owner(user: User) -> QuerySet[Team]:
    """Teams of `user` with no other active owner."""
    other_owners = Membership.objects.filter(role=Role.OWNER, user__is_active=True).exclude(user=user)
    owned = Team.objects.filter(membership__user=user, membership__role=Role.OWNER)
    return owned.exclude(pk__in=other_owners.values("team"))


def services_of(user: User) -> QuerySet[ApiToken]:
    """Live service tokens made by `user`, outliving the membership."""
    return ApiToken.objects.filter(made_by=user, is_service=True, revoked_at=None).select_related("team")
