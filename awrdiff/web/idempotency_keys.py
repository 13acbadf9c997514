"""Additional fields of forms and scripts."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest

from awrdiff.web.content_negotiation import form_fields


class BadKey(ValueError):
    """The key of a form is none."""


def key(request: HttpRequest) -> UUID | None:
    """Client's, against double posts. None if not sent."""
    key_text = form_fields(request).get("key")
    try:
        return UUID(key_text) if key_text else None
    except ValueError:
        raise BadKey("“key” must be a UUID.") from None


class NotAsDescribed(ValueError):
    """API input that violates its description."""


class KeyTaken(ValueError):
    """The Idempotency-Key was sent with something else before."""
