"""What forms and scripts send along with what they write."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest


class BadKey(ValueError):
    """The key of a form is none."""


def key(request: HttpRequest) -> UUID | None:
    """Field `key`, made by whoever posts: what is posted twice under one is there once. None where none was sent."""
    given = request.POST.get("key")
    try:
        return UUID(given) if given else None
    except ValueError:
        raise BadKey("“key” must be a UUID.") from None


class NotAsDescribed(ValueError):
    """What was sent to the API is not what its description says."""


class KeyTaken(ValueError):
    """The Idempotency-Key was sent with something else before."""
