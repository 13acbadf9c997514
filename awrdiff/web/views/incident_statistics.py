"""Statistics across a team's incidents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from statistics import median

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from msgspec import Struct

from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import Incident
from awrdiff.incidents.statistics import ALWAYS, PERIODS_DAYS, Period, Statistics, statistics_of
from awrdiff.web.content_negotiation import json_response, wants_json
from awrdiff.web.presenters.incident.time_zone_clock import span
from awrdiff.web.sign_in.permission_helpers import no_guest

NONE_SAYS = "no incident says"
LONGEST_DAY = len("2024-01-01")


class Group(Struct):
    """A database or confirmed cause, with titles and addresses of its incidents, latest first."""

    name: str
    beside: str
    count: int
    incidents: list[dict[str, str]]


class Took(Struct):
    name: str
    count: int
    of: int
    median_s: float | None


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
    numbers = statistics_of(access, period)
    names = Counter(name for name, _ in numbers.databases)
    databases = [
        _group(name or "no name", f"DB id {dbid}" if dbid and (names[name] > 1 or not name) else "", own)
        for (name, dbid), own in numbers.databases.items()
    ]
    causes = [
        _group(cause.title, ", ".join(sorted({name for name, _ in cause.databases if name})), cause.incidents)
        for cause in numbers.causes
    ]
    times = _times(numbers)
    if wants_json(request):
        return json_response(
            {
                "period": period,
                "incidents": numbers.total,
                "looked_at": len(numbers.incidents),
                "databases": databases,
                "of_no_database": numbers.of_none,
                "causes": causes,
                "without_cause": numbers.without_cause,
                "open_hours": numbers.open_hours,
                "times": [took for took, *_ in times],
                "open_actions": numbers.actions,
            }
        )
    own_url = reverse("incident-statistics")
    lasts = [(f"{days} days", f"{own_url}?days={days}", period.days == days) for days in PERIODS_DAYS]
    context = {
        "access": access,
        "tab": "statistics",
        "numbers": numbers,
        "period": period_text(period),
        "periods": [*lasts, ("All", own_url, period == ALWAYS)],
        "typed": {name: request.GET.get(name, "")[:LONGEST_DAY] for name in ("since", "until")},
        "refused": refused,
        "databases": databases,
        "repeated": [cause for cause in causes if cause.count > 1],
        "once": [cause for cause in causes if cause.count == 1],
        "times": times,
    }
    return render(request, "incidents/statistics.html", context, status=400 if refused else 200)


def _period(request: HttpRequest) -> Period:
    if days := request.GET.get("days", ""):
        if days not in map(str, PERIODS_DAYS):
            raise IncidentRefused(f"“days” must be one of {', '.join(map(str, PERIODS_DAYS))}.")
        return Period(days=int(days))
    since_and_until = (request.GET.get(name, "").strip() for name in ("since", "until"))
    try:
        since, until = (date.fromisoformat(text) if text else None for text in since_and_until)
    except ValueError:
        raise IncidentRefused("A period has days such as 2024-01-31.") from None
    if since and until and until < since:
        raise IncidentRefused("The period ends before it begins: nothing lies in it.")
    return Period(since=since, until=until)


def period_text(selected: Period) -> str:
    """`that began in the last 30 days`, `that began from 1 Jan 2024 to 30 Jun 2024 (UTC)`; "" for all."""
    if selected.days is not None:
        return f"that began in the last {selected.days} days"
    ends = (("from", selected.since), ("to", selected.until))
    text = " ".join(f"{word} {day.day} {day:%b %Y}" for word, day in ends if day)
    return f"that began {text} (UTC)" if text else ""


def _group(name: str, beside: str, incidents: Sequence[Incident]) -> Group:
    linked = [{"title": incident.title, "url": reverse("incident", args=[incident.pk])} for incident in incidents]
    return Group(name, beside, len(incidents), linked)


def _times(numbers: Statistics) -> list[tuple[Took, str, str, str]]:
    """With what is taken for it, the median as text, and the least and most."""
    rows: list[tuple[Took, str, str, str]] = []
    for what, durations in zip(("detect", "mitigate", "resolve"), numbers.times.values(), strict=True):
        how = "the same" if rows else "from the begin of the impact, as people set both"
        took = Took(f"Time to {what}", len(durations), len(numbers.incidents), None)
        text = spread = ""
        if durations:
            middle = median(durations)  # type: ignore[type-var]
            took.median_s, text = middle.total_seconds(), span(middle)
            least, most = span(min(durations)), span(max(durations))
            spread = f"{least} … {most}" if least != most else ""
        rows.append((took, how, text or NONE_SAYS, spread))
    return rows
