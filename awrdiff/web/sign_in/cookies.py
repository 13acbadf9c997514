"""Cookies, and the sessions and messages that they carry.

With HTTPS the prefix of their names admits only this server by HTTPS; with AWRDIFF_PATH they contain that path.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.contrib.sessions.backends import db
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from awrdiff.web import links

_KEY = re.compile(r"[a-z0-9]{8,40}")
_BEGAN, _ACTIVE = "began_s", "seen_s"  # since 1970; of a sign-in from before these were kept there is neither


class SessionStore(db.SessionStore):
    """In the database, ending after two weeks or inactivity (`AWRDIFF_SESSION_IDLE_MINUTES`).

    The class name is part of the signing salt: keep Django's.
    """

    def _validate_session_key(self, key: str | None) -> bool:
        """Only Django's form: a quoted cookie may hold any character, and PostgreSQL raises an error for NUL."""
        return bool(key and _KEY.fullmatch(key))

    def begin(self) -> None:
        self[_BEGAN] = self[_ACTIVE] = _now_s()

    def touch(self) -> None:
        """Notes activity, once a minute."""
        idle_s = settings.AWRDIFF_SESSION_IDLE_MINUTES * 60
        if idle_s and SESSION_KEY in self and not 0 <= _now_s() - self.get(_ACTIVE, 0) < min(60, idle_s / 4):
            self[_ACTIVE] = _now_s()

    def get_expiry_age(self, **options: Any) -> int:
        left_s: int = super().get_expiry_age(**options)
        if SESSION_KEY in self and settings.AWRDIFF_SESSION_IDLE_MINUTES:
            left_s = min(left_s, settings.AWRDIFF_SESSION_IDLE_MINUTES * 60)
        since_s: int = self.get(_BEGAN, _now_s())
        return min(left_s, since_s + settings.SESSION_COOKIE_AGE - _now_s())

    def get_expiry_date(self, **options: Any) -> datetime:
        return timezone.now() + timedelta(seconds=self.get_expiry_age(**options))


def _now_s() -> int:
    return int(timezone.now().timestamp())


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
