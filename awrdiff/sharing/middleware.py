"""Every answer under /s/: not indexed, not stored, the address with its token told to nobody; 429 for too many."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from awrdiff.sharing.rate import TooMuch
from awrdiff.web.views.errors import answer


class SharedPageHeaders:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path_info.startswith("/s/"):
            response["Referrer-Policy"] = "no-referrer"
            response["X-Robots-Tag"] = "noindex, nofollow"
            response["Cache-Control"] = "private, no-store"
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        if not isinstance(exception, TooMuch):
            return None
        refused = answer(request, 429, exception.sentence)
        refused["Retry-After"] = str(exception.retry_s)
        return refused
