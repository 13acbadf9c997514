"""Databases that the team has reports or comparisons of."""

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
from awrdiff.web.api.v1.kinds import DatabasesQuery, FiguresQuery, SpanQuery
from awrdiff.web.negotiate import json_response
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views import database_history, database_metrics


def id_of(group: library.Group, taken: Collection[UUID]) -> UUID:
    """What has no database is known by its name, as all were before databases had rows; they have kept that, so where
    a database has it (the `taken`) the name alone has another."""
    if group.uid:
        return group.uid
    return _alone(group.name) if uid_of_name(group.name) in taken else uid_of_name(group.name)


def _alone(name: str) -> UUID:
    return uid_of_name(f"{name}\x00")  # no report prints that


def named(access: AccessContext, wanted: UUID) -> library.Group:
    """Also of one that was merged into another, or by the id of a name that a report of it prints. Raises NotFound."""
    try:
        return library.group_named(access, str(wanted))
    except NotFound:
        for name in library.printed_names(access):
            if wanted == uid_of_name(name):
                return library.group_named(access, name)
            if wanted == _alone(name):
                return library.Group(name)
        raise


def statement(request: HttpRequest, _access: AccessContext, _asked: SpanQuery, uid: UUID, key: str) -> HttpResponse:
    return _history(request, uid, "statement", key)


def event(request: HttpRequest, _access: AccessContext, _asked: SpanQuery, uid: UUID, key: str) -> HttpResponse:
    return _history(request, uid, "event", key)


def metrics(request: HttpRequest, _access: AccessContext, asked: FiguresQuery, uid: UUID) -> HttpResponse:
    found = queries.database_for(no_guest(request), uid)
    given = [*request.GET.getlist("metric"), asked.metrics]
    return JsonResponse(database_metrics.document(request, found.merged_into or found, given))


def _history(request: HttpRequest, uid: UUID, kind: str, key: str) -> HttpResponse:
    """Also by the id of one that was merged into another."""
    found = queries.database_for(no_guest(request), uid)
    return json_response(database_history.document(request, found.merged_into or found, kind, key[:LONGEST_KEY]))


def listed(request: HttpRequest, _access: AccessContext, asked: DatabasesQuery) -> HttpResponse:
    """In the order of their ids; what names no database is in none."""
    access = no_guest(request)
    taken = library.ids(access)
    found = {id_of(one.group, taken): one for one in library.databases(access, each_once=True) if one.name}
    items = [pk for pk in sorted(found) if pk.hex > asked.cursor][: asked.limit + 1]
    page = items[: asked.limit]
    counted = library.counted(access, [found[pk] for pk in page])[0]
    documents = [
        {
            "id": str(pk),
            "name": one.name,
            "reports": one.reports,
            "unread": one.unread,
            "comparisons": one.comparisons,
            "latest": one.latest.isoformat(),
            "url": f"{reverse('home')}?{urlencode({'db': one.group.address})}",
        }
        for pk, one in zip(page, counted, strict=True)
    ]
    return paging.listed(request, documents, page[-1].hex if len(items) > asked.limit else None)
