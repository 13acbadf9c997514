"""Uploaded files are kept for so many days, where a setting says so; what was read from them, and compared, stays."""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.audit.services import note_chore
from awrdiff.processing.models import SETTLED
from awrdiff.processing.rows import lock
from awrdiff.reports import files
from awrdiff.reports.models import Report

EVERY_S = 3600
BATCH = 200


def remove_old_files() -> int:
    """Returns how many reports have no file any more from now on; the sweeper removes the files themselves."""
    days = settings.AWRDIFF_KEEP_UPLOADS_DAYS
    if not days:
        return 0
    removed = 0
    while pks := list(_due(days).values_list("pk", flat=True)[:BATCH]):
        removed += _loosen(pks, days)
    return removed


def _due(days: int) -> QuerySet[Report]:
    """What is being read, or waits for it, keeps its file; so do the demos, which are this product's own."""
    old = Report.objects.filter(created_at__lt=timezone.now() - timedelta(days=days), is_demo=False)
    return old.filter(state__in=SETTLED, lease_until=None).exclude(file="").order_by("pk")


def _loosen(pks: list[UUID], days: int) -> int:
    with transaction.atomic():
        lock(Report, pks)
        rows = list(_due(days).filter(pk__in=pks).order_by("team", "pk").values_list("team", "pk", "file"))
        files.loosen({file for _, _, file in rows})
        Report.objects.filter(pk__in=[pk for _, pk, _ in rows]).update(file="")
        for team, own in groupby(rows, key=lambda row: row[0]):
            note_chore(team, "file removed", "report", [pk for _, pk, _ in own])
    return len(rows)
