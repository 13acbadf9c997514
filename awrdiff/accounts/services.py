"""Writes of the accounts app."""

from __future__ import annotations

from django.db import transaction

from awrdiff.accounts.models import Membership, Team, User

LOCAL_NAME = "local"


def join(user: User, team_name: str) -> Membership:
    """Put `user` on the team of that name, which is made when there is none."""
    with transaction.atomic():
        team, _ = Team.objects.get_or_create(name=team_name)
        return Membership.objects.get_or_create(team=team, user=user)[0]


def local_membership() -> Membership:
    """The one local user of bin/serve and its team; the user has no password to log in with."""
    found = Membership.objects.select_related("team", "user").filter(user__username=LOCAL_NAME).order_by("id").first()
    if found:
        return found
    with transaction.atomic():
        user, made = User.objects.get_or_create(username=LOCAL_NAME)
        if made:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        return join(user, "Local")
