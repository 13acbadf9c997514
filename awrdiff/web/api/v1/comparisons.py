"""Comparisons: asked for, listed, waited for."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

import msgspec
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.export.document import said_of_pair
from awrdiff.comparisons import library, queries
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.verdicts import current
from awrdiff.web import links
from awrdiff.web.api import comparisons as pages
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import ComparisonQuery, ListQuery, NewComparison
from awrdiff.web.negotiate import conditional
from awrdiff.web.posted import KeyTaken, NotAsDescribed
from awrdiff.web.presenters.incident.findings import judged_in

LONGEST_KEY = 255
REMEMBERED_S = 86_400


def make(request: HttpRequest, access: AccessContext, asked: NewComparison) -> HttpResponse:
    """The same reports in the same order are one comparison, however often they are sent."""
    _same_again(request, access, asked)
    made = pages.made(
        access, [str(pk) for pk in asked.reports], by_time=asked.order == "time", title=asked.title.strip()
    )
    answer = pages.created(access, made)
    answer["Location"] = reverse("api-comparison", args=[made.pk])
    return answer


def _same_again(request: HttpRequest, access: AccessContext, asked: NewComparison) -> None:
    """A key that comes with something else is a mistake of whoever made it. Raises KeyTaken, NotAsDescribed."""
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        return
    if len(key) > LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise NotAsDescribed(f"An Idempotency-Key has at most {LONGEST_KEY} characters, of ASCII.")
    whose = f"{access.team.pk} {access.user.pk if access.user else ''} {key}"
    place = f"once:{hashlib.sha256(whose.encode()).hexdigest()}"
    digest = hashlib.sha256(msgspec.json.encode(asked)).hexdigest()
    if not cache.add(place, digest, REMEMBERED_S) and cache.get(place, digest) != digest:
        raise KeyTaken("This Idempotency-Key came with another request before: make one for each.")


def listed(request: HttpRequest, access: AccessContext, asked: ListQuery) -> HttpResponse:
    return paging.newest(
        request, library.own_comparisons(access), asked.cursor, asked.limit, lambda one: _line(access, one)
    )


def _line(access: AccessContext, comparison: Comparison) -> dict[str, Any]:
    return {
        "id": str(comparison.pk),
        "title": comparison.title,
        "state": comparison.shown_state,
        "error": comparison.error or None,
        "url": links.comparison(access, comparison),
        "created_at": comparison.created_at.isoformat(),
        "reports": [str(place.report_id) for place in comparison.places.all()],
    }


def one(request: HttpRequest, access: AccessContext, asked: ComparisonQuery, pk: UUID) -> HttpResponse:
    """What it says, with what the team makes of its findings; how far it has come until it is ready."""
    found = pages.opened(access, pk)
    said: dict[str, Any] = {}
    if found.is_ready:
        computed = queries.overview(found, asked.pair)
        said = said_of_pair(judged_in(computed, current(access, found, asked.pair), asked.pair))
    document = {
        **pages.state_json(access, found),
        "pair": asked.pair,
        **{name: said.get(name) for name in ("summary", "findings")},
    }
    return conditional(request, JsonResponse(document))
