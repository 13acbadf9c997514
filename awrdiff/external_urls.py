"""Addresses outside this server, as people type them."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def outside(address: str) -> SplitResult | None:
    """None unless http(s), without invisible or text-reversing characters; a user name is the caller's matter."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    shows = address.isprintable() and not set(address) & set(" \\") and port != 0
    return parts if shows and parts.scheme in ("http", "https") and parts.hostname else None
