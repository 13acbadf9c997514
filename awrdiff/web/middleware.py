"""Django middleware, in the order of settings.MIDDLEWARE."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import DisallowedHost, PermissionDenied
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse

from awrdiff import disk_space, logs
from awrdiff.accounts import local_user_token
from awrdiff.accounts.access import SignInNeeded
from awrdiff.accounts.errors import TooMuch
from awrdiff.logs import Seldom, route_of
from awrdiff.processing import metric_counters
from awrdiff.reports.errors import NoRoom, TooLarge
from awrdiff.reports.received_files import too_large
from awrdiff.web import exception_responses
from awrdiff.web.sign_in import local_user
from awrdiff.web.sign_in.cookies import SessionStore
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.uploads import AttachmentsHandler
from awrdiff.web.views import health
from awrdiff.web.views.errors import answer
from awrdiff.whole_number_input import whole_number

HEADER = "X-Request-ID"
STATIC = "static"
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_OF_ITSELF = "-live"  # ends of names of addresses that an open page asks for while nobody does anything
logger = logging.getLogger(__name__)
_refusals = Seldom(every_s=60)
# Names of addresses: what is uploaded, and what is attached to a comment or an event.
TAKES_FILES = {"report-upload", "api-reports"}
ATTACHES = {
    *("threads", "thread", "comment"),
    *("incident-threads", "incident-thread", "incident-comment", "incident-event-add", "incident-event"),
}
RETRY_AFTER_S = 30
# By status, as what views raise is called.
REASONS = {401: SignInNeeded.__name__, 413: TooLarge.__name__, 503: "TooMuchAtOnce", 507: NoRoom.__name__}
Answer = Callable[[HttpRequest], HttpResponseBase]


class Middleware:
    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)


class RequestLog(Middleware):
    """First of all middleware. Logs once the answer was sent completely, in any thread."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.monotonic()
        logs.forget()
        request_id = logs.request_id_of(request.headers.get(HEADER, ""))
        logs.bind(request_id=request_id)
        response = self.get_response(request)
        response[HEADER] = request_id
        log_line = partial(_tell, request, response, began, _body_counter(request, response), logs.bound_now())
        response._resource_closers.append(log_line)  # type: ignore[attr-defined] # what Django itself ends a request by
        return response


@cache
def _start_adding() -> None:
    """Once per process: other SQLite writers must not delay answers."""
    threading.Thread(target=_keep_adding, name="tallies", daemon=True).start()


def _keep_adding() -> None:
    while True:
        time.sleep(metric_counters.EVERY_S)
        metric_counters.add_up()
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
    if settings.AWRDIFF_METRICS_TOKEN:
        _start_adding()
        metric_counters.add("requests", route, f"{response.status_code // 100}xx")
        metric_counters.observe("request_seconds", route, value=took_s)
        if "reason" in bound and response.status_code != 500:
            metric_counters.add("refusals", "request", bound["reason"])
    if response.status_code < 400 and (route == STATIC or request.path_info in health.VIEWS):
        return
    if settings.AWRDIFF_TRACES_ENDPOINT:
        from awrdiff import opentelemetry_spans  # noqa: PLC0415 - an extra

        opentelemetry_spans.tell_request(method, route, response.status_code, bound, took_s)
    with logs.bound(**bound):
        logs.tell(
            "request",
            method=method,
            route=route,
            status=response.status_code,
            ms=round(took_s * 1000, 1),
            bytes_in=whole_number(str(request.META.get("CONTENT_LENGTH"))) or 0,
            bytes_out=sent(),
        )


def route_asked(request: HttpRequest) -> str:
    """Health checks and static files have their own."""
    if request.path_info in health.VIEWS:
        return request.path_info.strip("/")
    if request.path.startswith(settings.STATIC_URL):
        return STATIC
    return route_of(request)


class NoStore(Middleware):
    """Caches no page: after sign-out, Back shows nothing. Polled answers set their own
    (`content_negotiation.conditional`).
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.setdefault("Cache-Control", "private, no-store")
        return response


class SharedPageHeaders(Middleware):
    """Below /s/ and calendars: not indexed or stored, no Referer."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path_info.startswith(("/s/", "/calendar/")):
            response.setdefault("Referrer-Policy", "no-referrer")  # the page with a password says otherwise
            response["X-Robots-Tag"] = "noindex, nofollow"
            response["Cache-Control"] = "private, no-store"
        return response


class RefusedBodies(Middleware):
    """Answers bodies refused while arriving (`awrdiff.serving.http_limits`)."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META.get("awrdiff.refusal")
        if status is None:
            return self.get_response(request)
        logs.bind(reason=REASONS[status])
        if status == 401:
            return exception_responses.sign_in(request)
        return answer(request, status, _sentence(status), retry_s=RETRY_AFTER_S if status == 503 else None)


def _sentence(status: int) -> str:
    if status == 413:
        return too_large().sentence
    if status == 507:
        return disk_space.SENTENCE
    return "The server is receiving as much as it can hold. Nothing of this was kept; send it again in a moment."


class BodyAfterSignIn(Middleware):
    """Refuses uploads without permission before the CSRF check parses and stores them."""

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        if request.content_type != "multipart/form-data":
            return None
        name = request.resolver_match.url_name if request.resolver_match else None
        if name not in TAKES_FILES | ATTACHES:
            request.upload_handlers = [_NoFiles(request)]
            return None
        try:
            access = member(request)
        except (
            SignInNeeded,
            PermissionDenied,
            TooMuch,
        ) as refusal:  # raised from here, Django would log a traceback for each
            return exception_responses.answer_refusal(request, refusal)
        if name in ATTACHES:  # the view says whether they may
            request.upload_handlers = [(AttachmentsHandler if access.can_comment else _NoFiles)(request)]
            return None
        return None if access.can_upload else exception_responses.answer_refusal(request, PermissionDenied())


class _NoFiles(FileUploadHandler):
    def new_file(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None


class KnownHost(Middleware):
    """400 and an occasional log line: Django's tracebacks would fill the log."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
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


class HealthByAnyName(Middleware):
    """Health checks without a check of the host: probes use any name, and get no secrets."""

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


class Bearer(Middleware):
    """`request.bearer`, or None; cookies are dropped, so that no session applies."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        scheme, _, text = request.headers.get("Authorization", "").strip().partition(" ")
        request.bearer = text.strip() if scheme.lower() == "bearer" else None  # type: ignore[attr-defined]
        if request.bearer is not None:  # type: ignore[attr-defined]
            request.META.pop("HTTP_COOKIE", None)
            request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined] # as no cookie says who it is
        return self.get_response(request)


class LocalToken(Middleware):
    """`/?token=…` becomes a cookie: out of history and Referer."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token_text = request.GET.get(local_user_token.PARAMETER, "") if request.path_info == "/" else ""
        if not (token_text and settings.AWRDIFF_LOCAL_USER and local_user_token.is_current(settings.VAR, token_text)):
            return self.get_response(request)
        response = HttpResponseRedirect(reverse("home"))
        response["Referrer-Policy"] = "no-referrer"
        local_user.set_cookie(request, response)
        return response


class SignInActivity(Middleware):
    """Extends sign-ins that end after inactivity."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        session, match = request.session, request.resolver_match
        of_itself = match is not None and (match.url_name or "").endswith(_OF_ITSELF)
        if session.accessed and isinstance(session, SessionStore) and not of_itself:
            session.touch()
        return answer


class Refusals(Middleware):
    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        return exception_responses.answer_refusal(request, exception)
