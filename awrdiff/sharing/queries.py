"""Reads of the sharing app."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.tokens import hashed
from awrdiff.comparisons.models import Comparison
from awrdiff.sharing.models import ShareLink

USE_NOTED_EVERY = timedelta(minutes=1)


def live_link(token: str) -> ShareLink | None:
    """The link of this token unless it is unknown, expired or revoked; notes when it was used."""
    now = timezone.now()
    rows = ShareLink.objects.select_related("team").filter(token_hash=hashed(token), revoked_at=None)
    link = rows.filter(Q(expires_at=None) | Q(expires_at__gt=now)).first()
    if link and (link.last_used_at is None or link.last_used_at < now - USE_NOTED_EVERY):
        ShareLink.objects.filter(pk=link.pk).update(last_used_at=now)
    return link


def links_of(access: AccessContext, comparison: Comparison) -> QuerySet[ShareLink]:
    """The comparison's links that were not revoked, newest first, for those who may make some."""
    if not access.can_write:
        return ShareLink.objects.none()
    rows = ShareLink.objects.filter(team=access.team, comparison=comparison, revoked_at=None)
    return rows.order_by("-created_at")


def link_for(access: AccessContext, pk: UUID) -> ShareLink:
    found = ShareLink.objects.filter(team=access.team, pk=pk).first()
    if found is None or not access.sees_all:
        raise NotFound("There is no such link.")
    return found
