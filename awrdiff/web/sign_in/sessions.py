"""Sessions in the database, asked for only by keys that Django makes.

A cookie may hold any character in quotes; PostgreSQL refuses the NUL with an error instead of finding nothing.
"""

from __future__ import annotations

import re

from django.contrib.sessions.backends import db

_KEY = re.compile(r"[a-z0-9]{8,40}")


class SessionStore(db.SessionStore):
    """The name is part of what sessions are signed with: it stays that of Django's own."""

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(key and _KEY.fullmatch(key))
