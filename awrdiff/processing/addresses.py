"""Addresses outside this server, as people type them."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def outside(address: str) -> SplitResult | None:
    """Parts of an http(s) address without invisible or text-reversing characters, else None. A name before the host is
    left to the caller.
    """
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    shows = address.isprintable() and not set(address) & set(" \\") and port != 0
    return parts if shows and parts.scheme in ("http", "https") and parts.hostname else None
