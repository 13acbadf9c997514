"""Accounts that nobody signs in with for a while, or ever again: by whoever runs or administers the server."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import ApiToken, Membership, Role, Team, User


def disable(user: User, by: User | None = None) -> None:
    """Their tokens work no more, also once the account is enabled again. Raises PeopleRefused for what is no person."""
    with transaction.atomic():
        _switch(user, by, active=False)
        own = ApiToken.objects.filter(user=user, is_service=False, revoked_at=None)
        own.update(revoked_at=timezone.now())


def enable(user: User, by: User | None = None) -> None:
    """Raises PeopleRefused for what is no person."""
    with transaction.atomic():
        _switch(user, by, active=True)


def _switch(user: User, by: User | None, *, active: bool) -> None:
    """Twice is harmless. The row is locked until the transaction ends: what they are just making waits for it."""
    found = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if ApiToken.objects.filter(user=found, is_service=True).exists():
        raise PeopleRefused(f"{found} is a service: revoke its token instead.")
    if found.is_active == active:
        return
    User.objects.filter(pk=found.pk).update(is_active=active)
    for one in Membership.objects.filter(user=found).select_related("team", "user"):
        notify(one.team, by, "enabled" if active else "disabled", one)


def hold(maker: User | None) -> None:
    """In the transaction that makes what ends with their account, which disabling waits for. Rows that point to them go
    in meanwhile: whoever comments holds the comparison that making a link of it waits for. None: whoever runs the
    server. Raises PermissionDenied where they were disabled just now."""
    if maker is None:
        return
    found = User.objects.select_for_update(no_key=True).filter(pk=maker.pk).first()
    if found is None or not (found.is_active or ApiToken.objects.filter(user=found, is_service=True).exists()):
        raise PermissionDenied("This account is disabled.")


def left_alone(user: User) -> QuerySet[Team]:
    """Teams that have no other owner who can sign in."""
    others = Membership.objects.filter(role=Role.OWNER, user__is_active=True).exclude(user=user)
    owned = Team.objects.filter(membership__user=user, membership__role=Role.OWNER)
    return owned.exclude(pk__in=others.values("team"))


def services_of(user: User) -> QuerySet[ApiToken]:
    """Tokens of services that they made, and may know: these are their teams' and go on."""
    return ApiToken.objects.filter(made_by=user, is_service=True, revoked_at=None).select_related("team")
