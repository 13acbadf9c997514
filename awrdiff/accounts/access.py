"""Every "may they?" of a member: a view's first line is `member(request)`; below a link, that of sharing.access.

What is not theirs does not exist for them: refusal of an object is a 404. The context that comes back also
builds the links inside a page, so that the same section views serve a member and a share link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.urls import reverse

from awrdiff.accounts.local import refuse_others
from awrdiff.accounts.models import Membership, Team, User
from awrdiff.accounts.services import local_membership

if TYPE_CHECKING:
    from awrdiff.comparisons.models import Comparison
    from awrdiff.reports.models import Report
    from awrdiff.sharing.models import ShareLink


class SignInNeeded(Exception):
    """Raised by `member`; the middleware answers with the login page, or 401 to a script."""


@dataclass(frozen=True, slots=True)
class AccessContext:
    """Who is looking: a member of `team`, or whoever holds the share `link` (then `token` is in the address)."""

    team: Team
    user: User | None = None
    link: ShareLink | None = None
    token: str = ""

    @property
    def is_shared(self) -> bool:
        return self.link is not None

    @property
    def can_write(self) -> bool:
        return self.user is not None and self.link is None

    def comparison_url(self, comparison: Comparison) -> str:
        if self.is_shared:
            return reverse("shared-comparison", args=[self.token])
        return reverse("comparison", args=[comparison.pk])

    def status_url(self, comparison: Comparison) -> str | None:
        return None if self.is_shared else reverse("comparison-status", args=[comparison.pk])

    def section_url(self, comparison: Comparison, section_id: str) -> str:
        if self.is_shared:
            return reverse("shared-section", args=[self.token, section_id])
        return reverse("comparison-section", args=[comparison.pk, section_id])

    def commit_url(self, comparison: Comparison) -> str:
        if self.is_shared:
            return reverse("shared-commit", args=[self.token])
        return reverse("comparison-commit", args=[comparison.pk])

    def search_url(self, comparison: Comparison) -> str:
        if self.is_shared:
            return reverse("shared-search", args=[self.token])
        return reverse("comparison-search", args=[comparison.pk])

    def export_url(self, comparison: Comparison, ending: str) -> str:
        if self.is_shared:
            return reverse("shared-export", args=[self.token, ending])
        return reverse("comparison-export", args=[comparison.pk, ending])

    def report_url(self, report: Report) -> str | None:
        return None if self.is_shared else reverse("report", args=[report.pk])

    def report_section_url(self, report: Report, section_id: str) -> str | None:
        return None if self.is_shared else reverse("report-section", args=[report.pk, section_id])


def member(request: HttpRequest) -> AccessContext:
    """The member who asks. In the embedded default that is the one local user: whoever runs the server."""
    if settings.AWRDIFF_LOCAL_USER:
        refuse_others(request)
        membership = local_membership()
        request.user = membership.user
        return AccessContext(team=membership.team, user=membership.user)
    user = request.user
    if not isinstance(user, User):
        raise SignInNeeded
    found = Membership.objects.select_related("team").filter(user=user).order_by("id").first()
    if found is None:
        raise PermissionDenied("You are not on a team yet. Ask whoever runs this server to add you to one.")
    return AccessContext(team=found.team, user=user)
