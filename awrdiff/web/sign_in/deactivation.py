"""Disables accounts, and ends unconfirmed groups' access."""

from __future__ import annotations

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Coalesce

from awrdiff.accounts import offboarding
from awrdiff.accounts.access import lapsed
from awrdiff.accounts.member_events import notify
from awrdiff.accounts.members_and_invitations import lock
from awrdiff.accounts.models import Membership, User

EVERY_S = 15 * 60


def shut(user: User, by: User | None = None) -> str:
    """Text about what ended. Raises PeopleRefused for non-persons."""
    with transaction.atomic():
        ended = offboarding.disable(user, by)
        for session in UserSession.objects.filter(user=user):
            session.end()
            ended["session"] += 1
    return offboarding.in_words(ended)


def end_unconfirmed() -> int:
    """Ends tokens and old sessions by groups without a recent sign-in; returns the number of memberships."""
    days = timedelta(days=settings.AWRDIFF_GROUPS_DAYS)
    lapse = Coalesce("confirmed_at", "created_at") + days
    tokens = offboarding.live_tokens().filter(team=OuterRef("team"), user=OuterRef("user"), is_service=False)
    sessions = UserSession.objects.filter(user=OuterRef("user"), created_at__lt=OuterRef("lapses_at"))
    due = Membership.objects.filter(lapsed()).annotate(lapses_at=lapse)
    due = due.filter(Exists(tokens) | Exists(sessions)).select_related("team", "user").order_by("pk")
    count = 0
    for earlier in due:
        with transaction.atomic():
            lock(earlier.team)
            membership = Membership.objects.filter(lapsed(), pk=earlier.pk).select_related("team", "user").first()
            if membership is None:  # they signed in meanwhile
                continue
            closed = offboarding.close(membership.team, membership.user, None, only=offboarding.TOKENS)
            lapsed_at = (membership.confirmed_at or membership.created_at) + days
            for session in UserSession.objects.filter(user=membership.user, created_at__lt=lapsed_at):
                session.end()
                closed.ended["session"] += 1
            notify(membership.team, None, "unconfirmed", membership, closed=str(closed))
            count += 1
    return count
