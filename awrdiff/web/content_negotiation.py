"""Representation of answers: equal addresses for people and scripts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, QueryDict
from django.shortcuts import redirect
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags


def is_api(request: HttpRequest) -> bool:
    """Below /api/ and /hooks/, whatever is accepted."""
    return request.path_info.startswith(("/api/", "/hooks/"))


def wants_json(request: HttpRequest) -> bool:
    """True if Accept prefers JSON, and for tokens."""
    if is_api(request):
        return True
    if getattr(request, "bearer", None) is not None:
        return "text/html" not in request.headers.get("Accept", "")
    preferred = request.get_preferred_type(["text/html", "application/json"])
    return preferred == "application/json" and "json" in request.headers.get("Accept", "")


def form_fields(request: HttpRequest) -> QueryDict:
    """Fields of a form, or of the body of an operation of /api/v1."""
    fields: QueryDict | None = getattr(request, "api_fields", None)
    return request.POST if fields is None else fields


def cached_response(request: HttpRequest, version: object, make: Callable[[], HttpResponse]) -> HttpResponse:
    """304 without calling `make` if the ETag of its inputs is known. `version` names data and reader; address, CSRF
    token and release are added.
    """
    made_from = (version, request.get_full_path(), request.scheme, request.get_host(), wants_json(request))
    inputs = (bool(getattr(request, "htmx", False)), request.META.get("CSRF_COOKIE"), _release(), _in_the_bar(request))
    etag = f'"{hashlib.sha256(repr((made_from, inputs)).encode("utf-8", "surrogatepass")).hexdigest()[:32]}"'
    response: HttpResponse = HttpResponseNotModified() if _has(request, etag) else make()
    if response.status_code in (200, 304):
        response["ETag"] = etag
        response["Cache-Control"] = "private, no-cache"
        patch_vary_headers(response, ["Accept", "HX-Request", "Cookie"])
    return response


def _in_the_bar(request: HttpRequest) -> str:
    unread = getattr(request, "unread", None)
    if unread is None or wants_json(request) or getattr(request, "htmx", False):
        return ""
    return f"{unread} {getattr(request.user, 'shown_name', '')}"


@lru_cache(maxsize=1)
def _release() -> str:
    """Changes with code or templates."""
    files = (
        p for folder in ("awrdiff", "parsers", "templates", "static") for p in (settings.BASE_DIR / folder).rglob("*")
    )
    file_states = sorted(
        (str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files if p.suffix != ".pyc" and p.is_file()
    )
    return hashlib.sha256(repr(file_states).encode()).hexdigest()


def _has(request: HttpRequest, etag: str) -> bool:
    # A compressing proxy or middleware marks the tag weak: what is compared is the tag itself.
    return etag in {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}


def json_response(document: Any, status: int = 200) -> HttpResponse:
    """Structs, or mappings and lists of them."""
    return HttpResponse(msgspec.json.encode(document, enc_hook=_plain), content_type="application/json", status=status)


def done(request: HttpRequest, to: str, *ids: object) -> HttpResponse:
    """Something was written: 204 for scripts, else the page `to` (address or name)."""
    if wants_json(request) or request.method == "DELETE":
        return HttpResponse(status=204)
    return redirect(to, *ids)


def json_list(request: HttpRequest, name: str, items: Sequence[Any]) -> HttpResponse:
    """All of them as `{name: […]}`; of the API as a page of a list."""
    if is_api(request):
        return conditional(request, json_response({"items": items, "next": None}))
    return json_response({name: items})


def _plain(value: Any) -> Any:
    return str.__str__(value) if isinstance(value, str) else value


def conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """With an ETag of its bytes, or 304."""
    etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept", "HX-Request"])
    if _has(request, etag):
        unchanged = HttpResponseNotModified()
        unchanged["ETag"] = etag
        unchanged["Cache-Control"] = response["Cache-Control"]
        return unchanged
    return response
