"""Expiry of memberships by groups: `AWRDIFF_GROUPS_DAYS` after the last sign-in that confirmed them."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone


def lapsed() -> Q:
    """Memberships by groups unconfirmed for too long, on teams the settings still name. Without `confirmed_at`, age
    counts from `created_at`.
    """
    teams = {place.team for place in (*settings.AWRDIFF_OIDC_TEAMS, *settings.AWRDIFF_LDAP_TEAMS)}
    if not (settings.AWRDIFF_GROUPS_DAYS and teams):
        return Q(pk__in=())
    limit = timezone.now() - timedelta(days=settings.AWRDIFF_GROUPS_DAYS)
    due = Q(confirmed_at__lt=limit) | Q(confirmed_at=None, created_at__lt=limit)
    return Q(by_groups=True, team__name__in=sorted(teams)) & due
