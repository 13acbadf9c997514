"""A parsed report as database values: the promoted columns and one row per section."""

from __future__ import annotations

from typing import Any

from awrdiff.analysis.names.families import family_of
from awrdiff.reports.models import Report, ReportSection
from parsers import document
from parsers.model import Report as ParsedReport
from parsers.model import Value


def promoted(parsed: ParsedReport) -> dict[str, Any]:
    """The columns of `Report` that repeat the header, by name."""
    period, host = parsed.period, parsed.host
    instance = parsed.instances[0] if len(parsed.instances) == 1 else None
    return {
        "kind": parsed.kind,
        "format": parsed.format,
        "release": (parsed.release or "")[:40],
        "db_name": (parsed.database.name or "")[:128],
        "dbid": (parsed.database.dbid or "")[:40],
        "instance_name": ((instance.name if instance else None) or "")[:128],
        "instance_number": instance.number if instance else None,
        "host_name": (host.name or (instance.host if instance else None) or "")[:255],
        "platform": (host.platform or "")[:255],
        "cpus": host.cpus,
        "begin_at": period.begin.time.isoformat() if period.begin.time else "",
        "end_at": period.end.time.isoformat() if period.end.time else "",
        "begin_snap": period.begin.id,
        "end_snap": period.end.id,
        "elapsed_s": _number(period.elapsed_s),
        "db_time_s": _number(period.db_time_s),
        "header": parsed.header(),
        "issues": [{**issue.as_dict(), "ours": issue.ours} for issue in parsed.issues],
        "head": document.pack_head(parsed),
    }


def section_rows(report: Report, parsed: ParsedReport) -> list[ReportSection]:
    return [
        ReportSection(
            report=report,
            position=position,
            section_id=section.id,
            title=section.title[:255],
            known=section.known,
            family=family_of(section.id),
            rows=len(section.records),
            payload=document.pack_section(section),
        )
        for position, section in enumerate(parsed.sections)
    ]


def _number(value: Value | None) -> float | None:
    return value.number if value else None
