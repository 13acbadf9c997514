"""What is done from time to time: messages that are overdue, and what is kept no longer."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from awrdiff.notices import tasks
from awrdiff.notices.models import Delivery, Notice
from awrdiff.processing.dispatch import send

SWEEP_EVERY_S, TIDY_EVERY_S = 5, 3600
BATCH = 50
GIVEN_UP_KEPT = timedelta(days=30)


def sweep() -> int:
    """Hand to the workers what was due a while ago: its message was lost, its worker died, or its pause is over."""
    overdue = timezone.now() - timedelta(seconds=settings.TASK_DUE_AFTER_S)
    tried = Q(attempts__gt=0, due_at__lte=timezone.now())
    found = Delivery.objects.filter(Q(due_at__lte=overdue) | tried).order_by("due_at")
    return sum(send(tasks.deliver, pk) for pk in list(found.values_list("pk", flat=True)[:BATCH]))


def tidy() -> None:
    """What was given up a month ago, and notices as old as the setting says."""
    now = timezone.now()
    Delivery.objects.filter(due_at=None, created_at__lt=now - GIVEN_UP_KEPT).delete()
    days = settings.AWRDIFF_KEEP_NOTICES_DAYS
    if days:
        Notice.objects.filter(created_at__lt=now - timedelta(days=days)).delete()
