"""Reads of the reports app. Nothing of another team is ever found."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet
from django.http import Http404

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.commit_latency.inputs import EVENT_LISTS, LFPW, LFS
from awrdiff.reports.models import Report, ReportSection
from parsers import document
from parsers import model as parsed

_HEAVY = ("header", "issues", "head")


def reports_for(access: AccessContext) -> QuerySet[Report]:
    """The team's reports, newest first; a share link shows none."""
    if access.is_shared:
        return Report.objects.none()
    return Report.objects.filter(team=access.team).defer(*_HEAVY).order_by("-created_at")


def report_or_404(access: AccessContext, pk: UUID | str) -> Report:
    found = Report.objects.filter(team=access.team, pk=pk).defer("head").first()
    if found is None or access.is_shared:
        raise Http404("There is no such report.")
    return found


def waiting() -> QuerySet[Report]:
    """Every report can be read at any time; the smaller ones first."""
    return Report.objects.annotate(weight=F("size"))


def parts_of(report: Report) -> QuerySet[Report]:
    """The reports that were found in one file of several, in its order."""
    return report.parts.defer(*_HEAVY).order_by("number")


def sections_of(report: Report) -> QuerySet[ReportSection]:
    """The sections in the report's order, without their rows."""
    return ReportSection.objects.filter(report=report).defer("payload")


def load_section(report: Report, section_id: str) -> parsed.Section:
    found = ReportSection.objects.filter(report=report, section_id=section_id).first()
    if found is None:
        raise Http404("The report has no such section.")
    return document.unpack_section(bytes(found.payload))


def load_report(report: Report) -> parsed.Report:
    """The whole report as it was read."""
    return unpacked(stored(report))


def stored(report: Report) -> tuple[bytes, list[bytes]]:
    """What the database holds of a read report: its head and its sections, packed."""
    payloads = ReportSection.objects.filter(report=report).values_list("payload", flat=True)
    return bytes(report.head), [bytes(p) for p in payloads]


def unpacked(found: tuple[bytes, list[bytes]]) -> parsed.Report:
    head, payloads = found
    return document.unpack_report(head, tuple(document.unpack_section(p) for p in payloads))


def has_commit_waits(report: Report) -> bool:
    """Whether a list of events names log file sync or log file parallel write."""
    lists = ReportSection.objects.filter(report=report, section_id__in=EVENT_LISTS)
    sections = (document.unpack_section(bytes(p)) for p in lists.values_list("payload", flat=True))
    return any(s.text(r, "event").lower() in (LFS, LFPW) for s in sections for r in s.records)


def matching_rows(report: Report, text: str) -> dict[str, int]:
    """How many rows of each section hold `text` in any of their texts."""
    wanted = text.strip().lower()
    if not wanted:
        return {}
    counts: dict[str, int] = {}
    for found in ReportSection.objects.filter(report=report):
        rows = document.unpack_section(bytes(found.payload)).records
        count = sum(any(isinstance(c, str) and wanted in c.lower() for c in r.cells) for r in rows)
        if count:
            counts[found.section_id] = count
    return counts


def as_json(report: Report) -> dict[str, Any]:
    """What the API says about one report, without its sections."""
    return {
        "id": str(report.pk),
        "name": report.name,
        "state": report.state,
        "stage": report.stage,
        "error": report.error or None,
        "error_code": report.error_code or None,
        "size": report.size,
        "sha256": report.sha256,
    }
