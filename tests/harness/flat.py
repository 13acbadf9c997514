"""Pages as the tests look at them: without the line breaks and indents of the templates, which mean nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

_BESIDE_A_TAG = re.compile(r"(?<=>)\s*\n\s*|\s*\n\s*(?=<)")
_TAG = re.compile(r"<[^<>]*\n[^<>]*>")
_BREAK = re.compile(r"\s*\n\s*")


def flat(html: str) -> str:
    """Breaks beside a tag are gone, those within a tag or a sentence are one space."""
    html = _TAG.sub(lambda tag: _BREAK.sub(" ", tag[0]), html)
    return _BREAK.sub(" ", _BESIDE_A_TAG.sub("", html))


class FlatPages:
    """In front of all other middleware; `Content-Length` stays that of the page as it is sent. Files stay as they are."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        is_page = response.get("Content-Type", "").startswith("text/html") and "Content-Disposition" not in response
        if is_page and isinstance(response, HttpResponse) and not response.has_header("Content-Encoding"):
            response.content = flat(response.content.decode()).encode()
        return response
