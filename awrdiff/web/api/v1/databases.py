"""Databases that the team has reports or comparisons of."""

from __future__ import annotations

from itertools import islice
from urllib.parse import urlencode
from uuid import UUID, uuid5

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons import library
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import DatabasesQuery
from awrdiff.web.sign_in.members import no_guest

_NAMES = UUID("5e0c7a3e-6f0f-4b43-9d0a-0f6f5b0f6a51")  # scripts keep what is made of it: never another


def id_of(name: str) -> UUID:
    """As databases have no row of their own: of the name, by which they are told apart. Where they get one, this stays
    what scripts know them by."""
    return uuid5(_NAMES, name)


def named(access: AccessContext, wanted: UUID) -> str:
    """Raises NotFound."""
    found = next((one.name for one in library.databases(access) if one.name and id_of(one.name) == wanted), None)
    if found is None:
        raise NotFound("There is no such database.")
    return found


def listed(request: HttpRequest, _access: AccessContext, asked: DatabasesQuery) -> HttpResponse:
    """In the order of their ids; what names no database is in none."""
    access = no_guest(request)
    found = sorted((one for one in library.databases(access) if one.name), key=lambda one: id_of(one.name))
    following = (one for one in found if id_of(one.name).hex > asked.cursor)
    items = list(islice(following, asked.limit + 1))
    documents = [
        {
            "id": str(id_of(one.name)),
            "name": one.name,
            "reports": one.reports,
            "unread": one.unread,
            "comparisons": one.comparisons,
            "latest": one.latest.isoformat(),
            "url": f"{reverse('home')}?{urlencode({'db': one.name})}",
        }
        for one in items[: asked.limit]
    ]
    more = len(items) > asked.limit
    return paging.listed(request, documents, id_of(items[asked.limit - 1].name).hex if more else None)
