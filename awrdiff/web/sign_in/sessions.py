"""Sessions in the database, by keys of Django's form; they end after two weeks or inactivity
(`AWRDIFF_SESSION_IDLE_MINUTES`).

Quoted cookies may hold any character; PostgreSQL raises an error for NUL.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.utils import timezone

_KEY = re.compile(r"[a-z0-9]{8,40}")
_BEGAN, _ACTIVE = "began_s", "seen_s"  # since 1970; of a sign-in from before these were kept there is neither


class SessionStore(db.SessionStore):
    """The class name is part of the signing salt: keep Django's."""

    def _validate_session_key(self, key: str | None) -> bool:
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
