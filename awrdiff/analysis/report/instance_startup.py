"""Startup time of an instance, as printed.

HTML to 12.2 prints the month for minutes (HH24:MM): 16:33 in April is `23-Apr-14 16:04`; text is right.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from parsers.identity.awr import read_moment

_HOUR = timedelta(minutes=59)


def bounds(startup: datetime) -> tuple[datetime, datetime]:
    if startup.minute == startup.month:
        hour = startup.replace(minute=0, second=0)
        return hour, hour + _HOUR
    return startup, startup


def may_be_same(first: datetime, second: datetime) -> bool:
    a, b = bounds(first), bounds(second)
    return a[0] <= b[1] and b[0] <= a[1]


def same_startup(first: str, second: str) -> bool:
    """True if two printed times may be equal."""
    a, b = read_moment(first), read_moment(second)
    return a is not None and b is not None and may_be_same(a, b)


def startup_text(startup: datetime) -> str:
    """Text without unknown minutes."""
    if startup.minute == startup.month:
        return startup.strftime("%d %b %Y between %H:00 and %H:59")
    return startup.strftime("%d %b %Y %H:%M")
