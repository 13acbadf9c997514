"""Idempotency-Key: repeated POSTs with one key act once.

Rows store it for good (`form_key`): no restart or empty cache makes a second row. The cache only detects, for a day, a
key reused with another address or body.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from uuid import UUID, uuid5

from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase

from awrdiff.accounts.access import AccessContext
from awrdiff.web.form_keys import KeyTaken, NotAsDescribed

LONGEST_KEY = 255
REMEMBERED_S = 86_400
_FORMS = UUID("0d6a0d8e-3a57-4f0e-9f2b-2c9b1f4f7c11")  # rows keep what is made of it: never another


def once(
    request: HttpRequest, access: AccessContext, sent: bytes, do: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Raises KeyTaken for another address or JSON; files are not compared."""
    key = _key(request)
    if not key:
        return do()
    place = f"once:{hashlib.sha256(_whose(access, key).encode()).hexdigest()}"
    digest = hashlib.sha256(f"{request.path}\n".encode() + sent).hexdigest()
    is_first = cache.add(place, digest, REMEMBERED_S)
    if not is_first and cache.get(place, digest) != digest:
        raise KeyTaken("This Idempotency-Key came with another request before: make one for each.")
    is_done = False
    try:
        answer = do()
        is_done = answer.status_code < HTTPStatus.BAD_REQUEST
    finally:
        if is_first and not is_done:  # mended, it is sent under the same key
            cache.delete(place)
    return answer


def form_key(request: HttpRequest, access: AccessContext) -> UUID | None:
    """For this sender, address and Idempotency-Key."""
    key = _key(request)
    return uuid5(_FORMS, f"{_whose(access, key)}\n{request.path}") if key else None


def _key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY or not (key.isascii() and (key.isprintable() or not key)):
        raise NotAsDescribed(f"An Idempotency-Key has at most {LONGEST_KEY} characters, of ASCII.")
    return key


def _whose(access: AccessContext, key: str) -> str:
    return f"{access.team.pk} {access.user.pk if access.user else ''} {key}"
