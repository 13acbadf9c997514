"""Signed messages from other servers: the status of a ticket."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from awrdiff.incidents import tracker
from awrdiff.notices import signatures
from awrdiff.web.inbound import message_of, tracker_team
from awrdiff.web.negotiate import json_response


@csrf_exempt
@require_POST
def ticket_status(request: HttpRequest, pk: int) -> HttpResponse:
    """For trackers, signed: JSON with `ticket` (its reference or address), `status` (`done`, `closed`, `resolved`,
    `completed`; `reopened`, `open`, `opened`, `new`, `in progress`, `indeterminate`) and, optional, its `url`. Action
    items that carry the ticket follow; answers how many do (`items`), and how many `changed`.
    """
    team = tracker_team(request, pk)
    signature = request.headers[signatures.HEADER]
    return json_response(tracker.receive(team, message_of(request, tracker.TicketStatus), signature))
