"""All databases: largest deviations first, and overdue ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.names.oracle_releases import with_product
from awrdiff.analysis.normal.sparse_hour_fallback import is_weekend
from awrdiff.databases import queries
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.services import LONGEST_TAG
from awrdiff.fleet import deviations, digests
from awrdiff.fleet.deviations import ALARM, DatabaseNight, Hour, Lacking, Night
from awrdiff.fleet.models import Departure
from awrdiff.processing.storable_values import storable_text
from awrdiff.reports.models import Report
from awrdiff.web import query_options
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, Time
from awrdiff.web.charts.frame import Chart, Frame
from awrdiff.web.charts.shapes import Mark, Place, area, line, point, runs
from awrdiff.web.content_negotiation import done, json_response, wants_json
from awrdiff.web.presenters.page import databases_json as listed
from awrdiff.web.presenters.page import home
from awrdiff.web.presenters.page.databases_json import minute
from awrdiff.web.query_options import Choice
from awrdiff.web.sign_in.permission_helpers import member, no_guest
from awrdiff.whole_number_input import small_number

HEIGHT = 44  # pixels
_ROOM = 1.1  # of the highest, above it
_KINDS = {"cpu": "", "event": "", "wait class": "class ", "statement": "SQL ", "phase": ""}
_BY = {
    "hour of the week": "of the same hour of the week",
    "hours around": "of the hours around it on days before",
    "all hours": "of all hours",
}
_LACKING: dict[Lacking, str] = {
    "report": "without a report",
    "interval": "without a report of an interval",
    "normal": "without a normal yet",
    "measured": "being measured",
}
MOST_OVERDUE = 20


def night_page(access: AccessContext, night: Night, latest: Mapping[int, Sequence[Report]]) -> dict[str, Any]:
    """`latest`: by database id, without report in the span."""
    scale = _scale(night.lines)
    being_read = f"{fmt.count_text(night.reading, 'file')} more {'is' if night.reading == 1 else 'are'} being read."
    return {
        "lines": [_line(access, line, scale, latest.get(line.database.pk, ())) for line in night.lines],
        "summary": _summary_text(night),
        "overdue": [(line.database, overdue_text(line)) for line in night.overdue[:MOST_OVERDUE]],
        "overdue_more": max(0, len(night.overdue) - MOST_OVERDUE),
        "failed_text": f"{fmt.count_text(night.failed_count, 'file')} could not be read" if night.failed else "",
        "failed_more": max(0, night.failed_count - len(night.failed)),
        "reading": being_read if night.reading else "",
    }


def latest_day(night: Night) -> Choice | None:
    """Last 24 hours with reports, if the span has none."""
    if not night.latest or any(database_night.reports for database_night in night.lines):
        return None
    try:
        until = datetime.fromisoformat(night.latest[:13] + ":00") + timedelta(hours=1)
        since = until - timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    query = {"from": f"{since:%Y-%m-%dT%H:%M}", "to": f"{until:%Y-%m-%dT%H:%M}"}
    return Choice(f"{reverse('databases')}?{urlencode(query)}", minute(query["to"]))


def _summary_text(night: Night) -> str:
    judged_count = night.lacking[""]
    reasons = [f"{fmt.plain(night.lacking[why])} {reason}" for why, reason in _LACKING.items() if night.lacking[why]]
    if not judged_count:
        return f"No database could be judged: {', '.join(reasons)}."
    databases = fmt.count_text(judged_count, "database") + (" that could be judged" if reasons else "")
    number, lie = fmt.plain(night.alarmed) if night.alarmed else "None", "lie" if night.alarmed > 1 else "lies"
    unjudged_text = f"; {fmt.plain(night.count - judged_count)} could not: {', '.join(reasons)}" if reasons else ""
    return f"{number} of {databases} {lie} beyond {ALARM:.0f} deviations above normal{unjudged_text}."


def _line(
    access: AccessContext, database_night: DatabaseNight, scale: Time | None, latest: Sequence[Report]
) -> dict[str, Any]:
    """`hour_above`: worst above normal; `hour_text`: it, or why none; `basis`: of its normal; `below`: hours with
    far less work; `load`: latest windows if the span has no report.
    """
    worst, standing = database_night.worst, database_night.standing
    is_above = worst is not None and worst.above is not None and (database_night.alarms or worst.above > 0)
    hour_above = worst if is_above else None
    load = home.load_of_reports(access, latest, {})
    return {
        "night": database_night,
        "release": with_product(standing.release) if standing and standing.release else "",
        "state": "unknown" if worst is None else "alarm" if database_night.alarms else "usual",
        "hour_above": hour_above,
        "above": fmt.signed(hour_above.above or 0.0) if hour_above is not None else "",
        "hour_text": minute(hour_above.begin_at) if hour_above is not None else _reason_for_no_hour(database_night),
        "basis": basis_text(hour_above, database_night.instances) if hour_above is not None else "",
        "parts": [part_line(part) for part in hour_above.parts] if hour_above is not None else (),
        "below": _below_text(database_night),
        "overdue": overdue_text(database_night),
        "reports": fmt.count_text(database_night.of, "report"),
        "chart": _chart(database_night.hours, scale) if scale is not None else None,
        "load": load[0] if load is not None else None,
    }


def _reason_for_no_hour(database_night: DatabaseNight) -> str:
    latest = database_night.database.latest
    match database_night.lacking:
        case "report":
            return f"no report of this time; the latest begins {minute(latest)}" if latest else "no report of this time"
        case "interval":
            return "no report of this time that tells of an interval"
        case "measured":
            return "being measured"
        case "normal":
            return (
                "too early to tell: fewer than five reports like it before, or of less than a day, since it was changed"
            )
    return "at no hour above its normal"


def part_line(part: Sequence[Any]) -> tuple[str, str]:
    kind, name, above, at_least = part
    return (f"{_KINDS.get(kind, '')}{name}", f"{'at least ' if at_least else ''}{fmt.signed(above)}")


def basis_text(worst: Departure, instances: Sequence[str]) -> str:
    """`13.9 deviations above the median of 21 reports of the same hour of working days`"""
    deviations = worst.deviations or 0.0
    days = "weekends" if is_weekend(datetime.fromisoformat(worst.begin_at)) else "working days"
    by = _BY.get(worst.by, f"of the same hour of {days}")
    number = fmt.plain(deviations, 0 if deviations >= 100 else 1)
    of = f"{_instance_text(worst.instance)}: " if len(instances) > 1 else ""
    return f"{of}{number} deviations above the median of {worst.of} reports {by}"


def _instance_text(instance: str) -> str:
    return f"instance {instance}" if instance else "all instances"


def overdue_text(database_night: DatabaseNight) -> str:
    """`no report since 2026-11-22 14:00; usually one every hour`, or ""."""
    standing = database_night.standing
    if database_night.overdue and standing is not None and standing.every_s is not None:
        return f"no report since {minute(standing.last_end)}; usually one every {_every_text(standing.every_s)}"
    return "; ".join(f"{_instance_text(own)}: no report since {minute(since)}" for own, since in database_night.silent)


def _every_text(seconds: float) -> str:
    unit, name = next(
        (u, n) for u, n in ((86_400, "day"), (3600, "hour"), (60, "minute")) if seconds >= 0.9 * u or u == 60
    )
    count = max(1, round(seconds / unit))
    return name if count == 1 else fmt.count_text(count, name)


def _below_text(database_night: DatabaseNight) -> str:
    """Little work is a change, no alarm."""
    low = database_night.lowest
    if low is None or low.above is None or not low.deviation or low.above > -ALARM * low.deviation:
        return ""
    of = f" ({_instance_text(low.instance)})" if len(database_night.instances) > 1 else ""
    return f"{fmt.plain(-low.above, 2)} below its normal at {minute(low.begin)}{of}"


def _scale(lines: Iterable[DatabaseNight]) -> Time | None:
    begins = [datetime.fromisoformat(hour.begin) for database_night in lines for hour in database_night.hours]
    return Time(min(begins), (max(begins) - min(begins)).total_seconds() + 3600) if begins else None


def _chart(hours: Sequence[Hour], scale: Time) -> Chart | None:
    points = [(scale.at(datetime.fromisoformat(h.begin)), h) for h in hours if h.sessions is not None]
    if not points:
        return None
    highest = max(max(h.sessions or 0.0, h.normal or 0.0) for _, h in points)
    frame = Frame(Linear(0.0, 100.0), Linear(0.0, _ROOM * highest or 1.0))
    marks: list[Mark] = []
    widest = _widest_gap(points)
    for run in runs(points, lambda a, b: b[0] - a[0] <= widest):
        normal_points = [(x, h) for x, h in run if h.normal is not None and h.deviation is not None]
        if len(normal_points) > 1:
            band = [((h.normal or 0.0), ALARM * (h.deviation or 0.0), x) for x, h in normal_points]
            upper = [(x, frame.y(min(middle + wide, _ROOM * highest))) for middle, wide, x in band]
            lower = [(x, frame.y(max(middle - wide, 0.0))) for middle, wide, x in band]
            marks += [area("band", upper, lower), line("middle", [(x, frame.y(m)) for m, _, x in band])]
        places: list[Place] = [(x, frame.y(h.sessions or 0.0)) for x, h in run]
        marks.append(line("edge", places) if len(places) > 1 else point("dot", places[0], radius=2))
    marks += [
        point(
            "dot alarm",
            (x, frame.y(h.sessions or 0.0)),
            f"{minute(h.begin)}: {fmt.significant(h.sessions or 0.0)}",
            3,
        )
        for x, h in points
        if h.is_alarm
    ]
    low = min(h.sessions or 0.0 for _, h in points)
    high = max(h.sessions or 0.0 for _, h in points)
    reports = fmt.count_text(len(points), "report")
    text = f"Active sessions of {reports}: {fmt.significant(low)} to {fmt.significant(high)}"
    return Chart(tuple(marks), HEIGHT, alt=text)


def _widest_gap(points: Sequence[tuple[float, Hour]]) -> float:
    """1.5 times the usual distance."""
    gaps = sorted(b[0] - a[0] for a, b in pairwise(points))
    return 1.5 * gaps[len(gaps) // 2] if gaps else 0.0


WITHIN = {"24h": (24, "24 hours"), "7d": (168, "7 days")}
_MOMENTS = "“From” and “to” are moments such as 2026-11-22T14:00, of the databases’ own clocks, without a zone."


@require_safe
def databases(request: HttpRequest) -> HttpResponse:
    """`tag`, `release`, `q`: filters. `within`: `24h` or `7d`; or `from` and `to`. `page`."""
    access = no_guest(request)
    wanted = deviations.Wanted(
        _typed(request, "tag", LONGEST_TAG), _typed(request, "release", 40), query_options.filter_text(request)
    )
    if wants_json(request):
        every = queries.databases_for(access).select_related("standing")
        return json_response({"databases": listed.lines([database for database in every if wanted.has(database)])})
    since, until = _typed(request, "from", 32), _typed(request, "to", 32)
    within = request.GET.get("within", "") if not (since or until) else ""
    within = within if within in WITHIN or since or until else "24h"
    span = between(since, until) if since or until else deviations.Span(WITHIN[within][0])
    night_result = deviations.night(access, span, wanted, small_number(request.GET.get("page")) or 1)
    query = {
        "tag": wanted.tag,
        "release": wanted.release,
        "q": wanted.text,
        "within": within,
        "from": since,
        "to": until,
    }
    pages = Paginator(range(night_result.count), deviations.PER_PAGE).page(night_result.page)
    without = [line.database for line in night_result.lines if not line.hours]
    latest = queries.latest_of_each(without, home.MOST_WINDOWS) if without else {}
    context: dict[str, Any] = {
        "access": access,
        "night": night_result,
        "page": night_page(access, night_result, latest),
        "wanted": wanted,
        "digest": digests.digest_of(access.team) if access.can_administer else None,
        "hours": range(24),
        "within": within,
        "withins": [(key, label) for key, (_, label) in WITHIN.items()],
        "since": since,
        "until": until,
        "pager": home.pager(pages, {key: value for key, value in query.items() if value}, "page", "database"),
        "between_text": f"{since.replace('T', ' ')} – {until.replace('T', ' ')}",
        "latest_day": latest_day(night_result),
    }
    return render(request, "databases/list.html", context)


@require_POST
def digest(request: HttpRequest) -> HttpResponse:
    """Fields `hour` (0 to 23, or empty: never) and `zone` (an IANA name; empty is UTC)."""
    access = member(request)
    digests.choose(access, request.POST.get("hour", "").strip(), request.POST.get("zone", "").strip())
    return done(request, "databases")


def between(since: str, until: str) -> deviations.Span:
    """Raises DatabaseRefused."""
    try:
        begin, end = datetime.fromisoformat(since), datetime.fromisoformat(until)
    except ValueError as error:
        raise DatabaseRefused(_MOMENTS) from error
    if begin.tzinfo or end.tzinfo:
        raise DatabaseRefused(_MOMENTS)
    return deviations.Span.between(begin, end)


def _typed(request: HttpRequest, name: str, longest: int) -> str:
    return storable_text(request.GET.get(name, "")).strip()[:longest]
