"""Request id, and access log line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from awrdiff import log_context
from awrdiff.logs import route_of
from awrdiff.numbers import whole_number
from awrdiff.processing import tallies
from awrdiff.web.middleware import Middleware
from awrdiff.web.views import health

HEADER = "X-Request-ID"
STATIC = "static"


class Followed(Middleware):
    """First of all middleware. Logs once the answer was sent completely, in any thread."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.monotonic()
        log_context.forget()
        request_id = log_context.request_id_of(request.headers.get(HEADER, ""))
        log_context.bind(request_id=request_id)
        response = self.get_response(request)
        response[HEADER] = request_id
        if settings.AWRDIFF_METRICS_TOKEN:
            _start_adding()
        log_line = partial(_tell, request, response, began, _body_counter(request, response), log_context.bound_now())
        response._resource_closers.append(log_line)  # type: ignore[attr-defined] # what Django itself ends a request by
        return response


@cache
def _start_adding() -> None:
    """Once per process: other SQLite writers must not delay answers."""
    threading.Thread(target=_keep_adding, name="tallies", daemon=True).start()


def _keep_adding() -> None:
    while True:
        time.sleep(tallies.EVERY_S)
        tallies.add_up()
        connection.close()


def _body_counter(request: HttpRequest, response: HttpResponseBase) -> Callable[[], int]:
    if request.method == "HEAD":
        return lambda: 0
    if not response.streaming:
        size = len(getattr(response, "content", b""))
        return lambda: size
    if response.has_header("Content-Length"):  # a file, which the web server may send by itself
        return lambda: int(response["Content-Length"])
    sent = [0]

    def counting(pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            sent[0] += len(piece)
            yield piece

    response.streaming_content = counting(response.streaming_content)  # type: ignore[attr-defined]
    return lambda: sent[0]


def _tell(
    request: HttpRequest,
    response: HttpResponseBase,
    began: float,
    sent: Callable[[], int],
    bound: dict[str, Any],
) -> None:
    route, took_s = route_asked(request), time.monotonic() - began
    method = request.method if request.method in _METHODS else "other"
    _count(route, response.status_code, took_s, bound)
    if response.status_code < 400 and (route == STATIC or request.path_info in health.VIEWS):
        return
    if settings.AWRDIFF_TRACES_ENDPOINT:
        from awrdiff import spans  # noqa: PLC0415 - an extra

        spans.tell_request(method, route, response.status_code, bound, took_s)
    with log_context.bound(**bound):
        log_context.tell(
            "request",
            method=method,
            route=route,
            status=response.status_code,
            ms=round(took_s * 1000, 1),
            bytes_in=whole_number(str(request.META.get("CONTENT_LENGTH"))) or 0,
            bytes_out=sent(),
        )


def _count(route: str, status: int, took_s: float, bound: dict[str, Any]) -> None:
    tallies.add("requests", route, f"{status // 100}xx")
    tallies.observe("request_seconds", route, value=took_s)
    if "reason" in bound and status != 500:
        tallies.add("refusals", "request", bound["reason"])


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def route_asked(request: HttpRequest) -> str:
    """Health checks and static files have their own."""
    if request.path_info in health.VIEWS:
        return request.path_info.strip("/")
    if request.path.startswith(settings.STATIC_URL):
        return STATIC
    return route_of(request)
