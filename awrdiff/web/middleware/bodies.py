"""Request bodies: refused while arriving, or not allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from django.core.exceptions import PermissionDenied
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponseBase

from awrdiff import disk, following
from awrdiff.accounts.access import SignInNeeded
from awrdiff.accounts.errors import TooMuch
from awrdiff.reports.errors import NoRoom, TooLarge
from awrdiff.reports.uploads import too_large
from awrdiff.web.middleware import refusals
from awrdiff.web.sign_in.members import member
from awrdiff.web.uploads import AttachmentsHandler
from awrdiff.web.views.errors import answer

Answer = Callable[[HttpRequest], HttpResponseBase]
# Names of addresses: what is uploaded, and what is attached to a comment or an event.
TAKES_FILES = {"report-upload", "api-reports"}
ATTACHES = {
    *("threads", "thread", "comment"),
    *("incident-threads", "incident-thread", "incident-comment", "incident-event-add", "incident-event"),
}
RETRY_AFTER_S = 30
# By status, as what views raise is called.
REASONS = {401: SignInNeeded.__name__, 413: TooLarge.__name__, 503: "TooMuchAtOnce", 507: NoRoom.__name__}


class RefusedBodies:
    """Answers bodies that the web server refused while arriving (`awrdiff.serving.channel`)."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META.get("awrdiff.refusal")
        if status is None:
            return self.get_response(request)
        following.bind(reason=REASONS[status])
        if status == 401:
            return refusals.sign_in(request)
        return answer(request, status, _sentence(status), retry_s=RETRY_AFTER_S if status == 503 else None)


def _sentence(status: int) -> str:
    if status == 413:
        return too_large().sentence
    if status == 507:
        return disk.SENTENCE
    return "The server is receiving as much as it can hold. Nothing of this was kept; send it again in a moment."


class BodyAfterSignIn:
    """Refuses uploads without permission before the CSRF check parses the body and stores files."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

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
            return refusals.answer_refusal(request, refusal)
        if name in ATTACHES:  # the view says whether they may
            request.upload_handlers = [(AttachmentsHandler if access.can_comment else _NoFiles)(request)]
            return None
        return None if access.can_upload else refusals.answer_refusal(request, PermissionDenied())


class _NoFiles(FileUploadHandler):
    """Discards files sent to all other addresses."""

    def new_file(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None
