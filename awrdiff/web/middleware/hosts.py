"""Under which names the server answers."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse

from awrdiff.logs import Seldom
from awrdiff.web.views.errors import answer

logger = logging.getLogger(__name__)
_refusals = Seldom(every_s=60)


class KnownHost:
    """Unknown host names: 400 with a sentence, and an occasional log line.

    Django's own refusal logs a traceback each, with which scanners would fill the log.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            request.get_host()
        except DisallowedHost:
            return _refusal(request)
        return self.get_response(request)


def _refusal(request: HttpRequest) -> HttpResponse:
    host, left_out = request.META.get("HTTP_HOST", "")[:100], _refusals.now()
    if left_out is not None:
        logger.warning(
            "refused a request for the host %r, which AWRDIFF_ALLOWED_HOSTS does not name; %d more since the last line",
            host,
            left_out,
        )
    response = answer(
        request,
        400,
        f"This server does not answer to the name “{host}”. Use the address that whoever runs it gave you; "
        "they say which names it has with AWRDIFF_ALLOWED_HOSTS.",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response._has_been_logged = True  # type: ignore[attr-defined] # or Django writes a line for each
    return response
