"""All that is said of an hour against several: those of five weeks, and hours that are no series."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

from msgspec.structs import replace

from awrdiff.analysis.baseline.baseline_sentences import (
    mixed_series_sentences,
    rows_outside_text,
    sessions_text,
    unlike_members_text,
    unlike_text,
)
from awrdiff.analysis.baseline.report_vs_median import compare_with_median
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection, rows_outside
from awrdiff.analysis.baseline.whole_report_comparison import baseline_reading
from awrdiff.analysis.export.baseline import lies_of_rows
from awrdiff.analysis.model.comparison import Comparison
from fixtures.diagnosed.hour import BEGIN, READS, elsewhere, hour
from fixtures.stories.sampled import QUIET, ash_report
from fixtures.writer import Model, write
from parsers import Report, parse_report

_WEEK, _MINUTES = timedelta(weeks=1), timedelta(minutes=10)
_BUSY = {**READS, "read by other session": (900_000, 4_500.0)}


def _read(period: Model | bytes, name: str) -> Report:
    return parse_report(period if isinstance(period, bytes) else write(period), name=name)


def _weeks(*last: Model) -> list[Report]:
    usual = (hour(begin=BEGIN + n * _WEEK, cpu=2_880.0 + 60 * n) for n in range(5))
    return [_read(period, f"week-{n}.html") for n, period in enumerate((*usual, *last))]


def _mixed() -> list[Report]:
    """Another database, release and restart, and one hour within another, a sample report, one without its time."""
    periods = (
        hour(),
        elsewhere(hour(begin=BEGIN + _WEEK)),
        hour(begin=BEGIN + 2 * _WEEK, release="19.3.0.0.0"),
        hour(begin=BEGIN + 3 * _WEEK, startup=BEGIN + 3 * _WEEK + _MINUTES),
        hour(begin=BEGIN + _MINUTES, elapsed=1_200.0),
        ash_report(BEGIN, QUIET),
        hour(begin=BEGIN + 4 * _WEEK, waits=_BUSY),
    )
    return [_read(period, f"hour-{n}.html") for n, period in enumerate(periods)]


def _without_times(reports: list[Report]) -> list[Report]:
    bare = [(r, replace(r.period.begin, time=None), replace(r.period.end, time=None)) for r in reports]
    return [replace(r, name="", period=replace(r.period, begin=begin, end=end)) for r, begin, end in bare]


BASELINES: dict[str, Callable[[], list[Report]]] = {
    "an hour that waits more than those of five weeks": lambda: _weeks(hour(begin=BEGIN + 5 * _WEEK, waits=_BUSY)),
    "an hour like those of five weeks": lambda: _weeks(hour(begin=BEGIN + 5 * _WEEK)),
    "hours that are no series": _mixed,
    "hours without their times": lambda: _without_times(_weeks(hour(waits=_BUSY))),
}


def against_median(name: str) -> tuple[Comparison, list[str]]:
    """The comparison with the median, and the sentences about the baseline and each row's place in it."""
    reports = BASELINES[name]()
    selection = BaselineSelection(tuple(range(len(reports) - 1)), len(reports) - 1)
    computed = compare_with_median(reports[:-1], reports[-1])
    return computed, list(_sentences(reports, selection, computed))


def _sentences(reports: list[Report], selection: BaselineSelection, computed: Comparison) -> Iterator[str]:
    reading = baseline_reading(reports, selection, computed)
    if computed.median is not None:
        yield f"baseline: {computed.median.description}. {computed.median.note}"
        yield from (f"member: {text}" for text in computed.median.reports)
    yield f"sessions: {sessions_text(reading.measures, selection)}"
    unlike = (unlike_members_text(reports, selection), *unlike_text(reports, selection))
    yield from (f"member: {text}" for text in (*unlike, *mixed_series_sentences(reports)) if text)
    for against in reading.sections():
        names = {row.row_id: " ".join(row.key.values()) for row in against.section.rows}
        outside = rows_outside_text(len(rows_outside(against, 1.0)), len(names))
        yield f"{against.section.id}: {outside}"
        yield from (f"  {names[row_id]}: {text}" for row_id, text in lies_of_rows(against).items())
