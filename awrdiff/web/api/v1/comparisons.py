from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from awrdiff.accounts.access import AccessContext, Can, NotFound
from awrdiff.analysis.export.comparison_json import conclusions_of_pair
from awrdiff.comparisons import queries
from awrdiff.comparisons.errors import NoSuchReport
from awrdiff.incidents.finding_verdicts import current
from awrdiff.web.api import comparisons as pages
from awrdiff.web.api.v1 import analysis_responses, request_and_response_types
from awrdiff.web.api.v1.operation import reads, writes
from awrdiff.web.api.v1.request_and_response_types import (
    BaselineQuery,
    NewComparison,
    PairQuery,
)
from awrdiff.web.api.v1.request_and_response_types import Comparison as ComparisonDocument
from awrdiff.web.content_negotiation import conditional, json_response
from awrdiff.web.presenters.incident.finding_verdicts import judged_in
from awrdiff.web.views import commit_latency as commits
from awrdiff.web.views import comparison_exports, entities
from awrdiff.web.views import comparisons as views
from awrdiff.web.views import trend as trends
from awrdiff.web.views.errors import answer
from awrdiff.web.views.visit import Visit


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
        comparison = pages.create(access, ids, by_time=body.order == "time", title=body.title.strip())
    except NoSuchReport as gone:
        raise NotFound(str(gone)) from None
    response = pages.created(request, access, comparison)
    response["Location"] = reverse("api-comparison", args=[comparison.pk])
    return response


@reads(
    "What a comparison says, or how far it has come",
    request_and_response_types.Comparison,
    request_and_response_types.PairQuery,
)
def comparison(request: HttpRequest, access: AccessContext, query: PairQuery, pk: UUID) -> HttpResponse:
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


def of_ready(answered: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """409 before it is ready."""

    def does(
        request: HttpRequest, access: AccessContext, query: PairQuery | BaselineQuery | None, pk: UUID, **more: Any
    ) -> HttpResponseBase:
        visit = Visit(request, access, pages.opened(access, pk))
        if not visit.is_ready:
            return answer(request, 409, "The comparison is not finished: ask again once its “state” is “ready”.")
        names_baseline = isinstance(query, BaselineQuery) and (query.baseline or query.second is not msgspec.UNSET)
        if names_baseline and visit.view is None:
            # pages fall back to another view; scripts must not take one for the other
            raise NotFound(
                "There is no such baseline: “baseline” and “second” are places of its reports, and not the same."
            )
        return answered(visit, **more)

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
def whole(visit: Visit) -> HttpResponseBase:
    """As `manage.py compare`, or against a baseline; audited."""
    request, access, comparison = visit.request, visit.access, visit.comparison
    verdicts = current(access, comparison, pair=None)
    return comparison_exports.note_download(
        request, access, comparison, comparison_exports.export_of(request, comparison, "json", verdicts=verdicts)
    )
