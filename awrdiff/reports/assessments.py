"""The verdict on one stored report: made when somebody first looks, of a large one where it is read, and kept by it.

A report that was stored by an engine of other sentences is assessed anew when it is looked at, where it is small enough
for that; a larger one shows what was stored until it is renewed. One with traces attached is assessed with these, again
where it is small enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from django.db import DatabaseError, transaction

from awrdiff.analysis import ENGINE_VERSION
from awrdiff.analysis.export.single import dump_assessment, load_assessment
from awrdiff.analysis.model.single import Assessment
from awrdiff.analysis.single import assess
from awrdiff.processing.storable import storable
from awrdiff.reports import queries
from awrdiff.reports.models import SEVERAL, Report
from parsers.model import Report as ParsedReport
from parsers.storage.document import pack, unpack

MOST_AT_ONCE = 2 << 20  # bytes of a file: such a report is loaded and assessed in a fraction of a second


def made_where_read(report: Report, parsed: ParsedReport) -> bytes | None:
    """What is kept of a report that was just read: nothing of one that is quickly assessed once somebody looks."""
    return None if report.size <= MOST_AT_ONCE else _packed(assess(parsed))


def assessment_of(report: Report, attached: Iterable[Report] | None = None) -> Assessment | None:
    """None of a report that is not read yet, of a file of several, and of a large one that no engine has assessed.
    `attached`: its traces, where they are known."""
    if not report.is_ready or report.kind == SEVERAL:
        return None
    if report.size <= MOST_AT_ONCE and (traces := queries.load_traces(report, attached)):
        return assess(queries.load_report(report), traces)
    stored = Report.objects.filter(pk=report.pk).values_list("assessment", flat=True).first()
    kept = unpack(bytes(stored)) if stored else None
    if kept is None or kept["engine"] != ENGINE_VERSION:
        if report.size <= MOST_AT_ONCE:
            made = assess(queries.load_report(report))
            if kept is None or kept["engine"] < ENGINE_VERSION:
                _keep(report, made)
            return made
        if kept is None or kept["engine"] > ENGINE_VERSION:
            return None
    return load_assessment(kept["assessment"])


def _keep(report: Report, made: Assessment) -> None:
    """Unless it was read again since. A database that takes nothing now is asked again at the next look."""
    with suppress(DatabaseError), transaction.atomic():
        Report.objects.filter(pk=report.pk, attempt=report.attempt).update(assessment=_packed(made))


def _packed(made: Assessment) -> bytes:
    return pack({"engine": ENGINE_VERSION, "assessment": storable(dump_assessment(made))})
