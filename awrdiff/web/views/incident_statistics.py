"""Statistics across the incidents of a team."""

from __future__ import annotations

from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.statistics import ALWAYS, PERIODS_DAYS, Period, statistics_of
from awrdiff.web.negotiate import json_response, wants_json
from awrdiff.web.presenters.incident import statistics as shown
from awrdiff.web.sign_in.members import no_guest

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
        return json_response(shown.document_of(counts, period))
    causes = shown.cause_groups(counts.causes)
    context = {
        "access": access,
        "tab": "statistics",
        "found": counts,
        "period": shown.period_text(period),
        "periods": shown.period_choices(period),
        "typed": {name: request.GET.get(name, "")[:LONGEST_DAY] for name in ("since", "until")},
        "refused": refused,
        "databases": shown.database_groups(counts),
        "repeated": [cause for cause in causes if cause.count > 1],
        "once": [cause for cause in causes if cause.count == 1],
        "times": shown.time_rows(counts),
    }
    return render(request, "incidents/statistics.html", context, status=400 if refused else 200)


def _period(request: HttpRequest) -> Period:
    """Raises IncidentRefused."""
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
