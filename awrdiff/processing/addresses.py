"""Addresses outside of this server, as people type them."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit


def outside(address: str) -> SplitResult | None:
    """The parts of one of http or https that shows where it leads, which no character does that is not seen or turns
    the text around; None of what is none. Whether it holds a name before the host is left to whoever asks."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    shows = address.isprintable() and not set(address) & set(" \\") and port != 0
    return parts if shows and parts.scheme in ("http", "https") and parts.hostname else None
