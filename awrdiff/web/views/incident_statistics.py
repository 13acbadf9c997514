"""Statistics across a team's incidents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from msgspec import Struct

from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.models import Incident
from awrdiff.incidents.statistics import ALWAYS, PERIODS_DAYS, Cause, Database, Period, Statistics, Took, statistics_of
from awrdiff.web.negotiate import json_response, wants_json
from awrdiff.web.presenters.incident.clock import span
from awrdiff.web.presenters.incident.kinds import as_documents
from awrdiff.web.sign_in.members import no_guest

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


def database_groups(counts: Statistics) -> list[Group]:
    names = [database.name for database in counts.databases]
    return [
        Group(database.name or "no name", _dbid(database, names), len(own), _linked(own))
        for database, own in counts.databases.items()
    ]


def _dbid(database: Database, names: Sequence[str]) -> str:
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


def time_rows(counts: Statistics) -> list[Time]:
    return [
        _time("Time to detect", "from the begin of the impact, as people set both", counts.detected),
        _time("Time to mitigate", "the same", counts.mitigated),
        _time("Time to resolve", "the same", counts.resolved),
    ]


def _time(name: str, how: str, took: Took) -> Time:
    median = took.median
    if median is None:
        return Time(name, 0, took.of, None, how, NONE_SAYS, "")
    least, most = span(min(took.times)), span(max(took.times))
    spread = f"{least} … {most}" if least != most else ""
    return Time(name, len(took.times), took.of, median.total_seconds(), how, span(median), spread)


def document_of(counts: Statistics, selected: Period) -> dict[str, Any]:
    return {
        "period": {
            "days": selected.days,
            "since": selected.since.isoformat() if selected.since else None,
            "until": selected.until.isoformat() if selected.until else None,
        },
        "incidents": counts.total,
        "looked_at": len(counts.incidents),
        "databases": database_groups(counts),
        "of_no_database": counts.of_none,
        "causes": cause_groups(counts.causes),
        "without_cause": counts.without_cause,
        "open_hours": counts.open_hours,
        "times": as_documents(TimeDocument, time_rows(counts)),
        "open_actions": counts.actions,
    }


def _linked(incidents: Sequence[Incident]) -> list[Linked]:
    return [Linked(incident.title, reverse("incident", args=[incident.pk])) for incident in incidents]


LONGEST_DAY = len("2024-01-01")


@require_safe
def statistics(request: HttpRequest) -> HttpResponse:
    """`?days=30` (90, 365), or `?since=2024-01-01&until=2024-06-30`, either of which may be left out."""
    access = no_guest(request)
    period, refused = ALWAYS, ""
    try:
        period = _period(request)
    except IncidentRefused as refusal:
        if wants_json(request):
            raise
        refused = str(refusal)
    counts = statistics_of(access, period)
    if wants_json(request):
        return json_response(document_of(counts, period))
    causes = cause_groups(counts.causes)
    context = {
        "access": access,
        "tab": "statistics",
        "found": counts,
        "period": period_text(period),
        "periods": period_choices(period),
        "typed": {name: request.GET.get(name, "")[:LONGEST_DAY] for name in ("since", "until")},
        "refused": refused,
        "databases": database_groups(counts),
        "repeated": [cause for cause in causes if cause.count > 1],
        "once": [cause for cause in causes if cause.count == 1],
        "times": time_rows(counts),
    }
    return render(request, "incidents/statistics.html", context, status=400 if refused else 200)


def _period(request: HttpRequest) -> Period:
    if days := request.GET.get("days", ""):
        if days not in map(str, PERIODS_DAYS):
            raise IncidentRefused(f"“days” must be one of {', '.join(map(str, PERIODS_DAYS))}.")
        return Period(days=int(days))
    since, until = (_day(request, name) for name in ("since", "until"))
    if since and until and until < since:
        raise IncidentRefused("The period ends before it begins: nothing lies in it.")
    return Period(since=since, until=until)


def _day(request: HttpRequest, name: str) -> date | None:
    text = request.GET.get(name, "").strip()
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise IncidentRefused("A period has days such as 2024-01-31.") from None
