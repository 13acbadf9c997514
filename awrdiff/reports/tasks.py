"""Celery tasks that read uploaded files; idempotent."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

from celery import shared_task
from celery.signals import worker_init
from django.db import transaction
from django.db.models import QuerySet
from msgspec.structs import replace

from awrdiff import logs
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION
from awrdiff.analysis.names.section_families import family_of
from awrdiff.processing import dispatch, metric_counters, sandbox
from awrdiff.processing.fair_scheduling import claim_next, pass_on, wake_on_commit
from awrdiff.processing.models import State
from awrdiff.processing.outdated_result_renewal import renew_next
from awrdiff.processing.storable_values import storable, storable_text
from awrdiff.processing.work_claims import Claim, Refused, claim, outdated_rows, working
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.report import redact
from awrdiff.reports import assessments, files, metrics, parser_version, queries, uploaded_report_rows
from awrdiff.reports.models import FILE_LOST, LEFT_OUT, SEVERAL, Report, ReportMetrics, ReportSection
from parsers import UnsupportedReport, import_warm_up, parse_report, split_reports
from parsers.archive import is_stray
from parsers.model import Report as ParsedReport
from parsers.model import Value
from parsers.storage import report_serialisation

STORED_AT_ONCE = 4 << 20  # bytes of a file: what was read of it is stored in a few milliseconds
_INTEGER = 2**31 - 1
_BIG_INTEGER = 2**63 - 1


def header_columns(parsed: ParsedReport) -> dict[str, Any]:
    """Header columns of `Report`; unfitting values are omitted, noted."""
    numbers = _numbers(parsed)
    parsed = _finite(parsed)
    period, host = parsed.period, parsed.host
    instance = parsed.instances[0] if len(parsed.instances) == 1 else None
    issues = [{**issue.as_dict(), "ours": issue.ours} for issue in parsed.issues]
    return {
        "kind": parsed.kind,
        "format": parsed.format,
        "release": _text(parsed.release, 40),
        "db_name": _text(parsed.database.name, 128),
        "dbid": _text(parsed.database.dbid, 40),
        "instance_name": _text(instance.name if instance else None, 128),
        "host_name": _text(host.name or (instance.host if instance else None), 255),
        "platform": _text(host.platform, 255),
        "begin_at": period.begin.time.isoformat() if period.begin.time else "",
        "end_at": period.end.time.isoformat() if period.end.time else "",
        **{name: None if value is _TOO_LARGE else value for name, value in numbers.items()},
        "header": storable(parsed.header()),
        "issues": storable(issues + [_left_out(name) for name, value in numbers.items() if value is _TOO_LARGE]),
        "head": report_serialisation.pack_head(parsed),
    }


def section_rows(report: Report, parsed: ParsedReport) -> list[ReportSection]:
    return [
        ReportSection(
            report=report,
            position=position,
            section_id=storable_text(section.id),
            title=storable_text(section.title)[:255],
            known=section.known,
            family=family_of(section.id),
            rows=len(section.records),
            payload=report_serialisation.pack_section(section),
        )
        for position, section in enumerate(parsed.sections)
    ]


def _numbers(parsed: ParsedReport) -> dict[str, Any]:
    period, host = parsed.period, parsed.host
    instance = parsed.instances[0] if len(parsed.instances) == 1 else None
    return {
        "instance_number": _whole(instance.number if instance else None, _INTEGER),
        "cpus": _whole(host.cpus, _INTEGER),
        "begin_snap": _whole(period.begin.id, _BIG_INTEGER),
        "end_snap": _whole(period.end.id, _BIG_INTEGER),
        "elapsed_s": _number(period.elapsed_s),
        "db_time_s": _number(period.db_time_s),
    }


def _finite(parsed: ParsedReport) -> ParsedReport:
    period, host = parsed.period, parsed.host
    elapsed, db_time = _none_for_infinite(period.elapsed_s), _none_for_infinite(period.db_time_s)
    host = replace(host, memory_bytes=_none_for_infinite(host.memory_bytes))
    return replace(parsed, period=replace(period, elapsed_s=elapsed, db_time_s=db_time), host=host)


def _none_for_infinite(value: Value | None) -> Value | None:
    return value if value and math.isfinite(value.number) and math.isfinite(value.half) else None


_TOO_LARGE = object()
_WORDS = {
    "instance_number": "the number of the instance",
    "cpus": "the number of CPUs",
    "begin_snap": "the id of the begin snapshot",
    "end_snap": "the id of the end snapshot",
    "elapsed_s": "the elapsed time",
    "db_time_s": "the DB time",
}


def _left_out(name: str) -> dict[str, Any]:
    text = f"The report prints {_WORDS[name]} as a number that no database can have: lists and ordering go without it."
    return {"code": "impossible-number", "section": None, "line": None, "text": text, "ours": False}


def _whole(number: int | None, most: int) -> Any:
    return _TOO_LARGE if number is not None and abs(number) > most else number


def _number(value: Value | None) -> Any:
    if value is None:
        return None
    return value.number if math.isfinite(value.number) else _TOO_LARGE


def _text(text: str | None, length: int) -> str:
    return storable_text(text or "")[:length]


FILE_NOT_KEPT = (
    "The uploaded file was removed when the time for which this server keeps files was over "
    "(AWRDIFF_KEEP_UPLOADS_DAYS): upload it again."
)
logger = logging.getLogger(__name__)

# Called with a report's id once it is ready or failed, after the commit. Whoever waits for reports registers here.
WHEN_SETTLED: list[Callable[[UUID], None]] = []


@worker_init.connect(weak=False)
def _load_the_parsers(**_kwargs: Any) -> None:
    """Runs before the worker forks a process per file."""
    import_warm_up.load()


@shared_task(name="reports.read")
def read_report(pk: str) -> None:
    """Read the next in turn; `pk` is a hint."""
    before = dispatch.sent.copy()
    if own := claim_next(Report, pk, "reading", version=parser_version.PARSER_VERSION):
        _work_on(own)
        pass_on(before)


def read_now(pk: UUID) -> None:
    """Does nothing if another process reads it."""
    if own := claim(Report, pk, "reading", version=parser_version.PARSER_VERSION):
        _work_on(own)


def _work_on(claim: Claim) -> None:
    with logs.bound(**claim.outcome.ids):
        with working(claim):
            _read(claim)
        for callback in WHEN_SETTLED:
            callback(claim.pk)
    if claim.renewing:
        renew_next()


def outdated_reports() -> QuerySet[Report]:
    """Settled, of an older parser version, newest first."""
    older = Report.objects.filter(outdated_rows(Report, parser_version.PARSER_VERSION)).exclude(kind=SEVERAL)
    return older.exclude(state=State.FAILED, error_code=FILE_LOST).order_by("-created_at")


def _read(claim: Claim) -> None:
    report = Report.objects.get(pk=claim.pk)
    if report.copy_of is not None:
        _make_copy(claim, report, report.copy_of)
        return
    twin = _same_bytes(report)
    if twin is not None:
        _keep(claim, report, *_copy(twin, report))
        return
    data = _bytes_of(report)
    limits = sandbox.limits_for(len(data))
    outcome = sandbox.run(lambda: _parsed(report, data), limits, "Reading this file", in_bulk=report.in_bulk)
    if isinstance(outcome, Read):
        claim.stage("storing", is_brief=report.in_bulk or report.size < STORED_AT_ONCE)
        _keep(claim, report, *outcome)
    else:
        _keep_parts(claim, report, outcome)


class Read(NamedTuple):
    values: dict[str, Any]
    sections: list[ReportSection]
    metrics: ReportMetrics | None = None


def _make_copy(claim: Claim, report: Report, source: Report) -> None:
    """Repeated when the source is reread (`_keep`)."""
    if not source.is_ready:
        claim.give_back(failed=False)
        return
    stored = queries.packed_report(source)
    redacted = sandbox.run(lambda: _redact(report, stored), sandbox.limits_for(source.size), "Redacting this report")
    claim.stage("storing")
    _keep(claim, report, *redacted)


def _redact(report: Report, stored: tuple[bytes, list[bytes]]) -> Read:
    redacted = redact(queries.unpack(stored), Redaction.from_dict(report.redaction), report.name)
    values = {**header_columns(redacted), "assessment": assessments.made_where_read(report, redacted)}
    return Read(values, section_rows(report, redacted), None)


def _parsed(report: Report, data: bytes) -> Read | list[bytes]:
    try:
        pieces = split_reports(data)
        if len(pieces) > 1 and report.parent_id is None:
            return pieces
        parsed = parse_report(data, name=report.name)
    except UnsupportedReport as refusal:
        stray = report.archive and is_stray(refusal, data)
        raise Refused(str(refusal), LEFT_OUT if stray else refusal.code) from refusal
    verdict = assessments.made_where_read(report, parsed)
    values = {**header_columns(parsed), "assessment": verdict, "metrics_version": METRICS_VERSION}
    return Read(values, section_rows(report, parsed), metrics.metrics_row(report, parsed))


def _keep(
    claim: Claim,
    report: Report,
    values: dict[str, Any],
    sections: list[ReportSection],
    figures: ReportMetrics | None,
) -> None:
    with transaction.atomic():
        claim.finish(stored_format=report_serialisation.FORMAT, placed_at=None, **values)
        is_first = not (claim.renewing or report.parser_version)  # else a version has settled it, and may have stored
        if not is_first:
            ReportSection.objects.filter(report=report).delete()
        ReportSection.objects.bulk_create(sections, batch_size=200)
        metrics.keep(report, figures, is_first=is_first)
    for issue in () if claim.renewing else values["issues"]:
        metric_counters.add("issues", issue["code"])
    if not is_first:
        # By itself: whoever deletes a comparison locks its copies before their sources.
        of_older = Report.objects.filter(copy_of=report, state=State.READY)
        of_older.update(parser_version=parser_version.PARSER_VERSION - 1, renewal_tried=0)


def _keep_parts(claim: Claim, report: Report, pieces: list[bytes]) -> None:
    """Existing rows stay; same transaction as settling the file."""
    claim.stage("storing")
    parts = uploaded_report_rows.stored_parts(report, pieces)
    with transaction.atomic():
        claim.finish(kind=SEVERAL, number=len(parts), header={}, issues=[], head=b"")
        ReportSection.objects.filter(report=report).delete()
        there = set(Report.objects.filter(pk__in=[p.pk for p in parts]).values_list("pk", flat=True))
        new_parts = [p for p in parts if p.pk not in there]
        with files.naming_files(*(p.file for p in new_parts)):
            Report.objects.bulk_create(new_parts)
        wake_on_commit(read_report, [part.pk for part in new_parts], in_bulk=report.in_bulk)


def _bytes_of(report: Report) -> bytes:
    if not report.file:
        raise Refused(FILE_NOT_KEPT, FILE_LOST)
    try:
        with files.opened(report.file) as file:
            data = file.read()
    except FileNotFoundError as lost:
        sentence = "The uploaded file is no longer in the server's storage, or not whole: upload it again."
        raise Refused(sentence, FILE_LOST) from lost
    return data


def _same_bytes(report: Report) -> Report | None:
    same = Report.objects.filter(team_id=report.team_id, sha256=report.sha256, state=State.READY)
    same = same.exclude(kind=SEVERAL)  # each such file has parts of its own
    return (
        same.filter(parser_version=parser_version.PARSER_VERSION).exclude(pk=report.pk).order_by("created_at").first()
    )


_COPIED = (
    *("kind", "format", "release", "db_name", "dbid", "instance_name", "instance_number", "host_name", "platform"),
    *("cpus", "begin_at", "end_at", "begin_snap", "end_snap", "elapsed_s", "db_time_s", "header", "issues", "head"),
    *("assessment", "metrics_version"),
)


def _copy(twin: Report, report: Report) -> Read:
    values = {name: getattr(twin, name) for name in _COPIED}
    values["header"] = {**twin.header, "file": report.name}
    sections = list(ReportSection.objects.filter(report=twin))
    for section in sections:
        section.pk = None
        section.report = report
    figures = ReportMetrics.objects.filter(report=twin).first()
    if figures is not None:
        figures.report = report
    return Read(values, sections, figures)
