"""Probes use addresses or arbitrary names and get no secrets: no host name is refused here."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponseBase

from awrdiff.web.views import health


class HealthByAnyName:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if _is_asked_here(request):
            response = health.VIEWS[request.path_info](request)
            response["X-Content-Type-Options"], response["Referrer-Policy"] = "nosniff", settings.SECURE_REFERRER_POLICY
            return response
        return self.get_response(request)


def _is_asked_here(request: HttpRequest) -> bool:
    path = request.path_info
    if path == "/metrics":
        return bool(settings.AWRDIFF_METRICS_TOKEN)  # else it is an address like any other that is not there
    return path == "/healthz" or (path == "/readyz" and not _is_allowed_host(request))


def _is_allowed_host(request: HttpRequest) -> bool:
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True
