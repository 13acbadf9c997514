"""Where a request comes from, as far as it can be trusted."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The client's address. Behind a proxy it is the last one in the header that the proxy sets, else not known.

    Whatever stands before the last comes from the client and may be invented.
    """
    if not settings.AWRDIFF_BEHIND_PROXY:
        return _address(request.META.get("REMOTE_ADDR", ""))
    header = settings.AWRDIFF_CLIENT_ADDRESS_HEADER
    return _address(request.headers.get(header, "").rpartition(",")[2]) if header else None


def _address(text: str) -> str | None:
    try:
        found = ip_address(text.strip())
    except ValueError:
        return None
    return str(found.ipv4_mapped if isinstance(found, IPv6Address) and found.ipv4_mapped else found)
