"""Trusted origin of a request: client address, or known browser."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from awrdiff.accounts.sign_in_limits import name_key
from awrdiff.web.sign_in.cookies import of_server, set_of_server

COOKIE = "awrdiff_browser"
LASTS_S = 365 * 24 * 3600
_SALT = "awrdiff.accounts.browsers"  # as in the cookies that browsers hold already


def known_browser(request: HttpRequest, name: str, *, since: datetime | None = None) -> str | None:
    """Browser that signed in under this name, after `since`."""
    max_age = min(timedelta(seconds=LASTS_S), timezone.now() - since) if since else LASTS_S
    try:
        cookie = signing.loads(request.COOKIES.get(of_server(COOKIE), ""), salt=_SALT, max_age=max_age)
    except signing.BadSignature:
        return None
    return cookie["id"] if cookie["name"] == name_key(name) else None


def remember(response: HttpResponseBase, name: str) -> None:
    """Counts this browser's failures separately."""
    value = signing.dumps({"id": secrets.token_hex(16), "name": name_key(name)}, salt=_SALT)
    set_of_server(response, COOKIE, value, LASTS_S)


def client_address(request: HttpRequest) -> str | None:
    """Behind a proxy the header's last address: clients may invent earlier ones."""
    if not settings.AWRDIFF_BEHIND_PROXY:
        return _address(request.META.get("REMOTE_ADDR", ""))
    header = settings.AWRDIFF_CLIENT_ADDRESS_HEADER
    return _address(request.headers.get(header, "").rpartition(",")[2]) if header else None


def _address(text: str) -> str | None:
    try:
        ip = ip_address(text.strip())
    except ValueError:
        return None
    return str(ip.ipv4_mapped if isinstance(ip, IPv6Address) and ip.ipv4_mapped else ip)
