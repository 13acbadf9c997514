"""`Authorization: Bearer …`: token requests. Their cookies are dropped, so that no session applies."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase


class Bearer:
    """`request.bearer`: the token's text, or None; views look up its owner."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        scheme, _, text = request.headers.get("Authorization", "").strip().partition(" ")
        request.bearer = text.strip() if scheme.lower() == "bearer" else None  # type: ignore[attr-defined]
        if request.bearer is not None:  # type: ignore[attr-defined]
            request.META.pop("HTTP_COOKIE", None)
            request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined] # as no cookie says who it is
        return self.get_response(request)
