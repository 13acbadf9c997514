"""Database values of a parsed report: promoted columns and section rows."""

from __future__ import annotations

import math
from typing import Any

from msgspec.structs import replace

from awrdiff.analysis.names.families import family_of
from awrdiff.processing.storable import storable, storable_text
from awrdiff.reports.models import Report, ReportSection
from parsers.model import Report as ParsedReport
from parsers.model import Value
from parsers.storage import document

_INTEGER = 2**31 - 1
_BIG_INTEGER = 2**63 - 1


def header_columns(parsed: ParsedReport) -> dict[str, Any]:
    """Header columns of `Report` by name; values that do not fit are omitted and noted."""
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
        "head": document.pack_head(parsed),
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
            payload=document.pack_section(section),
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
    """Drop header figures that are not finite numbers."""
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
