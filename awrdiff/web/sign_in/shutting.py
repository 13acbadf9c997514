"""An account is shut at once: what it has open, and what it has made that opens something."""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.db import transaction

from awrdiff.accounts import disabling
from awrdiff.accounts.models import User
from awrdiff.accounts.people import end_invitations_of
from awrdiff.sharing.services import end_links_of
from awrdiff.web.format import count_text


def shut(user: User, by: User | None = None) -> str:
    """What ended, as it is said. Raises PeopleRefused for what is no person."""
    with transaction.atomic():
        disabling.disable(user, by)
        links, invitations = end_links_of(user, by), end_invitations_of(user, by)
        sessions = [one.end() for one in UserSession.objects.filter(user=user)]
    counts = (count_text(len(sessions), "session"), count_text(links, "link"), count_text(invitations, "invitation"))
    return "{}, {} and {}".format(*counts)
