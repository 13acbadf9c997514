"""Days and times in search texts: `yesterday`, `2018-01-11`, `11 Jan`, `january 2018`, `09:30`."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {name.lower(): n for names in (calendar.month_name, calendar.month_abbr) for n, name in enumerate(names) if n}
_WEEKDAYS = [name.lower() for name in calendar.day_name]
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_FORMS = (
    r"(?P<y>\d{4})-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2}))?",
    r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})?",
    rf"(?P<d>\d{{1,2}})\s+(?P<m>{_MONTH})(?:\s+(?P<y>\d{{4}}))?",
    rf"(?P<m>{_MONTH})\s+(?P<d>\d{{1,2}})(?:,?\s+(?P<y>\d{{4}}))?",
    rf"(?P<m>{_MONTH})(?:\s+(?P<y>\d{{4}}))?",
    r"(?P<y>(?:19|20)\d\d)",
    r"(?P<H>\d{1,2}):(?P<M>\d\d)",
)
_PLACES = [re.compile(rf"(?<!\S){form}(?!\S)") for form in _FORMS]


@dataclass(frozen=True, slots=True)
class When:
    """Parts of a day (None: any), or time of day `clock`."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    clock: str = ""

    def in_iso(self) -> str:
        """Matching part of an ISO text; a year is at its start."""
        if self.clock:
            return f"T{self.clock}"
        year = f"{self.year:04}" if self.year else ""
        month = f"-{self.month:02}-" if self.month else "-"
        return f"{year}{month}{f'{self.day:02}T' if self.day else ''}"


@dataclass(frozen=True, slots=True)
class Term:
    """Search word, with the day it may mean."""

    text: str
    when: When | None = None


def terms(text: str, today: date) -> list[Term]:
    """Words, all wanted; words naming one day are one."""
    rest, term_list = text.lower(), []
    for pattern in _PLACES:
        for hit in list(pattern.finditer(rest)):
            when = _when(hit.groupdict())
            if when is not None:
                term_list.append(Term(hit[0], when))
                rest = rest.replace(hit[0], " ", 1)
    return [*term_list, *_words(rest, today)]


def _words(rest: str, today: date) -> Iterator[Term]:
    for word in rest.split():
        ago = _days_ago(word, today)
        day = today - timedelta(ago) if ago is not None else None
        yield Term(word, When(day.year, day.month, day.day) if day else None)


def _days_ago(word: str, today: date) -> int | None:
    if word in ("today", "yesterday"):
        return int(word == "yesterday")
    return (today.weekday() - _WEEKDAYS.index(word)) % 7 if word in _WEEKDAYS else None


def _when(groups: dict[str, str | None]) -> When | None:
    """None for what no calendar or clock has."""
    if hour := groups.get("H"):
        minute = groups.get("M") or ""
        return When(clock=f"{int(hour):02}:{minute}") if int(hour) < 24 and int(minute) < 60 else None
    year, month, day = (_number(groups.get(name)) for name in "ymd")
    if year == 0 or not 1 <= (month or 1) <= 12:
        return None
    most = calendar.monthrange(year or 2000, month)[1] if month else 31
    return When(year, month, day) if 1 <= (day or 1) <= most and day != 0 else None


def _number(text: str | None) -> int | None:
    return _MONTHS.get(text) or int(text) if text else None
