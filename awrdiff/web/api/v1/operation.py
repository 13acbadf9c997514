"""Operations of the API, as rows that serve and describe."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import UUID, uuid5

import msgspec
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.urls import URLPattern, path

from awrdiff.accounts.access import AccessContext, Can, NotFound
from awrdiff.accounts.models import Membership
from awrdiff.web.idempotency_keys import KeyTaken, NotAsDescribed
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.views.errors import answer

LONGEST_KEY = 255
REMEMBERED_S = 86_400
_FORMS = UUID("0d6a0d8e-3a57-4f0e-9f2b-2c9b1f4f7c11")  # rows keep what is made of it: never another


def once(
    request: HttpRequest, access: AccessContext, sent: bytes, do: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    """Raises KeyTaken for another address or JSON; files are not compared."""
    key = _key(request)
    if not key:
        return do()
    place = f"once:{hashlib.sha256(_whose(access, key).encode()).hexdigest()}"
    digest = hashlib.sha256(f"{request.path}\n".encode() + sent).hexdigest()
    is_first = cache.add(place, digest, REMEMBERED_S)
    if not is_first and cache.get(place, digest) != digest:
        raise KeyTaken("This Idempotency-Key came with another request before: make one for each.")
    is_done = False
    try:
        answer = do()
        is_done = answer.status_code < HTTPStatus.BAD_REQUEST
    finally:
        if is_first and not is_done:  # mended, it is sent under the same key
            cache.delete(place)
    return answer


def form_key(request: HttpRequest, access: AccessContext) -> UUID | None:
    """For this sender, address and Idempotency-Key."""
    key = _key(request)
    return uuid5(_FORMS, f"{_whose(access, key)}\n{request.path}") if key else None


def _key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "")
    if len(key) > LONGEST_KEY or not (key.isascii() and (key.isprintable() or not key)):
        raise NotAsDescribed(f"An Idempotency-Key has at most {LONGEST_KEY} characters, of ASCII.")
    return key


def _whose(access: AccessContext, key: str) -> str:
    return f"{access.team.pk} {access.user.pk if access.user else ''} {key}"


ROOT = "api/v1/"
PLACES = {
    "id": "uuid:pk",
    "database": "uuid:uid",
    "section": "slug:section_id",
    "kind": "slug:kind",
    "key": "path:key",
    "thread": "int:thread_pk",
    "comment": "int:comment_pk",
    "comparison": "uuid:comparison_pk",
    "report": "uuid:report_pk",
    "pin": "int:pin_pk",
    "event": "int:event_pk",
    "evidence": "int:evidence_pk",
    "action": "int:action_pk",
}
Does = Callable[..., HttpResponseBase]
DONE = {204: None}
PEOPLE = ("owner", "person")  # fields of bodies


@dataclass(frozen=True, slots=True)
class Operation:
    """`does` takes request, access, query or body, and ids. `scope`: of tokens. `takes`: a GET's query, else the body.
    `answers`: by status; None if described elsewhere.
    """

    does: Does
    summary: str
    scope: str
    answers: Mapping[int, Any]
    takes: type[msgspec.Struct] | None = None
    file: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """`path` as described: `comparisons/{id}`."""

    path: str
    name: str
    by: Mapping[str, Operation]

    def operation(self, method: str | None) -> Operation | None:
        return self.by.get("GET" if method == "HEAD" else method or "")

    def reads(self, method: str | None) -> Can:
        operation = self.operation(method)
        return Can.AUDIT if operation and operation.scope == "audit" else Can.READ

    def pattern(self) -> URLPattern:
        route = self.path
        for name, place in PLACES.items():
            route = route.replace(f"{{{name}}}", f"<{place}>")
        return path(f"{ROOT}{route}", _view(self), name=self.name)


def _view(address: Address) -> Callable[..., HttpResponseBase]:
    def view(request: HttpRequest, **ids: Any) -> HttpResponseBase:
        access = member(request, reads=address.reads(request.method))
        operation = address.operation(request.method)
        if operation is None:
            return _no_such_method(request, address)
        query_or_body = _arguments(request, operation)
        if request.method != "POST":
            return operation.does(request, access, query_or_body, **ids)
        if not operation.file:
            request.api_fields = _as_form(request, access, query_or_body)  # type: ignore[attr-defined]
        sent = msgspec.json.encode(query_or_body)
        do = partial(operation.does, request, access, query_or_body, **ids)
        return once(request, access, sent, do)

    return view


def at(path: str, name: str, **by: Operation) -> Address:
    return Address(path, name, by)


def reads(
    summary: str, answered: Any, takes: type[msgspec.Struct] | None = None, *, scope: str = "read"
) -> Callable[[Does], Operation]:
    return lambda does: Operation(does, summary, scope, {200: answered}, takes)


def writes(
    summary: str,
    answers: Mapping[int, Any],
    takes: type[msgspec.Struct] | None = None,
    *,
    scope: str = "write",
    file: bool = False,
) -> Callable[[Does], Operation]:
    return lambda does: Operation(does, summary, scope, answers, takes, file)


def closed_to_guests(answered: Does) -> Does:
    def does(request: HttpRequest, access: AccessContext, body: Any, **ids: Any) -> HttpResponseBase:
        if not access.can_read:
            raise NotFound("There is nothing at this address.")
        return answered(request, access, body, **ids)

    return does


def page_reads(
    view: Does, summary: str, answered: Any, takes: type[msgspec.Struct] | None = None, **choice: str
) -> Operation:
    """By the page's own view. `choice`: as its address gives it."""
    return reads(summary, answered, takes)(_page(view, choice))


def page_writes(
    view: Does,
    summary: str,
    answers: Mapping[int, Any] = DONE,
    takes: type[msgspec.Struct] | None = None,
    *,
    scope: str = "write",
    **choice: str,
) -> Operation:
    """By the page's own view, which takes the body as a form."""
    return writes(summary, answers, takes, scope=scope)(_page(view, choice))


def _page(view: Does, choice: Mapping[str, str]) -> Does:
    def does(request: HttpRequest, _access: AccessContext, _body: Any, **ids: Any) -> HttpResponseBase:
        return view(request, **ids, **choice)

    return does


def _as_form(request: HttpRequest, access: AccessContext, body: msgspec.Struct | None) -> QueryDict:
    """Fields of the body and the form's key; people by id. Raises NotFound."""
    form = QueryDict(mutable=True)
    for name, value in msgspec.structs.asdict(body).items() if body is not None else ():
        if value is not msgspec.UNSET and value is not False:
            form[name] = _text(name, value)
            if name in PEOPLE and value:
                form[name] = str(_id_of(access, value))
    if key := form_key(request, access):
        form["key"] = str(key)
    return form


def _text(name: str, value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is None:
        return "never" if name == "days" else ""
    if value is True:
        return "yes"
    return value.isoformat() if isinstance(value, date) else str(value)


def _id_of(access: AccessContext, name: str) -> int:
    if not access.can_read:  # whom the team has is for those who read it
        raise NotFound("There is nothing at this address.")
    members = Membership.objects.filter(team=access.team, user__username=name)
    if (user_id := members.values_list("user", flat=True).first()) is None:
        raise NotFound(f"There is nobody called “{name}” on your team.")
    return user_id


def _no_such_method(request: HttpRequest, address: Address) -> HttpResponse:
    allowed = [*address.by, *(["HEAD"] if "GET" in address.by else [])]
    *most, last = allowed
    methods = f"{', '.join(most)} and {last}" if most else last
    refusal = answer(request, 405, f"This address accepts {methods} only.")
    refusal["Allow"] = ", ".join(allowed)
    return refusal


def _arguments(request: HttpRequest, operation: Operation) -> msgspec.Struct | None:
    """Unknown names are refused: they would silently do nothing."""
    if operation.takes is None:
        return None
    try:
        if request.method in ("GET", "HEAD"):
            return msgspec.convert(request.GET.dict(), operation.takes, strict=False)
        if request.content_type == "multipart/form-data":  # Django may have read it already, as a form
            raise NotAsDescribed("The body is JSON: send it with Content-Type: application/json.")
        return msgspec.json.decode(request.body, type=operation.takes)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        what = "query" if request.method in ("GET", "HEAD") else "JSON of the body"
        raise NotAsDescribed(f"The {what} is not as described: {error}.") from None
