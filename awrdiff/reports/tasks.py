"""Reading an uploaded file: thin, idempotent, safe to run twice."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID

from celery import shared_task
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import QuerySet

from awrdiff.processing.claims import Claim, Refused, claim, outdated, working
from awrdiff.processing.models import State
from awrdiff.processing.renewal import renew_next
from awrdiff.reports import versions
from awrdiff.reports.models import Report, ReportSection
from awrdiff.reports.record import promoted, section_rows
from parsers import UnsupportedReport, document, parse_report

FILE_LOST = "file-lost"
logger = logging.getLogger(__name__)

# Called with a report's id once it is ready or failed, after the commit. Whoever waits for reports registers here.
WHEN_SETTLED: list[Callable[[UUID], None]] = []


@shared_task(name="reports.read")
def read_report(pk: str) -> None:
    held = claim(Report, pk, "reading", version=versions.PARSER_VERSION)
    if held is None:
        return
    with working(held):
        _read(held)
    for callback in WHEN_SETTLED:
        callback(UUID(pk))
    if held.renewing:
        renew_next()


def outdated_reports() -> QuerySet[Report]:
    """Settled reports that an older version of the parsers dealt with, newest first."""
    older = Report.objects.filter(outdated(Report, versions.PARSER_VERSION)).exclude(
        state=State.FAILED, error_code=FILE_LOST
    )
    return older.order_by("-created_at")


def _read(held: Claim) -> None:
    report = Report.objects.get(pk=held.pk)
    twin = _same_bytes(report)
    if twin is None:
        values, sections = _parse(report, held)
    else:
        values, sections = _copy(twin, report)
    with transaction.atomic():
        held.finish(stored_format=document.FORMAT, **values)
        ReportSection.objects.filter(report=report).delete()
        ReportSection.objects.bulk_create(sections, batch_size=200)


def _parse(report: Report, held: Claim) -> tuple[dict[str, Any], list[ReportSection]]:
    try:
        with default_storage.open(report.file) as file:
            data = file.read()
    except FileNotFoundError as lost:
        raise Refused("The uploaded file is no longer in the server's storage: upload it again.", FILE_LOST) from lost
    try:
        parsed = parse_report(data, name=report.name)
    except UnsupportedReport as refusal:
        raise Refused(str(refusal), refusal.code) from refusal
    held.stage("storing")
    return promoted(parsed), section_rows(report, parsed)


def _same_bytes(report: Report) -> Report | None:
    """A report of the team with the same bytes that this version of the parsers has read already."""
    same = Report.objects.filter(team_id=report.team_id, sha256=report.sha256, state=State.READY)
    return same.filter(parser_version=versions.PARSER_VERSION).exclude(pk=report.pk).order_by("created_at").first()


_COPIED = (
    *("kind", "format", "release", "db_name", "dbid", "instance_name", "instance_number", "host_name", "platform"),
    *("cpus", "begin_at", "end_at", "begin_snap", "end_snap", "elapsed_s", "db_time_s", "header", "issues", "head"),
)


def _copy(twin: Report, report: Report) -> tuple[dict[str, Any], list[ReportSection]]:
    values = {name: getattr(twin, name) for name in _COPIED}
    values["header"] = {**twin.header, "file": report.name}
    sections = list(ReportSection.objects.filter(report=twin))
    for section in sections:
        section.pk = None
        section.report = report
    return values, sections
