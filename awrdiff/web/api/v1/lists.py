"""Lists of a team's rows, in pages: a cursor marks the last item, unaffected by newer ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from msgspec import UNSET

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Role
from awrdiff.audit.queries import LineFilter, lines_of
from awrdiff.comparisons import comparisons_by_database
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.databases.report_assignment import uid_of_name
from awrdiff.incidents.action_tickets import requests_of
from awrdiff.incidents.models import ActionItem, Incident
from awrdiff.incidents.queries import Wanted, actions_for, list_incidents
from awrdiff.reports.models import Report
from awrdiff.sharing.queries import links_for
from awrdiff.web import links
from awrdiff.web.api.reports import sent_fields
from awrdiff.web.api.sharing import documents as link_documents
from awrdiff.web.api.v1 import request_and_response_types
from awrdiff.web.api.v1.operation import closed_to_guests, reads
from awrdiff.web.api.v1.request_and_response_types import (
    ActionsQuery,
    AuditQuery,
    ComparisonsQuery,
    Database,
    DatabasesQuery,
    IncidentsQuery,
    ListedComparison,
    ListedReport,
    ListQuery,
    ReportsQuery,
)
from awrdiff.web.content_negotiation import conditional, json_response
from awrdiff.web.presenters.incident import json_types as answers
from awrdiff.web.presenters.incident import lists
from awrdiff.web.presenters.incident import page as shown
from awrdiff.web.presenters.page.audit import records
from awrdiff.web.presenters.page.members_tokens_and_teams import team_people

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def _newest(
    request: HttpRequest,
    rows: QuerySet[Any],
    cursor: str,
    limit: int,
    documents: Callable[[Sequence[Any]], Sequence[Any]],
) -> HttpResponse:
    """By creation time."""
    rows = rows.order_by("-created_at", "-pk")
    if cursor:
        microseconds, _, hex_id = cursor.partition(".")  # as `Cursor` describes it
        at, pk = EPOCH + int(microseconds) * _MICROSECOND, UUID(hex=hex_id)
        rows = rows.filter(created_at__lte=at).exclude(created_at=at, pk__gte=pk)  # an index begins where it ends
    items = list(rows[: limit + 1])
    last = items[limit - 1] if len(items) > limit else None
    following = f"{(last.created_at - EPOCH) // _MICROSECOND:016}.{last.pk.hex}" if last is not None else None
    return _listed(request, documents(items[:limit]), following)


def _numbered(
    request: HttpRequest,
    rows: QuerySet[Any],
    cursor: str,
    limit: int,
    documents: Callable[[Sequence[Any]], Sequence[Any]],
) -> HttpResponse:
    """Highest row number first."""
    rows = rows.order_by("-pk")
    items = list((rows.filter(pk__lt=int(cursor)) if cursor else rows)[: limit + 1])
    following = str(items[limit - 1].pk) if len(items) > limit else None
    return _listed(request, documents(items[:limit]), following)


def _listed(request: HttpRequest, items: Sequence[Any], following: str | None = None) -> HttpResponse:
    """`{"items", "next"}`: the next page's address, or null."""
    query = {**request.GET.dict(), "cursor": following}
    document = {"items": items, "next": f"{request.path}?{urlencode(query)}" if following else None}
    return conditional(request, json_response(document))


@reads("The team's reports, newest first", request_and_response_types.Reports, request_and_response_types.ReportsQuery)
@closed_to_guests
def reports(request: HttpRequest, access: AccessContext, query: ReportsQuery) -> HttpResponse:
    if query.database is UNSET:
        rows = comparisons_by_database.own_reports(access)
    else:
        rows = comparisons_by_database.reports_of(access, _group_named(access, query.database))
    if query.sha256:
        rows = rows.filter(sha256=query.sha256)
    return _newest(request, rows, query.cursor, query.limit, lambda some: [_report(access, report) for report in some])


def _report(access: AccessContext, report: Report) -> ListedReport:
    return ListedReport(
        **sent_fields(access, report),
        created_at=report.created_at.isoformat(),
        kind=report.kind or None,
        release=report.release or None,
        database=report.db_name or None,
        dbid=report.dbid or None,
        instance=report.instance_name or None,
        host=report.host_name or None,
        begin=report.begin_at or None,
        end=report.end_at or None,
    )


@reads(
    "The team's comparisons, newest first",
    request_and_response_types.Comparisons,
    request_and_response_types.ComparisonsQuery,
)
def comparisons(request: HttpRequest, access: AccessContext, query: ComparisonsQuery) -> HttpResponse:
    rows = comparisons_by_database.own_comparisons(access)
    if query.report is not UNSET:
        rows = rows.filter(pk__in=ComparisonReport.objects.filter(report=query.report).values("comparison"))
    return _newest(
        request,
        rows,
        query.cursor,
        query.limit,
        lambda some: [_comparison(access, comparison) for comparison in some],
    )


def _comparison(access: AccessContext, comparison: Comparison) -> ListedComparison:
    return ListedComparison(
        id=comparison.pk,
        title=comparison.title,
        state=comparison.shown_state,  # type: ignore[arg-type] # one of processing.models.State
        error=comparison.error or None,
        url=links.comparison(access, comparison),
        created_at=comparison.created_at.isoformat(),
        reports=[place.report_id for place in comparison.places.all()],
    )


def _id_of(group: comparisons_by_database.Group, used_ids: Collection[UUID]) -> UUID:
    """Without a database made from the name; another if a database migrated from a name has that (`used_ids`)."""
    if group.uid:
        return group.uid
    return _alone(group.name) if uid_of_name(group.name) in used_ids else uid_of_name(group.name)


def _alone(name: str) -> UUID:
    return uid_of_name(f"{name}\x00")  # no report prints that


def _group_named(access: AccessContext, wanted: UUID) -> comparisons_by_database.Group:
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


@reads(
    "Databases that there are reports or comparisons of",
    request_and_response_types.Databases,
    request_and_response_types.DatabasesQuery,
)
@closed_to_guests
def databases(request: HttpRequest, access: AccessContext, query: DatabasesQuery) -> HttpResponse:
    """By id, without nameless groups."""
    used_ids = comparisons_by_database.ids(access)
    entries = {
        _id_of(entry.group, used_ids): entry
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
    return _listed(request, documents, page[-1].hex if len(items) > query.limit else None)


@reads("The team's incidents, the one made last first", answers.Incidents, request_and_response_types.IncidentsQuery)
@closed_to_guests
def incidents(request: HttpRequest, access: AccessContext, query: IncidentsQuery) -> HttpResponse:
    wanted = Wanted(status=query.status, severity="" if query.severity is UNSET else str(query.severity), tag=query.tag)

    def documents(some: Sequence[Incident]) -> list[answers.ListedIncident]:
        return answers.as_documents(answers.ListedIncident, lists.lines(some))

    return _newest(request, list_incidents(access, wanted), query.cursor, query.limit, documents)


@reads("Action items of all incidents, newest first", answers.Actions, request_and_response_types.ActionsQuery)
@closed_to_guests
def actions(request: HttpRequest, access: AccessContext, query: ActionsQuery) -> HttpResponse:
    items = actions_for(access, state=query.state, mine=query.mine)

    def documents(some: Sequence[ActionItem]) -> list[answers.ActionItem]:
        return shown.actions(some, access.team.ticket_pattern, requests_of(access.team, some))

    return _numbered(request, items, query.cursor, query.limit, documents)


@reads(
    "Share links that were not revoked, newest first",
    request_and_response_types.Links,
    request_and_response_types.ListQuery,
)
def share_links(request: HttpRequest, access: AccessContext, query: ListQuery) -> HttpResponse:
    return _newest(request, links_for(access), query.cursor, query.limit, link_documents)


@reads("Who is on the team, and as what", request_and_response_types.People)
@closed_to_guests
def people(request: HttpRequest, access: AccessContext, _query: None) -> HttpResponse:
    return _listed(request, team_people(access).people)


@reads(
    "Who did what, newest first", request_and_response_types.Audit, request_and_response_types.AuditQuery, scope="audit"
)
def audit(request: HttpRequest, access: AccessContext, query: AuditQuery) -> HttpResponse:
    """Raises PermissionDenied, or NotFound for guests."""
    if access.role == Role.GUEST:
        raise NotFound("There is nothing at this address.")
    audit_lines = lines_of(access, LineFilter(who=query.who, action=query.action, kind=query.kind, thing=query.thing))
    return _numbered(request, audit_lines, query.cursor, query.limit, records)
