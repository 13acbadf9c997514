"""Sentences on baselines for pages, files and terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from awrdiff.analysis.baseline.aligned_sections import Measure
from awrdiff.analysis.baseline.member_selection import unlike
from awrdiff.analysis.baseline.robust_statistics import spread_of, standing, standing_text
from awrdiff.analysis.baseline.section_vs_median import Against, BaselineSelection
from awrdiff.analysis.figures_in_words import listing, number, several
from awrdiff.analysis.model.baseline_spread import Spread
from awrdiff.analysis.model.comparison import ComparedRow
from parsers.model import Report


def hour_text(report: Report) -> str:
    """`Monday 14 Jan 2019 09:00–10:00`; file name if undated."""
    begin, end = report.period.begin.time, report.period.end.time
    if begin is None:
        return report.name or "a report without a time"
    text = f"{begin:%A} {_day(begin)} {begin:%H:%M}"
    if end is None:
        return text
    return f"{text}–{end:%H:%M}" if end.date() == begin.date() else f"{text} – {_day(end)} {end:%H:%M}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y}"


def baseline_name(count: int) -> str:
    return "one report" if count == 1 else f"the median of {count} reports"


def median_name(members: Sequence[Report], second: Report) -> str:
    """`the median of 5 reports like it`, with unlike ones."""
    count = sum(bool(unlike(m, second)) for m in members)
    return f"{baseline_name(len(members))}{f', {count} of them unlike Second' if count else ' like it'}"


def member_text(member: Report, measured: Measure) -> str:
    """`Monday 7 Jan 2019 09:00–10:00: 2.1 active sessions`"""
    sessions = measured.sessions
    return f"{hour_text(member)}{f': {number(sessions.number)} active sessions' if sessions is not None else ''}"


def span_text(members: Sequence[Report], second: Report) -> str:
    """`Mondays 09:00–10:00, …; Second is a Friday`"""
    other = []
    for article, part in (("a ", _weekday), ("", _hours)):
        theirs, own = {part(m) for m in members}, part(second)
        if len(theirs) == 1 and "" not in theirs and own not in ("", *theirs):
            other.append(f"{article}{own}")
    return "; Second is ".join([hours_and_days_text(members), *filter(None, [", ".join(other)])])


def _weekday(report: Report) -> str:
    return f"{report.period.begin.time:%A}" if report.period.begin.time else ""


def _hours(report: Report) -> str:
    begin, end = report.period.begin.time, report.period.end.time
    return f"{begin:%H:%M}–{end:%H:%M}" if begin and end else ""


def hours_and_days_text(members: Sequence[Report]) -> str:
    """`Mondays 09:00–10:00, …`; no hour if there are several."""
    periods = [(m.period.begin.time, m.period.end.time) for m in members]
    begins = sorted(b for b, _ in periods if b is not None)
    if not begins:
        return "of times that are not printed"
    first, last = _day(begins[0]), _day(begins[-1])
    days = first if first == last else f"{first.removesuffix(last[-5:])} to {last}"  # the year once
    hours = {f"{b:%H:%M}–{e:%H:%M}" for b, e in periods if b is not None and e is not None}
    weekdays = {f"{b:%A}s" for b in begins}
    same = len(hours) == 1 and len(begins) == len(members)
    return f"{' '.join([*weekdays][: len(weekdays) == 1])} {hours.pop()}, {days}".strip() if same else days


def sessions_text(measures: Sequence[Measure], selection: BaselineSelection) -> str:
    """`8.4 active sessions, above all 5 · z = 31 (…)`; "" if unprinted."""
    second = measures[selection.second].sessions
    members = [measures[n].sessions for n in selection.members]
    spread = spread_of(members)
    if second is None or spread is None:
        return ""
    lies = standing(second, members, spread)
    where = f", {standing_text(lies)}" if lies is not None else ""
    return f"{number(second.number)} active sessions{where} ({_range_text(spread)})"


def _range_text(spread: Spread) -> str:
    low, middle, high = (number(v.number) for v in (spread.low, spread.median, spread.high))
    return middle if spread.printed == 1 else f"median {middle}, from {low} to {high}"


def unlike_text(heads: Sequence[Report], selection: BaselineSelection) -> list[str]:
    """Warning for each member that would not count by itself."""
    second = heads[selection.second]
    reasons = ((heads[n], unlike(heads[n], second)) for n in selection.members)
    return [f"{hour_text(head)} is unlike Second: {listing(list(why))}." for head, why in reasons if why]


def unlike_members_text(heads: Sequence[Report], selection: BaselineSelection) -> str:
    """`1 of them unlike Second`; "" without one."""
    count = len(unlike_text(heads, selection))
    return f"{count} of them unlike Second" if count else ""


def printed_text(compared: Against, row: ComparedRow) -> str:
    """Members that print the row; "" for all."""
    count = compared.printed[row.row_id]
    if count == compared.of:
        return ""
    lists = "lists" if compared.section.coverage == "top" else "reports"
    return f"in {count or 'none'} of {compared.of} {lists}"


def row_position_text(compared: Against, row: ComparedRow, column: str) -> str:
    """Place of its figure; of texts, members with the same."""
    figure = compared.figures[row.row_id].get(column)
    if row.status == "only_second":
        return printed_text(compared, row)
    if row.status == "only_first":
        return "not printed in Second"
    if figure is not None and figure.standing is not None:
        return standing_text(figure.standing)
    if figure is not None and figure.alike is not None:
        return f"as in {figure.alike or 'none'} of {compared.printed[row.row_id]}"
    return ""


def rows_outside_text(outside: int, rows: int) -> str:
    """`14 of 87 rows lie outside the baseline and count`"""
    if not outside:
        return f"{several(rows, 'row', 'rows')}, none outside the baseline that counts"
    verb = "lies outside the baseline and counts" if outside == 1 else "lie outside the baseline and count"
    return f"{outside} of {several(rows, 'row', 'rows')} {verb}"


def mixed_series_sentences(heads: Sequence[Report]) -> Iterator[str]:
    """Reasons against a series: several databases, nested windows."""
    names = sorted({h.database.name for h in heads if h.database.name})
    if len(names) > 1:
        yield f"These are reports of {len(names)} databases: {listing(names)}."
    nested = [(a, b) for a in heads for b in heads if _is_inside(a, b)]
    if nested:
        inner, outer = nested[0]
        more = f", and {len(nested) - 1} more such" if len(nested) > 1 else ""
        yield f"{hour_text(inner)} lies inside {hour_text(outer)}{more}: what it holds is counted there too."


def _is_inside(inner: Report, outer: Report) -> bool:
    if inner is outer or (inner.database.name, _numbers(inner)) != (outer.database.name, _numbers(outer)):
        return False
    a, b, c, d = (p.time for h in (inner, outer) for p in (h.period.begin, h.period.end))
    return a is not None and b is not None and c is not None and d is not None and c <= a < b <= d and (a, b) != (c, d)


def _numbers(report: Report) -> list[int | None]:
    return [i.number for i in report.instances]
