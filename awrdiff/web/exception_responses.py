"""Turns views' exceptions into a page or {"error"}."""

from __future__ import annotations

import logging
from http import HTTPStatus

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from redis.exceptions import RedisError

from awrdiff import disk_space, logs
from awrdiff.accounts.access import NotFound, SecondFactorNeeded, SignInNeeded
from awrdiff.accounts.api_tokens import BadToken
from awrdiff.accounts.errors import PeopleRefused, TooMuch
from awrdiff.comparisons.errors import ComparisonRefused, NoSuchReport
from awrdiff.comparisons.stored_comparison_export import Changed
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.fleet.thinning import OtherMoment
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.services import ChangedMeanwhile
from awrdiff.notices.webhook_address_check import NoticeRefused
from awrdiff.notices.webhooks import BadSignature
from awrdiff.pins.services import PinRefused
from awrdiff.postmortems.errors import Frozen, NotAsSeen, PostmortemRefused
from awrdiff.reports.errors import (
    NoRoom,
    ReportInUse,
    TeamFull,
    TookTooLong,
    TooLarge,
    TraceRefused,
    UploadRefused,
    WrongKind,
)
from awrdiff.sharing.errors import LinkRefused, MadeBefore, PasswordNeeded
from awrdiff.storage import StorageAway
from awrdiff.threads.services import ThreadRefused
from awrdiff.web.comparison_redirects import redirect_of
from awrdiff.web.content_negotiation import wants_json
from awrdiff.web.idempotency_keys import BadKey, KeyTaken, NotAsDescribed
from awrdiff.web.mail import MailNotSent
from awrdiff.web.sign_in import share_link_cookies
from awrdiff.web.views.errors import answer, database_away, factor_needed, forbidden, is_database_away
from awrdiff.web.views.inbound_webhooks import MessageTooLong

logger = logging.getLogger(__name__)
STATUS: dict[type[Exception], int] = {
    NotFound: 404,
    BadKey: 400,
    NotAsDescribed: 400,
    KeyTaken: 409,
    LinkRefused: 400,
    MadeBefore: 409,
    ComparisonRefused: 400,
    OtherMoment: 409,
    DatabaseRefused: 400,
    NoSuchReport: 400,
    TraceRefused: 400,
    ReportInUse: 409,
    PinRefused: 400,
    ThreadRefused: 400,
    IncidentRefused: 400,
    ChangedMeanwhile: 409,
    PeopleRefused: 400,
    PostmortemRefused: 400,
    Frozen: 409,
    NotAsSeen: 409,
    NoticeRefused: 400,
    BadSignature: 401,
    MessageTooLong: 413,
    MailNotSent: 503,
    Changed: 409,
    UploadRefused: 400,
    TooLarge: 413,
    WrongKind: 415,
    NoRoom: 507,
    TeamFull: 507,
    TookTooLong: 503,
}
RETRY_S = 10  # after what may be otherwise then
CACHE_AWAY = "The server cannot reach its cache, without which this would not be safe: try again in a moment."
DELETED = "This has been deleted in the meantime."


def answer_refusal(request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
    """None if the exception is a fault."""
    logs.bind(reason=type(exception).__name__)
    if isinstance(exception, SignInNeeded | PasswordNeeded | SecondFactorNeeded):
        return _ask_who(request, exception)
    if isinstance(exception, TooMuch):
        return wait(request, exception)
    if isinstance(exception, PermissionDenied):  # Django's own answer writes a traceback into the log for each
        return forbidden(request, exception)
    if type(exception) in STATUS:
        more = {"fields": exception.fields} if isinstance(exception, ChangedMeanwhile) else {}
        status = STATUS[type(exception)]
        retry_s = RETRY_S if status == HTTPStatus.SERVICE_UNAVAILABLE else None
        elsewhere = redirect_of(request) if isinstance(exception, NotFound) else None
        return elsewhere or answer(request, status, str(exception), retry_s=retry_s, more=more)
    if isinstance(exception, ObjectDoesNotExist):  # found by one query, and gone at the next
        return answer(request, 404, DELETED)
    return _of_the_machine(request, exception)


def _ask_who(request: HttpRequest, exception: SignInNeeded | PasswordNeeded | SecondFactorNeeded) -> HttpResponseBase:
    if isinstance(exception, SecondFactorNeeded):
        return factor_needed(request, exception)
    if isinstance(exception, PasswordNeeded):
        return share_link_cookies.ask(request, exception)
    return bad_token(request, exception) if isinstance(exception, BadToken) else sign_in(request)


def _of_the_machine(request: HttpRequest, exception: Exception) -> HttpResponse | None:
    """Environment failures, such as a full disk."""
    if isinstance(exception, RedisError):  # it counts the mails that are asked for, and knows which codes were used
        logger.warning("The cache is away: %s", exception)
        return answer(request, 503, CACHE_AWAY, retry_s=RETRY_S)
    if isinstance(exception, StorageAway):
        logger.warning("The storage is away: %s", exception)
        return answer(request, 503, exception.sentence, retry_s=exception.retry_s)
    if disk_space.is_no_room(exception):
        return answer(request, 507, disk_space.SENTENCE)
    return database_away(request) if is_database_away(exception) else None


def sign_in(request: HttpRequest) -> HttpResponseBase:
    if wants_json(request):
        return answer(request, 401, "Sign in first.")
    return redirect_to_login(request.get_full_path() if request.method == "GET" else "/")


def bad_token(request: HttpRequest, exception: BadToken) -> HttpResponse:
    refused = answer(request, 401, str(exception))
    refused["WWW-Authenticate"] = 'Bearer error="invalid_token"'
    return refused


def wait(request: HttpRequest, exception: TooMuch) -> HttpResponse:
    return answer(request, 429, str(exception), retry_s=exception.retry_s)
