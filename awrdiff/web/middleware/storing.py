"""What a browser may keep of an answer."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class NoStore:
    """Pages, documents and exports stay in no cache and on no disk: after logging out, Back shows nothing.

    What is asked for again and again with If-None-Match says so itself (`negotiate.conditional`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.setdefault("Cache-Control", "private, no-store")
        return response
