"""Who reads a thread: the team alone, or guests too to whom its comparison is shown."""

from __future__ import annotations

from collections.abc import Mapping

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.capabilities import guest_roles
from awrdiff.accounts.models import Membership
from awrdiff.threads.models import Thread
from awrdiff.web.presenters.threads.about import AboutComparison, AboutIncident

TEAM_ONLY, GUESTS_TOO = "team only", "guests too"


def is_asked(access: AccessContext, about: AboutComparison | AboutIncident) -> bool:
    """Members say it of threads of a comparison, once the team has guests."""
    if not access.can_write or isinstance(about, AboutIncident):
        return False
    return Membership.objects.filter(team=access.team, role__in=guest_roles()).exists()


def chosen(given: Mapping[str, str]) -> bool | None:
    """Field `for_guests`: 1 or 0; with `guests_asked` a box that is not ticked is 0. None: as the team has it."""
    return {"1": True, "0": False}.get(given.get("for_guests", "0" if "guests_asked" in given else ""))


def said(access: AccessContext, about: AboutComparison | AboutIncident, thread: Thread) -> str:
    """To members; "" where nobody is asked."""
    if not is_asked(access, about):
        return ""
    return GUESTS_TOO if thread.for_guests else TEAM_ONLY
