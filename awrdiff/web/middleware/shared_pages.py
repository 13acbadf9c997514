"""Answers below /s/ and calendars: not indexed or stored; no Referer with their token."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase


class SharedPageHeaders:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path_info.startswith(("/s/", "/calendar/")):
            response.setdefault("Referrer-Policy", "no-referrer")  # the page with a password says otherwise
            response["X-Robots-Tag"] = "noindex, nofollow"
            response["Cache-Control"] = "private, no-store"
        return response
