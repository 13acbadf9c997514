"""Statistics across incidents, as page and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.urls import reverse
from msgspec import Struct

from awrdiff.incidents.models import Incident
from awrdiff.incidents.statistics import ALWAYS, PERIODS_DAYS, Cause, Database, Period, Statistics, Took
from awrdiff.web.presenters.incident.clock import span
from awrdiff.web.presenters.incident.kinds import as_documents

NONE_SAYS = "no incident says"


class Linked(Struct):
    title: str
    url: str


class Group(Struct):
    """A database or confirmed cause, with its incidents, latest first."""

    name: str
    beside: str
    count: int
    incidents: Sequence[Linked]


class TimeDocument(Struct):
    name: str
    count: int
    of: int
    median_s: float | None


class Time(TimeDocument):
    """`how`: what is taken for it."""

    how: str
    median: str
    spread: str


class Choice(Struct):
    text: str
    url: str
    is_chosen: bool


def period_choices(selected: Period) -> list[Choice]:
    """Preset periods; custom days are typed."""
    own = reverse("incident-statistics")
    lasts = [Choice(f"{days} days", f"{own}?days={days}", selected.days == days) for days in PERIODS_DAYS]
    return [*lasts, Choice("All", own, selected == ALWAYS)]


def period_text(selected: Period) -> str:
    """`that began in the last 30 days`, `that began from 1 Jan 2024 to 30 Jun 2024 (UTC)`; "" for all."""
    if selected.days is not None:
        return f"that began in the last {selected.days} days"
    since = f"from {_day_text(selected.since)}" if selected.since else ""
    until = f"to {_day_text(selected.until)}" if selected.until else ""
    text = " ".join(filter(None, (since, until)))
    return f"that began {text} (UTC)" if text else ""


def _day_text(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def database_groups(statistics: Statistics) -> list[Group]:
    names = [database.name for database in statistics.databases]
    return [
        Group(database.name or "no name", _dbid(database, names), len(own), _linked(own))
        for database, own in statistics.databases.items()
    ]


def _dbid(database: Database, names: Sequence[str]) -> str:
    """Only for equal or missing names."""
    return f"DB id {database.dbid}" if database.dbid and (names.count(database.name) > 1 or not database.name) else ""


def cause_groups(cause_rows: Sequence[Cause]) -> list[Group]:
    return [
        Group(
            cause.title,
            ", ".join(sorted({d.name for d in cause.databases if d.name})),
            len(cause.incidents),
            _linked(cause.incidents),
        )
        for cause in cause_rows
    ]


def time_rows(statistics: Statistics) -> list[Time]:
    return [
        _time("Time to detect", "from the begin of the impact, as people set both", statistics.detected),
        _time("Time to mitigate", "the same", statistics.mitigated),
        _time("Time to resolve", "the same", statistics.resolved),
    ]


def _time(name: str, how: str, took: Took) -> Time:
    median = took.median
    if median is None:
        return Time(name, 0, took.of, None, how, NONE_SAYS, "")
    least, most = span(min(took.times)), span(max(took.times))
    spread = f"{least} … {most}" if least != most else ""
    return Time(name, len(took.times), took.of, median.total_seconds(), how, span(median), spread)


def document_of(statistics: Statistics, selected: Period) -> dict[str, Any]:
    """GET /incidents/statistics/ as JSON."""
    return {
        "period": {
            "days": selected.days,
            "since": selected.since.isoformat() if selected.since else None,
            "until": selected.until.isoformat() if selected.until else None,
        },
        "incidents": statistics.total,
        "looked_at": len(statistics.incidents),
        "databases": database_groups(statistics),
        "of_no_database": statistics.of_none,
        "causes": cause_groups(statistics.causes),
        "without_cause": statistics.without_cause,
        "open_hours": statistics.open_hours,
        "times": as_documents(TimeDocument, time_rows(statistics)),
        "open_actions": statistics.actions,
    }


def _linked(incidents: Sequence[Incident]) -> list[Linked]:
    return [Linked(incident.title, reverse("incident", args=[incident.pk])) for incident in incidents]
