"""What is done at an address by a method, and how it is described: one row serves both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path

from awrdiff.web.posted import NotAsDescribed
from awrdiff.web.sign_in.members import member
from awrdiff.web.views.errors import answer

ROOT = "api/v1/"
PLACES = {
    "id": "uuid:pk",
    "section": "slug:section_id",
    "kind": "slug:kind",
    "key": "path:key",
    "thread": "int:thread_pk",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """`does` is called with the request, who asks, what is asked for and the ids in the address.

    `scope`: what a token needs for it. `takes`: of a GET the query, else the JSON of the body; `file`: a form with a
    file instead. `answers`: by status the document; None where it is described elsewhere.
    """

    does: Callable[..., HttpResponseBase]
    summary: str
    scope: str
    answers: Mapping[int, Any]
    takes: type[msgspec.Struct] | None = None
    file: bool = False
    once: bool = False  # knows Idempotency-Key


@dataclass(frozen=True, slots=True)
class Address:
    """`path` as the description has it: `comparisons/{id}`."""

    path: str
    name: str
    by: Mapping[str, Operation]

    def pattern(self) -> URLPattern:
        route = self.path
        for name, place in PLACES.items():
            route = route.replace(f"{{{name}}}", f"<{place}>")
        return path(f"{ROOT}{route}", _view(self), name=self.name)


def _view(address: Address) -> Callable[..., HttpResponseBase]:
    def view(request: HttpRequest, **ids: Any) -> HttpResponseBase:
        access = member(request)
        operation = address.by.get("GET" if request.method == "HEAD" else request.method or "")
        if operation is None:
            return _no_such_method(request, address)
        return operation.does(request, access, _asked(request, operation), **ids)

    return view


def _no_such_method(request: HttpRequest, address: Address) -> HttpResponse:
    allowed = ", ".join([*address.by, *(["HEAD"] if "GET" in address.by else [])])
    refused = answer(request, 405, f"Here is answered to {allowed} alone.")
    refused["Allow"] = allowed
    return refused


def _asked(request: HttpRequest, operation: Operation) -> msgspec.Struct | None:
    """Of what it takes; a name that it does not know is refused, as what was meant by it would not be done."""
    if operation.takes is None:
        return None
    try:
        if request.method in ("GET", "HEAD"):
            return msgspec.convert(request.GET.dict(), operation.takes, strict=False)
        return msgspec.json.decode(request.body, type=operation.takes)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        what = "query" if request.method in ("GET", "HEAD") else "JSON of the body"
        raise NotAsDescribed(f"The {what} is not as described: {error}.") from None
