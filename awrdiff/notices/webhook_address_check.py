"""Webhook addresses: public ones only, unless a setting allows this server's own network."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult

from django.conf import settings

from awrdiff import external_urls

LONGEST = 500
PRIVATE = "This server sends no messages to addresses of its own network (AWRDIFF_WEBHOOK_PRIVATE)."
_ODD = "Give the webhook's address, such as https://hooks.example.com/services/abc."
_NAT64 = ip_network("64:ff9b::/96")
# Of somebody's own network, or of none, whatever the version of Python that runs this calls them.
_OWN = tuple(
    ip_network(text)
    for text in (
        "64:ff9b:1::/48",
        "::ffff:0:0:0/96",  # of version 4, translated within one network
        "fec0::/10",
        "::/96",
        "5f00::/16",
        "3fff::/20",
        "192.0.0.0/24",
    )
)


class NoticeRefused(ValueError):
    """Impossible choice, such as a bad address; the message is a sentence."""


def refuse_odd(url: str) -> SplitResult:
    """Parts of an address acceptable as written. Raises NoticeRefused."""
    parts = external_urls.outside(url)
    if parts is None or not url.isascii() or len(url) > LONGEST:
        raise NoticeRefused(_ODD)
    if "@" in parts.netloc:
        raise NoticeRefused("A webhook's address holds no name and password.")
    _refuse_private(parts.hostname or "")
    return parts


def _refuse_private(host: str) -> None:
    try:
        literal = ip_address(host)
    except ValueError:
        return
    if not is_allowed(literal):
        raise NoticeRefused(PRIVATE)


def resolve(host: str, port: int) -> list[str]:
    """One bad IP spoils all. Raises NoticeRefused, OSError."""
    ips = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    if not ips or not all(is_allowed(ip_address(ip.partition("%")[0])) for ip in ips):
        raise NoticeRefused(PRIVATE)
    return list(dict.fromkeys(ips))


def is_allowed(address: IPv4Address | IPv6Address) -> bool:
    if settings.AWRDIFF_WEBHOOK_PRIVATE:
        return True
    inner = _ipv4_within(address)
    if any(address in network for network in _OWN):
        return False
    return address.is_global and not address.is_multicast and (inner is None or is_allowed(inner))


def _ipv4_within(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
