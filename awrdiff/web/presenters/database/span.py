"""From when to when a database is looked at: the latest day, week or month, all of it, or as somebody chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from awrdiff.analysis.windows import window

DAY, WEEK, MONTH, EVERY = "day", "week", "month", "all"
LENGTHS = {DAY: timedelta(days=1), WEEK: timedelta(days=7), MONTH: timedelta(days=31)}
_NAMES = {DAY: "Day", WEEK: "Week", MONTH: "Month", EVERY: "All"}
_YEARS = (1980, 2200)
_MINUTE = "%Y-%m-%dT%H:%M"


@dataclass(frozen=True, slots=True)
class Span:
    """What begins from `begin` on and before `end`; None: no end there. `chosen`: a name of the above, "" where the
    address says both."""

    begin: datetime | None
    end: datetime | None
    chosen: str

    @property
    def query(self) -> dict[str, str]:
        """As an address says it."""
        if self.chosen:
            return {"range": self.chosen}
        ends = (("from", self.begin), ("to", self.end))
        return {name: minute(at) for name, at in ends if at is not None}

    @property
    def said(self) -> str:
        if self.begin is None or self.end is None:
            return "all reports"
        return window(self.begin.isoformat(), self.end.isoformat())

    @property
    def before(self) -> Span | None:
        """As long a time, just before; of all there is none."""
        if self.begin is None or self.end is None:
            return None
        return Span(self.begin - (self.end - self.begin), self.begin, "")

    @property
    def after(self) -> Span | None:
        if self.begin is None or self.end is None:
            return None
        return Span(self.end, self.end + (self.end - self.begin), "")


@dataclass(frozen=True, slots=True)
class SpanLink:
    name: str
    url: str
    current: bool = False


def span_of(asked: Mapping[str, str], latest: datetime | None) -> Span:
    """Of an address; what it says wrongly counts as not said. `latest`: when the last report ends."""
    begin, end = moment(asked.get("from", "")), moment(asked.get("to", ""))
    if begin is not None or end is not None:
        if begin is not None and end is not None and end <= begin:
            begin, end = end, begin
        return Span(begin, end, "")
    chosen = asked.get("range", "")
    chosen = chosen if chosen in _NAMES else WEEK
    if chosen == EVERY or latest is None:
        return Span(None, None, chosen)
    return Span(latest - LENGTHS[chosen], latest, chosen)


def links_of(span: Span, others: Mapping[str, str | list[str]]) -> list[SpanLink]:
    """`others`: what the address says beside."""
    return [
        SpanLink(name, f"?{urlencode({'range': key, **others}, doseq=True)}", key == span.chosen)
        for key, name in _NAMES.items()
    ]


def moment(text: str) -> datetime | None:
    """Of a form's field: a day, or a minute of it."""
    try:
        found = datetime.fromisoformat(text.strip()[:19])
    except ValueError:
        return None
    return found.replace(tzinfo=None) if _YEARS[0] <= found.year <= _YEARS[1] else None


def minute(at: datetime) -> str:
    return f"{at:{_MINUTE}}"
