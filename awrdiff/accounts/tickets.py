"""References to tickets (JIRA-123, #45), and the address a team's pattern makes of one."""

from __future__ import annotations

from urllib.parse import quote

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.processing import addresses
from awrdiff.processing.storable import storable_text

PLACE = "{}"
LONGEST = 300
_EXAMPLE = "https://example.com/{}"  # short: it stands in a heading of a phone


def clean_pattern(text: str) -> str:
    """Empty: no links. The reference must stand after the host, so that the pattern shows where it leads. Raises
    PeopleRefused.
    """
    pattern = storable_text(text.strip())
    if not pattern:
        return ""
    parts = addresses.outside(pattern)
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


def address_of(pattern: str, ticket: str) -> str:
    """The ticket's address: itself, or by the pattern; "" without either."""
    if not ticket or is_address(ticket):
        return ticket
    return pattern.replace(PLACE, quote(ticket.removeprefix("#"), safe="")) if pattern else ""
