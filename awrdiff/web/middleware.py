"""What is answered before a view is asked: health by any host name, bodies that were refused, a full disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from django.core.exceptions import DisallowedHost
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponseBase

from awrdiff import disk
from awrdiff.accounts.access import SignInNeeded, member
from awrdiff.accounts.middleware import SignInWhereNeeded
from awrdiff.reports.uploads import too_large
from awrdiff.web.views import health
from awrdiff.web.views.errors import answer

Answer = Callable[[HttpRequest], HttpResponseBase]
TAKES_FILES = "report-upload"  # name of the one address
RETRY_AFTER_S = 30


class HealthByAnyName:
    """Probes ask by address or by a name of their own, which tells nobody anything: no host name is refused here."""

    def __init__(self, get_response: Answer) -> None:
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


class RefusedBodies:
    """The web server has refused a body while it arrived (`awrdiff.serving.channel`); here that becomes a sentence."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META.get("awrdiff.refusal")
        if status is None:
            return self.get_response(request)
        if status == 401:
            return SignInWhereNeeded(self.get_response).process_exception(request, SignInNeeded()) or NotImplemented
        response = answer(request, status, _sentence(status))
        if status == 503:
            response["Retry-After"] = str(RETRY_AFTER_S)
        return response


def _sentence(status: int) -> str:
    if status == 413:
        return too_large().sentence
    if status == 507:
        return disk.SENTENCE
    return (
        "The server is receiving as much as it can hold just now. Nothing of this was kept; send it again in a moment."
    )


class NoRoom:
    """A full disk is no fault of the program: 507 and the cause, whatever was being done."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        return answer(request, 507, disk.SENTENCE) if disk.is_no_room(exception) else None


class BodyAfterSignIn:
    """Who may not upload is told so before the body is parsed, which the CSRF check would do, and files it stored."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.sign_in = SignInWhereNeeded(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        if request.content_type != "multipart/form-data":
            return None
        if request.resolver_match is None or request.resolver_match.url_name != TAKES_FILES:
            request.upload_handlers = [_NoFiles(request)]
            return None
        try:
            member(request)
        except SignInNeeded as needed:
            return self.sign_in.process_exception(request, needed)
        return None


class _NoFiles(FileUploadHandler):
    """For all other addresses: what is sent there as a file is thrown away."""

    def new_file(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None
