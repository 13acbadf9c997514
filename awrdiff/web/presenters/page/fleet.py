"""The list of databases as its page shows it: what changed most first, with what carries it and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, Literal
from urllib.parse import urlencode

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.names.releases import with_product
from awrdiff.analysis.normal.first_days import is_weekend
from awrdiff.fleet.models import Departure
from awrdiff.fleet.night import ALARM, DatabaseNight, Hour, Lacking, Night
from awrdiff.reports.models import Report
from awrdiff.web import format as fmt
from awrdiff.web.charts.axis import Linear, Time
from awrdiff.web.charts.frame import Chart, Frame
from awrdiff.web.charts.marks import Mark, Place, area, line, point
from awrdiff.web.presenters.page import load_line

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
State = Literal["alarm", "usual", "unknown"]


@dataclass(frozen=True, slots=True)
class PartLine:
    name: str
    above: str


@dataclass(frozen=True, slots=True)
class Comparing:
    """The report nearest to the median, and the one that lies farthest from it."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class DatabaseLine:
    """`said`: how far it lies and when, or why nothing is told. `sure`: by what. `below`: where it did far less.
    `load`: of its latest windows, where it has no report of the time that is asked for."""

    name: str
    dbid: str
    url: str
    tags: Sequence[str]
    release: str
    state: State
    above: str
    said: str
    report_url: str
    sure: str
    parts: Sequence[PartLine]
    below: str
    overdue: str
    measured: str
    reports: str
    chart: Chart | None
    load: Chart | None
    compare: Comparing | None


@dataclass(frozen=True, slots=True)
class OverdueLine:
    name: str
    url: str
    said: str


@dataclass(frozen=True, slots=True)
class FailedLine:
    name: str
    url: str
    error: str


@dataclass(frozen=True, slots=True)
class NightPage:
    lines: Sequence[DatabaseLine]
    said: str
    overdue: Sequence[OverdueLine]
    overdue_more: int
    failed: Sequence[FailedLine]
    failed_said: str
    failed_more: int
    reading: str


@dataclass(frozen=True, slots=True)
class Day:
    url: str
    until: str


MOST_OVERDUE = 20


def page(access: AccessContext, found: Night, latest: Mapping[int, Sequence[Report]]) -> NightPage:
    """`latest`: reports of databases without one of the time, by their ids."""
    scale = _scale(found.lines)
    overdue = [OverdueLine(one.database.label, _url(one), overdue_said(one)) for one in found.overdue]
    failed = [FailedLine(one.name, reverse("report", args=[one.pk]), one.error) for one in found.failed]
    return NightPage(
        [_line(access, one, scale, latest.get(one.database.pk, ())) for one in found.lines],
        _said(found),
        overdue[:MOST_OVERDUE],
        max(0, len(overdue) - MOST_OVERDUE),
        failed,
        f"{fmt.count_text(found.failed_count, 'file')} could not be read" if failed else "",
        max(0, found.failed_count - len(failed)),
        f"{fmt.count_text(found.reading, 'file')} more {'is' if found.reading == 1 else 'are'} being read."
        if found.reading
        else "",
    )


def latest_day(found: Night) -> Day | None:
    """The last 24 hours of which there are reports, where the span has none."""
    if not found.latest or any(one.reports for one in found.lines):
        return None
    try:
        until = datetime.fromisoformat(found.latest[:13] + ":00") + timedelta(hours=1)
        since = until - timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    query = {"from": f"{since:%Y-%m-%dT%H:%M}", "to": f"{until:%Y-%m-%dT%H:%M}"}
    return Day(f"{reverse('databases')}?{urlencode(query)}", when_said(query["to"]))


def _said(found: Night) -> str:
    """`3 of 260 databases that could be judged lie beyond …; 40 could not: 12 without a report, 28 being measured.`"""
    judged = found.lacking[""]
    reasons = [f"{fmt.plain(found.lacking[why])} {said}" for why, said in _LACKING.items() if found.lacking[why]]
    if not judged:
        return f"No database could be judged: {', '.join(reasons)}."
    databases = fmt.count_text(judged, "database") + (" that could be judged" if reasons else "")
    number, lie = fmt.plain(found.alarmed) if found.alarmed else "None", "lie" if found.alarmed > 1 else "lies"
    others = f"; {fmt.plain(found.count - judged)} could not: {', '.join(reasons)}" if reasons else ""
    return f"{number} of {databases} {lie} beyond {ALARM:.0f} deviations above normal{others}."


def _line(access: AccessContext, one: DatabaseNight, scale: Time | None, latest: Sequence[Report]) -> DatabaseLine:
    database, worst = one.database, one.worst
    far = worst if worst is not None and worst.above is not None and (one.alarms or worst.above > 0) else None
    load = load_line.of_reports(access, latest, {})
    can_compare = access.can_write and far is not None and far.nearest is not None
    return DatabaseLine(
        database.label,
        database.dbid if database.name else "",
        _url(one),
        database.tags,
        with_product(one.standing.release) if one.standing and one.standing.release else "",
        "unknown" if worst is None else "alarm" if one.alarms else "usual",
        fmt.signed(far.above) if far is not None and far.above is not None else "",
        when_said(far.begin_at) if far is not None else _nothing_said(one),
        reverse("report", args=[far.pk]) if far is not None else "",
        sure_said(far, one.instances) if far is not None else "",
        [part_line(part) for part in far.parts] if far is not None else (),
        _below_said(one),
        overdue_said(one),
        "being measured: not all of its reports are told of yet" if one.is_being_measured and one.comparable else "",
        fmt.count_text(one.of, "report"),
        _chart(one.hours, scale) if scale is not None else None,
        load.chart if load is not None else None,
        Comparing(str(far.nearest), str(far.pk)) if can_compare and far is not None else None,
    )


def _url(one: DatabaseNight) -> str:
    return reverse("database", args=[one.database.uid])


def _nothing_said(one: DatabaseNight) -> str:
    latest = one.database.latest
    match one.lacking:
        case "report":
            return (
                f"no report of this time; the latest begins {when_said(latest)}" if latest else "no report of this time"
            )
        case "interval":
            return "no report of this time that tells of an interval"
        case "measured":
            return "being measured"
        case "normal":
            return (
                "too early to tell: fewer than five reports like it before, or of less than a day, since it was changed"
            )
    return "at no hour above its normal"


def part_line(part: Sequence[Any]) -> PartLine:
    kind, name, above, at_least = part
    return PartLine(f"{_KINDS.get(kind, '')}{name}", f"{'at least ' if at_least else ''}{fmt.signed(above)}")


def sure_said(worst: Departure, instances: Sequence[str]) -> str:
    """`13.9 deviations above the median of 21 reports of the same hour of working days`, of which instance."""
    deviations = worst.deviations or 0.0
    days = "weekends" if is_weekend(datetime.fromisoformat(worst.begin_at)) else "working days"
    by = _BY.get(worst.by, f"of the same hour of {days}")
    number = fmt.plain(deviations, 0 if deviations >= 100 else 1)
    of = f"{_instance_said(worst.instance)}: " if len(instances) > 1 else ""
    return f"{of}{number} deviations above the median of {worst.of} reports {by}"


def _instance_said(instance: str) -> str:
    return f"instance {instance}" if instance else "all instances"


def overdue_said(one: DatabaseNight) -> str:
    """`no report since 2026-11-22 14:00; usually one every hour`, or of which instances; "" where none is overdue."""
    standing = one.standing
    if one.overdue and standing is not None and standing.every_s is not None:
        return f"no report since {when_said(standing.last_end)}; usually one every {_span_said(standing.every_s)}"
    return "; ".join(f"{_instance_said(own)}: no report since {when_said(since)}" for own, since in one.silent)


def _span_said(seconds: float) -> str:
    """`hour`, `2 hours`."""
    unit, name = next(
        (u, n) for u, n in ((86_400, "day"), (3600, "hour"), (60, "minute")) if seconds >= 0.9 * u or u == 60
    )
    count = max(1, round(seconds / unit))
    return name if count == 1 else fmt.count_text(count, name)


def _below_said(one: DatabaseNight) -> str:
    """Where less was done than chance explains: work that stays away is no alarm, and still a change."""
    low = one.lowest
    if low is None or low.above is None or not low.deviation or low.above > -ALARM * low.deviation:
        return ""
    of = f" ({_instance_said(low.instance)})" if len(one.instances) > 1 else ""
    return f"{fmt.plain(-low.above, 2)} below its normal at {when_said(low.begin)}{of}"


def when_said(iso: str | None) -> str:
    """`2026-11-22 14:00`, the database's own clock."""
    return (iso or "")[:16].replace("T", " ")


def _scale(lines: Iterable[DatabaseNight]) -> Time | None:
    """One for all, so that the same hour stands above the same."""
    begins = [datetime.fromisoformat(hour.begin) for one in lines for hour in one.hours]
    return Time(min(begins), (max(begins) - min(begins)).total_seconds() + 3600) if begins else None


def _chart(hours: Sequence[Hour], scale: Time) -> Chart | None:
    """Active sessions as a line that breaks where a report is missing, over what is no alarm yet."""
    shown = [(scale.at(datetime.fromisoformat(h.begin)), h) for h in hours if h.sessions is not None]
    if not shown:
        return None
    highest = max(max(h.sessions or 0.0, h.normal or 0.0) for _, h in shown)
    frame = Frame(Linear(0.0, 100.0), Linear(0.0, _ROOM * highest or 1.0))
    marks: list[Mark] = []
    for run in _runs(shown):
        told = [(x, h) for x, h in run if h.normal is not None and h.deviation is not None]
        if len(told) > 1:
            band = [((h.normal or 0.0), ALARM * (h.deviation or 0.0), x) for x, h in told]
            upper = [(x, frame.y(min(middle + wide, _ROOM * highest))) for middle, wide, x in band]
            lower = [(x, frame.y(max(middle - wide, 0.0))) for middle, wide, x in band]
            marks += [area("band", upper, lower), line("middle", [(x, frame.y(m)) for m, _, x in band])]
        places: list[Place] = [(x, frame.y(h.sessions or 0.0)) for x, h in run]
        marks.append(line("edge", places) if len(places) > 1 else point("dot", places[0], radius=2))
    marks += [
        point(
            "dot alarm",
            (x, frame.y(h.sessions or 0.0)),
            f"{when_said(h.begin)}: {fmt.significant(h.sessions or 0.0)}",
            3,
        )
        for x, h in shown
        if h.is_alarm
    ]
    low = min(h.sessions or 0.0 for _, h in shown)
    high = max(h.sessions or 0.0 for _, h in shown)
    reports = fmt.count_text(len(shown), "report")
    said = f"Active sessions of {reports}: {fmt.significant(low)} to {fmt.significant(high)}"
    return Chart(tuple(marks), HEIGHT, said=said)


def _runs(shown: Sequence[tuple[float, Hour]]) -> list[list[tuple[float, Hour]]]:
    """Parted where the gap is more than half again as wide as usual."""
    gaps = sorted(b[0] - a[0] for a, b in pairwise(shown))
    widest = 1.5 * gaps[len(gaps) // 2] if gaps else 0.0
    runs = [[shown[0]]]
    for one in shown[1:]:
        if one[0] - runs[-1][-1][0] > widest:
            runs.append([])
        runs[-1].append(one)
    return runs
