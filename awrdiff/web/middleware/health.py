"""Probes ask by address or by a name of their own, which tells nobody anything: no host name is refused here."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponseBase

from awrdiff.web.views import health


class HealthByAnyName:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info == "/healthz" or (request.path_info == "/readyz" and not _is_allowed_host(request)):
            return health.VIEWS[request.path_info](request)
        return self.get_response(request)


def _is_allowed_host(request: HttpRequest) -> bool:
    try:
        request.get_host()
    except DisallowedHost:
        return False
    return True
