"""Removal of uploaded files after a configured age; read data stays."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.audit.services import note_chore
from awrdiff.processing.models import END_STATES, Heartbeat
from awrdiff.processing.row_locks import lock
from awrdiff.reports import files
from awrdiff.reports.models import Report

logger = logging.getLogger(__name__)
EVERY_S = 3600
BATCH = 200
AT_MOST = timedelta(days=1)  # by which a run believes the clock after the one before
_CLOCK = "old uploads"  # a heartbeat of no machine


def remove_old_files() -> int:
    """Number of reports without file now; the sweeper deletes files."""
    days = settings.AWRDIFF_KEEP_UPLOADS_DAYS
    if not days:
        return 0
    before = believed_now() - timedelta(days=days)
    removed = 0
    while pks := list(_due(before).values_list("pk", flat=True)[:BATCH]):
        removed += _loosen(pks, before)
    return removed


def believed_now() -> datetime:
    """Capped a day after the last run: a clock wrongly ahead removes a day's files per hour."""
    with transaction.atomic():
        last = Heartbeat.objects.select_for_update().filter(part=_CLOCK, host="").first()
        now = timezone.now()
        if last is not None and now - last.at > AT_MOST:
            logger.warning("the clock is %s after the last run: as if it were %s", now - last.at, AT_MOST)
            now = last.at + AT_MOST
        Heartbeat.objects.update_or_create(part=_CLOCK, host="", defaults={"at": now})
    return now


def _due(before: datetime) -> QuerySet[Report]:
    """Old reports with files, except unread ones and demos."""
    old = Report.objects.filter(created_at__lt=before, is_demo=False)
    return old.filter(state__in=END_STATES, lease_until=None).exclude(file="").order_by("pk")


def _loosen(pks: list[UUID], before: datetime) -> int:
    with transaction.atomic():
        lock(Report, pks)
        rows = list(_due(before).filter(pk__in=pks).order_by("team", "pk").values_list("team", "pk", "file"))
        files.loosen({file for _, _, file in rows})
        Report.objects.filter(pk__in=[pk for _, pk, _ in rows]).update(file="")
        for team, own in groupby(rows, key=lambda row: row[0]):
            note_chore(team, "file removed", "report", [pk for _, pk, _ in own])
    return len(rows)
