"""Messages from other servers: the status of a ticket, and what a channel says of an incident."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from awrdiff.incidents import channel, tracker
from awrdiff.web.inbound import channel_incident, message_of, tracker_team
from awrdiff.web.negotiate import json_response


@csrf_exempt
@require_POST
def ticket_status(request: HttpRequest, pk: int) -> HttpResponse:
    """For trackers, signed: JSON with `ticket` (its reference or address), `status` (`done`, `closed`, `resolved`,
    `completed`; `reopened`, `open`, `opened`, `new`, `in progress`, `indeterminate`) and, optional, its `url`. Action
    items that carry the ticket follow; answers how many do (`items`), and how many `changed`.
    """
    team, digest = tracker_team(request, pk)
    return json_response(tracker.receive(team, message_of(request, tracker.TicketStatus), digest))


@csrf_exempt
@require_POST
def timeline(request: HttpRequest, pk: UUID, token: str) -> HttpResponse:
    """For channels, at the incident's secret address: JSON with `text`, `author`, `at` (ISO 8601; without an offset by
    the incident's clocks) and, optional, an `id`, by which a repeated message is known (else by the other three); or a
    list of them. They become notes on the timeline; answers how many were `added`, and how many were `known`.
    """
    incident = channel_incident(request, pk, token)
    sent = message_of(request, channel.ChannelMessage | list[channel.ChannelMessage])
    return json_response(channel.receive(incident, sent if isinstance(sent, list) else [sent]))
