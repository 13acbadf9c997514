"""Reads of the sharing app."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.tokens import hashed
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.models import State
from awrdiff.sharing.models import ShareLink

USE_NOTED_EVERY = timedelta(minutes=1)
MOST_LISTED = 500
_HEAVY = ("comparison__overview", "copy__overview")


def live_link(token: str) -> ShareLink | None:
    """The link of this token unless it is unknown, expired or revoked."""
    rows = ShareLink.objects.select_related("team", "comparison", "copy__team").defer(*_HEAVY)
    rows = rows.filter(token_hash=hashed(token), revoked_at=None)
    return rows.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now())).first()


def note_use(link: ShareLink) -> None:
    """When it was used last, by somebody who has its password where it has one."""
    now = timezone.now()
    if link.last_used_at is None or link.last_used_at < now - USE_NOTED_EVERY:
        ShareLink.objects.filter(pk=link.pk).update(last_used_at=now)


def count_use(pk: UUID) -> None:
    """Its page was opened."""
    ShareLink.objects.filter(pk=pk).update(uses=F("uses") + 1)


def links_of(access: AccessContext, comparison: Comparison) -> QuerySet[ShareLink]:
    """The comparison's links that were not revoked, newest first, for those who may make some."""
    if not access.can_write:
        return ShareLink.objects.none()
    rows = ShareLink.objects.filter(team=access.team, comparison=comparison, revoked_at=None)
    return rows.order_by("-created_at")


def links_for(access: AccessContext) -> QuerySet[ShareLink]:
    """The team's links that were not revoked, newest first, with what they are for and who made them."""
    if not access.can_write:
        raise NotFound("There is nothing at this address.")
    rows = ShareLink.objects.filter(team=access.team, revoked_at=None).select_related("created_by", "comparison")
    return rows.defer("comparison__overview").order_by("-created_at")


def link_for(access: AccessContext, pk: UUID) -> ShareLink:
    found = ShareLink.objects.filter(team=access.team, pk=pk).first()
    if found is None or not access.sees_all:
        raise NotFound("There is no such link.")
    return found


def ended() -> QuerySet[ShareLink]:
    """Links that show nothing any more and still have a copy."""
    over = Q(expires_at__lte=timezone.now()) | ~Q(revoked_at=None)
    return ShareLink.objects.filter(over, copy__isnull=False).select_related("copy").defer("copy__overview")


def failed_copies(access: AccessContext) -> dict[UUID, str]:
    """By the id of the team's link whose copy could not be made: why."""
    found = ShareLink.objects.filter(team=access.team, revoked_at=None, copy__state=State.FAILED)
    return dict(found.values_list("pk", "copy__error")) if access.can_write else {}
