"""Paged lists: a cursor marks the last item, unaffected by newer ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from awrdiff.web.content_negotiation import conditional, json_response

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def newest(
    request: HttpRequest,
    rows: QuerySet[Any],
    cursor: str,
    limit: int,
    documents: Callable[[Sequence[Any]], Sequence[Any]],
) -> HttpResponse:
    """By creation time."""
    rows = rows.order_by("-created_at", "-pk")
    if cursor:
        microseconds, _, hex_id = cursor.partition(".")  # as kinds.Cursor describes it
        at, pk = EPOCH + int(microseconds) * _MICROSECOND, UUID(hex=hex_id)
        rows = rows.filter(created_at__lte=at).exclude(created_at=at, pk__gte=pk)  # an index begins where it ends
    items = list(rows[: limit + 1])
    last = items[limit - 1] if len(items) > limit else None
    following = f"{(last.created_at - EPOCH) // _MICROSECOND:016}.{last.pk.hex}" if last is not None else None
    return listed(request, documents(items[:limit]), following)


def numbered(
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
    return listed(request, documents(items[:limit]), following)


def listed(request: HttpRequest, items: Sequence[Any], following: str | None = None) -> HttpResponse:
    """`{"items", "next"}`: the next page's address, or null."""
    query = {**request.GET.dict(), "cursor": following}
    document = {"items": items, "next": f"{request.path}?{urlencode(query)}" if following else None}
    return conditional(request, json_response(document))
