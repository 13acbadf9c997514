"""Cache rules for answers."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class NoStore:
    """Pages, documents and exports are never cached: after sign-out, Back shows nothing.

    Polled answers with If-None-Match set their own header (`negotiate.conditional`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.setdefault("Cache-Control", "private, no-store")
        return response
