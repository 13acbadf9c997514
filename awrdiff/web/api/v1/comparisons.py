from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from awrdiff.accounts.access import AccessContext, Can, NotFound
from awrdiff.analysis.export.comparison_json import conclusions_of_pair
from awrdiff.comparisons import comparisons_by_database, queries, services
from awrdiff.comparisons.errors import NoSuchReport
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.incidents.finding_verdicts import TypedVerdict, current, give
from awrdiff.sharing.models import Shows
from awrdiff.web import links, query_options
from awrdiff.web.api import comparisons as pages
from awrdiff.web.api import sharing
from awrdiff.web.api.sharing import MadeLink
from awrdiff.web.api.v1 import analysis_responses, bodies, paging, request_and_response_types
from awrdiff.web.api.v1.operation import DONE, closed_to_guests, form_key, reads, writes
from awrdiff.web.api.v1.request_and_response_types import (
    BaselineQuery,
    ComparisonsQuery,
    ListedComparison,
    NewComparison,
    PairQuery,
)
from awrdiff.web.api.v1.request_and_response_types import Comparison as ComparisonDocument
from awrdiff.web.comparison_dependents import is_bare
from awrdiff.web.content_negotiation import conditional, json_response
from awrdiff.web.presenters.incident.finding_verdicts import Judgement, judged_in, team_judgements
from awrdiff.web.presenters.page.pins import PinLine
from awrdiff.web.query_options import requested_places
from awrdiff.web.views import commit_latency as commits
from awrdiff.web.views import comparison_exports, entities
from awrdiff.web.views import comparisons as views
from awrdiff.web.views import pins as tray
from awrdiff.web.views import trend as trends
from awrdiff.web.views.errors import answer


@writes(
    "Compares reports; the same in the same order are one comparison",
    {201: request_and_response_types.MadeComparison},
    request_and_response_types.NewComparison,
)
def make(request: HttpRequest, access: AccessContext, body: NewComparison) -> HttpResponse:
    """The same reports in the same order give the same comparison."""
    access.check(Can.WRITE)  # before a report that they do not see is said not to be there
    ids = [str(pk) for pk in body.reports]
    try:
        comparison = pages.made(access, ids, by_time=body.order == "time", title=body.title.strip())
    except NoSuchReport as gone:
        raise NotFound(str(gone)) from None
    response = pages.created(request, access, comparison)
    response["Location"] = reverse("api-comparison", args=[comparison.pk])
    return response


@reads(
    "The team's comparisons, newest first",
    request_and_response_types.Comparisons,
    request_and_response_types.ComparisonsQuery,
)
def listed(request: HttpRequest, access: AccessContext, query: ComparisonsQuery) -> HttpResponse:
    comparisons = comparisons_by_database.own_comparisons(access)
    if query.report is not msgspec.UNSET:
        comparisons = comparisons.filter(
            pk__in=ComparisonReport.objects.filter(report=query.report).values("comparison")
        )
    return paging.newest(
        request,
        comparisons,
        query.cursor,
        query.limit,
        lambda some: [_line(access, comparison) for comparison in some],
    )


def _line(access: AccessContext, comparison: Comparison) -> ListedComparison:
    return ListedComparison(
        id=comparison.pk,
        title=comparison.title,
        state=comparison.shown_state,  # type: ignore[arg-type] # one of processing.models.State
        error=comparison.error or None,
        url=links.comparison(access, comparison),
        created_at=comparison.created_at.isoformat(),
        reports=[place.report_id for place in comparison.places.all()],
    )


@reads(
    "What a comparison says, or how far it has come",
    request_and_response_types.Comparison,
    request_and_response_types.PairQuery,
)
def one(request: HttpRequest, access: AccessContext, query: PairQuery, pk: UUID) -> HttpResponse:
    """With the team's verdicts, or progress until ready."""
    comparison = pages.opened(access, pk)
    result_fields: dict[str, Any] = {}
    if comparison.is_ready and not queries.is_awaited(comparison, query.pair):
        computed = queries.overview(comparison, query.pair)
        result_fields = conclusions_of_pair(judged_in(computed, current(access, comparison, query.pair), query.pair))
        result_fields["headers"] = computed.headers
    document = ComparisonDocument(
        **msgspec.structs.asdict(pages.document_of(access, comparison, query.pair)),
        pair=query.pair,
        headers=result_fields.get("headers"),
        summary=result_fields.get("summary"),
        findings=result_fields.get("findings"),
        warnings=result_fields.get("warnings"),
        ranked=result_fields.get("ranked"),
    )
    return conditional(request, json_response(document))


@writes("Deletes it with its links, and with those of its reports that stand in no other", DONE)
def delete(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    comparison = queries.comparison_for(access, pk)
    services.delete(access, comparison, partial(is_bare, access))
    return HttpResponse(status=204)


def of_ready(answered: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """409 before it is ready."""

    def does(
        request: HttpRequest, access: AccessContext, query: PairQuery | BaselineQuery | None, pk: UUID, **more: Any
    ) -> HttpResponseBase:
        comparison = pages.opened(access, pk)
        if not comparison.is_ready or queries.is_awaited(comparison, query_options.pair(request)):
            return answer(request, 409, "The comparison is not finished: ask again once its “state” is “ready”.")
        names_baseline = isinstance(query, BaselineQuery) and (query.baseline or query.second is not msgspec.UNSET)
        if names_baseline and requested_places(request, comparison) is None:
            # pages fall back to another view; scripts must not take one for the other
            raise NotFound(
                "There is no such baseline: “baseline” and “second” are places of its reports, and not the same."
            )
        return answered(request, access, comparison, **more)

    return does


section = reads(
    "A compared section with all its rows, of a pair or against a baseline",
    analysis_responses.Section,
    request_and_response_types.ViewQuery,
)(of_ready(views.section_of))
entity = reads(
    "Everything both reports print of one statement, event, object …",
    request_and_response_types.Entity,
    request_and_response_types.PairQuery,
)(of_ready(entities.entity_of))
trend = reads(
    "What every report prints of one row, or of all rows of a section",
    request_and_response_types.Trend,
    request_and_response_types.TrendQuery,
)(of_ready(trends.trend_of))
commit = reads("What commits cost, over all reports", analysis_responses.Commits)(of_ready(commits.comparison_of))


@reads(
    "The whole document of `manage.py compare`, or that against a baseline",
    analysis_responses.WholeComparison | analysis_responses.WholeBaseline,
    request_and_response_types.WholeQuery,
)
@of_ready
def whole(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponseBase:
    """As `manage.py compare`, or against a baseline; audited."""
    verdicts = current(access, comparison, pair=None)
    return comparison_exports.note_download(
        request, access, comparison, comparison_exports.export_of(request, comparison, "json", verdicts=verdicts)
    )


@writes(
    "Gives it a title; empty: it is called by what it compares",
    {200: request_and_response_types.ComparisonState},
    bodies.Title,
)
def rename(request: HttpRequest, access: AccessContext, body: bodies.Title, pk: UUID) -> HttpResponse:
    return pages.comparison_json(
        request, access, services.rename(access, queries.comparison_for(access, pk), body.title)
    )


@reads("One's own evidence", request_and_response_types.Pins)
def pins(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return paging.listed(request, tray.pins_of(access, queries.comparison_for(access, pk)))


@writes("Keeps a row, section or finding for oneself", {201: PinLine}, bodies.NewPin)
def pin(request: HttpRequest, access: AccessContext, body: bodies.NewPin, pk: UUID) -> HttpResponse:
    line = tray.pin(request, access, queries.comparison_for(access, pk), body.anchor, body.pair)
    return json_response(line, 201)


@reads("Its share links that were not revoked", request_and_response_types.LinksOfOne)
@closed_to_guests
def links_of(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return paging.listed(request, sharing.links_to(access, queries.comparison_for(access, pk), Shows.COMPARISON))


@writes("Makes a share link to it", {201: MadeLink}, bodies.NewLink, scope="share")
def make_link(request: HttpRequest, access: AccessContext, body: bodies.NewLink, pk: UUID) -> HttpResponse:
    comparison, key = queries.comparison_for(access, pk), form_key(request, access)
    return sharing.created(
        request, *sharing.create(request, access, comparison, Shows.COMPARISON, body, client_key=key)
    )


@reads("What people say of its findings, and what of that is the team's", request_and_response_types.Verdicts)
@closed_to_guests
def verdicts(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return paging.listed(request, team_judgements(current(access, queries.comparison_for(access, pk), None)))


@writes("Judges a finding, beside what others say of it", {201: Judgement}, bodies.NewVerdict)
@closed_to_guests
def judge(request: HttpRequest, access: AccessContext, body: bodies.NewVerdict, pk: UUID) -> HttpResponse:
    comparison = queries.comparison_for(access, pk)
    typed = TypedVerdict(body.anchor, body.state, body.why, body.explained_by, body.role)
    return json_response(
        Judgement.of(give(access, comparison, typed, pair=query_options.sent_pair(request, body.pair))), 201
    )
