"""Writes of the accounts app: teams and the local user. `people.py` has who else is on them."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from awrdiff.accounts.models import Membership, PeopleSignIn, Role, Team, User

LOCAL_NAME = "local"


def join(user: User, team_name: str, role: str | None = None) -> Membership:
    """Put `user` on the team of that name, which is made when there is none; who makes one owns it.

    Who is on it already keeps their role unless another is given.
    """
    with transaction.atomic():
        team, made = Team.objects.get_or_create(name=team_name)
        first = Role.OWNER if made else Role.MEMBER
        found, joined = Membership.objects.get_or_create(team=team, user=user, defaults={"role": role or first})
        if not joined and role and found.role != role:
            found.role = role
            found.save(update_fields=["role"])
        return found


def lock_team(pk: int) -> Team:
    """Its row, until the transaction ends; rows that point to it go in meanwhile. Raises Team.DoesNotExist."""
    return Team.objects.select_for_update(no_key=True).get(pk=pk)


def people_sign_in() -> bool:
    """Whether somebody was let in by whoever ran the server alone: then nobody is signed in without a password."""
    return PeopleSignIn.objects.exists()


def nobody_can_sign_in() -> bool:
    """No person has a password, or where none is taken an address that a sign-on service knows them by, or comes by a
    directory, and the local user has not become one."""
    if settings.AWRDIFF_PASSWORD_SIGN_IN:
        people = User.objects.exclude(password="").exclude(password__startswith="!")  # noqa: S106 - Django's for none
    else:
        people = User.objects.filter(emailaddress__verified=True)
    by_directory = User.objects.exclude(directory_id=None)
    return not (people_sign_in() or people.exists() or by_directory.exists())


def local_membership() -> Membership:
    """The one local user of bin/serve and its team; the user has no password to log in with. Once people sign in there
    is none: ask `people_sign_in` first."""
    found = Membership.objects.select_related("team", "user").filter(user__username=LOCAL_NAME).order_by("id").first()
    if found:
        return found
    with transaction.atomic():
        user, made = User.objects.get_or_create(username=LOCAL_NAME)
        if made:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        return join(user, "Local")


def keeper_of_demos() -> Membership | None:
    """Whose the demos of bin/serve are: the local user's, or whoever has owned the longest what that became."""
    if not people_sign_in():
        return local_membership()
    opened = Membership.objects.select_related("team", "user").filter(team__peoplesignin__isnull=False)
    return opened.filter(role=Role.OWNER).order_by("id").first()
