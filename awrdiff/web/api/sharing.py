"""Making and revoking share links, as JSON."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse, JsonResponse

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.sharing import services
from awrdiff.sharing.errors import BadDays
from awrdiff.sharing.models import ShareLink
from awrdiff.web import links

DEFAULT_DAYS = 30
_NUMBER = re.compile(r"[0-9]{1,9}")  # int() takes some thousand digits, and then no more


def wanted_days(request: HttpRequest) -> int | None:
    """Field `days`: a number, or `never`; 30 when it is not given. Raises BadDays."""
    given = request.POST.get("days", "").strip()
    if not given:
        return DEFAULT_DAYS
    if given == "never":
        return None
    if not _NUMBER.fullmatch(given) or not 1 <= int(given) <= services.LONGEST_DAYS:
        raise BadDays(f"“days” must be a number from 1 to {services.LONGEST_DAYS}, or “never”.")
    return int(given)


def create(request: HttpRequest, access: AccessContext, comparison: Comparison) -> HttpResponse:
    """POST /comparisons/<id>/links/: 201 with id and url; the only time the url is told."""
    link, token = services.create_link(access, comparison, days=wanted_days(request))
    path = links.shared(token)
    expires = link.expires_at.isoformat() if link.expires_at else None
    body = {"id": str(link.pk), "url": request.build_absolute_uri(path), "path": path, "expires_at": expires}
    return JsonResponse(body, status=201)


def revoke(access: AccessContext, link: ShareLink) -> HttpResponse:
    """DELETE or POST /links/<id>/: 204."""
    services.revoke(access, link)
    return HttpResponse(status=204)
