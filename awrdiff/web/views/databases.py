"""A database: what its reports print of it, and what people say of it."""

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
    """What its latest 2,000 reports print. `range`: `day`, `week`, `month` or `all`, or `from` and `to`; `course`:
    `awr-2` is one instance, `all` all of them. Of one that was merged 302.
    """
    access = no_guest(request)
    found = queries.database_for(access, uid)
    if found.merged_into is not None:
        return redirect(links.of_merged(request, found, found.merged_into))
    facts, alike = queries.facts_of(found), queries.alike(found)
    own = shown.facts_of(found, facts, alike)
    if wants_json(request):
        return json_response(own)
    context = {
        "access": access,
        "database": found,
        "own": own,
        "facts": facts,
        "alike": alike,
        "merged": found.merged.filter(pk__in=found.identities.values("came_from")).order_by("name", "pk"),
        "others": queries.databases_for(access).exclude(pk=found.pk) if access.can_write else (),
        **line_of(request, access, found),
    }
    return render(request, "databases/page.html", context)


@require_POST
def describe(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `tags` (by blanks, at most 12) and `zone` (an IANA name, or empty)."""
    access = member(request)
    found = queries.database_for(access, uid)
    services.describe(access, found, tags=request.POST.get("tags", ""), zone=request.POST.get("zone", "").strip())
    return _go_back(request, found)


@require_POST
def merge(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Field `into`: the id of the database that it is."""
    access = member(request)
    found = queries.database_for(access, uid)
    try:
        into = queries.database_for(access, UUID(request.POST.get("into", "")))
    except (ValueError, NotFound) as error:
        raise DatabaseRefused("Choose the database that this one is.") from error
    services.merge(access, found, into)
    return _go_back(request, into)


@require_POST
def unmerge(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Take back that it was merged."""
    access = member(request)
    found = queries.database_for(access, uid)
    services.unmerge(access, found)
    return _go_back(request, found)


@require_POST
def hosts(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `dbid`, `name` and `host` as reports print them, and `is`: `same`, or `copy`, which is another database
    from then on."""
    access = member(request)
    found = queries.database_for(access, uid)
    identity = Identity.of(*(storable_text(request.POST.get(name, ""))[:255] for name in ("dbid", "name", "host")))
    said = request.POST.get("is")
    if identity is None or said not in ("same", "copy"):
        raise DatabaseRefused("Say of which reports, and whether they are of the same database or of a copy.")
    if said == "same":
        services.keep(access, found, identity)
    else:
        found = services.split(access, found, identity)
    return _go_back(request, found)


def _go_back(request: HttpRequest, found: Database) -> HttpResponse:
    if wants_json(request):
        return HttpResponse(status=204)
    return redirect("database", uid=found.uid)
