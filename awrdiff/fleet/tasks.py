"""Measuring a database: thin, idempotent, safe to run twice. What came in bulk is measured once all of it is read."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from celery import shared_task
from django.db.models import Exists, OuterRef
from django.utils import timezone

from awrdiff.fleet import measuring
from awrdiff.processing.dispatch import send, wake
from awrdiff.processing.models import State
from awrdiff.reports.models import Report

EVERY_S, TAKE_UP_EVERY_S = 10, 60
AT_MOST = timedelta(minutes=30)  # that measuring waits for what came in bulk


@shared_task(name="fleet.measure")
def measure(pk: str) -> None:
    """A batch of the database's reports; whoever is done sends word of what is left."""
    if measuring.measure(int(pk)):
        send(measure, pk)
    else:
        look_for_due(most=1)


def report_settled(pk: UUID) -> None:
    """What somebody waits for is measured at once."""
    found = Report.objects.filter(pk=pk, in_bulk=False, state=State.READY).exclude(database=None)
    database = found.values_list("database", flat=True).first()
    if database is not None and measuring.due().filter(pk=database).exists():
        send(measure, database)


def look_for_due(most: int = 20) -> int:
    """Send word of databases that are due, but for while reports of their team are read that came in bulk lately: these
    go first."""
    reading = Report.objects.filter(in_bulk=True, state__in=(State.PENDING, State.RUNNING))
    reading = reading.filter(team=OuterRef("database__team"), created_at__gt=timezone.now() - AT_MOST)
    found = list(measuring.due().exclude(Exists(reading)).values_list("pk", flat=True)[:most])
    return sum(wake(measure, pk) for pk in found)
