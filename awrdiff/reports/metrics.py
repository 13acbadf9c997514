"""Metrics of stored reports: made when read, renewed in batches after version changes."""

from __future__ import annotations

import logging
import time
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from awrdiff.analysis.metrics.binary_storage import dump_largest, figure_in, pack_figures
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION, SECTIONS, metrics_of
from awrdiff.analysis.normal.configuration_fingerprint import era_of
from awrdiff.analysis.normal.hour_of_week_normal import Measured
from awrdiff.processing.models import State
from awrdiff.processing.storable_values import storable
from awrdiff.reports.models import SEVERAL, Report, ReportMetrics, ReportSection
from parsers.model import Report as ParsedReport
from parsers.storage.compressed_blocks import pack
from parsers.storage.report_serialisation import unpack_report, unpack_section

EVERY_S, _AT_MOST_S, _BATCH = 10, 2.0, 50
logger = logging.getLogger(__name__)


def metrics_row(report: Report, parsed: ParsedReport) -> ReportMetrics | None:
    """None for a report of no interval."""
    metrics = metrics_of(parsed)
    if not metrics.figures:
        return None
    largest = pack(storable(dump_largest(metrics.events, metrics.statements)))
    return ReportMetrics(report=report, era=era_of(parsed), figures=pack_figures(metrics.figures), largest=largest)


def keep(report: Report, row: ReportMetrics | None, *, is_first: bool = False) -> None:
    """Call in the transaction settling it. `is_first`: no row before."""
    if not is_first:
        ReportMetrics.objects.filter(report=report).delete()
    if row is not None:
        row.save(force_insert=True)


def history_of(reports: QuerySet[Report], metric: str) -> list[Measured]:
    """Reports that print it, in order of time."""
    metrics_rows = (
        ReportMetrics.objects.filter(report__in=reports).exclude(report__begin_at="").order_by("report__begin_at")
    )
    rows = metrics_rows.values_list("report__begin_at", "era", "figures")
    measured = ((begin, era, figure_in(bytes(figures), metric)) for begin, era, figures in rows)
    return [Measured(datetime.fromisoformat(begin), value, era) for begin, era, value in measured if value is not None]


def outdated() -> QuerySet[Report]:
    """Reports with old metrics or none, newest first."""
    older = Q(metrics_version=None) | Q(metrics_version__lt=METRICS_VERSION)
    reports = Report.objects.filter(older, state=State.READY, copy_of=None).exclude(kind=SEVERAL)
    return reports.only("pk", "attempt", "head").order_by("-created_at")


def renew() -> int:
    """Renew for a second or two."""
    until, done = time.monotonic() + _AT_MOST_S, 0
    for report in outdated()[:_BATCH]:
        if time.monotonic() > until:
            break
        done += _renew(report)
    return done


def _renew(report: Report) -> bool:
    """False if somebody read it again meanwhile."""
    try:
        wanted = ReportSection.objects.filter(report=report, section_id__in=SECTIONS)
        payloads = wanted.values_list("payload", flat=True)
        row = metrics_row(report, unpack_report(bytes(report.head), tuple(unpack_section(bytes(p)) for p in payloads)))
    except Exception:  # what is stored is damaged: not tried again before the next version, and told once
        logger.exception("the metrics of report %s cannot be computed", report.pk)
        row = None
    with transaction.atomic():
        same = Report.objects.filter(pk=report.pk, attempt=report.attempt, state=State.READY)
        if same.select_for_update(no_key=True).only("pk").first() is None:
            return False
        keep(report, row)
        Report.objects.filter(pk=report.pk).update(metrics_version=METRICS_VERSION)
    return True
