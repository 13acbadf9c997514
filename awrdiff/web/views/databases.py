"""A database: facts from its reports, and the team's notes."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import NotFound
from awrdiff.databases import queries, services
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database
from awrdiff.databases.placing import Identity
from awrdiff.processing.storable import storable_text
from awrdiff.web import links
from awrdiff.web.negotiate import json_response, wants_json
from awrdiff.web.presenters.page import databases as shown
from awrdiff.web.sign_in.members import member, no_guest
from awrdiff.web.views.database_line import line_of


@require_safe
def database(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Facts from its latest 2,000 reports. `range`: `day`, `week`, `month` or `all`, or `from` and `to`; `course`:
    `awr-2` is one instance, `all` all of them. 302 if it was merged.
    """
    access = no_guest(request)
    own_database = queries.database_for(access, uid)
    if own_database.merged_into is not None:
        return redirect(links.of_merged(request, own_database, own_database.merged_into))
    facts, alike = queries.facts_of(own_database), queries.alike(own_database)
    own = shown.facts_of(own_database, facts, alike)
    if wants_json(request):
        return json_response(own)
    context = {
        "access": access,
        "database": own_database,
        "own": own,
        "facts": facts,
        "alike": alike,
        "merged": own_database.merged.filter(pk__in=own_database.identities.values("came_from")).order_by("name", "pk"),
        "others": queries.databases_for(access).exclude(pk=own_database.pk) if access.can_write else (),
        **line_of(request, access, own_database),
    }
    return render(request, "databases/page.html", context)


@require_POST
def describe(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `tags` (by blanks, at most 12) and `zone` (an IANA name, or empty)."""
    access = member(request)
    own_database = queries.database_for(access, uid)
    services.describe(
        access, own_database, tags=request.POST.get("tags", ""), zone=request.POST.get("zone", "").strip()
    )
    return _go_back(request, own_database)


@require_POST
def merge(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Field `into`: id of the database to merge into."""
    access = member(request)
    own_database = queries.database_for(access, uid)
    try:
        into = queries.database_for(access, UUID(request.POST.get("into", "")))
    except (ValueError, NotFound) as error:
        raise DatabaseRefused("Choose the database that this one is.") from error
    services.merge(access, own_database, into)
    return _go_back(request, into)


@require_POST
def unmerge(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Take back that it was merged."""
    access = member(request)
    own_database = queries.database_for(access, uid)
    services.unmerge(access, own_database)
    return _go_back(request, own_database)


@require_POST
def hosts(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `dbid`, `name` and `host` as reports print them, and `is`: `same`, or `copy`, a separate database from
    then on.
    """
    access = member(request)
    own_database = queries.database_for(access, uid)
    identity = Identity.of(*(storable_text(request.POST.get(name, ""))[:255] for name in ("dbid", "name", "host")))
    answer = request.POST.get("is")
    if identity is None or answer not in ("same", "copy"):
        raise DatabaseRefused("Say of which reports, and whether they are of the same database or of a copy.")
    if answer == "same":
        services.keep(access, own_database, identity)
    else:
        own_database = services.split(access, own_database, identity)
    return _go_back(request, own_database)


def _go_back(request: HttpRequest, own_database: Database) -> HttpResponse:
    if wants_json(request):
        return HttpResponse(status=204)
    return redirect("database", uid=own_database.uid)
