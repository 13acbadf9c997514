from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from awrdiff.accounts.access import AccessContext, existing, require_row
from awrdiff.analysis.commit_latency.inputs_from_report import EVENT_LISTS, LFPW, LFS
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.audit.services import saw
from awrdiff.processing.models import State
from awrdiff.processing.work_claims import GAVE_UP_CODE, TOO_LONG_CODE
from awrdiff.reports import parser_version
from awrdiff.reports.models import FILE_LOST, LEFT_OUT, SEVERAL, Report, ReportSection
from awrdiff.reports.section_pages import Part, Wanted, part_of
from parsers import model as parsed
from parsers.storage import compressed_blocks, report_serialisation


def as_searched(text: str) -> str:
    return " ".join(text.replace("\x00", " ").split()).lower()


def matches(cells: Sequence[Any], text: str) -> bool:
    """True if any text contains it, ignoring case."""
    wanted = as_searched(text)
    return any(isinstance(cell, str) and wanted in cell.lower() for cell in cells)


MOST_READ = 300  # blocks in one search: every section of a report, and several millions of cells of a large one
# Failures that are no fault of the file: sent again, it is read again. What an archive left out is judged by itself.
_READ_AGAIN = (FILE_LOST, GAVE_UP_CODE, TOO_LONG_CODE, LEFT_OUT)
HEAVY = ("header", "issues", "head", "assessment")
HEAVY_OF_REPORT = tuple(f"report__{name}" for name in HEAVY)  # where a row has one


def reports_for(access: AccessContext) -> QuerySet[Report]:
    """Newest first; none for share links and guests."""
    return _of_team(access) if access.can_read else Report.objects.none()


def _of_team(access: AccessContext) -> QuerySet[Report]:
    return Report.objects.filter(team=access.team).defer(*HEAVY).order_by("-created_at")


def report_for(access: AccessContext, pk: UUID | str) -> Report:
    """A share link allows its own only."""
    reports = Report.objects.filter(team=access.team, pk=pk).select_related("database").defer("head", "assessment")
    may = access.can_read if access.link is None else access.link.report_id == pk
    report = require_row(reports, "There is no such report.", may=may)
    saw(access, "report", report.pk)
    return report


def same_bytes(access: AccessContext, digests: Collection[str]) -> dict[str, Report]:
    """Oldest usable by SHA-256; a failed one only if alone and its file's fault."""
    if not access.can_upload:
        return {}
    reports = _of_team(access).filter(sha256__in=digests, is_demo=False)
    reports = reports.exclude(state=State.FAILED, error_code__in=_READ_AGAIN)
    reports = reports.exclude(file="").annotate(parts_there=Count("parts"))
    is_whole = ~Q(kind=SEVERAL) | Q(number__gt=0, number=F("parts_there"))
    failed_first = sorted(reports.filter(is_whole), key=lambda candidate: not candidate.is_failed)
    return {report.sha256: report for report in failed_first}


def database_of(db_name: str, dbid: str) -> parsed.Database:
    """Names are case-insensitive."""
    return parsed.Database(name=db_name.lower() or None, dbid=dbid or None)


def waiting() -> QuerySet[Report]:
    """Unread reports, smaller first."""
    return Report.objects.annotate(weight=F("size"))


def parts_of(report: Report) -> QuerySet[Report]:
    """Reports of a multi-report file, in order."""
    return report.parts.defer(*HEAVY).order_by("number")


def sections_of(report: Report) -> QuerySet[ReportSection]:
    """Report order, without rows."""
    return ReportSection.objects.filter(report=report).defer("payload")


def load_section(report: Report, section_id: str) -> parsed.Section:
    return report_serialisation.unpack_section(_payload(report, section_id))


def load_report(report: Report) -> parsed.Report:
    return unpack(packed_report(report))


def packed_report(report: Report) -> tuple[bytes, list[bytes]]:
    payloads = ReportSection.objects.filter(report=report).values_list("payload", flat=True)
    return bytes(report.head), [bytes(p) for p in payloads]


def unpack(packed: tuple[bytes, list[bytes]]) -> parsed.Report:
    head, payloads = packed
    return report_serialisation.unpack_report(head, tuple(report_serialisation.unpack_section(p) for p in payloads))


def traces_of(report: Report) -> QuerySet[Report]:
    """LGWR traces, in order of attachment."""
    return Report.objects.filter(traced__report=report).order_by("traced__pk")


def load_traces(report: Report, attached: Iterable[Report] | None = None) -> list[parsed.Report]:
    traces = traces_of(report) if attached is None else attached
    return [load_report(trace) for trace in traces if trace.is_ready and trace.kind == TRACE]


def load_head(report: Report) -> parsed.Report:
    """Excludes sections."""
    return unpack((bytes(report.head), []))


def load_sections(report: Report, section_ids: Collection[str]) -> parsed.Report:
    payloads = ReportSection.objects.filter(report=report, section_id__in=section_ids).values_list("payload", flat=True)
    return unpack((bytes(report.head), [bytes(p) for p in payloads]))


def has_commit_waits(report: Report) -> bool:
    """True for log file sync or log file parallel write."""
    lists = ReportSection.objects.filter(report=report, section_id__in=EVENT_LISTS)
    sections = (report_serialisation.unpack_section(bytes(p)) for p in lists.values_list("payload", flat=True))
    return any(s.text(r, "event").lower() in (LFS, LFPW) for s in sections for r in s.records)


def open_section(report: Report, section_id: str) -> compressed_blocks.Packed:
    """Rows stay packed."""
    return compressed_blocks.Packed(_payload(report, section_id))


def _payload(report: Report, section_id: str) -> bytes:
    sections = ReportSection.objects.filter(report=report, section_id=section_id)
    return bytes(existing(sections.values_list("payload", flat=True).first(), "The report has no such section."))


def load_part(report: Report, section_id: str, wanted: Wanted) -> tuple[parsed.Section, Part]:
    """Whole section or one part."""
    packed = open_section(report, section_id)
    number = part_of(packed, wanted, lambda text: _first_row_with(packed, text))
    return report_serialisation.unpack_block(packed, number), Part.of(packed, number)


def _first_row_with(packed: compressed_blocks.Packed, text: str) -> int | None:
    number = next(blocks_with(packed, as_searched(text)), None)
    return None if number is None else sum(packed.counts[:number])


def matching_rows(report: Report, text: str) -> dict[str, int]:
    """Rows by section; past MOST_READ blocks each counts as one: a minimum."""
    wanted = as_searched(text)
    if not wanted:
        return {}
    counts: dict[str, int] = {}
    read = 0
    payloads = ReportSection.objects.filter(report=report).values_list("section_id", "payload")
    for section_id, payload in payloads.iterator(chunk_size=10):
        packed = compressed_blocks.Packed(bytes(payload))
        for number in blocks_with(packed, wanted):
            read += 1
            count = 1 if read > MOST_READ else sum(matches(row[0], wanted) for row in packed.block(number))
            if count:
                counts[section_id] = counts.get(section_id, 0) + count
    return counts


def blocks_with(packed: compressed_blocks.Packed, wanted: str) -> Iterator[int]:
    """Blocks whose JSON has it; the only block always."""
    if len(packed.counts) == 1:
        yield 0
        return
    needle = compressed_blocks.dumps(wanted)[1:-1].decode()
    for number in range(len(packed.counts)):
        if needle in packed.block_text(number).decode("utf-8", "surrogatepass").lower():
            yield number


def renewal_note(report: Report) -> str:
    """Note on an older version's reading, else ""."""
    return report.renewal_note(parser_version.PARSER_VERSION, str(report.parser_version))
