"""Joining teams, the local user. members_and_invitations.py has the rest."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from awrdiff.accounts.models import Membership, PeopleSignIn, Role, Team, User

LOCAL_NAME = "local"


def join(user: User, team_name: str, role: str | None = None) -> Membership:
    """A new team is owned by `user`; members keep their role unless `role` is given."""
    with transaction.atomic():
        team, is_new = Team.objects.get_or_create(name=team_name)
        first = Role.OWNER if is_new else Role.MEMBER
        membership, joined = Membership.objects.get_or_create(team=team, user=user, defaults={"role": role or first})
        if not joined and role and membership.role != role:
            membership.role = role
            membership.save(update_fields=["role"])
        return membership


def lock_team(pk: int) -> Team:
    """Does not block inserts that reference it. Raises Team.DoesNotExist."""
    return Team.objects.select_for_update(no_key=True).get(pk=pk)


def people_sign_in() -> bool:
    """True once the local user has let somebody in."""
    return PeopleSignIn.objects.exists()


def nobody_can_sign_in() -> bool:
    """True without any password (or verified address), directory account or converted local user."""
    if settings.AWRDIFF_PASSWORD_SIGN_IN:
        people = User.objects.exclude(password="").exclude(password__startswith="!")  # noqa: S106 - Django's for none
    else:
        people = User.objects.filter(emailaddress__verified=True)
    by_directory = User.objects.exclude(directory_id=None)
    return not (people_sign_in() or people.exists() or by_directory.exists())


def local_membership() -> Membership:
    """The passwordless local user's; check `people_sign_in` first."""
    membership = (
        Membership.objects.select_related("team", "user").filter(user__username=LOCAL_NAME).order_by("id").first()
    )
    if membership:
        return membership
    with transaction.atomic():
        user, is_new = User.objects.get_or_create(username=LOCAL_NAME)
        if is_new:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        return join(user, "Local")


def keeper_of_demos() -> Membership | None:
    """Local user, else longest-standing owner of their team."""
    if not people_sign_in():
        return local_membership()
    opened = Membership.objects.select_related("team", "user").filter(team__peoplesignin__isnull=False)
    return opened.filter(role=Role.OWNER).order_by("id").first()
