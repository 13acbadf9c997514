"""Statistics across incidents, as page and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.urls import reverse

from awrdiff.incidents.models import Incident
from awrdiff.incidents.statistics import ALWAYS, PERIODS_DAYS, Cause, Database, Period, Statistics, Took
from awrdiff.web.presenters.incident.clock import span

NONE_SAYS = "no incident says"


@dataclass(frozen=True, slots=True)
class Linked:
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Group:
    """A database or confirmed cause, with its incidents, latest first."""

    name: str
    beside: str
    count: int
    incidents: Sequence[Linked]


@dataclass(frozen=True, slots=True)
class Time:
    """`how`: what is taken for it."""

    name: str
    how: str
    median: str
    spread: str
    count: int
    of: int
    median_s: float | None

    def as_dict(self) -> dict[str, Any]:
        field_names = ("name", "count", "of", "median_s")
        return {name: value for name, value in asdict(self).items() if name in field_names}


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    url: str
    is_chosen: bool


def choices(selected: Period) -> list[Choice]:
    """Preset periods; custom days are typed."""
    own = reverse("incident-statistics")
    lasts = [Choice(f"{days} days", f"{own}?days={days}", selected.days == days) for days in PERIODS_DAYS]
    return [*lasts, Choice("All", own, selected == ALWAYS)]


def period(selected: Period) -> str:
    """`that began in the last 30 days`, `that began from 1 Jan 2024 to 30 Jun 2024 (UTC)`; "" for all."""
    if selected.days is not None:
        return f"that began in the last {selected.days} days"
    since = f"from {_day(selected.since)}" if selected.since else ""
    until = f"to {_day(selected.until)}" if selected.until else ""
    text = " ".join(filter(None, (since, until)))
    return f"that began {text} (UTC)" if text else ""


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def databases(statistics: Statistics) -> list[Group]:
    names = [database.name for database in statistics.databases]
    return [
        Group(database.name or "no name", _dbid(database, names), len(own), _linked(own))
        for database, own in statistics.databases.items()
    ]


def _dbid(database: Database, names: Sequence[str]) -> str:
    """Only for equal or missing names."""
    return f"DB id {database.dbid}" if database.dbid and (names.count(database.name) > 1 or not database.name) else ""


def causes(cause_rows: Sequence[Cause]) -> list[Group]:
    return [
        Group(
            cause.title,
            ", ".join(sorted({d.name for d in cause.databases if d.name})),
            len(cause.incidents),
            _linked(cause.incidents),
        )
        for cause in cause_rows
    ]


def times(statistics: Statistics) -> list[Time]:
    return [
        _time("Time to detect", "from the begin of the impact, as people set both", statistics.detected),
        _time("Time to mitigate", "the same", statistics.mitigated),
        _time("Time to resolve", "the same", statistics.resolved),
    ]


def _time(name: str, how: str, took: Took) -> Time:
    median = took.median
    if median is None:
        return Time(name, how, NONE_SAYS, "", 0, took.of, None)
    least, most = span(min(took.times)), span(max(took.times))
    spread = f"{least} … {most}" if least != most else ""
    return Time(name, how, span(median), spread, len(took.times), took.of, median.total_seconds())


def document(statistics: Statistics, selected: Period) -> dict[str, Any]:
    """GET /incidents/statistics/ as JSON."""
    return {
        "period": {
            "days": selected.days,
            "since": selected.since.isoformat() if selected.since else None,
            "until": selected.until.isoformat() if selected.until else None,
        },
        "incidents": statistics.total,
        "looked_at": len(statistics.incidents),
        "databases": [asdict(group) for group in databases(statistics)],
        "of_no_database": statistics.of_none,
        "causes": [asdict(group) for group in causes(statistics.causes)],
        "without_cause": statistics.without_cause,
        "open_hours": statistics.open_hours,
        "times": [time_row.as_dict() for time_row in times(statistics)],
        "open_actions": asdict(statistics.actions),
    }


def _linked(incidents: Sequence[Incident]) -> list[Linked]:
    return [Linked(incident.title, reverse("incident", args=[incident.pk])) for incident in incidents]
