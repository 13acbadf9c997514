"""Renewing results of older versions: one row at a time, and only while nothing new waits."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from awrdiff.processing.dispatch import send
from awrdiff.processing.models import END_STATES, State, Work
from awrdiff.processing.work_claims import is_over
from awrdiff.processing.work_kinds import KINDS


def renew_next() -> bool:
    """False where none is outdated, or other work comes first."""
    now = timezone.now()
    if any(_is_busy(kind.model, now) for kind in KINDS):
        return False
    for kind in KINDS:
        pk = kind.outdated().values_list("pk", flat=True).first()
        if pk is not None:
            later = now + timedelta(seconds=settings.TASK_DUE_AFTER_S)
            kind.model._default_manager.filter(pk=pk, state__in=END_STATES).update(due_at=later)
            return send(kind.task, pk)
    return False


def _is_busy(model: type[Work], now: datetime) -> bool:
    fresh = Q(state__in=[State.PENDING, State.RUNNING])
    pause = settings.TASK_DUE_AFTER_S * settings.TASK_MAX_FAILURES  # longer only since the clock was put back
    soon = now + timedelta(seconds=pause)
    leased = Q(lease_until__isnull=False) & ~is_over(now)
    renewed = Q(state__in=END_STATES) & (Q(due_at__gt=now, due_at__lte=soon) | leased)
    return model._default_manager.filter(fresh | renewed).exists()
