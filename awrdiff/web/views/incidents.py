"""Incidents: list, page, creation, changes; and the forms of them and their parts, shown again with the typed text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext, Can, NotFound
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.members_and_invitations import writers_of
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparison_for
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.incidents import cached_comparison_answers, comparisons_and_reports, field_validation, queries, services
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.action_tickets import requests_of
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import EventKind, Incident
from awrdiff.incidents.queries import Wanted
from awrdiff.incidents.services import ChangedMeanwhile, Typed
from awrdiff.incidents.timeline import TypedEvent, times_of
from awrdiff.postmortems.weekly_summary import week_of
from awrdiff.reports.errors import UploadRefused
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import ending_with
from awrdiff.threads.queries import of_everybody as threads_of_everybody
from awrdiff.web import idempotency_keys, links, query_options
from awrdiff.web.content_negotiation import done, form_fields, is_api, json_response, wants_json
from awrdiff.web.presenters.incident import form, lists
from awrdiff.web.presenters.incident import page as shown
from awrdiff.web.presenters.incident.json_types import IncidentRole, ListedIncident, as_documents
from awrdiff.web.presenters.incident.time_zone_clock import Clock
from awrdiff.web.presenters.page import share_links, titles
from awrdiff.web.sign_in.permission_helpers import no_guest
from awrdiff.whole_number_input import small_number

EACH = 30
FORM = ["GET", "HEAD", "POST"]
FormTexts = TypeVar("FormTexts", Typed, TypedEvent, TypedAction)


@require_http_methods(FORM)
def incidents(request: HttpRequest) -> HttpResponse:
    """30 at a time: `page`, `q`, `status`, `severity`, `tag`, `mine=1`; or their `week=1`. A POST makes one: `title`,
    `begins_at`, `ends_at`, `time_zone`, `severity` (1 to 4), `summary`, `tags`, `ticket`, `key`.
    """
    access = no_guest(request)
    if request.method == "POST":
        return _make(request, access)
    if request.GET.get("week") == "1":
        return _week(request, access)
    wanted = _wanted(request)
    incidents_page = query_options.page_of(request, queries.list_incidents(access, wanted), EACH)
    listed = lists.lines(list(incidents_page.object_list))
    if wants_json(request):
        items = as_documents(ListedIncident, listed)
        return json_response({"incidents": items, "total": incidents_page.paginator.count})
    context = {
        "access": access,
        "tab": "all",
        "incidents": listed,
        "wanted": wanted,
        "is_filtered": wanted != Wanted(),
        "page": incidents_page,
        "statuses": (("unresolved", "not resolved"), *shown.STATUSES),
        "severities": [(str(number), label) for number, label in shown.SEVERITIES],
        "tags": queries.tags_of(access),
    }
    return render(request, "incidents/list.html", context)


def _week(request: HttpRequest, access: AccessContext) -> HttpResponse:
    if query_options.row_number(request, "team") not in (None, access.team.pk):
        raise NotFound("This is the week of another team.")
    lists = week_of(access)
    if wants_json(request):
        return json_response({"lists": lists})
    return render(request, "incidents/list.html", {"access": access, "tab": "week", "week": lists})


@require_safe
def new_address(request: HttpRequest, to: str, **choice: str) -> HttpResponse:
    """Redirects to the list of the incidents, the week or the action items there."""
    no_guest(request)
    query = urlencode({**choice, **request.GET.dict()})
    return redirect(f"{reverse(to)}?{query}" if query else reverse(to), permanent=True)


def _wanted(request: HttpRequest) -> Wanted:
    parameters = {name: request.GET.get(name, "")[:200].replace("\x00", "") for name in ("status", "severity", "tag")}
    return Wanted(text=query_options.filter_text(request), mine=request.GET.get("mine") == "1", **parameters)


@require_safe
def new(request: HttpRequest) -> HttpResponse:
    """The form for one that no comparison begins."""
    access = no_guest(request)
    zone = queries.last_zone(access)
    typed = Typed("", begins_at=Clock(field_validation.zone_of(zone)).typed(field_validation.now()), time_zone=zone)
    return form_page(request, access, _new_form(typed))


def _make(request: HttpRequest, access: AccessContext) -> HttpResponse:
    typed = typed_fields(request, Typed(""))
    return add_row(
        request,
        access,
        lambda key: services.make(access, typed, client_key=key),
        lambda added: reverse("incident", args=[added.pk]),
        lambda: _new_form(typed),
    )


def _new_form(typed: Typed) -> Form:
    return form_of(form.of_incident(typed), reverse("incidents"), reverse("incidents"), "New incident")


@require_POST
def of_comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Makes an incident of the comparison; with the field `incident`, attaches it to an existing one."""
    access = no_guest(request)
    comparison = comparison_for(access, pk)
    compared, _ = split_traces(placed_reports_of(comparison))
    title = titles.comparison_title(comparison, compared)
    own = None
    if form_fields(request).get("incident"):
        own_incident = queries.incident_for(access, chosen_id(request, "incident"))
    else:
        own = cached_comparison_answers.story_of(comparison)
        suggested = _suggestion(access, comparison, compared, cached_comparison_answers.load(own).suggested)
        own_incident = services.make(access, suggested, client_key=idempotency_keys.key(request))
    comparisons_and_reports.attach(access, own_incident, comparison, title, own)
    return created_response(request, reverse("incident", args=[own_incident.pk]), {"id": str(own_incident.pk)})


def _suggestion(access: AccessContext, comparison: Comparison, compared: list[Any], place: int | None) -> Typed:
    """Named after the worse hour; Second's window while undecided."""
    zone = queries.last_zone(access)
    own = compared[min(1 if place is None else place, len(compared) - 1)]
    clock = Clock(field_validation.zone_of(zone))
    begin, end = clock.moment(own.begin_at), clock.moment(own.end_at)
    title = comparison.title or titles.report_title(own)
    ends = clock.typed(end) if begin and end and end >= begin else ""
    return Typed(title[:200], begins_at=clock.typed(begin or field_validation.now()), ends_at=ends, time_zone=zone)


def chosen_id(request: HttpRequest, name: str) -> UUID:
    try:
        return UUID(form_fields(request).get(name, ""))
    except ValueError:
        raise NotFound(f"There is no such {name}.") from None


@require_safe
def incident(request: HttpRequest, pk: UUID) -> HttpResponse:
    """All of it, with its timeline (`show`: `typed`, `reports` or `review` is a part)."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    context = incident_content(request, access, own_incident)
    if wants_json(request):
        return json_response(shown.for_members(own_incident, context))
    return render(request, "incidents/page.html", {**context, **_for_members(request, access, own_incident)})


def incident_content(
    request: HttpRequest, access: AccessContext, own_incident: Incident, without: frozenset[UUID] = frozenset()
) -> dict[str, Any]:
    """With members' addresses; `without` these comparisons and reports."""
    clock = Clock.of(own_incident)
    parts = shown.parts_of(own_incident, without, access)
    reports = [row for row in queries.reports_of(own_incident) if row.report_id not in without]
    comparisons_and_reports.refresh_reports(reports)
    actions = queries.actions_of(own_incident)
    for action in actions:
        action.incident = own_incident
    requests = {} if access.link else requests_of(own_incident.team, actions)
    action_documents = shown.actions(actions, access.team.ticket_pattern, requests)
    return {
        "access": access,
        "incident": own_incident,
        "threads_url": links.incident_threads(access, own_incident),
        "head": shown.head(own_incident),
        "what": (happened := shown.what_happened(parts, reports)),
        "times": times_of(own_incident, parts.events, happened),
        "beside": request.GET.get("beside", ""),
        "roles": [
            IncidentRole(id=role.pk, sign_in=role.user.get_username(), name=shown_name(role.user), role=role.role)
            for role in own_incident.roles.select_related("user")
        ],
        "comparisons": shown.attached_lines(parts),
        "reports": shown.reports(access, own_incident, reports),
        "evidence": shown.evidence(parts.evidence, parts.hours),
        "verdicts": shown.verdicts(parts.verdicts, parts, clock),
        "actions": action_documents,
        "action_rows": shown.with_items(action_documents, actions, requests),
        **shown.timeline(parts, request.GET.get("show", "")),
    }


def _for_members(request: HttpRequest, access: AccessContext, own_incident: Incident) -> dict[str, Any]:
    return {
        "statuses": shown.STATUSES,
        "made_at": Clock.of(own_incident).text(own_incident.created_at),
        "people": form.people(list(writers_of(access))),
        "keys": {"event": str(uuid4()), "action": str(uuid4())},
        "when": Clock.of(own_incident).typed(
            own_incident.begins_at if own_incident.ends_at else field_validation.now()
        )[:16],
        "kinds": [(kind.value, kind.label) for kind in (EventKind.NOTE, EventKind.ACTION, EventKind.IMPACT)],
        "channel_url": links.channel(own_incident),
        "share": share_links.dialog(request.get_host(), Shows.INCIDENT, own_incident.pk),
    }


@require_http_methods(FORM)
def edit(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The form; a POST changes the fields that it takes. After a concurrent change the typed text is kept and the other
    shown.
    """
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    is_exact = is_api(request)  # which names moments; people name clock times
    now = Typed.exact(own_incident) if is_exact else Typed.of(own_incident)
    typed, back = typed_fields(request, now), reverse("incident", args=[pk])

    def own() -> tuple[Form, list[form.Field]]:
        here = queries.incident_for(access, pk) if request.method == "POST" else own_incident
        shown_form = form_of(form.of_incident(typed), request.path, back, "Change the incident", here.version)
        shown_form |= {"threads_url": links.incident_threads(access, own_incident), "typing": "fields"}
        shown_form["changes"] = form.changes(services.revisions_of(here), Clock.of(here))
        return shown_form, form.of_incident(Typed.of(here))

    def save(version: int) -> Incident:
        return services.update(access, own_incident, version, typed, keeps_moments=is_exact)

    return save_form(request, access, save, back, own)


def typed_fields(request: HttpRequest, now: FormTexts) -> FormTexts:
    """`now` with what the form takes of it."""
    fields = form_fields(request)
    return replace(now, **{name: fields.get(name, "") for name in now.__slots__ if name in fields})


@require_POST
def status(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `status`: `open`, `mitigated`, `resolved` or `reviewed`."""
    access = no_guest(request)
    services.set_status(access, queries.incident_for(access, pk), form_fields(request).get("status", ""))
    return done(request, "incident", pk)


@require_http_methods([*FORM, "DELETE"])
def delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A page that asks first; a POST or DELETE deletes."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    access.check(Can.WRITE)
    if request.method in ("GET", "HEAD"):
        links_end = ending_with(access, own_incident, Shows.INCIDENT, Shows.POSTMORTEM)
        context = {"access": access, "incident": own_incident, "links_end": links_end}
        context["threads"] = threads_of_everybody(own_incident)
        return render(request, "incidents/delete.html", context)
    services.delete(access, own_incident)
    return done(request, "incidents")


@require_POST
def give_role(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Fields `user`, a member's id, and `role`."""
    access = no_guest(request)
    user, role = form_fields(request).get("user", ""), form_fields(request).get("role", "")
    services.give_role(access, queries.incident_for(access, pk), user, role)
    return done(request, "incident", pk)


@require_http_methods(["DELETE", "POST"])
def take_role(request: HttpRequest, pk: UUID, role_pk: int) -> HttpResponse:
    """Takes it."""
    access = no_guest(request)
    services.take_role(access, queries.incident_for(access, pk), role_pk)
    return done(request, "incident", pk)


Form = dict[str, Any]


class Row(Protocol):
    pk: Any


def form_of(fields: list[form.Field], url: str, back: str, heading: str, version: int = 0) -> Form:
    return {"fields": fields, "url": url, "back": back, "to": back, "heading": heading, "version": version}


def form_page(
    request: HttpRequest, access: AccessContext, own: Form, *, refused: str = "", status: int = 200
) -> HttpResponse:
    access.check(Can.WRITE)
    context = {"access": access, "refused": refused, "key": form_fields(request).get("key") or str(uuid4()), **own}
    return render(request, "incidents/form.html", context, status=status)


def add_row(
    request: HttpRequest,
    access: AccessContext,
    add: Callable[[UUID | None], Row],
    place: Callable[[Row], str],
    own: Callable[[], Form],
) -> HttpResponse:
    """Result of `add`, once per form key; `own`: form shown again."""
    try:
        added = add(idempotency_keys.key(request))
    except (IncidentRefused, UploadRefused) as refused:
        if wants_json(request):
            raise
        return form_page(request, access, own(), refused=str(refused), status=400)
    return created_response(request, place(added), {"id": added.pk})


def save_form(
    request: HttpRequest,
    access: AccessContext,
    save: Callable[[int], object],
    to: str,
    own: Callable[[], tuple[Form, list[form.Field]]],
) -> HttpResponse:
    """Saves over the version read. `own`: form after a concurrent change, with typed text and current fields."""
    if request.method != "POST":
        return form_page(request, access, {**own()[0], "to": to})
    version = small_number(form_fields(request).get("version"))
    try:
        save(version)
    except (IncidentRefused, ChangedMeanwhile, UploadRefused) as refused:
        if wants_json(request):
            raise
        typed, now = own()
        typed["to"] = to
        if isinstance(refused, ChangedMeanwhile):
            typed["fields"] = form.put_together(typed["fields"], now, refused.merged)
            return form_page(request, access, typed, refused=str(refused), status=409)
        return form_page(request, access, {**typed, "version": version}, refused=str(refused), status=400)
    return done(request, to)


def created_response(request: HttpRequest, url: str, document: dict[str, Any]) -> HttpResponse:
    return JsonResponse({**document, "url": url}, status=201) if wants_json(request) else redirect(url)
