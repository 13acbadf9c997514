"""Sign-in without password, only for the server's operator: by connection owner (`peers`), else by `local_token`."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from awrdiff.accounts import local_user_token, loopback_peer_user
from awrdiff.web.sign_in.cookies import of_server, set_of_server

PEER_UID = "awrdiff.peer_uid"  # a key of the WSGI environment: no header of a request can become one
ELSEWHERE = "To let colleagues reach it, see docs/operations.md: Reaching it from other machines."


def refuse_others(request: HttpRequest) -> None:
    """Raises PermissionDenied unless the operator asks from here."""
    forwarded = [h for h in request.headers if h.lower() == "forwarded" or h.lower().startswith("x-forwarded")]
    if forwarded or loopback_peer_user.loopback(request.META.get("REMOTE_ADDR", "")) is None:
        raise PermissionDenied(
            "This server signs in its local user without a password and so answers only on its own machine, "
            f"without a proxy. {ELSEWHERE}"
        )
    owner = owner_of(request)
    cookie = request.COOKIES.get(of_server(_cookie(request)), "")
    is_our_own = owner == os.geteuid() and not settings.AWRDIFF_LOCAL_TOKEN
    if is_our_own or local_user_token.is_cookie(settings.VAR, owner, cookie):
        return
    raise PermissionDenied(
        "This server signs in whoever started it, without a password, and cannot tell that this is you. "
        f"If it is: open the address in the file {settings.VAR / local_user_token.FILE}, which only you can read; "
        f"each start makes a new one. {ELSEWHERE}"
    )


def owner_of(request: HttpRequest) -> int | None:
    """User id at the connection's other end; None if unknown."""
    if PEER_UID in request.META:
        uid: int = request.META[PEER_UID]
        return uid
    if not loopback_peer_user.system_tells():
        return None
    try:
        port, server_port = int(request.META["REMOTE_PORT"]), int(request.META["SERVER_PORT"])
    except (KeyError, ValueError):
        return None
    return loopback_peer_user.owner(request.META.get("REMOTE_ADDR", ""), port, settings.AWRDIFF_BIND, server_port)


def _cookie(request: HttpRequest) -> str:
    """One name per port: a host's servers share cookies."""
    return f"awrdiff_local_{request.META.get('SERVER_PORT', '')}"


def set_cookie(request: HttpRequest, response: HttpResponse) -> None:
    set_of_server(response, _cookie(request), local_user_token.cookie_value(settings.VAR, owner_of(request)))
