"""Messages from trackers and channels."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from awrdiff.accounts import rate_limits
from awrdiff.accounts.models import Team
from awrdiff.accounts.token_hashing import derived_token
from awrdiff.incidents import action_tickets, chat_channel
from awrdiff.incidents.models import Incident
from awrdiff.notices import webhooks
from awrdiff.notices.models import TeamNotices
from awrdiff.web.content_negotiation import json_response
from awrdiff.web.idempotency_keys import NotAsDescribed
from awrdiff.web.sign_in.known_browsers import client_address


@csrf_exempt
@require_POST
def ticket_status(request: HttpRequest, pk: int) -> HttpResponse:
    """For trackers, signed: JSON with `ticket` (its reference or address), `status` (`done`, `closed`, `resolved`,
    `completed`; `reopened`, `open`, `opened`, `new`, `in progress`, `indeterminate`) and, optional, its `url`. Action
    items that carry the ticket follow; answers how many do (`items`), and how many `changed`.
    """
    team, digest = tracker_team(request, pk)
    return json_response(action_tickets.receive_status(team, message_of(request, action_tickets.TicketStatus), digest))


@csrf_exempt
@require_POST
def timeline(request: HttpRequest, pk: UUID, token: str) -> HttpResponse:
    """For channels, at the incident's secret address: JSON with `text`, `author`, `at` (ISO 8601; without an offset by
    the incident's clocks) and, optional, an `id`, by which a repeated message is known (else by the other three); or a
    list of them. They become notes on the timeline; answers how many were `added`, and how many were `known`.
    """
    incident = channel_incident(request, pk, token)
    sent = message_of(request, chat_channel.ChannelMessage | list[chat_channel.ChannelMessage])
    return json_response(chat_channel.receive_messages(incident, sent if isinstance(sent, list) else [sent]))


MOST_BYTES = 64 * 1024
A_MINUTE = 300  # from one address, signed or not


class MessageTooLong(ValueError):
    """A message of more than MOST_BYTES."""


def tracker_team(request: HttpRequest, pk: int) -> tuple[Team, str]:
    """Without a tracker it answers as for a wrong signature. Raises MessageTooLong, TooMuch, BadSignature."""
    body = body_of(request)
    teams = Team.objects.filter(pk=pk)  # an id beyond what the database counts to is none, which a foreign key's is not
    target = TeamNotices.objects.select_related("team").filter(team__in=teams).exclude(tracker_nonce=None).first()
    secret = target.tracker_secret if target is not None else derived_token("tracker of nobody")
    digest = webhooks.check_signature(secret, body, request.headers.get(webhooks.SIGNATURE_HEADER, ""), time.time())
    if target is None:
        raise webhooks.BadSignature
    return target.team, digest


def channel_incident(request: HttpRequest, pk: UUID, token: str) -> Incident:
    """Raises MessageTooLong, TooMuch, NotFound."""
    body_of(request)
    return chat_channel.incident_of(pk, token)


def body_of(request: HttpRequest) -> bytes:
    """Raises MessageTooLong, TooMuch."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_BYTES:
        raise MessageTooLong(f"A message has at most {MOST_BYTES // 1024} KB.")
    if (address := client_address(request)) is not None:
        rate_limits.spend_this_minute(
            f"inbound:{address}", 1, A_MINUTE, "Too many messages come from your address: try again"
        )
    return request.body


def message_of(request: HttpRequest, kind: Any) -> Any:
    """Unknown fields are ignored. Raises NotAsDescribed."""
    try:
        return msgspec.json.decode(request.body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotAsDescribed(f"The message is not as described: {error}") from None
