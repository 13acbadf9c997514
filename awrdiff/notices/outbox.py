"""Sending what is due, each message by whoever claims it: conditional UPDATEs, right with any number of workers.

A message is claimed for LEASE_S; whoever comes back later finds another number of attempts and writes nothing. One
whose worker was killed is tried again when its lease ends, under the same id. What is sent is deleted.
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
from awrdiff.notices.errors import NoticeRefused
from awrdiff.notices.models import Delivery, TeamNotices, Way

logger = logging.getLogger(__name__)
LEASE_S = settings.TASK_LEASE_S  # more than a task may take
PAUSES_S = (30, 120, 480, 1800, 7200, 21_600, 21_600)  # after the first try, the second …; then it is given up
LONGEST_ERROR = 270
# By event, who hears what a webhook answered: apps that build on this one. Heard once, or again where a worker died.
WHEN_ANSWERED: dict[str, Callable[[Delivery, bytes], object]] = {}


def deliver(pk: UUID) -> None:
    """Send the message, unless it is sent, taken by another, or not due."""
    held = _claim(pk)
    if held is None:
        return
    try:
        answer = _send(held)
    except (NoticeRefused, webhooks.NotTaken) as refusal:
        _note_failure(held, str(refusal), final=getattr(refusal, "final", True))
    except Exception as error:
        _note_failure(held, str(error) or type(error).__name__)
    else:
        with transaction.atomic():
            if held.event.get("what") in WHEN_ANSWERED:
                WHEN_ANSWERED[held.event["what"]](held, answer)
            _mine(held).delete()


def _claim(pk: UUID) -> Delivery | None:
    now = timezone.now()
    found = Delivery.objects.select_related("team", "user", "invitation").filter(pk=pk, due_at__lte=now).first()
    if found is None:
        return None
    found.attempts += 1
    lease = now + timedelta(seconds=LEASE_S)
    rows = Delivery.objects.filter(pk=pk, due_at__lte=now, attempts=found.attempts - 1)
    return found if rows.update(attempts=found.attempts, due_at=lease) else None


def _mine(held: Delivery) -> QuerySet[Delivery]:
    return Delivery.objects.filter(pk=held.pk, attempts=held.attempts)


def _send(held: Delivery) -> bytes:
    """What the webhook answered."""
    if held.way == Way.MAIL:
        message = mails.message_of(held)
        if message is not None:
            message.send()
        return b""
    to = TeamNotices.objects.select_related("team").filter(team=held.team).exclude(url="").first()
    if to is None:
        return b""
    answer = webhooks.deliver(held, to)
    TeamNotices.objects.filter(pk=to.pk).update(last_sent_at=timezone.now(), last_error="")
    return answer


def _note_failure(held: Delivery, said: str, *, final: bool = False) -> None:
    said = said[:LONGEST_ERROR]
    pause = PAUSES_S[held.attempts - 1] if held.attempts <= len(PAUSES_S) and not final else None
    due = None if pause is None else timezone.now() + timedelta(seconds=pause)
    _mine(held).update(due_at=due, error=said)
    if held.way == Way.WEBHOOK:
        then = "It is tried again." if due else "It was given up."
        TeamNotices.objects.filter(team=held.team_id).update(last_error=f"{said} {then}")
    logger.warning("%s %s was not sent%s: %s", held.way, held.pk, "" if due else ", and is given up", said)
