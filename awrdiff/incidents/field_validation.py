"""Validation of typed incident fields; raises IncidentRefused."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.db import models

from awrdiff import external_urls
from awrdiff.processing.storable_values import one_line, storable_text

LONGEST_SUMMARY, MOST_TAGS, LONGEST_TAG = 10_000, 12, 40
# Times that people set, in the order in which they happen, by the name of the field.
TIME_LABELS = {
    "impact_at": "Impact began",
    "detected_at": "Detected",
    "mitigated_at": "Mitigated",
    "resolved_at": "Resolved",
}
YEARS = (1980, 2200)
_REFERENCE = re.compile(r"#?(?=[A-Za-z_.-]*[0-9])[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")

Choice = TypeVar("Choice", bound=models.Choices)


class IncidentRefused(ValueError):
    """Invalid field, or no more room."""


def line(text: str, longest: int, what: str, *, empty: bool = False) -> str:
    cleaned = one_line(text)
    return _check_length(cleaned, longest, what, empty=empty)


def prose(text: str, longest: int, what: str, *, empty: bool = False) -> str:
    cleaned = storable_text(text).replace("\r\n", "\n").strip()
    return _check_length(cleaned, longest, what, empty=empty)


def _check_length(text: str, longest: int, what: str, *, empty: bool) -> str:
    if not text and not empty:
        raise IncidentRefused(f"{what} is missing.")
    if len(text) > longest:
        raise IncidentRefused(f"{what} has {len(text):,} characters: at most {longest:,} are kept.")
    return text


def choice(choices: type[Choice], text: str, what: str) -> Choice:
    for item in choices:
        if str(item.value) == text:
            return item
    raise IncidentRefused(f"{what} must be one of {', '.join(str(item.value) for item in choices)}.")


@lru_cache(maxsize=1)
def zones() -> tuple[str, ...]:
    """IANA names, places first."""
    names = available_timezones() - {"localtime", "Factory"} | {"UTC"}
    return tuple(sorted(names, key=lambda name: ("/" not in name, name)))


def zone_of(name: str) -> tzinfo:
    """UTC for unknown zones."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def zone_text(name: str) -> str:
    """Zone in which times are shown."""
    return f"UTC ({name} is not known here)" if zone_of(name) is UTC and name != "UTC" else name


def zone(text: str) -> str:
    name = text.strip()
    if name not in zones():
        raise IncidentRefused("The time zone must be an IANA name, such as Europe/Vienna, America/New_York or UTC.")
    return name


def moment(text: str, zone_name: str, what: str, was: datetime | None = None) -> datetime:
    """From `2026-11-22T14:05` in `zone_name`, or with offset.

    The form's text for `was` gives `was`: repeated hours in autumn and fractions survive.
    """
    try:
        typed = datetime.fromisoformat(text.strip())
    except ValueError:
        raise IncidentRefused(f"{what} must be a date and a time, such as 2026-11-22 14:05.") from None
    _check_year(typed, what)
    if typed.tzinfo:
        return typed.astimezone(UTC)
    zone = zone_of(zone_name)
    if was is not None and was.astimezone(zone).replace(tzinfo=None, microsecond=0) == typed:
        return was
    at = typed.replace(tzinfo=zone).astimezone(UTC)
    if at.astimezone(zone).replace(tzinfo=None) != typed:
        shown_time = f"{typed:%H:%M} on {typed.day} {typed:%b %Y}"
        raise IncidentRefused(f"{what} cannot be: clocks in {zone_name} did not show {shown_time}.")
    return at


def clock_text(at: datetime | None, zone: tzinfo, beside: datetime | None = None) -> str:
    """Form text; with offset only if `beside` looks equal."""
    if at is None:
        return ""
    text = at.astimezone(zone).replace(tzinfo=None, microsecond=0).isoformat()
    return at.astimezone(zone).isoformat() if beside not in (None, at) and clock_text(beside, zone) == text else text


def exact(at: datetime | None) -> str:
    """Form text that is right in any zone."""
    return at.isoformat() if at else ""


def now() -> datetime:
    """To the minute, as typed."""
    return datetime.now(UTC).replace(second=0, microsecond=0)


def day(text: str) -> date | None:
    if not text.strip():
        return None
    try:
        typed = date.fromisoformat(text.strip())
    except ValueError:
        raise IncidentRefused("The due date must be a date, such as 2026-11-30.") from None
    _check_year(typed, "The due date")
    return typed


def _check_year(day: date, what: str) -> None:
    if not YEARS[0] <= day.year <= YEARS[1]:
        raise IncidentRefused(f"{what} must lie between the years {YEARS[0]} and {YEARS[1]}.")


def ticket(text: str) -> str:
    """Reference, address, or both (awrdiff/accounts/ticket_references.py)."""
    cleaned = line(text, 500, "The ticket", empty=True)
    if _REFERENCE.fullmatch(cleaned):
        return cleaned
    reference, _, address = cleaned.partition(" ")
    return f"{reference} {link(address)}" if address and _REFERENCE.fullmatch(reference) else link(cleaned)


def link(text: str) -> str:
    """Http(s) address or ""; no user info, which fakes hosts (`https://tickets.example.com@evil.example/`)."""
    cleaned = line(text, 500, "The link", empty=True)
    if not cleaned:
        return ""
    parts = external_urls.outside(cleaned)
    if parts is None:
        raise IncidentRefused(
            "The ticket must be a reference such as JIRA-123 or #45, or an address that begins with https:// or http://."
        )
    if "@" in parts.netloc:
        raise IncidentRefused("The address of a ticket must hold no name or password.")
    return cleaned


def tags(text: str) -> tuple[str, ...]:
    """Unique, lower case, from comma-separated text."""
    lines = (line(part, LONGEST_TAG, "A tag", empty=True).lower() for part in text.split(","))
    names = dict.fromkeys(filter(None, lines))
    if len(names) > MOST_TAGS:
        raise IncidentRefused(f"An incident has at most {MOST_TAGS} tags: leave some out.")
    return tuple(names)
