"""Which comparisons the guests of a team may read."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.capabilities import guest_roles
from awrdiff.accounts.models import Membership
from awrdiff.audit.services import note
from awrdiff.comparisons.errors import GONE, ComparisonRefused
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.notices.services import withdraw
from awrdiff.processing.rows import lock


def guests(access: AccessContext, comparison: Comparison) -> QuerySet[Any]:
    """The guests of the team, each with `sees`: whether they may read the comparison. Guests see no others."""
    if not access.can_share:
        return Membership.objects.none()
    own = ShownComparison.objects.filter(comparison=comparison, membership=OuterRef("pk"))
    found = Membership.objects.filter(team=access.team, role__in=guest_roles()).select_related("user")
    return found.annotate(sees=Exists(own)).order_by("user__username")


def show(access: AccessContext, comparison: Comparison, guest_pk: int) -> None:
    """Showing twice is harmless."""
    guest = _guest(access, comparison, guest_pk)
    with transaction.atomic():
        if not lock(Comparison, [comparison.pk]):
            raise ComparisonRefused(GONE)
        _, made = ShownComparison.objects.get_or_create(
            comparison=comparison, membership=guest, defaults={"shown_by": access.user}
        )
        if made:
            note(access, "shown", "comparison", comparison.pk)


def hide(access: AccessContext, comparison: Comparison, guest_pk: int) -> None:
    guest = _guest(access, comparison, guest_pk)
    with transaction.atomic():
        taken, _ = ShownComparison.objects.filter(comparison=comparison, membership=guest).delete()
        if taken:
            note(access, "hidden", "comparison", comparison.pk)
            withdraw(access.team, guest.user, "comparison", [comparison.pk])


def _guest(access: AccessContext, comparison: Comparison, pk: int) -> Membership:
    if not access.can_share or comparison.team_id != access.team.pk:
        raise PermissionDenied
    found: Membership | None = guests(access, comparison).filter(pk=pk).first()
    if found is None:
        raise NotFound("There is no such guest on your team.")
    return found
