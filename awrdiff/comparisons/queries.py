"""Reads of the comparisons app. Nothing of another team, or beside a share link's comparison, is ever found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.http import Http404

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.export import document as analysis_document
from awrdiff.analysis.model.comparison import CommitLatency, ComparedSection
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons.models import Comparison, ComparisonReport, ComparisonSection
from awrdiff.comparisons.seen import places_of
from awrdiff.reports.models import Report
from awrdiff.reports.queries import as_json as report_json
from parsers.document import unpack


def comparisons_for(access: AccessContext) -> QuerySet[Comparison]:
    """The team's comparisons, newest first, with their reports in order; mirrors are behind their original."""
    if access.is_shared:
        return Comparison.objects.none()
    light = Report.objects.defer("header", "issues", "head")
    places = ComparisonReport.objects.order_by("position").prefetch_related(Prefetch("report", queryset=light))
    found = Comparison.objects.filter(team=access.team, mirror_of=None).defer("overview")
    return found.prefetch_related(Prefetch("places", queryset=places)).order_by("-created_at")


def comparison_or_404(access: AccessContext, pk: UUID | str) -> Comparison:
    """One comparison the access allows; a share link allows its own only."""
    found = Comparison.objects.select_related("mirror_of").filter(team=access.team, pk=pk).first()
    if found is None or (access.link is not None and access.link.comparison_id != found.pk):
        raise Http404("There is no such comparison.")
    return found


def overview(comparison: Comparison, pair: int = 0) -> Computed:
    """Everything of the computed comparison but its sections."""
    pairs = unpack(bytes(comparison.overview)) if comparison.overview else []
    if not 0 <= pair < len(pairs):
        raise Http404("The comparison has no such pair.")
    return analysis_document.load_overview(pairs[pair])


def commit_latency(comparison: Comparison, pair: int = 0) -> tuple[CommitLatency, CommitLatency]:
    """Commits of the pair, and of every report compared (the same where there are two)."""
    own = overview(comparison, pair)
    first = overview(comparison) if pair else own
    return own.commit_latency, first.commits_of_all or own.commit_latency


def whole(comparison: Comparison, *, sections: bool = True) -> list[Computed]:
    """The comparison as the engine made it, one per pair; without its sections it is the summary alone."""
    documents = unpack(bytes(comparison.overview)) if comparison.overview else []
    pairs = [analysis_document.load_overview(document) for document in documents]
    if not sections:
        return pairs
    rows: list[list[ComparedSection]] = [[] for _ in pairs]
    stored = ComparisonSection.objects.filter(comparison=comparison, pair__lt=len(pairs)).order_by("pair", "position")
    for pair, payload in stored.values_list("pair", "payload").iterator(chunk_size=50):
        rows[pair].append(analysis_document.load_section(unpack(bytes(payload))))
    return [replace(pair, sections=tuple(found)) for pair, found in zip(pairs, rows, strict=True)]


def rail(comparison: Comparison, pair: int = 0) -> list[ComparisonSection]:
    """The sections in order with their counts, without their rows."""
    found = ComparisonSection.objects.filter(comparison=comparison, pair=pair)
    return list(found.defer("payload", "row_text"))


def load_section(comparison: Comparison, section_id: str, pair: int = 0) -> ComparedSection:
    found = ComparisonSection.objects.filter(comparison=comparison, pair=pair, section_id=section_id).first()
    if found is None:
        raise Http404("The comparison has no such section.")
    return analysis_document.load_section(unpack(bytes(found.payload)))


def load_sections(comparison: Comparison, section_ids: list[str], pair: int = 0) -> dict[str, ComparedSection]:
    """Several sections in one query, by id; what is not there is left out."""
    found = ComparisonSection.objects.filter(comparison=comparison, pair=pair, section_id__in=section_ids)
    return {s.section_id: analysis_document.load_section(unpack(bytes(s.payload))) for s in found}


def matching_rows(comparison: Comparison, text: str, pair: int = 0) -> dict[str, int]:
    """How many rows of each section hold `text` in their key or texts; sections without any are left out."""
    wanted = " ".join(text.lower().split())
    if not wanted:
        return {}
    sections = ComparisonSection.objects.filter(comparison=comparison, pair=pair, row_text__contains=wanted)
    found = sections.values_list("section_id", "row_text")
    return {section_id: sum(wanted in line for line in lines.split("\n")) for section_id, lines in found}


def as_json(access: AccessContext, comparison: Comparison) -> dict[str, Any]:
    """State of a comparison and of each of its reports, so that an error stands beside its file."""
    places = places_of(comparison)
    reports, traces = split_traces(places)
    files = [{**report_json(p.report), "aspect": p.aspect, "url": access.report_url(p.report)} for p in reports]
    attached = [{**report_json(p.report), "url": access.report_url(p.report)} for p in traces]
    return {
        "id": str(comparison.pk),
        "title": comparison.title,
        "state": comparison.state,
        "stage": stage_of(comparison, [p.report.state for p in places]),
        "error": comparison.error or None,
        "error_code": comparison.error_code or None,
        "url": access.comparison_url(comparison),
        "reports": files,
        "traces": attached,
    }


def stage_of(comparison: Comparison, report_states: list[str]) -> str:
    """What is being done now, in a word: a pending comparison waits for its reports, or for a worker."""
    if comparison.state == "pending":
        return "reading" if any(s in ("pending", "running") for s in report_states) else "waiting"
    return comparison.stage
