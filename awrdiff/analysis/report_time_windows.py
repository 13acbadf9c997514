"""Report windows as clock times, for titles and headings."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, get_args

NONE = "–"
SpanWord = Literal["hour", "window"]
SPAN_WORDS: tuple[SpanWord, ...] = get_args(SpanWord)
_AN_HOUR_S = (3420.0, 3780.0)  # snapshots are taken some seconds or minutes early or late
Span: TypeAlias = tuple[datetime | None, datetime | None]  # begin and end


def span_word(*lengths_s: float | None) -> SpanWord:
    """Hours if all last 60 minutes."""
    low, high = _AN_HOUR_S
    return "hour" if all(length_s is not None and low <= length_s <= high for length_s in lengths_s) else "window"


def length_s(span: Span) -> float | None:
    begin, end = span
    return (end - begin).total_seconds() if begin is not None and end is not None else None


CLOSE = 0.5  # of a window: less between it and the next is no gap


def is_close(begin: datetime, end: datetime, next_begin: datetime) -> bool:
    """True if the gap before the next window is under half of this."""
    return next_begin - end <= (end - begin) * CLOSE


def gap_text(seconds: float) -> str:
    """Distance of two windows; "" within a minute."""
    return f"{duration(seconds)} later" if seconds > 60 else "overlaps" if seconds < -60 else ""


def duration(seconds: float | None, beside: float | None = None) -> str:
    """`60.2 min`, `7 d 2 h`; in the unit of `beside`."""
    if seconds is None:
        return NONE
    if seconds < 90:
        digits = max(0, 2 - math.floor(math.log10(seconds))) if seconds > 0 else 0
        return f"{seconds:,.{min(digits, 6)}f} s"
    if max(seconds, beside if beside and seconds >= 3600 else 0.0) < 6 * 3600:
        return f"{seconds / 60:,.1f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:,.1f} h"
    days, rest = divmod(round(seconds / 3600), 24)
    return f"{days} d {rest} h" if rest else f"{days} d"


def window(begin: str | None, end: str | None) -> str:
    """The day once: `11 Jan 2018 09:30 – 10:30`."""
    first, last = moment(begin), moment(end)
    if first is None:
        return NONE
    text = f"{first.day} {first:%b %Y %H:%M}"
    if last is None:
        return text
    same_day = first.date() == last.date()
    return f"{text} – {last:%H:%M}" if same_day else f"{text} – {last.day} {last:%b %H:%M}"


def windows(first: tuple[str | None, str | None], second: tuple[str | None, str | None]) -> str:
    """`11 Jan 2018 09:30 – 10:30 → 11:30 – 12:31`"""
    days = {m.date() for side in (first, second) for t in side if (m := moment(t)) is not None}
    later = moment(second[0])
    if len(days) != 1 or later is None:
        return f"{window(*first)} → {window(*second)}"
    end = moment(second[1])
    return f"{window(*first)} → {later:%H:%M}" + (f" – {end:%H:%M}" if end else "")


def common_shares(first: Span, second: Span) -> tuple[float, float] | None:
    """Overlap as shares (0..1) of longer and shorter window.

    None for missing times or empty windows. Windows include their begin, not their end.
    """
    begin, end, other_begin, other_end = *first, *second
    if begin is None or end is None or other_begin is None or other_end is None:
        return None
    shorter, longer = sorted((end - begin, other_end - other_begin))
    if longer <= timedelta():
        return None
    latest_begin, common = max(begin, other_begin), min(end, other_end) - max(begin, other_begin)
    if shorter <= timedelta():
        return 0.0, float(not common and latest_begin < max(end, other_end))
    common = max(common, timedelta())
    return common / longer, common / shorter


def moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
