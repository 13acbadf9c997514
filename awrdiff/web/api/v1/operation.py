"""Operations of the API: one row serves an address and method, and describes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path

from awrdiff.accounts.capabilities import Can
from awrdiff.web.api.v1.forms import form
from awrdiff.web.api.v1.once import once
from awrdiff.web.posted import NotAsDescribed
from awrdiff.web.sign_in.members import member
from awrdiff.web.views.errors import answer

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


@dataclass(frozen=True, slots=True)
class Operation:
    """`does` is called with the request, the caller's access, the query or body, and the ids of the address.

    `scope`: needed by tokens. `takes`: a GET's query, else the JSON body; `file`: a form with a file instead.
    `answers`: documents by status; None if described elsewhere.
    """

    does: Does
    summary: str
    scope: str
    answers: Mapping[int, Any]
    takes: type[msgspec.Struct] | None = None
    file: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """`path` as the description has it: `comparisons/{id}`."""

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
        query_or_body = _asked(request, operation)
        if request.method != "POST":
            return operation.does(request, access, query_or_body, **ids)
        sent = msgspec.json.encode(query_or_body)
        do = partial(operation.does, request, access, query_or_body, **ids)
        return once(request, access, sent, do)

    return view


def at(path: str, name: str, **by: Operation) -> Address:
    """An address with its operations by method."""
    return Address(path, name, by)


def reading(does: Does, summary: str, answered: Any, takes: type[msgspec.Struct] | None = None) -> Operation:
    return Operation(does, summary, "read", {200: answered}, takes)


def reads(  # noqa: PLR0917 - a row of the table
    path: str, name: str, does: Does, summary: str, answered: Any, takes: type[msgspec.Struct] | None = None
) -> Address:
    """An address that is only looked at."""
    return at(path, name, GET=reading(does, summary, answered, takes))


def writes(
    view: Callable[..., HttpResponseBase],
    summary: str,
    takes: type[msgspec.Struct] | None,
    answers: Mapping[int, Any],
    *,
    scope: str = "write",
    people: Sequence[str] = (),
) -> Operation:
    """A page form's operation, by its view. `people`: fields with a member's name."""
    return Operation(form(view, people), summary, scope, answers, takes)


def removes(view: Callable[..., HttpResponseBase], summary: str, *, scope: str = "write") -> Operation:
    return Operation(form(view), summary, scope, {204: None})


def _no_such_method(request: HttpRequest, address: Address) -> HttpResponse:
    allowed = [*address.by, *(["HEAD"] if "GET" in address.by else [])]
    *most, last = allowed
    methods = f"{', '.join(most)} and {last}" if most else last
    refusal = answer(request, 405, f"This address accepts {methods} only.")
    refusal["Allow"] = ", ".join(allowed)
    return refusal


def _asked(request: HttpRequest, operation: Operation) -> msgspec.Struct | None:
    """Query or body as a struct; unknown names are refused, as they would silently do nothing."""
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
