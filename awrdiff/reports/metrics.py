"""The metrics of stored reports: made where a report is read, and anew, some at a time, where an older version did."""

from __future__ import annotations

import logging
import time
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from awrdiff.analysis.metrics.packed import dump_largest, figure_in, pack_figures
from awrdiff.analysis.metrics.values import METRICS_VERSION, SECTIONS, metrics_of
from awrdiff.analysis.normal.baseline import Measured
from awrdiff.analysis.normal.era import era_of
from awrdiff.processing.models import State
from awrdiff.processing.storable import storable
from awrdiff.reports.models import SEVERAL, Report, ReportMetrics, ReportSection
from parsers.model import Report as ParsedReport
from parsers.storage.document import pack, unpack_report, unpack_section

EVERY_S, _AT_MOST_S, _BATCH = 10, 2.0, 50
logger = logging.getLogger(__name__)


def metrics_row(report: Report, parsed: ParsedReport) -> ReportMetrics | None:
    """None of what is of no interval."""
    found = metrics_of(parsed)
    if not found.figures:
        return None
    largest = pack(storable(dump_largest(found.events, found.statements)))
    return ReportMetrics(report=report, era=era_of(parsed), figures=pack_figures(found.figures), largest=largest)


def keep(report: Report, row: ReportMetrics | None, *, is_first: bool = False) -> None:
    """Inside the transaction that settles the report, which signs them (`metrics_version`). `is_first`: nothing was
    stored before."""
    if not is_first:
        ReportMetrics.objects.filter(report=report).delete()
    if row is not None:
        row.save(force_insert=True)


def history_of(reports: QuerySet[Report], metric: str) -> list[Measured]:
    """One figure of each of these reports that prints it and when it began, in the order of time."""
    found = ReportMetrics.objects.filter(report__in=reports).exclude(report__begin_at="").order_by("report__begin_at")
    rows = found.values_list("report__begin_at", "era", "figures")
    measured = ((begin, era, figure_in(bytes(figures), metric)) for begin, era, figures in rows)
    return [Measured(datetime.fromisoformat(begin), value, era) for begin, era, value in measured if value is not None]


def outdated() -> QuerySet[Report]:
    """Read reports whose metrics an older version made, or none did; newest first."""
    older = Q(metrics_version=None) | Q(metrics_version__lt=METRICS_VERSION)
    found = Report.objects.filter(older, state=State.READY, copy_of=None).exclude(kind=SEVERAL)
    return found.only("pk", "attempt", "head").order_by("-created_at")


def renew() -> int:
    """For a second or two at a time, so that whoever works meanwhile hardly waits; it goes on at the next round."""
    until, done = time.monotonic() + _AT_MOST_S, 0
    for report in outdated()[:_BATCH]:
        if time.monotonic() > until:
            break
        done += _renew(report)
    return done


def _renew(report: Report) -> bool:
    """False where somebody read it anew meanwhile: that made its metrics as well."""
    try:
        row = metrics_row(report, _parsed(report))
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


def _parsed(report: Report) -> ParsedReport:
    """The report without the sections that no metric is taken from."""
    wanted = ReportSection.objects.filter(report=report, section_id__in=SECTIONS)
    payloads = wanted.values_list("payload", flat=True)
    return unpack_report(bytes(report.head), tuple(unpack_section(bytes(p)) for p in payloads))
