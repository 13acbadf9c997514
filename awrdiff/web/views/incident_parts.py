"""Parts of an incident."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext, Can
from awrdiff.accounts.display_names import both_names
from awrdiff.accounts.members_and_invitations import writers_of
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.comparisons import comparisons_by_database
from awrdiff.comparisons.queries import comparison_for
from awrdiff.comparisons.report_pairs import other_way
from awrdiff.comparisons.report_places_and_titles import placed_reports_of, titles_of
from awrdiff.incidents import (
    action_items,
    action_tickets,
    chat_channel,
    comparisons_and_reports,
    evidence,
    queries,
    services,
    timeline,
)
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.action_tickets import requests_of
from awrdiff.incidents.bad_hour_selection import Hours
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import ActionItem, Evidence, Incident, IncidentComparison, TimelineEvent
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.reports.queries import report_for
from awrdiff.threads import attachments
from awrdiff.web import links, query_options
from awrdiff.web.comparison_redirects import with_direction
from awrdiff.web.content_negotiation import done, form_fields, json_list, json_response, wants_json
from awrdiff.web.presenters.incident import form
from awrdiff.web.presenters.incident import page as shown
from awrdiff.web.presenters.incident.json_types import KeptEvidence, as_documents
from awrdiff.web.presenters.incident.time_zone_clock import Clock
from awrdiff.web.presenters.page import titles
from awrdiff.web.presenters.threads.attachments import attachment_lines
from awrdiff.web.sign_in.permission_helpers import no_guest
from awrdiff.web.uploads import attached_files
from awrdiff.web.views.baselines import pair_or_view
from awrdiff.web.views.incidents import (
    FORM,
    Form,
    add_row,
    chosen_id,
    created_response,
    form_of,
    save_form,
    typed_fields,
)
from awrdiff.whole_number_input import whole_number

AWAY = ["DELETE", "POST"]
EACH = 100
MOST_OFFERED = 20


def _page(pk: UUID, place: str = "") -> str:
    return reverse("incident", args=[pk]) + place


@require_safe
def candidates(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Comparisons and reports that can be attached: the latest, or matches of `q`."""
    access = no_guest(request)
    own_incident, text = queries.incident_for(access, pk), query_options.filter_text(request)
    access.check(Can.WRITE)
    matching = (
        comparisons_by_database.matching(access, text)
        if text
        else (comparisons_by_database.own_comparisons(access), comparisons_by_database.own_reports(access))
    )
    comparisons = matching[0].exclude(incidents__incident=own_incident)[:MOST_OFFERED]
    reports = matching[1].exclude(incidents__incident=own_incident)[:MOST_OFFERED]
    names = titles_of(list(comparisons))
    context = {
        "access": access,
        "incident": own_incident,
        "filter": text,
        "comparisons": [(str(key), title) for key, title in names.items()],
        "reports": [(str(report.pk), titles.report_title(report), report.name) for report in reports],
    }
    return render(request, "incidents/attach.html", context)


@require_POST
def attach(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `comparison`: attaches it."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    comparison, _ = with_direction(access, chosen_id(request, "comparison"))
    title = titles.comparison_title(comparison, placed_reports_of(comparison))
    comparisons_and_reports.attach(access, own_incident, comparison, title)
    return done(request, "incident", pk)


@require_http_methods(AWAY)
def detach(request: HttpRequest, pk: UUID, comparison_pk: UUID) -> HttpResponse:
    """Detaches it; its evidence stays."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    if IncidentComparison.objects.filter(incident=own_incident, comparison=comparison_pk).exists():
        comparison = comparison_for(access, comparison_pk)
        title = titles.comparison_title(comparison, placed_reports_of(comparison))
        comparisons_and_reports.detach(access, own_incident, comparison_pk, title)
    return done(request, "incident", pk)


@require_POST
def choose_hour(request: HttpRequest, pk: UUID, comparison_pk: UUID) -> HttpResponse:
    """Field `place`: of the report whose hour is the incident's, 0 the first."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    compared, _ = split_traces(placed_reports_of(comparison_for(access, comparison_pk)))
    clock = Clock.of(own_incident)
    hours = []
    for place, placed_report in enumerate(compared):
        span = clock.span(placed_report.begin_at, placed_report.end_at) or (None, None)
        hours.append(comparisons_and_reports.Hour(place, titles.report_title(placed_report), *span))
    comparisons_and_reports.choose(access, own_incident, comparison_pk, _place_of(request), hours)
    return done(request, "incident", pk)


@require_POST
def choose_report_hour(request: HttpRequest, pk: UUID, report_pk: UUID) -> HttpResponse:
    """Field `place`: 1 if the report's hour is the incident's, 0 if it is for comparison."""
    access = no_guest(request)
    place = _place_of(request)
    if place not in (0, 1):
        raise IncidentRefused("“place” must be 1 or 0: the incident's hour, or one for comparison.")
    comparisons_and_reports.choose_report(access, queries.incident_for(access, pk), report_pk, bad=place == 1)
    return done(request, "incident", pk)


def _place_of(request: HttpRequest) -> int:
    place = whole_number(form_fields(request).get("place"), 999)
    return -1 if place is None else place


@require_POST
def attach_report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `report`: attaches a report or a trace."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    comparisons_and_reports.attach_report(access, own_incident, report_for(access, chosen_id(request, "report")))
    return done(request, "incident", pk)


@require_http_methods(AWAY)
def detach_report(request: HttpRequest, pk: UUID, report_pk: UUID) -> HttpResponse:
    """Detaches it."""
    access = no_guest(request)
    comparisons_and_reports.detach_report(access, queries.incident_for(access, pk), report_pk)
    return done(request, "incident", pk)


@require_POST
def choose_channel(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `channel`: `on`, `new` (another address) or `off`: whether a channel's messages come onto the timeline.
    Scripts are told the `url`.
    """
    access = no_guest(request)
    incident = chat_channel.choose_channel(
        access, queries.incident_for(access, pk), form_fields(request).get("channel", "")
    )
    return (
        JsonResponse({"url": links.channel(incident) or None})
        if wants_json(request)
        else done(request, _page(pk, "#timeline"))
    )


@require_POST
def add_event(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Fields `at`, `text`, `kind` (`note`, `action`, `impact`), `key`, `files`."""
    access = no_guest(request)
    own_incident, typed = queries.incident_for(access, pk), typed_fields(request, TypedEvent("", ""))
    return add_row(
        request,
        access,
        lambda key: _with_files(request, access, lambda: timeline.add(access, own_incident, typed, client_key=key)),
        lambda added: _page(pk, f"#event-{added.pk}"),
        lambda: {
            **form_of(form.of_event(typed, own_incident.time_zone), request.path, _page(pk), "Something that happened"),
            "takes_files": True,
        },
    )


def _with_files(request: HttpRequest, access: AccessContext, save: Callable[[], TimelineEvent]) -> TimelineEvent:
    return attachments.saved_with(access, attached_files(request), save)


@require_http_methods(FORM)
def event(request: HttpRequest, pk: UUID, event_pk: int) -> HttpResponse:
    """A form with its former texts; a POST saves it."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    event = queries.event_for(access, own_incident, event_pk)
    typed = typed_fields(request, TypedEvent.of(event, own_incident.time_zone))

    def own() -> tuple[Form, list[form.Field]]:
        here = queries.event_for(access, own_incident, event_pk) if request.method == "POST" else event
        fields = form.of_event(typed, own_incident.time_zone)
        own = form_of(fields, request.path, _page(own_incident.pk), "Change what happened", here.version)
        own["remove_url"] = reverse("incident-event-remove", args=[own_incident.pk, here.pk])
        own["edits"] = form.edits(here)
        own |= {"takes_files": True, "files": attachment_lines(access, here.attachments.all())}
        own |= {"threads_url": links.incident_threads(access, own_incident), "typing": f"event-{here.pk}"}
        return own, form.of_event(TypedEvent.of(here, own_incident.time_zone), own_incident.time_zone)

    to = _page(pk, f"#event-{event_pk}")

    def save(version: int) -> TimelineEvent:
        return _with_files(request, access, lambda: timeline.change(access, event, version, typed))

    return save_form(request, access, save, to, own)


@require_http_methods(AWAY)
def remove_event(request: HttpRequest, pk: UUID, event_pk: int) -> HttpResponse:
    """Removes it."""
    access = no_guest(request)
    timeline.remove(access, queries.event_for(access, queries.incident_for(access, pk), event_pk))
    return done(request, "incident", pk)


@require_http_methods(FORM)
def all_evidence(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Evidence as stored and as it is now; a POST stores the place of `anchor`, in the view against a baseline if the
    address has one.
    """
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    if request.method == "POST":
        stored = _keep(request, access, own_incident)
        return created_response(request, _page(pk, f"#evidence-{stored.pk}"), {"id": stored.pk, "title": stored.title})
    rows = queries.evidence_of(own_incident)
    hours = Hours.of(queries.comparisons_of(own_incident), (), rows)
    listed = shown.live_evidence(evidence.live(rows), hours)
    if wants_json(request):
        return json_list(request, "evidence", as_documents(KeptEvidence, listed))
    return render(request, "incidents/_evidence.html", {"access": access, "incident": own_incident, "evidence": listed})


def _keep(request: HttpRequest, access: AccessContext, incident: Incident) -> Evidence:
    comparison, is_former = with_direction(access, chosen_id(request, "comparison"))
    if (where := pair_or_view(request, comparison)) is None:
        raise IncidentRefused(evidence.NOTHING_HERE)
    pair, view = where
    former_swap = other_way(pair) if is_former and view is None else None
    pair = pair if former_swap is None else former_swap
    return evidence.keep(access, incident, comparison, form_fields(request).get("anchor", ""), pair=pair, baseline=view)


@require_POST
def note_evidence(request: HttpRequest, pk: UUID, evidence_pk: int) -> HttpResponse:
    """Field `note`, and `was`: its text when read; 409 if changed since."""
    access = no_guest(request)
    evidence_row = queries.evidence_for(access, queries.incident_for(access, pk), evidence_pk)
    typed, was = (form_fields(request).get(name, "") for name in ("note", "was"))
    to = _page(pk, f"#evidence-{evidence_pk}")

    def own() -> tuple[Form, list[form.Field]]:
        now = queries.evidence_for(access, evidence_row.incident, evidence_pk).note
        typed_form = form_of(form.of_note(typed), request.path, to, f"Note on {evidence_row.title}")
        return {**typed_form, "was": now}, form.of_note(now)

    return save_form(request, access, lambda _: evidence.annotate(access, evidence_row, typed, was), to, own)


@require_http_methods(AWAY)
def remove_evidence(request: HttpRequest, pk: UUID, evidence_pk: int) -> HttpResponse:
    """Removes it."""
    access = no_guest(request)
    evidence.remove(access, queries.evidence_for(access, queries.incident_for(access, pk), evidence_pk))
    return done(request, "incident", pk)


@require_POST
def add_action(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Fields `text`, `owner` (an id), `due` (a day), `link` (a ticket), `key`."""
    access = no_guest(request)
    own_incident, typed = queries.incident_for(access, pk), typed_fields(request, TypedAction(""))
    return add_row(
        request,
        access,
        lambda key: action_items.add(access, own_incident, typed, client_key=key),
        lambda added: _page(pk, f"#action-{added.pk}"),
        lambda: form_of(form.of_action(typed, _people(access)), request.path, _page(pk), "An action item"),
    )


@require_http_methods(FORM)
def action(request: HttpRequest, pk: UUID, action_pk: int) -> HttpResponse:
    """The form; a POST changes the fields that it takes."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    action = queries.action_for(access, own_incident, action_pk)
    typed = typed_fields(request, TypedAction.of(action))

    def own() -> tuple[Form, list[form.Field]]:
        here = queries.action_for(access, own_incident, action_pk) if request.method == "POST" else action
        people = _people(access)
        owners = dict(people)
        if here.owner is not None:
            owners.setdefault(str(here.owner_id), both_names(here.owner))
        fields = form.of_action(typed, tuple(owners.items()))
        own = form_of(fields, request.path, _page(here.incident_id), "Change the action item", here.version)
        own["remove_url"] = reverse("incident-action-remove", args=[here.incident_id, here.pk])
        own |= {"threads_url": links.incident_threads(access, here.incident), "typing": f"action-{here.pk}"}
        own["changes"] = form.changes(services.revisions_of(here), Clock.of(here.incident))
        return own, form.of_action(TypedAction.of(here), people)

    to = _page(pk, f"#action-{action_pk}")
    return save_form(request, access, lambda version: action_items.change(access, action, version, typed), to, own)


@require_POST
def action_state(request: HttpRequest, pk: UUID, action_pk: int) -> HttpResponse:
    """Field `state`: `open`, `done` or `dropped`."""
    access = no_guest(request)
    item = queries.action_for(access, queries.incident_for(access, pk), action_pk)
    action_items.set_state(access, item, form_fields(request).get("state", ""))
    return done(request, _item_or_list(request, item))


@require_POST
def ask_ticket(request: HttpRequest, pk: UUID, action_pk: int) -> HttpResponse:
    """Requests a ticket for the item from the team's webhook."""
    access = no_guest(request)
    item = queries.action_for(access, queries.incident_for(access, pk), action_pk)
    action_tickets.ask(access, item)
    return done(request, _item_or_list(request, item))


def _item_or_list(request: HttpRequest, item: ActionItem) -> str:
    listed = form_fields(request).get("to") == "actions"
    return reverse("actions") if listed else _page(item.incident_id, f"#action-{item.pk}")


@require_http_methods(AWAY)
def remove_action(request: HttpRequest, pk: UUID, action_pk: int) -> HttpResponse:
    """Removes it."""
    access = no_guest(request)
    action_items.remove(access, queries.action_for(access, queries.incident_for(access, pk), action_pk))
    return done(request, "incident", pk)


@require_safe
def all_actions(request: HttpRequest) -> HttpResponse:
    """Across incidents, 100 at a time: open ones, the reader's own with `mine=1`, all with `state=all`."""
    access = no_guest(request)
    state = request.GET.get("state", "open")
    mine = request.GET.get("mine") == "1"
    known_state = state if state in ("open", "done", "dropped") else ""
    items_page = query_options.page_of(request, queries.actions_for(access, state=known_state, mine=mine), EACH)
    items = list(items_page.object_list)
    requests = requests_of(access.team, items)
    listed = shown.actions(items, access.team.ticket_pattern, requests)
    if wants_json(request):
        return json_response({"actions": listed, "total": items_page.paginator.count})
    states = (("open", "Open"), ("done", "Done"), ("dropped", "Dropped"), ("all", "All"))
    context = {
        "access": access,
        "tab": "actions",
        "action_rows": shown.with_items(listed, items, requests),
        "state": known_state or "all",
        "mine": mine,
        "states": states,
    }
    return render(request, "incidents/actions.html", {**context, "page": items_page})


def _people(access: AccessContext) -> form.Options:
    return form.people(list(writers_of(access)))
