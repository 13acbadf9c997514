"""Uploaded files are kept for so many days, where a setting says so; what was read from them, and compared, stays."""

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
from awrdiff.processing.rows import lock
from awrdiff.reports import files
from awrdiff.reports.models import Report

logger = logging.getLogger(__name__)
EVERY_S = 3600
BATCH = 200
AT_MOST = timedelta(days=1)  # by which a run believes the clock after the one before
_CLOCK = "old uploads"  # a heartbeat of no machine


def remove_old_files() -> int:
    """Returns how many reports have no file any more from now on; the sweeper removes the files themselves."""
    days = settings.AWRDIFF_KEEP_UPLOADS_DAYS
    if not days:
        return 0
    before = believed_now() - timedelta(days=days)
    removed = 0
    while pks := list(_due(before).values_list("pk", flat=True)[:BATCH]):
        removed += _loosen(pks, before)
    return removed


def believed_now() -> datetime:
    """What the clock says, or a day after what was believed at the last run where that is earlier: a clock that is put
    forward by a year has a day's more files removed each hour, and not all at once. After a server stood still for a
    week it takes seven runs."""
    with transaction.atomic():
        last = Heartbeat.objects.select_for_update().filter(part=_CLOCK, host="").first()
        now = timezone.now()
        if last is not None and now - last.at > AT_MOST:
            logger.warning("the clock is %s after the last run: as if it were %s", now - last.at, AT_MOST)
            now = last.at + AT_MOST
        Heartbeat.objects.update_or_create(part=_CLOCK, host="", defaults={"at": now})
    return now


def _due(before: datetime) -> QuerySet[Report]:
    """What is being read, or waits for it, keeps its file; so do the demos, which are this product's own."""
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
