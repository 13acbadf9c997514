"""Chores: sending what is overdue, daily digests, deleting what is old."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from awrdiff.notices import tasks
from awrdiff.notices.models import Delivery, Mail, Notice, NoticeChoice, Way
from awrdiff.notices.services import send as send_mail
from awrdiff.processing.dispatch import send

SWEEP_EVERY_S, GATHER_EVERY_S, TIDY_EVERY_S = 5, 600, 3600
DIGEST_EVERY = timedelta(days=1)
BATCH, DIGESTS = 50, 200
GIVEN_UP_KEPT = timedelta(days=30)


def sweep() -> int:
    """Requeue overdue messages: lost, worker died, or pause over."""
    overdue = timezone.now() - timedelta(seconds=settings.TASK_DUE_AFTER_S)
    tried = Q(attempts__gt=0, due_at__lte=timezone.now())
    deliveries = Delivery.objects.filter(Q(due_at__lte=overdue) | tried).order_by("due_at")
    return sum(send(tasks.deliver, pk) for pk in list(deliveries.values_list("pk", flat=True)[:BATCH]))


def tidy() -> None:
    """Delete old notices, and messages given up."""
    now = timezone.now()
    Delivery.objects.filter(due_at=None, created_at__lt=now - GIVEN_UP_KEPT).delete()
    days = settings.AWRDIFF_KEEP_NOTICES_DAYS
    if days:
        Notice.objects.filter(created_at__lt=now - timedelta(days=days)).delete()


def gather() -> int:
    """Number of digests made."""
    now = timezone.now()
    # One of more than a day ahead: the clock was put back.
    rested = Q(last_digest_at=None) | ~Q(last_digest_at__range=(now - DIGEST_EVERY, now + DIGEST_EVERY))
    waiting = NoticeChoice.objects.filter(rested, user__notices__for_digest=True).exclude(mail=Mail.NONE)
    return sum(_digest(pk) for pk in list(waiting.distinct().values_list("pk", flat=True)[:DIGESTS]))


def _digest(pk: int) -> bool:
    with transaction.atomic():
        now = timezone.now()
        choice = NoticeChoice.objects.select_for_update().filter(pk=pk).first()
        if choice is None or (choice.last_digest_at and abs(choice.last_digest_at - now) < DIGEST_EVERY):
            return False  # another sweeper was quicker
        notices = list(Notice.objects.filter(user=choice.user_id, for_digest=True).order_by("id"))
        if not notices:
            return False
        mail = Delivery.objects.create(team_id=notices[-1].team_id, way=Way.MAIL, user_id=choice.user_id, due_at=now)
        Notice.objects.filter(pk__in=[notice.pk for notice in notices]).update(mail=mail, for_digest=False)
        NoticeChoice.objects.filter(pk=pk).update(last_digest_at=now)
        send_mail(mail)
    return True
