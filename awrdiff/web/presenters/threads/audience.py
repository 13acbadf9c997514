"""Readers of a thread: team only, or guests."""

from __future__ import annotations

from collections.abc import Mapping

from awrdiff.accounts.access import AccessContext, guest_roles
from awrdiff.accounts.models import Membership
from awrdiff.threads.models import Thread
from awrdiff.web.presenters.threads.about import AboutComparison, AboutIncident

TEAM_ONLY, GUESTS_TOO = "team only", "guests too"


def is_asked(access: AccessContext, about: AboutComparison | AboutIncident) -> bool:
    """Once the team has guests, members choose."""
    if not access.can_write or isinstance(about, AboutIncident):
        return False
    return Membership.objects.filter(team=access.team, role__in=guest_roles()).exists()


def chosen(form_fields: Mapping[str, str]) -> bool | None:
    """`for_guests`: 1 or 0; unticked with `guests_asked` is 0; None: default."""
    return {"1": True, "0": False}.get(form_fields.get("for_guests", "0" if "guests_asked" in form_fields else ""))


def said(access: AccessContext, about: AboutComparison | AboutIncident, thread: Thread) -> str:
    """For members; "" if not asked."""
    if not is_asked(access, about):
        return ""
    return GUESTS_TOO if thread.for_guests else TEAM_ONLY
