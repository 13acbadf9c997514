"""Comparisons shown to guests."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from awrdiff.accounts.access import AccessContext, Can, guest_roles, require_row
from awrdiff.accounts.models import Membership
from awrdiff.audit.services import note
from awrdiff.comparisons.errors import GONE, ComparisonRefused
from awrdiff.comparisons.models import Comparison, ComparisonReport, ShownComparison
from awrdiff.notices.services import withdraw
from awrdiff.processing.row_locks import lock


def guests(access: AccessContext, comparison: Comparison) -> QuerySet[Any]:
    """Team's guests with `sees`."""
    if not access.can_share:
        return Membership.objects.none()
    own = ShownComparison.objects.filter(comparison=comparison, membership=OuterRef("pk"))
    memberships = Membership.objects.filter(team=access.team, role__in=guest_roles()).select_related("user")
    return memberships.annotate(sees=Exists(own)).order_by("user__username")


def show(access: AccessContext, comparison: Comparison, guest_pk: int) -> None:
    """Showing twice is harmless."""
    guest = _guest(access, comparison, guest_pk)
    with transaction.atomic():
        if not lock(Comparison, [comparison.pk]):
            raise ComparisonRefused(GONE)
        _, is_new = ShownComparison.objects.get_or_create(
            comparison=comparison, membership=guest, defaults={"shown_by": access.user}
        )
        if is_new:
            note(access, "shown", "comparison", comparison.pk)


def hide(access: AccessContext, comparison: Comparison, guest_pk: int) -> None:
    """Hides a former swap, too: same figures."""
    guest = _guest(access, comparison, guest_pk)
    with transaction.atomic():
        comparison_ids = _with_swaps(comparison)
        removed, _ = ShownComparison.objects.filter(comparison__in=comparison_ids, membership=guest).delete()
        if removed:
            note(access, "hidden", "comparison", comparison.pk)
            withdraw(access.team, guest.user, "comparison", comparison_ids)


def _with_swaps(comparison: Comparison) -> list[UUID]:
    original = comparison.chosen_from_id or comparison.pk
    near = Comparison.objects.filter(Q(pk=original) | Q(chosen_from=original)).values("pk")
    parts: dict[UUID, list[tuple[UUID, str]]] = {comparison.pk: []}
    for place in ComparisonReport.objects.filter(Q(comparison__in=near) | Q(comparison=comparison)):
        parts.setdefault(place.comparison_id, []).append((place.report_id, place.aspect))
    own = sorted(parts[comparison.pk])
    return [pk for pk, places in parts.items() if sorted(places) == own]


def _guest(access: AccessContext, comparison: Comparison, pk: int) -> Membership:
    access.check(Can.SHARE, comparison)
    guest: Membership = require_row(guests(access, comparison).filter(pk=pk), "There is no such guest on your team.")
    return guest
