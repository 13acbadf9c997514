"""Statistics across incidents, as their page and JSON have them."""

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
    """A database, or a confirmed cause, with its incidents: the latest first."""

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
        kept = ("name", "count", "of", "median_s")
        return {name: value for name, value in asdict(self).items() if name in kept}


@dataclass(frozen=True, slots=True)
class Choice:
    text: str
    url: str
    is_chosen: bool


def choices(chosen: Period) -> list[Choice]:
    """The periods that take a click; own days are typed."""
    own = reverse("incident-statistics")
    lasts = [Choice(f"{days} days", f"{own}?days={days}", chosen.days == days) for days in PERIODS_DAYS]
    return [*lasts, Choice("All", own, chosen == ALWAYS)]


def period(chosen: Period) -> str:
    """`that began in the last 30 days`, `that began from 1 Jan 2024 to 30 Jun 2024 (UTC)`; "" of all."""
    if chosen.days is not None:
        return f"that began in the last {chosen.days} days"
    since = f"from {_day(chosen.since)}" if chosen.since else ""
    until = f"to {_day(chosen.until)}" if chosen.until else ""
    said = " ".join(filter(None, (since, until)))
    return f"that began {said} (UTC)" if said else ""


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


def databases(found: Statistics) -> list[Group]:
    names = [one.name for one in found.databases]
    return [
        Group(one.name or "no name", _dbid(one, names), len(own), _linked(own)) for one, own in found.databases.items()
    ]


def _dbid(one: Database, names: Sequence[str]) -> str:
    """Said where it is needed: two have the same name, or it has none."""
    return f"DB id {one.dbid}" if one.dbid and (names.count(one.name) > 1 or not one.name) else ""


def causes(found: Sequence[Cause]) -> list[Group]:
    return [
        Group(
            one.title,
            ", ".join(sorted({d.name for d in one.databases if d.name})),
            len(one.incidents),
            _linked(one.incidents),
        )
        for one in found
    ]


def times(found: Statistics) -> list[Time]:
    return [
        _time("Time to detect", "from the begin of the impact, as people set both", found.detected),
        _time("Time to mitigate", "the same", found.mitigated),
        _time("Time to resolve", "the same", found.resolved),
    ]


def _time(name: str, how: str, took: Took) -> Time:
    median = took.median
    if median is None:
        return Time(name, how, NONE_SAYS, "", 0, took.of, None)
    least, most = span(min(took.times)), span(max(took.times))
    spread = f"{least} … {most}" if least != most else ""
    return Time(name, how, span(median), spread, len(took.times), took.of, median.total_seconds())


def document(found: Statistics, chosen: Period) -> dict[str, Any]:
    """GET /incidents/statistics/ as JSON."""
    return {
        "period": {
            "days": chosen.days,
            "since": chosen.since.isoformat() if chosen.since else None,
            "until": chosen.until.isoformat() if chosen.until else None,
        },
        "incidents": found.total,
        "looked_at": len(found.incidents),
        "databases": [asdict(one) for one in databases(found)],
        "of_no_database": found.of_none,
        "causes": [asdict(one) for one in causes(found.causes)],
        "without_cause": found.without_cause,
        "open_hours": found.open_hours,
        "times": [one.as_dict() for one in times(found)],
        "open_actions": asdict(found.actions),
    }


def _linked(incidents: Sequence[Incident]) -> list[Linked]:
    return [Linked(one.title, reverse("incident", args=[one.pk])) for one in incidents]
