"""What is said of a baseline, in sentences: on the page, in the files, on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from awrdiff.analysis.baseline.against import Against, Chosen
from awrdiff.analysis.baseline.members import unlike
from awrdiff.analysis.baseline.series import Measure
from awrdiff.analysis.baseline.spread import spread_of, standing, standing_said
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.spread import Spread
from awrdiff.analysis.words import listing, number, several
from parsers.model import Report


def hour_said(report: Report) -> str:
    """`Monday 14 Jan 2019 09:00–10:00`; the name of the file where the report does not say when."""
    begin, end = report.period.begin.time, report.period.end.time
    if begin is None:
        return report.name or "a report without a time"
    text = f"{begin:%A} {_day(begin)} {begin:%H:%M}"
    if end is None:
        return text
    return f"{text}–{end:%H:%M}" if end.date() == begin.date() else f"{text} – {_day(end)} {end:%H:%M}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y}"


def baseline_said(count: int) -> str:
    return "one report" if count == 1 else f"the median of {count} reports"


def median_said(members: Sequence[Report], second: Report) -> str:
    """`the median of 5 reports like it`; of some that were chosen by hand and are not, how many."""
    count = sum(bool(unlike(m, second)) for m in members)
    return f"{baseline_said(len(members))}{f', {count} of them unlike Second' if count else ' like it'}"


def member_said(member: Report, measured: Measure) -> str:
    """`Monday 7 Jan 2019 09:00–10:00: 2.1 active sessions`"""
    sessions = measured.sessions
    return f"{hour_said(member)}{f': {number(sessions.number)} active sessions' if sessions is not None else ''}"


def span_text(members: Sequence[Report], second: Report) -> str:
    """`Mondays 09:00–10:00, 3 Dec 2018 to 7 Jan 2019; Second is a Friday`: of another day or hour than all of them."""
    other = []
    for article, part in (("a ", _weekday), ("", _hours)):
        theirs, own = {part(m) for m in members}, part(second)
        if len(theirs) == 1 and "" not in theirs and own not in ("", *theirs):
            other.append(f"{article}{own}")
    return "; Second is ".join([span_said(members), *filter(None, [", ".join(other)])])


def _weekday(report: Report) -> str:
    return f"{report.period.begin.time:%A}" if report.period.begin.time else ""


def _hours(report: Report) -> str:
    begin, end = report.period.begin.time, report.period.end.time
    return f"{begin:%H:%M}–{end:%H:%M}" if begin and end else ""


def span_said(members: Sequence[Report]) -> str:
    """`Mondays 09:00–10:00, 3 Dec 2018 to 7 Jan 2019`; without the hour, where they have several."""
    periods = [(m.period.begin.time, m.period.end.time) for m in members]
    begins = sorted(b for b, _ in periods if b is not None)
    if not begins:
        return "of times that are not printed"
    one, other = _day(begins[0]), _day(begins[-1])
    days = one if one == other else f"{one.removesuffix(other[-5:])} to {other}"  # the year once
    hours = {f"{b:%H:%M}–{e:%H:%M}" for b, e in periods if b is not None and e is not None}
    weekdays = {f"{b:%A}s" for b in begins}
    same = len(hours) == 1 and len(begins) == len(members)
    return f"{' '.join([*weekdays][: len(weekdays) == 1])} {hours.pop()}, {days}".strip() if same else days


def sessions_said(measures: Sequence[Measure], chosen: Chosen) -> str:
    """`8.4 active sessions, above all 5 · z = 31 (median 2.1, from 1.9 to 2.3)`; "" where Second prints none."""
    second = measures[chosen.second].sessions
    members = [measures[n].sessions for n in chosen.members]
    found = spread_of(members)
    if second is None or found is None:
        return ""
    lies = standing(second, members, found)
    where = f", {standing_said(lies)}" if lies is not None else ""
    return f"{number(second.number)} active sessions{where} ({range_said(found)})"


def range_said(found: Spread) -> str:
    low, middle, high = (number(v.number) for v in (found.low, found.median, found.high))
    return middle if found.printed == 1 else f"median {middle}, from {low} to {high}"


def unlike_said(heads: Sequence[Report], chosen: Chosen) -> list[str]:
    """A warning for each report of the baseline that would not count by itself."""
    second = heads[chosen.second]
    found = ((heads[n], unlike(heads[n], second)) for n in chosen.members)
    return [f"{hour_said(head)} is unlike Second: {listing(list(why))}." for head, why in found if why]


def unlike_members_text(heads: Sequence[Report], chosen: Chosen) -> str:
    """`1 of them unlike Second`; "" where all would count by themselves."""
    count = len(unlike_said(heads, chosen))
    return f"{count} of them unlike Second" if count else ""


def printed_said(found: Against, row: ComparedRow) -> str:
    """In how many reports of the baseline a row is printed, where that is not all of them."""
    count = found.printed[row.row_id]
    if count == found.of:
        return ""
    lists = "lists" if found.section.coverage == "top" else "reports"
    return f"in {count or 'none'} of {found.of} {lists}"


def lies_said(found: Against, row: ComparedRow, column: str) -> str:
    """Where the row's figure lies; of a text how many of the baseline print the same."""
    held = found.held[row.row_id].get(column)
    if row.status == "only_second":
        return printed_said(found, row)
    if row.status == "only_first":
        return "not printed in Second"
    if held is not None and held.standing is not None:
        return standing_said(held.standing)
    if held is not None and held.alike is not None:
        return f"as in {held.alike or 'none'} of {found.printed[row.row_id]}"
    return ""


def outside_said(outside: int, rows: int) -> str:
    """`14 of 87 rows lie outside the baseline and count`, `87 rows, none outside the baseline that counts`"""
    if not outside:
        return f"{several(rows, 'row', 'rows')}, none outside the baseline that counts"
    said = "lies outside the baseline and counts" if outside == 1 else "lie outside the baseline and count"
    return f"{outside} of {several(rows, 'row', 'rows')} {said}"


def mixed_said(heads: Sequence[Report]) -> Iterator[str]:
    """Why several reports are no series of equal windows: other databases, or windows inside others."""
    names = sorted({h.database.name for h in heads if h.database.name})
    if len(names) > 1:
        yield f"These are reports of {len(names)} databases: {listing(names)}."
    nested = [(a, b) for a in heads for b in heads if _is_inside(a, b)]
    if nested:
        inner, outer = nested[0]
        more = f", and {len(nested) - 1} more such" if len(nested) > 1 else ""
        yield f"{hour_said(inner)} lies inside {hour_said(outer)}{more}: what it holds is counted there too."


def _is_inside(inner: Report, outer: Report) -> bool:
    """Of one database and instance, and not the same window."""
    if inner is outer or (inner.database.name, _numbers(inner)) != (outer.database.name, _numbers(outer)):
        return False
    a, b, c, d = (p.time for h in (inner, outer) for p in (h.period.begin, h.period.end))
    return a is not None and b is not None and c is not None and d is not None and c <= a < b <= d and (a, b) != (c, d)


def _numbers(report: Report) -> list[int | None]:
    return [i.number for i in report.instances]
