"""The windows of reports as clock times, as every title and heading says them."""

from __future__ import annotations

from datetime import datetime

NONE = "–"


def window(begin: str | None, end: str | None) -> str:
    """Clock times of an interval, the day named once: `11 Jan 2018 09:30 – 10:30`."""
    first, last = _moment(begin), _moment(end)
    if first is None:
        return NONE
    text = f"{first.day} {first:%b %Y %H:%M}"
    if last is None:
        return text
    same_day = first.date() == last.date()
    return f"{text} – {last:%H:%M}" if same_day else f"{text} – {last.day} {last:%b %H:%M}"


def windows(first: tuple[str | None, str | None], second: tuple[str | None, str | None]) -> str:
    """Two intervals, the day named once where it is the same: `11 Jan 2018 09:30 – 10:30 → 11:30 – 12:31`."""
    days = {m.date() for side in (first, second) for t in side if (m := _moment(t)) is not None}
    later = _moment(second[0])
    if len(days) != 1 or later is None:
        return f"{window(*first)} → {window(*second)}"
    end = _moment(second[1])
    return f"{window(*first)} → {later:%H:%M}" + (f" – {end:%H:%M}" if end else "")


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
