"""Incident and compared hours on one time scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from awrdiff.analysis.report_time_windows import length_s, span_word
from awrdiff.incidents.cached_comparison_answers import load
from awrdiff.incidents.models import Incident, IncidentComparison
from awrdiff.web.charts.axis import extent_of, time_scale
from awrdiff.web.charts.frame import Chart, Label, moments_of, room, rules
from awrdiff.web.charts.shapes import Mark, bar
from awrdiff.web.presenters.incident.time_zone_clock import Clock

OWN, OTHER, OPEN = 0, 1, 2
NARROWEST = 0.4  # percent: an hour in a year is still to be seen
# What a window is to the incident, and the class of its colour. Open: nobody has said which one it is.
ROLES = (("The incident's {}", "second"), ("For comparison", "first"), ("Compared", "rest"))


@dataclass(frozen=True, slots=True)
class Window:
    """`comparisons`: those with it on this side. `role`: of ROLES, none for the incident's own."""

    role: int
    side: int
    begin: datetime
    end: datetime
    comparisons: tuple[IncidentComparison, ...]
    database: str = ""  # named where the incident is of several


def windows_of(attached: Sequence[IncidentComparison], clock: Clock) -> list[Window]:
    """Each once, by time."""
    attached_by_window: dict[tuple[int, int, datetime, datetime, str], list[IncidentComparison]] = {}
    databases = names_of(attached)
    for comparison in attached:
        for event in comparison.told:
            span = clock.span(event["at"], event["end"]) if event["kind"] == "window" else None
            if span is not None:
                role = OPEN if comparison.bad is None else OWN if event["side"] == comparison.bad else OTHER
                database = databases.get((comparison.comparison_id, event["side"]), "")
                attached_by_window.setdefault((role, min(event["side"], 2), *span, database), []).append(comparison)
    ordered = sorted(attached_by_window.items(), key=lambda item: (item[0][2], item[0][0]))
    return [
        Window(role, side, begin, end, tuple(comparisons), database)
        for (role, side, begin, end, database), comparisons in ordered
    ]


def names_of(attached: Sequence[IncidentComparison]) -> dict[tuple[UUID, int], str]:
    """By comparison and place; empty for one database."""
    hours = {(row.comparison_id, hour.place): hour.name for row in attached for hour in load(row.story).hours}
    return hours if len(set(hours.values())) > 1 else {}


def draw(
    incident: Incident, windows: Sequence[Window], clock: Clock, now: datetime
) -> tuple[Chart, list[tuple[str, str, str, str]]]:
    """With rows of name, class, begin and end. Open incidents extend to now or the last window."""
    end = incident.ends_at or max([now, incident.begins_at, *(w.end for w in windows)])
    own = Window(-1, -1, incident.begins_at, end, ())
    windows = list({(w.role, w.begin, w.end): w for w in windows}.values())
    scale = time_scale([(clock.local(w.begin), clock.local(w.end)) for w in (own, *windows)])
    table = [(*role_name(w), clock.text(w.begin), clock.text(w.end)) for w in (own, *windows)]
    if incident.ends_at is None:
        table[0] = (*table[0][:3], "goes on")
    rows = [
        (own,),
        *(role_windows for role in range(len(ROLES)) if (role_windows := [w for w in windows if w.role == role])),
    ]
    lane = 100 / len(rows)
    labels = tuple(Label(lane * (at + 0.5), role_name(row[0])[0]) for at, row in enumerate(rows))

    def bar_of(window: Window, at: int) -> Mark:
        name, cls = role_name(window)
        x = extent_of(scale, clock.local(window.begin), clock.local(window.end), NARROWEST)
        label = f"{name} {clock.window(window.begin, window.end)}"
        return bar(cls, x, (lane * (at + 0.2), lane * (at + 0.8)), label)

    names = moments_of(scale)
    chart = Chart(
        tuple(bar_of(w, at) for at, row in enumerate(rows) for w in row),
        height=14 * len(rows),
        left=room(labels),
        bottom=18,
        rules=rules(names, upright=True),
        levels=labels,
        names=names,
    )
    return chart, table


def role_name(window: Window) -> tuple[str, str]:
    """Second: class of its colour."""
    name, cls = ROLES[window.role] if window.role >= 0 else ("Incident", "own")
    return name.format(span_word(length_s((window.begin, window.end)))), cls
