"""Which representation a request asks for: the same addresses answer people and scripts."""

from __future__ import annotations

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags


def wants_json(request: HttpRequest) -> bool:
    """True where the Accept header names JSON and prefers it to HTML."""
    preferred = request.get_preferred_type(["text/html", "application/json"])
    return preferred == "application/json" and "json" in request.headers.get("Accept", "")


def conditional(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """`response` with an ETag of its bytes, or 304 where the client has these already."""
    etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Accept", "HX-Request"])
    # A compressing proxy or middleware marks the tag weak: what is compared is the tag itself.
    seen = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    if etag in seen:
        unchanged = HttpResponseNotModified()
        unchanged["ETag"] = etag
        unchanged["Cache-Control"] = response["Cache-Control"]
        return unchanged
    return response
