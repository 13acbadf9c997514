"""Sending due messages by conditional UPDATEs, right with any number of workers.

A claim lasts LEASE_S; a late worker sees another number of attempts and writes nothing. After a killed worker the
message is sent again under the same id.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.notices import mails, webhooks
from awrdiff.notices.models import Delivery, TeamNotices, Way
from awrdiff.notices.webhook_address_check import NoticeRefused

logger = logging.getLogger(__name__)
LEASE_S = settings.TASK_LEASE_S  # more than a task may take
PAUSES_S = (30, 120, 480, 1800, 7200, 21_600, 21_600)  # after the first try, the second …; then it is given up
LONGEST_ERROR = 270
# By event, who hears what a webhook answered: apps that build on this one. Heard once, or again where a worker died.
WHEN_ANSWERED: dict[str, Callable[[Delivery, bytes], object]] = {}


def deliver(pk: UUID) -> None:
    """No-op if sent, claimed by another, or not due."""
    delivery = _claim(pk)
    if delivery is None:
        return
    try:
        answer = _send(delivery)
    except (NoticeRefused, webhooks.NotTaken) as refusal:
        _note_failure(delivery, str(refusal), final=getattr(refusal, "final", True))
    except Exception as error:
        _note_failure(delivery, str(error) or type(error).__name__)
    else:
        with transaction.atomic():
            if delivery.event.get("what") in WHEN_ANSWERED:
                WHEN_ANSWERED[delivery.event["what"]](delivery, answer)
            _mine(delivery).delete()


def _claim(pk: UUID) -> Delivery | None:
    now = timezone.now()
    delivery = Delivery.objects.select_related("team", "user", "invitation").filter(pk=pk, due_at__lte=now).first()
    if delivery is None:
        return None
    delivery.attempts += 1
    lease = now + timedelta(seconds=LEASE_S)
    rows = Delivery.objects.filter(pk=pk, due_at__lte=now, attempts=delivery.attempts - 1)
    return delivery if rows.update(attempts=delivery.attempts, due_at=lease) else None


def _mine(delivery: Delivery) -> QuerySet[Delivery]:
    return Delivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts)


def _send(delivery: Delivery) -> bytes:
    """Webhook's answer; empty for mails."""
    if delivery.way == Way.MAIL:
        message = mails.message_of(delivery)
        if message is not None:
            message.send()
        return b""
    to = TeamNotices.objects.select_related("team").filter(team=delivery.team).exclude(url="").first()
    if to is None:
        return b""
    answer = webhooks.deliver(delivery, to)
    TeamNotices.objects.filter(pk=to.pk).update(last_sent_at=timezone.now(), last_error="")
    return answer


def _note_failure(delivery: Delivery, sentence: str, *, final: bool = False) -> None:
    sentence = sentence[:LONGEST_ERROR]
    pause = PAUSES_S[delivery.attempts - 1] if delivery.attempts <= len(PAUSES_S) and not final else None
    due = None if pause is None else timezone.now() + timedelta(seconds=pause)
    _mine(delivery).update(due_at=due, error=sentence)
    if delivery.way == Way.WEBHOOK:
        then = "It is tried again." if due else "It was given up."
        TeamNotices.objects.filter(team=delivery.team_id).update(last_error=f"{sentence} {then}")
    logger.warning("%s %s was not sent%s: %s", delivery.way, delivery.pk, "" if due else ", and is given up", sentence)
