"""The token of the local user, where the system does not tell who connects: made by bin/serve at each start.

It stands in the address that bin/serve prints and in a file of var/ that only the server's user can read. A browser
that opens the address gets a cookie made from it. Standard library only: bin/serve runs before Django is there.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
from pathlib import Path

from awrdiff import variables
from awrdiff.accounts import peers

PARAMETER = "token"
FILE = "local_address"
PEOPLE = "people_sign_in"  # there once everybody signs in: no token is made any more


def renew(var: Path, address: str) -> str:
    """A new token, kept in `var`: the whole address to open. What an earlier start gave out is worth nothing now."""
    whole = f"{address}?{PARAMETER}={secrets.token_urlsafe(32)}"
    made = var / f"{FILE}.new"
    made.unlink(missing_ok=True)
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(whole + "\n")
    made.replace(var / FILE)
    return whole


def note_people(var: Path, *, sign_in: bool) -> None:
    """Kept by `manage.py prepare`, which asks the database, for bin/serve, which has none."""
    if not sign_in:
        (var / PEOPLE).unlink(missing_ok=True)
        return
    (var / PEOPLE).touch(mode=0o600)
    (var / FILE).unlink(missing_ok=True)


def announcement(var: Path, address: str) -> list[str]:
    """A new token; the line that tells it, where it is needed from the start: to a terminal, never to a log. None where
    everybody signs in."""
    if (var / PEOPLE).exists():
        return []
    whole = renew(var, address)
    if peers.system_tells() and not variables.LOCAL_TOKEN.read():
        return []
    shown = whole if sys.stdout.isatty() else f"the address in {(var / FILE).resolve()}"
    return [f"The browser's first visit: {shown}"]


def current(var: Path) -> str:
    """The token of the last start, or an empty string."""
    try:
        return (var / FILE).read_text().strip().rpartition(f"?{PARAMETER}=")[2]
    except OSError:
        return ""


def is_current(var: Path, given: str) -> bool:
    token = current(var)
    return bool(token) and hmac.compare_digest(token.encode(), given.encode("utf-8", "replace"))


def cookie_value(var: Path, owner: int | None) -> str:
    """What the cookie holds: not the token, and nothing that another user of the machine could use.

    Cookies are sent to every port of a host, so another user's server may see it; it counts for `owner` alone.
    """
    token = current(var)
    return hmac.new(token.encode(), f"local user {owner}".encode(), hashlib.sha256).hexdigest() if token else ""


def is_cookie(var: Path, owner: int | None, given: str) -> bool:
    expected = cookie_value(var, owner)
    return bool(expected) and hmac.compare_digest(expected.encode(), given.encode("utf-8", "replace"))
