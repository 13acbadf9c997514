"""Tickets elsewhere: a reference (JIRA-123, #45), an address, or both, reference first."""

from __future__ import annotations

from urllib.parse import quote

from awrdiff import external_urls
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.processing.storable_values import storable_text

PLACE = "{}"
LONGEST = 300
_EXAMPLE = "https://example.com/{}"  # short: it stands in a heading of a phone


def clean_pattern(text: str) -> str:
    """Empty: no links. The reference must follow the host. Raises PeopleRefused."""
    pattern = storable_text(text.strip())
    if not pattern:
        return ""
    parts = external_urls.outside(pattern)
    plain = pattern.isascii() and not set(pattern) & set('<>"')
    if parts is None or parts.scheme != "https" or not plain or "@" in parts.netloc:
        raise PeopleRefused(f"The address of tickets must begin with https:// and a host: {_EXAMPLE}.")
    if len(pattern) > LONGEST:
        raise PeopleRefused(f"The address of tickets has at most {LONGEST} characters.")
    rest = pattern.replace(PLACE, "", 1)
    if PLACE not in pattern or PLACE in parts.netloc or set(rest) & set("{}"):
        raise PeopleRefused(f"The address of tickets has one {PLACE}, behind the host, for the reference: {_EXAMPLE}.")
    return pattern


def is_address(ticket: str) -> bool:
    return ticket.lower().startswith(("https://", "http://"))


def name_of(ticket: str) -> str:
    """Reference, “ticket” for a bare address, else ""."""
    reference, address = _parts(ticket)
    return reference or ("ticket" if address else "")


def address_of(pattern: str, ticket: str) -> str:
    """Own address, else by the pattern; "" without either."""
    reference, address = _parts(ticket)
    if address or not reference:
        return address
    return pattern.replace(PLACE, quote(reference.removeprefix("#"), safe="")) if pattern else ""


def _parts(ticket: str) -> tuple[str, str]:
    reference, _, address = ticket.rpartition(" ")
    return (reference, address) if is_address(address) else (ticket, "")
