"""Databases that the team has reports or comparisons of."""

from __future__ import annotations

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons import library
from awrdiff.databases.placing import uid_of_name
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import DatabasesQuery
from awrdiff.web.sign_in.members import no_guest


def id_of(group: library.Group) -> UUID:
    """What has no database is known by its name, as all were before databases had rows; they have kept that."""
    return group.uid or uid_of_name(group.name)


def named(access: AccessContext, wanted: UUID) -> library.Group:
    """Also of one that was merged into another. Raises NotFound."""
    try:
        return library.group_named(access, str(wanted))
    except NotFound:
        bare = [one.group for one in library.databases(access) if one.name and not one.group.uid]
        found = next((one for one in bare if id_of(one) == wanted), None)
        if found is None:
            raise
        return found


def listed(request: HttpRequest, _access: AccessContext, asked: DatabasesQuery) -> HttpResponse:
    """In the order of their ids; what names no database is in none."""
    access = no_guest(request)
    found: dict[UUID, library.Database] = {}
    for one in library.databases(access):  # a name that a database has is its own, whatever else prints it
        if one.name and (one.group.uid or id_of(one.group) not in found):
            found[id_of(one.group)] = one
    items = [pk for pk in sorted(found) if pk.hex > asked.cursor][: asked.limit + 1]
    page = items[: asked.limit]
    documents = [
        {
            "id": str(id_of(one.group)),
            "name": one.name,
            "reports": one.reports,
            "unread": one.unread,
            "comparisons": one.comparisons,
            "latest": one.latest.isoformat(),
            "url": f"{reverse('home')}?{urlencode({'db': one.group.address})}",
        }
        for one in library.counted(access, [found[pk] for pk in page])[0]
    ]
    return paging.listed(request, documents, page[-1].hex if len(items) > asked.limit else None)
