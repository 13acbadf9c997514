"""Span of a database's page: preset or custom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from awrdiff.analysis.windows import window
from awrdiff.web.presenters.page.pieces import Choice

DAY, WEEK, MONTH, EVERY = "day", "week", "month", "all"
LENGTHS = {DAY: timedelta(days=1), WEEK: timedelta(days=7), MONTH: timedelta(days=31)}
_NAMES = {DAY: "Day", WEEK: "Week", MONTH: "Month", EVERY: "All"}
_YEARS = (1980, 2200)
_MINUTE = "%Y-%m-%dT%H:%M"


@dataclass(frozen=True, slots=True)
class Span:
    """`end` is excluded; None is unbounded. `chosen`: preset, "" for custom."""

    begin: datetime | None
    end: datetime | None
    chosen: str

    @property
    def query(self) -> dict[str, str]:
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
        """Equally long, just before; None if unbounded."""
        if self.begin is None or self.end is None:
            return None
        return Span(self.begin - (self.end - self.begin), self.begin, "")

    @property
    def after(self) -> Span | None:
        if self.begin is None or self.end is None:
            return None
        return Span(self.end, self.end + (self.end - self.begin), "")


def span_of(parameters: Mapping[str, str], latest: datetime | None) -> Span:
    """Invalid parameters are ignored. `latest`: end of last report."""
    begin, end = moment(parameters.get("from", "")), moment(parameters.get("to", ""))
    if begin is not None or end is not None:
        if begin is not None and end is not None and end <= begin:
            begin, end = end, begin
        return Span(begin, end, "")
    preset = parameters.get("range", "")
    preset = preset if preset in _NAMES else WEEK
    if preset == EVERY or latest is None:
        return Span(None, None, preset)
    return Span(latest - LENGTHS[preset], latest, preset)


def links_of(span: Span, parameters: Mapping[str, str | list[str]]) -> list[Choice]:
    """`parameters`: others to carry on."""
    return [
        Choice(f"?{urlencode({'range': key, **parameters}, doseq=True)}", name, key == span.chosen)
        for key, name in _NAMES.items()
    ]


def moment(text: str) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(text.strip()[:19])
    except ValueError:
        return None
    return parsed.replace(tzinfo=None) if _YEARS[0] <= parsed.year <= _YEARS[1] else None


def minute(at: datetime) -> str:
    return f"{at:{_MINUTE}}"
