"""OpenAPI 3.1 description of /api/v1, from the table."""

from __future__ import annotations

import re
from functools import cache
from http.client import responses
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from awrdiff.web.api.v1 import request_and_response_types
from awrdiff.web.api.v1.endpoint_table import ADDRESSES
from awrdiff.web.api.v1.operation import Address, Operation
from awrdiff.web.content_negotiation import conditional
from parsers.version import VERSION

_REF = "#/components/schemas/{name}"
_NUMBERS = ("thread", "comment", "pin", "event", "evidence", "action")
_FORMATS: dict[str, dict[str, Any]] = {
    "id": {"type": "string", "format": "uuid"},
    **{name: {"type": "integer", "minimum": 1, "maximum": 2**53} for name in _NUMBERS},
    **{name: {"type": "string", "format": "uuid"} for name in ("comparison", "report")},
    "section": {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
    "kind": {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
}
_PROBLEM = {
    "description": "Refused, and why",
    "content": {"application/problem+json": {"schema": {"$ref": _REF.format(name="Problem")}}},
}
_FILE = {
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "contentMediaType": "application/octet-stream", "minLength": 1}},
            "required": ["file"],
        }
    }
}


@require_safe
def served(request: HttpRequest) -> HttpResponse:
    """GET /api/v1/openapi.json, for anyone."""
    server = reverse("home").rstrip("/") or "/"
    return conditional(request, JsonResponse({**described(), "servers": [{"url": server}]}))


@cache
def described() -> dict[str, Any]:
    type_list = [
        type_used
        for address in ADDRESSES
        for op in address.by.values()
        for type_used in (op.takes, *op.answers.values())
    ]
    types = {
        request_and_response_types.Problem,
        *(each for type_used in type_list if type_used is not None for each in _each(type_used)),
    }
    _, components = msgspec.json.schema_components(sorted(types, key=str), ref_template=_REF)
    return {
        "openapi": "3.1.0",
        "info": {"title": "awrdiff", "version": VERSION, "description": _ABOUT},
        "security": [{"token": []}],
        "paths": {f"/api/v1/{address.path}": _path(address) for address in ADDRESSES},
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


_ABOUT = (
    "Reports are sent and compared, and what was found is read. By a token, whose scopes each address names. Lists are "
    "{items, next}: next is the address of the following page, or null. What has an ETag knows If-None-Match. 429 "
    "and 503 say by Retry-After when to come again."
)


def _path(address: Address) -> dict[str, Any]:
    places = [
        {"name": name, "in": "path", "required": True, "schema": _FORMATS.get(name, {"type": "string", "minLength": 1})}
        for name in re.findall(r"{(\w+)}", address.path)
    ]
    path_item: dict[str, Any] = {"parameters": places} if places else {}
    return path_item | {
        method.lower(): _operation(address, method, operation) for method, operation in address.by.items()
    }


def _operation(address: Address, method: str, operation: Operation) -> dict[str, Any]:
    answers = {str(status): _answer(status, kind) for status, kind in operation.answers.items()}
    description: dict[str, Any] = {
        "operationId": f"{method.lower()}-{address.name.removeprefix('api-')}",
        "summary": operation.summary,
        "description": f"Scope of the token: `{operation.scope}`.",
        "responses": {**answers, "default": _PROBLEM},
    }
    parameters = _query(operation) if method == "GET" else []
    if method == "POST":
        parameters = [{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 255}}]
    if parameters:
        description["parameters"] = parameters
    if operation.file or (operation.takes and method != "GET"):
        content = _FILE if operation.file else {"application/json": {"schema": _schema(operation.takes)}}
        description["requestBody"] = {"required": True, "content": content}
    return description


def _query(operation: Operation) -> list[dict[str, Any]]:
    if operation.takes is None:
        return []
    _, components = msgspec.json.schema_components([operation.takes], ref_template=_REF)
    properties = components[operation.takes.__name__]["properties"]
    for schema in properties.values():
        if schema.get("default", 0) in ("", None):
            del schema["default"]
    return [{"name": name, "in": "query", "schema": schema} for name, schema in properties.items()]


def _answer(status: int, kind: Any) -> dict[str, Any]:
    if status == 204:
        return {"description": responses[status]}
    schema = _schema(kind) if kind is not None else {}
    return {"description": responses[status], "content": {"application/json": {"schema": schema}}}


def _schema(kind: Any) -> dict[str, Any]:
    refs = [{"$ref": _REF.format(name=struct_type.__name__)} for struct_type in _each(kind)]
    return refs[0] if len(refs) == 1 else {"anyOf": refs}


def _each(kind: Any) -> tuple[Any, ...]:
    return getattr(kind, "__args__", (kind,))
