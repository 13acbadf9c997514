"""When an instance was started, as far as its report says.

HTML reports to 12.2 print the month where the minutes belong: started in April at 16:33, they say `23-Apr-14 16:04`
(format HH24:MM for HH24:MI). Of such a time only the hour is known; the text report of the same snapshots has the
minutes right.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from parsers.identity.awr import read_moment

_HOUR = timedelta(minutes=59)


def bounds(startup: datetime) -> tuple[datetime, datetime]:
    """The earliest and the latest time the printed one may stand for."""
    if startup.minute == startup.month:
        hour = startup.replace(minute=0, second=0)
        return hour, hour + _HOUR
    return startup, startup


def may_be_same(first: datetime, second: datetime) -> bool:
    a, b = bounds(first), bounds(second)
    return a[0] <= b[1] and b[0] <= a[1]


def same_startup(first: str, second: str) -> bool:
    """Whether two printed times may be one and the same."""
    a, b = read_moment(first), read_moment(second)
    return a is not None and b is not None and may_be_same(a, b)


def startup_text(startup: datetime) -> str:
    """In words, without the minutes where they are not known."""
    if startup.minute == startup.month:
        return startup.strftime("%d %b %Y between %H:00 and %H:59")
    return startup.strftime("%d %b %Y %H:%M")
