"""Who is on the team, and who did what."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Role
from awrdiff.audit.queries import LineFilter, lines_of
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import AuditQuery
from awrdiff.web.presenters.audit.lines import records
from awrdiff.web.presenters.page.people import team_people
from awrdiff.web.sign_in.members import no_guest


def people(request: HttpRequest, _access: AccessContext, _asked: None) -> HttpResponse:
    return paging.listed(request, team_people(no_guest(request)).people, None)


def audit(request: HttpRequest, access: AccessContext, asked: AuditQuery) -> HttpResponse:
    """For owners; for a guest there is none. Raises NotFound, PermissionDenied."""
    if access.role == Role.GUEST:
        raise NotFound("There is nothing at this address.")
    found = lines_of(access, LineFilter(who=asked.who, action=asked.action, kind=asked.kind, thing=asked.thing))
    return paging.numbered(request, found, asked.cursor, asked.limit, records)
