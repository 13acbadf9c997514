"""Databases with reports or comparisons of the team."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.entities.kinds import LONGEST_KEY
from awrdiff.comparisons import library
from awrdiff.databases import queries
from awrdiff.databases.placing import uid_of_name
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import Database, DatabasesQuery, FiguresQuery, SpanQuery
from awrdiff.web.negotiate import json_response
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views import database_metrics


def id_of(group: library.Group, used_ids: Collection[UUID]) -> UUID:
    """Without a database made from the name; another if a database migrated from a name has that (`used_ids`)."""
    if group.uid:
        return group.uid
    return _alone(group.name) if uid_of_name(group.name) in used_ids else uid_of_name(group.name)


def _alone(name: str) -> UUID:
    return uid_of_name(f"{name}\x00")  # no report prints that


def named(access: AccessContext, wanted: UUID) -> library.Group:
    """Also by the id of a merged database or a printed name. Raises NotFound."""
    try:
        return library.group_named(access, str(wanted))
    except NotFound:
        for name in library.printed_names(access):
            if wanted == uid_of_name(name):
                return library.group_named(access, name)
            if wanted == _alone(name):
                return library.Group(name)
        raise


def statement(request: HttpRequest, _access: AccessContext, _query: SpanQuery, uid: UUID, key: str) -> HttpResponse:
    return _history(request, uid, "statement", key)


def event(request: HttpRequest, _access: AccessContext, _query: SpanQuery, uid: UUID, key: str) -> HttpResponse:
    return _history(request, uid, "event", key)


def metrics(request: HttpRequest, _access: AccessContext, query: FiguresQuery, uid: UUID) -> HttpResponse:
    database = queries.database_for(no_guest(request), uid)
    metric_names = [*request.GET.getlist("metric"), query.metrics]
    return JsonResponse(database_metrics.document(request, database.merged_into or database, metric_names))


def _history(request: HttpRequest, uid: UUID, kind: str, key: str) -> HttpResponse:
    """Also by the id of a merged database."""
    database = queries.database_for(no_guest(request), uid)
    return json_response(
        database_metrics.history_document(request, database.merged_into or database, kind, key[:LONGEST_KEY])
    )


def listed(request: HttpRequest, _access: AccessContext, query: DatabasesQuery) -> HttpResponse:
    """By id, without nameless groups."""
    access = no_guest(request)
    used_ids = library.ids(access)
    entries = {id_of(entry.group, used_ids): entry for entry in library.databases(access, each_once=True) if entry.name}
    items = [pk for pk in sorted(entries) if pk.hex > query.cursor][: query.limit + 1]
    page = items[: query.limit]
    counts = library.with_totals(access, [entries[pk] for pk in page])[0]
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
