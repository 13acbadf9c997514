"""Comparisons as JSON, and answers to new ones."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.comparisons import pending_upload_comparison, queries, services
from awrdiff.comparisons.errors import ComparisonRefused, NoSuchReport
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.report_places_and_titles import places_of
from awrdiff.reports.models import Report
from awrdiff.reports.queries import reports_for
from awrdiff.web import links, query_options
from awrdiff.web.api.reports import sent_fields
from awrdiff.web.api.v1.request_and_response_types import (
    ComparisonState,
    MadeComparison,
    PlacedReport,
    SectionSummary,
    Sent,
)
from awrdiff.web.comparison_dependents import is_bare
from awrdiff.web.content_negotiation import conditional, form_fields, json_response, wants_json
from awrdiff.web.presenters.page import search
from awrdiff.web.views.visit import Visit


def chosen_reports(access: AccessContext, ids: list[str]) -> list[Report]:
    """In this order. Raises ComparisonRefused for a missing one."""
    try:
        wanted = [UUID(id_text) for id_text in ids]
    except ValueError as error:
        raise ComparisonRefused("“report” must be the id of an uploaded report.") from error
    try:
        reports = {r.pk: r for r in reports_for(access).filter(pk__in=wanted)}
    except ValidationError as error:
        raise ComparisonRefused("“report” must be the id of an uploaded report.") from error
    missing = next((pk for pk in wanted if pk not in reports), None)
    if missing:
        raise NoSuchReport(f"There is no report {missing}.")
    return [reports[pk] for pk in wanted]


def create_from(request: HttpRequest, access: AccessContext) -> Comparison:
    """`order` = time, `provisional` = yes; `instead_of`: provisional one to delete unless opened; `replaces`: own one
    within the hour, deleted unless worked on.
    """
    done = create(
        access,
        form_fields(request).getlist("report"),
        by_time=form_fields(request).get("order") == "time",
        title=form_fields(request).get("title", "").strip(),
        only_if_meant=form_fields(request).get("provisional") == "yes",
    )
    with suppress(ValueError):
        given_up = UUID(form_fields(request).get("instead_of", ""))
        if given_up != done.pk:
            pending_upload_comparison.give_up(access, given_up)
    with suppress(ValueError):
        replaced = UUID(form_fields(request).get("replaces", ""))
        if replaced != done.pk and (former := queries.visible_to(access).filter(pk=replaced).first()):
            services.retire(access, former, partial(is_bare, access))
    return done


def create(
    access: AccessContext, ids: list[str], *, by_time: bool, title: str, only_if_meant: bool = False
) -> Comparison:
    """A single, read Oracle compare report gives its two periods. Raises ComparisonRefused, PermissionDenied."""
    reports = chosen_reports(access, ids)
    if len(reports) == 1 and reports[0].is_ready and reports[0].kind == "awr_compare":
        return services.open_compare_report(access, reports[0])
    return services.create_comparison(access, reports, order_by_time=by_time, title=title, only_if_meant=only_if_meant)


def opened(access: AccessContext, pk: UUID) -> Comparison:
    """Opening makes a provisional one permanent."""
    comparison = queries.comparison_for(access, pk)
    if comparison.provisional and access.can_write:
        pending_upload_comparison.confirm(comparison)
    return comparison


def state_of(access: AccessContext, comparison: Comparison, pair: int = 0) -> ComparisonState:
    """Errors stand beside their report. REVERSE: the first two swapped."""
    places = places_of(comparison)
    reports, traces = split_traces(places)
    reports = [*reports[1::-1], *reports[2:]] if pair == REVERSE else reports
    return ComparisonState(
        id=comparison.pk,
        title=comparison.title,
        state=queries.shown_state(comparison, pair),  # type: ignore[arg-type] # one of processing.models.State
        stage=queries.stage_of(comparison, [p.report.state for p in places]),
        error=comparison.error or None,
        error_code=comparison.error_code or None,
        renewal=queries.renewal_note(access, comparison) or None,
        url=links.comparison(access, comparison) + _query(pair),
        reports=[PlacedReport(**sent_fields(access, p.report), aspect=p.aspect) for p in reports],
        traces=[Sent(**sent_fields(access, p.report)) for p in traces],
    )


def comparison_json(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponse:
    return conditional(request, json_response(document_of(access, comparison, query_options.pair(request))))


def _query(pair: int) -> str:
    return f"?pair={REVERSE}" if pair == REVERSE else ""


def document_of(access: AccessContext, comparison: Comparison, pair: int = 0) -> ComparisonState:
    """Once ready also its sections."""
    document = state_of(access, comparison, pair)
    if document.state == "ready":
        document.sections = [
            SectionSummary(
                id=s.section_id,
                title=s.title,
                family=s.family,
                rows=s.rows,
                changed=s.changed,
                url=links.below(access, comparison, "section", s.section_id) + _query(pair),
            )
            for s in queries.rail(comparison, pair if pair == REVERSE else 0)
        ]
    return document


def search_json(visit: Visit) -> HttpResponse:
    """`?found=1` adds `groups`: an exactly matching entity first. A baseline uses Second's own pair, without findings
    and figures.
    """
    text = query_options.filter_text(visit.request)
    pair = max(visit.view[1].second - 1, 0) if visit.view else visit.pair
    document: dict[str, Any] = {"sections": queries.matching_rows(visit.comparison, text, pair)}
    if visit.request.GET.get("found"):
        groups = _groups(visit, text, pair)
        document["groups"] = (
            search.for_baseline(groups, query_options.baseline_query(visit.view[1])) if visit.view else groups
        )
    return JsonResponse(document)


def _groups(visit: Visit, text: str, pair: int) -> list[search.HitGroup]:
    comparison = visit.comparison
    computed = queries.overview(comparison, pair)
    basis = query_options.chosen_basis(visit.request) or ("s" if computed.elapsed_differs else "total")
    titles = ((s.section_id, s.title) for s in queries.rail(comparison, pair))
    hits = list(queries.first_hits(comparison, text, pair, search.MOST_SECTIONS, search.LOOKED_AT))
    rows = list(search.rows(hits, basis, query_options.step(visit.request)))
    things = list(search.entities(hits, text, links.entities(visit.access, comparison)))
    finding_groups = list(search.findings(computed, text))
    heads = list(search.headings(titles, text))
    first = [*things, *heads, *finding_groups] if search.names_one(things, text) else [*heads, *finding_groups, *things]
    return [*first, *rows] or _absent(comparison, text, pair)


def _absent(comparison: Comparison, text: str, pair: int) -> list[search.HitGroup]:
    """Reports list only the largest statements."""
    with suppress(NotFound):
        if search.is_sql_id(text):
            return [search.not_listed(queries.load_section(comparison, search.BY_TIME, pair))]
    return []


def created(
    request: HttpRequest, access: AccessContext, comparison: Comparison, pair: int | None = None, page: str = ""
) -> HttpResponse:
    """Scripts get 201, id, state, url; forms go to `page`."""
    url = links.comparison(access, comparison)
    if pair is not None:
        url += query_options.pair_query(pair, queries.compared_count(comparison))
    if not wants_json(request):
        return redirect(page or url)
    state = comparison.state if pair is None else queries.shown_state(comparison, pair)
    made_comparison = MadeComparison(comparison.pk, state, url)  # type: ignore[arg-type] # as above
    response = json_response(made_comparison, 201)
    response["Location"] = url
    return response
