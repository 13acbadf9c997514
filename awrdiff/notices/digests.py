"""One mail a day for those who have it so: made of rows, so that none is in two or in none."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from awrdiff.notices.models import Delivery, Mail, Notice, NoticeChoice, Way
from awrdiff.notices.services import send

LOOK_EVERY_S = 600
EVERY = timedelta(days=1)
BATCH = 200


def gather() -> int:
    """Returns for how many people a digest was made."""
    now = timezone.now()
    # One of more than a day ahead: the clock was put back.
    rested = Q(last_digest_at=None) | ~Q(last_digest_at__range=(now - EVERY, now + EVERY))
    waiting = NoticeChoice.objects.filter(rested, user__notices__for_digest=True).exclude(mail=Mail.NONE)
    return sum(_digest(pk) for pk in list(waiting.distinct().values_list("pk", flat=True)[:BATCH]))


def _digest(pk: int) -> bool:
    with transaction.atomic():
        now = timezone.now()
        choice = NoticeChoice.objects.select_for_update().filter(pk=pk).first()
        if choice is None or (choice.last_digest_at and abs(choice.last_digest_at - now) < EVERY):
            return False  # another sweeper was quicker
        found = list(Notice.objects.filter(user=choice.user_id, for_digest=True).order_by("id"))
        if not found:
            return False
        made = Delivery.objects.create(team_id=found[-1].team_id, way=Way.MAIL, user_id=choice.user_id, due_at=now)
        Notice.objects.filter(pk__in=[one.pk for one in found]).update(mail=made, for_digest=False)
        NoticeChoice.objects.filter(pk=pk).update(last_digest_at=now)
        send(made)
    return True
