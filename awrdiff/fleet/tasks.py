"""Celery tasks that measure databases; idempotent. Bulk imports are measured after reading."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from awrdiff.fleet import deviation_measurement
from awrdiff.processing.dispatch import send, wake
from awrdiff.processing.models import State
from awrdiff.reports.models import Report

EVERY_S, TAKE_UP_EVERY_S = 10, 60
AT_MOST = timedelta(minutes=30)  # that measuring waits for what came in bulk
# Of which database a file is, nobody knows before it is read: its own are taken to be read where none came for so long.
QUIET = timedelta(seconds=30)


@shared_task(name="fleet.measure")
def measure(pk: str) -> None:
    """Measure one batch and queue the rest."""
    if deviation_measurement.measure(int(pk)):
        send(measure, pk)
    else:
        look_for_due(most=1)


def report_settled(pk: UUID) -> None:
    of_it = Report.objects.filter(pk=pk, in_bulk=False, state=State.READY)
    for database in deviation_measurement.due().filter(pk__in=of_it.values("database")).values_list("pk", flat=True):
        send(measure, database)


def look_for_due(most: int = 20) -> int:
    """Skips databases during their team's bulk import."""
    now = timezone.now()
    in_bulk = Report.objects.filter(in_bulk=True, created_at__gt=now - AT_MOST).order_by()
    reading = in_bulk.filter(state__in=(State.PENDING, State.RUNNING)).values_list("team", flat=True).distinct()
    due = deviation_measurement.due()
    if teams := list(reading):
        came = in_bulk.filter(team__in=teams, placed_at__gt=now - QUIET).exclude(database=None)
        due = due.exclude(
            database__team__in=teams, database__in=list(came.values_list("database", flat=True).distinct())
        )
    return sum(wake(measure, pk) for pk in list(due.values_list("pk", flat=True)[:most]))
