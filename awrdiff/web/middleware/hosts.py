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
    """A request under a name that is not ours ends here: 400 with a sentence, and a line in the log now and then.

    Django's own refusal writes a traceback for each; whoever scans the network would fill the log with them.
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
    said = answer(
        request,
        400,
        f"This server does not answer to the name “{host}”. Use the address that whoever runs it gave you; "
        "they say which names it has with AWRDIFF_ALLOWED_HOSTS.",
    )
    said["X-Content-Type-Options"] = "nosniff"
    said._has_been_logged = True  # type: ignore[attr-defined] # or Django writes a line for each
    return said
