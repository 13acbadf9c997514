"""Token of the local user, for systems that do not identify the connecting process. Standard library only: bin/serve
runs before Django.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sys
from pathlib import Path

from awrdiff import private_var_folder, server_env_variables
from awrdiff.accounts import loopback_peer_user

PARAMETER = "token"
FILE = "local_address"
PEOPLE = "people_sign_in"  # there once everybody signs in: no token is made any more


def renew(var: Path, address: str) -> str:
    """Address with a new token; earlier ones become invalid."""
    whole = f"{address}?{PARAMETER}={secrets.token_urlsafe(32)}"
    private_var_folder.write_whole(var / FILE, whole + "\n")
    return whole


def note_people(var: Path, *, sign_in: bool) -> None:
    """Mark for bin/serve, which has no database."""
    if not sign_in:
        (var / PEOPLE).unlink(missing_ok=True)
        return
    (var / PEOPLE).touch(mode=0o600)
    (var / FILE).unlink(missing_ok=True)


def announcement(var: Path, address: str) -> list[str]:
    """Line to print, if any; the token only on terminals."""
    if (var / PEOPLE).exists():
        return []
    whole = renew(var, address)
    if loopback_peer_user.system_tells() and not server_env_variables.LOCAL_TOKEN.read():
        return []
    place = whole if sys.stdout.isatty() else f"the address in {(var / FILE).resolve()}"
    return [f"The browser's first visit: {place}"]


def current(var: Path) -> str:
    """Token of the last start, or ""."""
    try:
        return (var / FILE).read_text().strip().rpartition(f"?{PARAMETER}=")[2]
    except OSError:
        return ""


def is_current(var: Path, token_text: str) -> bool:
    expected = current(var)
    return bool(expected) and hmac.compare_digest(expected.encode(), token_text.encode("utf-8", "replace"))


def cookie_value(var: Path, owner: int | None) -> str:
    """Not the token: cookies reach every port of a host."""
    token = current(var)
    return hmac.new(token.encode(), f"local user {owner}".encode(), hashlib.sha256).hexdigest() if token else ""


def is_cookie(var: Path, owner: int | None, cookie: str) -> bool:
    expected = cookie_value(var, owner)
    return bool(expected) and hmac.compare_digest(expected.encode(), cookie.encode("utf-8", "replace"))
