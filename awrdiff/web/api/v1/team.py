"""The team's members, share links and audit log."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Role
from awrdiff.audit.queries import LineFilter, lines_of
from awrdiff.sharing.queries import links_for
from awrdiff.web.api.sharing import documents
from awrdiff.web.api.v1 import paging, request_and_response_types
from awrdiff.web.api.v1.operation import closed_to_guests, reads
from awrdiff.web.api.v1.request_and_response_types import AuditQuery, ListQuery
from awrdiff.web.presenters.page.audit import records
from awrdiff.web.presenters.page.people import team_people


@reads(
    "Share links that were not revoked, newest first",
    request_and_response_types.Links,
    request_and_response_types.ListQuery,
)
def links(request: HttpRequest, access: AccessContext, query: ListQuery) -> HttpResponse:
    return paging.newest(request, links_for(access), query.cursor, query.limit, documents)


@reads("Who is on the team, and as what", request_and_response_types.People)
@closed_to_guests
def people(request: HttpRequest, access: AccessContext, _query: None) -> HttpResponse:
    return paging.listed(request, team_people(access).people, None)


@reads(
    "Who did what, newest first", request_and_response_types.Audit, request_and_response_types.AuditQuery, scope="audit"
)
def audit(request: HttpRequest, access: AccessContext, query: AuditQuery) -> HttpResponse:
    """Raises PermissionDenied, or NotFound for guests."""
    if access.role == Role.GUEST:
        raise NotFound("There is nothing at this address.")
    audit_lines = lines_of(access, LineFilter(who=query.who, action=query.action, kind=query.kind, thing=query.thing))
    return paging.numbered(request, audit_lines, query.cursor, query.limit, records)
