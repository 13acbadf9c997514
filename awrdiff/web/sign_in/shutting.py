"""An account is shut at once, and one whose groups nobody confirms loses what it has open."""

from __future__ import annotations

from datetime import timedelta

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Coalesce

from awrdiff.accounts import disabling, opened
from awrdiff.accounts.happenings import notify
from awrdiff.accounts.models import Membership, User
from awrdiff.accounts.people import lock
from awrdiff.accounts.services import lapsed

EVERY_S = 15 * 60


def shut(user: User, by: User | None = None) -> str:
    """What ended, as it is said. Raises PeopleRefused for what is no person."""
    with transaction.atomic():
        ended = disabling.disable(user, by)
        sessions = [one.end() for one in UserSession.objects.filter(user=user)]
    ended["session"] = len(sessions)
    return opened.in_words(ended)


def end_unconfirmed() -> int:
    """Tokens end, and sessions from before, of who comes by groups that no sign-in has confirmed of late: both count
    for nothing on the team already (services.py: lapsed). Returns of how many memberships."""
    days = timedelta(days=settings.AWRDIFF_GROUPS_DAYS)
    lapse = Coalesce("confirmed_at", "created_at") + days
    tokens = opened.live_tokens().filter(team=OuterRef("team"), user=OuterRef("user"), is_service=False)
    sessions = UserSession.objects.filter(user=OuterRef("user"), created_at__lt=OuterRef("lapses_at"))
    due = Membership.objects.filter(lapsed()).annotate(lapses_at=lapse)
    due = due.filter(Exists(tokens) | Exists(sessions)).select_related("team", "user").order_by("pk")
    return sum(_end_of(one) for one in due)


def _end_of(lapsed_membership: Membership) -> bool:
    """They may have signed in meanwhile."""
    with transaction.atomic():
        lock(lapsed_membership.team)
        found = Membership.objects.filter(lapsed(), pk=lapsed_membership.pk).select_related("team", "user").first()
        if found is None:
            return False
        closed = opened.close(found.team, found.user, None, only=opened.TOKENS)
        lapsed_at = (found.confirmed_at or found.created_at) + timedelta(days=settings.AWRDIFF_GROUPS_DAYS)
        sessions = [one.end() for one in UserSession.objects.filter(user=found.user, created_at__lt=lapsed_at)]
        closed.ended.update(["session"] * len(sessions))
        notify(found.team, None, "unconfirmed", found, closed=str(closed))
        return True
