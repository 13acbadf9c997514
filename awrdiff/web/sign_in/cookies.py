"""Cookie names. With HTTPS their prefix admits only this server by HTTPS; with AWRDIFF_PATH they contain that path."""

from __future__ import annotations

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from awrdiff.web import links


def of_server(name: str) -> str:
    return f"{settings.AWRDIFF_COOKIE_PREFIX}{name}"


def of_link(request: HttpRequest, name: str) -> str:
    """A name for the whole host cannot be bound to a path."""
    return f"__Secure-{name}" if request.is_secure() else name


def set_of_server(response: HttpResponseBase, name: str, value: str, max_age_s: int | None = None) -> None:
    response.set_cookie(
        of_server(name),
        value,
        max_age=max_age_s,
        path=settings.SESSION_COOKIE_PATH,
        httponly=True,
        samesite="Strict",
        secure=settings.HTTPS,
    )


def set_of_link(
    request: HttpRequest, response: HttpResponseBase, link: str, name: str, value: str, *, max_age_s: int
) -> None:
    """`link`: token of the share link."""
    response.set_cookie(
        of_link(request, name),
        value,
        max_age=max_age_s,
        path=links.shared(link),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


class _Messages(CookieStorage):
    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.cookie_name = of_server("messages")

    def _update_cookie(self, encoded_data: str, response: HttpResponseBase) -> None:
        super()._update_cookie(encoded_data, response)  # type: ignore[misc]  # the stubs leave it out
        if self.cookie_name in response.cookies:  # Django has it go to the whole host
            response.cookies[self.cookie_name]["path"] = settings.SESSION_COOKIE_PATH


class Messages(FallbackStorage):
    storage_classes = (_Messages, SessionStorage)
