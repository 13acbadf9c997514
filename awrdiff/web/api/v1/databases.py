"""Databases with reports or comparisons of the team."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.entities.kinds import LONGEST_KEY
from awrdiff.comparisons import comparisons_by_database
from awrdiff.databases import queries
from awrdiff.databases.models import Database as Record
from awrdiff.databases.report_assignment import uid_of_name
from awrdiff.web.api.v1 import paging, request_and_response_types
from awrdiff.web.api.v1.operation import Does, closed_to_guests, reads
from awrdiff.web.api.v1.request_and_response_types import Database, DatabasesQuery, FiguresQuery, SpanQuery
from awrdiff.web.content_negotiation import json_response
from awrdiff.web.views import database_metrics


def id_of(group: comparisons_by_database.Group, used_ids: Collection[UUID]) -> UUID:
    """Without a database made from the name; another if a database migrated from a name has that (`used_ids`)."""
    if group.uid:
        return group.uid
    return _alone(group.name) if uid_of_name(group.name) in used_ids else uid_of_name(group.name)


def _alone(name: str) -> UUID:
    return uid_of_name(f"{name}\x00")  # no report prints that


def named(access: AccessContext, wanted: UUID) -> comparisons_by_database.Group:
    """Also by the id of a merged database or a printed name. Raises NotFound."""
    try:
        return comparisons_by_database.group_named(access, str(wanted))
    except NotFound:
        for name in comparisons_by_database.printed_names(access):
            if wanted == uid_of_name(name):
                return comparisons_by_database.group_named(access, name)
            if wanted == _alone(name):
                return comparisons_by_database.Group(name)
        raise


def of_database(answered: Does) -> Does:
    """Closed to guests. Also by the id of a merged database."""

    @closed_to_guests
    def does(request: HttpRequest, access: AccessContext, query: Any, uid: UUID, **ids: Any) -> HttpResponseBase:
        database = queries.database_for(access, uid)
        return answered(request, database.merged_into or database, query, **ids)

    return does


@reads(
    "A statement in each report of a database: sessions, time and gets of one execution, plans",
    request_and_response_types.StatementHistory,
    request_and_response_types.SpanQuery,
)
@of_database
def statement(request: HttpRequest, database: Record, _query: SpanQuery, key: str) -> HttpResponse:
    return json_response(database_metrics.history_document(request, database, "statement", key[:LONGEST_KEY]))


@reads(
    "An event in each report of a database",
    request_and_response_types.EventHistory,
    request_and_response_types.SpanQuery,
)
@of_database
def event(request: HttpRequest, database: Record, _query: SpanQuery, key: str) -> HttpResponse:
    return json_response(database_metrics.history_document(request, database, "event", key[:LONGEST_KEY]))


@reads(
    "Figures of a database over time, with what is normal at each hour and where a level changed",
    request_and_response_types.MetricsHistory,
    request_and_response_types.FiguresQuery,
)
@of_database
def metrics(request: HttpRequest, database: Record, query: FiguresQuery) -> HttpResponse:
    metric_names = [*request.GET.getlist("metric"), query.metrics]
    return JsonResponse(database_metrics.document(request, database, metric_names))


@reads(
    "Databases that there are reports or comparisons of",
    request_and_response_types.Databases,
    request_and_response_types.DatabasesQuery,
)
@closed_to_guests
def listed(request: HttpRequest, access: AccessContext, query: DatabasesQuery) -> HttpResponse:
    """By id, without nameless groups."""
    used_ids = comparisons_by_database.ids(access)
    entries = {
        id_of(entry.group, used_ids): entry
        for entry in comparisons_by_database.databases(access, each_once=True)
        if entry.name
    }
    items = [pk for pk in sorted(entries) if pk.hex > query.cursor][: query.limit + 1]
    page = items[: query.limit]
    counts = comparisons_by_database.with_totals(access, [entries[pk] for pk in page])[0]
    documents = [
        Database(
            id=pk,
            name=entry.name,
            reports=entry.reports,
            unread=entry.unread,
            comparisons=entry.comparisons,
            latest=entry.latest.isoformat(),
            url=f"{reverse('home')}?{urlencode({'db': entry.group.address})}",
        )
        for pk, entry in zip(page, counts, strict=True)
    ]
    return paging.listed(request, documents, page[-1].hex if len(items) > query.limit else None)
