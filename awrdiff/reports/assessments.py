"""Stored verdict on one report, made at first view; large ones when read.

Small ones are redone when engine or traces change.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from django.db import DatabaseError, transaction
from msgspec import convert

from awrdiff.analysis import ENGINE_VERSION
from awrdiff.analysis.export.comparison_json import dump
from awrdiff.analysis.model.single_report import Assessment
from awrdiff.analysis.single_report import assess
from awrdiff.processing.storable_values import storable
from awrdiff.reports import queries
from awrdiff.reports.models import SEVERAL, Report
from parsers.model import Report as ParsedReport
from parsers.storage.compressed_blocks import pack, unpack

MOST_AT_ONCE = 2 << 20  # bytes of a file: such a report is loaded and assessed in a fraction of a second


def made_where_read(report: Report, parsed: ParsedReport) -> bytes | None:
    """Packed, for a large report; else None."""
    return None if report.size <= MOST_AT_ONCE else _packed(assess(parsed))


def assessment_of(report: Report, attached: Iterable[Report] | None = None) -> Assessment | None:
    """None if unread, multi-report, or large and never assessed. `attached`: traces, if loaded."""
    if not report.is_ready or report.kind == SEVERAL:
        return None
    if report.size <= MOST_AT_ONCE and (traces := queries.load_traces(report, attached)):
        return assess(queries.load_report(report), traces)
    stored = Report.objects.filter(pk=report.pk).values_list("assessment", flat=True).first()
    stored_assessment = unpack(bytes(stored)) if stored else None
    if stored_assessment is None or stored_assessment["engine"] != ENGINE_VERSION:
        if report.size <= MOST_AT_ONCE:
            assessment = assess(queries.load_report(report))
            if stored_assessment is None or stored_assessment["engine"] < ENGINE_VERSION:
                _keep(report, assessment)
            return assessment
        if stored_assessment is None or stored_assessment["engine"] > ENGINE_VERSION:
            return None
    return convert(stored_assessment["assessment"], Assessment)


def _keep(report: Report, assessment: Assessment) -> None:
    """Skipped if read again since; a read-only database is retried."""
    with suppress(DatabaseError), transaction.atomic():
        Report.objects.filter(pk=report.pk, attempt=report.attempt).update(assessment=_packed(assessment))


def _packed(assessment: Assessment) -> bytes:
    return pack({"engine": ENGINE_VERSION, "assessment": storable(dump(assessment))})
