"""Reads of the reports app. Nothing of another team is ever found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.commit_latency.inputs import EVENT_LISTS, LFPW, LFS
from awrdiff.analysis.model.traces import TRACE
from awrdiff.audit.services import saw
from awrdiff.processing import renewal
from awrdiff.processing.claims import GAVE_UP_CODE, TOO_LONG_CODE
from awrdiff.processing.models import State
from awrdiff.processing.rows import row_or_none
from awrdiff.reports import versions
from awrdiff.reports.models import FILE_LOST, LEFT_OUT, SEVERAL, Report, ReportSection
from awrdiff.reports.parts import Part, Wanted, part_of
from awrdiff.reports.searched import as_searched, matches
from parsers import model as parsed
from parsers.storage import blocks, document

MOST_READ = 300  # blocks in one search: every section of a report, and several millions of cells of a large one
# Failures that are no fault of the file: sent again, it is read again. What an archive left out is judged by itself.
_READ_AGAIN = (FILE_LOST, GAVE_UP_CODE, TOO_LONG_CODE, LEFT_OUT)
HEAVY = ("header", "issues", "head", "assessment")


def reports_for(access: AccessContext) -> QuerySet[Report]:
    """The team's reports, newest first; a share link shows none, and guests see comparisons only."""
    return _of_team(access) if access.can_read else Report.objects.none()


def _of_team(access: AccessContext) -> QuerySet[Report]:
    return Report.objects.filter(team=access.team).defer(*HEAVY).order_by("-created_at")


def report_for(access: AccessContext, pk: UUID | str) -> Report:
    """One report the access allows; a share link allows its own only."""
    own = Report.objects.filter(team=access.team, pk=pk).select_related("database")
    found = row_or_none(own.defer("head", "assessment"))
    if found is None or not (access.link.report_id == found.pk if access.link else access.can_read):
        raise NotFound("There is no such report.")
    saw(access, "report", found.pk)
    return found


def same_bytes(access: AccessContext, digests: Collection[str]) -> dict[str, Report]:
    """By SHA-256: the team's oldest report of these bytes that has its file; a file of several while all its reports
    are there. One that cannot be read is told where there is no other, unless that was no fault of the file. Whoever
    sends the bytes may know, also who but uploads."""
    if not access.can_upload:
        return {}
    found = _of_team(access).filter(sha256__in=digests, is_demo=False)
    found = found.exclude(state=State.FAILED, error_code__in=_READ_AGAIN)
    found = found.exclude(file="").annotate(parts_there=Count("parts"))
    is_whole = ~Q(kind=SEVERAL) | Q(number__gt=0, number=F("parts_there"))
    failed_first = sorted(found.filter(is_whole), key=lambda one: not one.is_failed)
    return {report.sha256: report for report in failed_first}


def database_of(db_name: str, dbid: str) -> parsed.Database:
    """Of the columns of a report, as `same_database` asks for it: a name in either case is one name."""
    return parsed.Database(name=db_name.lower() or None, dbid=dbid or None)


def waiting() -> QuerySet[Report]:
    """Every report can be read at any time; the smaller ones first."""
    return Report.objects.annotate(weight=F("size"))


def parts_of(report: Report) -> QuerySet[Report]:
    """The reports that were found in one file of several, in its order."""
    return report.parts.defer(*HEAVY).order_by("number")


def sections_of(report: Report) -> QuerySet[ReportSection]:
    """The sections in the report's order, without their rows."""
    return ReportSection.objects.filter(report=report).defer("payload")


def load_section(report: Report, section_id: str) -> parsed.Section:
    found = ReportSection.objects.filter(report=report, section_id=section_id).first()
    if found is None:
        raise NotFound("The report has no such section.")
    return document.unpack_section(bytes(found.payload))


def load_report(report: Report) -> parsed.Report:
    """The whole report as it was read."""
    return unpack(packed_report(report))


def packed_report(report: Report) -> tuple[bytes, list[bytes]]:
    """What the database holds of a read report: its head and its sections, packed."""
    payloads = ReportSection.objects.filter(report=report).values_list("payload", flat=True)
    return bytes(report.head), [bytes(p) for p in payloads]


def unpack(found: tuple[bytes, list[bytes]]) -> parsed.Report:
    head, payloads = found
    return document.unpack_report(head, tuple(document.unpack_section(p) for p in payloads))


def traces_of(report: Report) -> QuerySet[Report]:
    """The LGWR traces attached to it, in the order in which they were."""
    return Report.objects.filter(traced__report=report).order_by("traced__pk")


def load_traces(report: Report, attached: Iterable[Report] | None = None) -> list[parsed.Report]:
    """Those that are read: of a team just taken in, some are not yet, and may turn out to be something else."""
    found = traces_of(report) if attached is None else attached
    return [load_report(trace) for trace in found if trace.is_ready and trace.kind == TRACE]


def load_head(report: Report) -> parsed.Report:
    """The report without its sections."""
    return unpack((bytes(report.head), []))


def load_sections(report: Report, section_ids: Collection[str]) -> parsed.Report:
    """The report with those of its sections alone."""
    payloads = ReportSection.objects.filter(report=report, section_id__in=section_ids).values_list("payload", flat=True)
    return unpack((bytes(report.head), [bytes(p) for p in payloads]))


def has_commit_waits(report: Report) -> bool:
    """Whether a list of events names log file sync or log file parallel write."""
    lists = ReportSection.objects.filter(report=report, section_id__in=EVENT_LISTS)
    sections = (document.unpack_section(bytes(p)) for p in lists.values_list("payload", flat=True))
    return any(s.text(r, "event").lower() in (LFS, LFPW) for s in sections for r in s.records)


def open_section(report: Report, section_id: str) -> blocks.Packed:
    """One section, its rows packed still: for what reads them some at a time."""
    found = ReportSection.objects.filter(report=report, section_id=section_id).values_list("payload", flat=True).first()
    if found is None:
        raise NotFound("The report has no such section.")
    return blocks.Packed(bytes(found))


def load_part(report: Report, section_id: str, wanted: Wanted) -> tuple[parsed.Section, Part]:
    """The rows of one section that a page shows at most: all of them, or one part of a very large section."""
    found = open_section(report, section_id)
    number = part_of(found, wanted, lambda text: _first_row_with(found, text))
    return document.unpack_block(found, number), Part.of(found, number)


def _first_row_with(packed: blocks.Packed, text: str) -> int | None:
    """The first row of the first block that holds the text: what a page needs to show that block."""
    number = next(blocks_with(packed, as_searched(text)), None)
    return None if number is None else sum(packed.counts[:number])


def matching_rows(report: Report, text: str) -> dict[str, int]:
    """How many rows of each section hold `text` in any of their texts.

    Only blocks in which the text occurs at all are read; past MOST_READ of them each counts as one row, at least.
    """
    wanted = as_searched(text)
    if not wanted:
        return {}
    counts: dict[str, int] = {}
    read = 0
    payloads = ReportSection.objects.filter(report=report).values_list("section_id", "payload")
    for section_id, payload in payloads.iterator(chunk_size=10):
        packed = blocks.Packed(bytes(payload))
        for number in blocks_with(packed, wanted):
            read += 1
            count = 1 if read > MOST_READ else _rows_with(packed.block(number), wanted)
            if count:
                counts[section_id] = counts.get(section_id, 0) + count
    return counts


def blocks_with(packed: blocks.Packed, wanted: str) -> Iterator[int]:
    """Numbers of the blocks in which the text may occur: the only one, or those whose JSON has it."""
    if len(packed.counts) == 1:
        yield 0
        return
    written = blocks.dumps(wanted)[1:-1].decode()
    for number in range(len(packed.counts)):
        if written in packed.block_text(number).decode("utf-8", "surrogatepass").lower():
            yield number


def _rows_with(rows: list[Any], wanted: str) -> int:
    return sum(matches(row[0], wanted) for row in rows)


def renewal_note(report: Report) -> str:
    """What is said of a report that an older version read; "" where it is up to date."""
    return renewal.note(report, versions.PARSER_VERSION, str(report.parser_version))
