"""Moments in an incident's zone; UTC if unknown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from awrdiff.incidents.field_validation import clock_text, zone_of
from awrdiff.incidents.models import Incident


@dataclass(frozen=True, slots=True)
class Clock:
    zone: tzinfo

    @classmethod
    def of(cls, incident: Incident) -> Clock:
        return cls(zone_of(incident.time_zone))

    def local(self, at: datetime) -> datetime:
        """Without zone."""
        return at.astimezone(self.zone).replace(tzinfo=None)

    def text(self, at: datetime) -> str:
        """`22 Nov 2026 14:05`, with seconds unless 0."""
        local = self.local(at)
        seconds = f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"
        return f"{local.day} {local:%b %Y} {seconds}"

    def window(self, begin: datetime, end: datetime | None) -> str:
        """`22 Nov 2026 14:05 – 15:00`; seconds within one minute."""
        if end is None:
            return f"since {self.text(begin)}"
        first, last = self.local(begin), self.local(end)
        clock = "%H:%M:%S" if f"{first:%F %H:%M}" == f"{last:%F %H:%M}" else "%H:%M"
        days = [f"{at.day} {at:%b %Y} " for at in (first, last)]
        return f"{days[0]}{first:{clock}} – {days[1] if days[0] != days[1] else ''}{last:{clock}}"

    def typed(self, at: datetime | None) -> str:
        """For a datetime-local field."""
        return clock_text(at, self.zone)

    def moment(self, iso: str, *, later: bool = False) -> datetime | None:
        """None if implausible. `later`: second of two equal hours (DST)."""
        try:
            parsed = datetime.fromisoformat(iso).replace(tzinfo=self.zone, fold=int(later))
        except ValueError:
            return None
        return parsed.astimezone(UTC) if 1980 <= parsed.year <= 2200 else None

    def span(self, begin: str, end: str) -> tuple[datetime, datetime] | None:
        """In a repeated hour it ends in the second one."""
        first, last = self.moment(begin), self.moment(end)
        if first is None or last is None:
            return None
        if last < first:
            last = self.moment(end, later=True) or last
        return first, max(first, last)


def impact_text(incident: Incident) -> str:
    """`impact 1 h 20 min`, from typed times, else ""."""
    begin, end = incident.impact_at, incident.resolved_at
    return f"impact {span(end - begin)}" if begin and end else ""


def span(took: timedelta) -> str:
    """`1 h 20 min`, `3 d 4 h`"""
    minutes = max(0, round(took / timedelta(minutes=1)))
    days, hours, rest = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [f"{days} d" if days else "", f"{hours} h" if hours else "", f"{rest} min" if rest and not days else ""]
    return " ".join(filter(None, parts)) or "0 min"
