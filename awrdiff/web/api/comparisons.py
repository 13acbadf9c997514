"""Comparisons as JSON, and the endpoints that change something. What is refused is raised (middleware/refusals.py)."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.export.baseline import held_parts
from awrdiff.analysis.export.document import section_parts
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons import baselines, both_ways, provisional, queries, services
from awrdiff.comparisons.errors import ComparisonRefused, NoSuchReport
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.pairs import TURNED
from awrdiff.comparisons.placed_reports import places_of
from awrdiff.numbers import whole_number
from awrdiff.reports.models import Report
from awrdiff.reports.queries import reports_for
from awrdiff.web import links, options
from awrdiff.web.api.reports import state_json as report_json
from awrdiff.web.hanging import is_bare
from awrdiff.web.negotiate import conditional
from awrdiff.web.presenters.page import search
from awrdiff.web.streams import json_stream

Asked = tuple[list[ComparisonReport], Chosen]  # the places of a comparison, and the baseline chosen among them


def chosen_reports(access: AccessContext, ids: list[str]) -> list[Report]:
    """The team's reports of these ids, in this order. Raises ComparisonRefused for one that is not there."""
    try:
        wanted = [UUID(one) for one in ids]
    except ValueError as error:
        raise ComparisonRefused("“report” must be the id of an uploaded report.") from error
    try:
        found = {r.pk: r for r in reports_for(access).filter(pk__in=wanted)}
    except ValidationError as error:
        raise ComparisonRefused("“report” must be the id of an uploaded report.") from error
    missing = next((pk for pk in wanted if pk not in found), None)
    if missing:
        raise NoSuchReport(f"There is no report {missing}.")
    return [found[pk] for pk in wanted]


def create_from(request: HttpRequest, access: AccessContext) -> Comparison:
    """Make what a form or script asks for: fields `report` (repeated), `order` = time, `title`, `provisional` = yes;
    `instead_of`, the id of a provisional one, which goes unless somebody has opened it; `replaces`, the id of one made
    within the hour by the same person, which goes where nobody has made anything of it.
    """
    done = made(
        access,
        request.POST.getlist("report"),
        by_time=request.POST.get("order") == "time",
        title=request.POST.get("title", "").strip(),
        only_if_meant=request.POST.get("provisional") == "yes",
    )
    with suppress(ValueError):
        given_up = UUID(request.POST.get("instead_of", ""))
        if given_up != done.pk:
            provisional.give_up(access, given_up)
    with suppress(ValueError):
        replaced = UUID(request.POST.get("replaces", ""))
        if replaced != done.pk and (found := queries.visible_to(access).filter(pk=replaced).first()):
            services.retire(access, found, partial(is_bare, access))
    return done


def made(
    access: AccessContext, ids: list[str], *, by_time: bool, title: str, only_if_meant: bool = False
) -> Comparison:
    """Of the team's reports of these ids. Raises ComparisonRefused, PermissionDenied.

    One of Oracle's own compare reports alone, once it is read, is a comparison of its two periods.
    """
    reports = chosen_reports(access, ids)
    if len(reports) == 1 and reports[0].is_ready and reports[0].kind == "awr_compare":
        return services.open_compare_report(access, reports[0])
    return services.create_comparison(access, reports, order_by_time=by_time, title=title, only_if_meant=only_if_meant)


def opened(access: AccessContext, pk: UUID) -> Comparison:
    """One that somebody looks at: from then on it stays, also where it was provisional."""
    found = queries.comparison_for(access, pk)
    if found.provisional and access.can_write:
        provisional.confirm(found)
    return found


def create(request: HttpRequest, access: AccessContext) -> HttpResponse:
    """POST /comparisons/: 201 with id, state and url, or 400 with the reason in a sentence."""
    return created(access, create_from(request, access))


def swap(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponse:
    """POST /comparisons/<id>/swap/: its address with first and second exchanged."""
    return created(access, comparison, services.swap(access, comparison, options.pair(request)))


def choose_from(request: HttpRequest, access: AccessContext, comparison: Comparison) -> Comparison:
    """What a form or script asks for: fields `place` (0 is the first report, `all` are those that have parts) and
    `aspect`, as in the JSON."""
    place = None if request.POST.get("place") == "all" else _place(request)
    made = services.choose_part(access, comparison, place, request.POST.get("aspect", ""))
    if options.pair(request) == TURNED:
        both_ways.need([made.pk])
        made.refresh_from_db()
    return made


def _place(request: HttpRequest) -> int:
    if (place := whole_number(request.POST.get("place"), 99)) is None:
        raise ComparisonRefused("“place” must be the number of a report in the comparison; 0 is the first.")
    return place


def leave_out_from(request: HttpRequest, access: AccessContext, comparison: Comparison) -> Comparison | Report:
    """What is left without the report in the field `place`; what was compared goes where nobody made anything of it."""
    left = services.leave_out(access, comparison, _place(request))
    services.retire(access, comparison, partial(is_bare, access))
    return left


def leave_out(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponse:
    """POST /comparisons/<id>/without/: the comparison of the others, or the report that is left alone."""
    left = leave_out_from(request, access, comparison)
    if isinstance(left, Comparison):
        return created(access, left)
    return JsonResponse({**report_json(left), "url": links.report(access, left)})


def choose(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponse:
    """POST /comparisons/<id>/aspect/: the comparison that looks at another part of one of the reports."""
    made = choose_from(request, access, comparison)
    return created(access, made, TURNED if options.pair(request) == TURNED else None)


def state_json(access: AccessContext, comparison: Comparison, pair: int = 0) -> dict[str, Any]:
    """State of a comparison and of each of its reports, so that an error stands beside its file. TURNED: its first two
    reports the other way round."""
    places = places_of(comparison)
    reports, traces = split_traces(places)
    reports = [*reports[1::-1], *reports[2:]] if pair == TURNED else reports
    files = [{**report_json(p.report), "aspect": p.aspect, "url": links.report(access, p.report)} for p in reports]
    attached = [{**report_json(p.report), "url": links.report(access, p.report)} for p in traces]
    return {
        "id": str(comparison.pk),
        "title": comparison.title,
        "state": queries.shown_state(comparison, pair),
        "stage": queries.stage_of(comparison, [p.report.state for p in places]),
        "error": comparison.error or None,
        "error_code": comparison.error_code or None,
        "renewal": queries.renewal_note(access, comparison) or None,
        "url": links.comparison(access, comparison) + _query(pair),
        "reports": files,
        "traces": attached,
    }


def comparison_json(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponse:
    """GET /comparisons/<id>/"""
    return conditional(request, JsonResponse(document_of(access, comparison, options.pair(request))))


def _query(pair: int) -> str:
    return f"?pair={TURNED}" if pair == TURNED else ""


def document_of(access: AccessContext, comparison: Comparison, pair: int = 0) -> dict[str, Any]:
    """State, stage and errors; once ready also its sections."""
    document = state_json(access, comparison, pair)
    if document["state"] == "ready":
        document["sections"] = [
            {
                "id": s.section_id,
                "title": s.title,
                "family": s.family,
                "rows": s.rows,
                "changed": s.changed,
                "url": links.section(access, comparison, s.section_id) + _query(pair),
            }
            for s in queries.rail(comparison, pair if pair == TURNED else 0)
        ]
    return document


def status_json(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponse:
    return conditional(request, JsonResponse(state_json(access, comparison, options.pair(request))))


def section_json(
    request: HttpRequest, comparison: Comparison, section_id: str, pair: int = 0, asked: Asked | None = None
) -> HttpResponseBase:
    """GET …/sections/<section_id>/: all its rows, written some at a time; `?pair=1` of another pair, or against the
    baseline that is asked for."""
    if asked is not None:
        held, _ = baselines.held_against(*asked, section_id)
        return json_stream(request, held_parts(held, asked[1]))
    return json_stream(request, section_parts(queries.open_section(comparison, section_id, pair)))


def search_json(
    request: HttpRequest, access: AccessContext, comparison: Comparison, asked: Asked | None = None
) -> HttpResponse:
    """GET …/search/?q=: matching rows by section id, also of sections that were not opened.

    `?found=1` adds `groups`: headings, findings, things with a panel, and the first rows of each section; a
    thing of that very name comes first. Against a baseline (`asked`) they are those of Second's own pair, without its
    findings and figures.
    """
    text, pair = options.filter_text(request), _pair(request, asked)
    document: dict[str, Any] = {"sections": queries.matching_rows(comparison, text, pair)}
    if request.GET.get("found"):
        groups = _groups(request, access, comparison, text, pair)
        document["groups"] = search.for_baseline(groups, options.baseline_query(asked[1])) if asked else groups
    return JsonResponse(document)


def _pair(request: HttpRequest, asked: Asked | None) -> int:
    return max(asked[1].second - 1, 0) if asked else options.pair(request)


def _groups(
    request: HttpRequest, access: AccessContext, comparison: Comparison, text: str, pair: int
) -> list[search.HitGroup]:
    computed = queries.overview(comparison, pair)
    basis = options.chosen_basis(request) or ("s" if computed.elapsed_differs else "total")
    titles = ((s.section_id, s.title) for s in queries.rail(comparison, pair))
    hits = list(queries.first_hits(comparison, text, pair, search.MOST_SECTIONS, search.LOOKED_AT))
    rows = list(search.rows(hits, basis, options.step(request)))
    things = list(search.entities(hits, text, links.entities(access, comparison)))
    said = list(search.findings(computed, text))
    heads = list(search.headings(titles, text))
    first = [*things, *heads, *said] if search.names_one(things, text) else [*heads, *said, *things]
    return [*first, *rows] or _absent(comparison, text, pair)


def _absent(comparison: Comparison, text: str, pair: int) -> list[search.HitGroup]:
    """Why a statement is not there: reports list the largest."""
    with suppress(NotFound):
        if search.is_sql_id(text):
            return [search.not_listed(queries.load_section(comparison, search.BY_TIME, pair))]
    return []


def created(access: AccessContext, comparison: Comparison, pair: int | None = None) -> HttpResponse:
    """201 with id, state and url."""
    url = links.comparison(access, comparison)
    if pair is not None:
        url += options.pair_query(pair, queries.compared_count(comparison))
    state = comparison.state if pair is None else queries.shown_state(comparison, pair)
    body = {"id": str(comparison.pk), "state": state, "url": url}
    return JsonResponse(body, status=201, headers={"Location": url})
