"""Who is on the team, and who did what."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Role
from awrdiff.audit.queries import LineFilter, lines_of
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import AuditQuery
from awrdiff.web.presenters.audit import lines as shown
from awrdiff.web.views import people as views


def people(request: HttpRequest, _access: AccessContext, _asked: None) -> HttpResponse:
    return paging.all_of(request, views.people(request), "people")


def audit(request: HttpRequest, access: AccessContext, asked: AuditQuery) -> HttpResponse:
    """For owners; for a guest there is none. Raises NotFound, PermissionDenied."""
    if access.role == Role.GUEST:
        raise NotFound("There is nothing at this address.")
    found = lines_of(access, LineFilter(who=asked.who, action=asked.action, kind=asked.kind, thing=asked.thing))

    def documents(some: Any) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = shown.document(some, None)["lines"]
        return listed

    return paging.numbered(request, found, asked.cursor, asked.limit, documents)
