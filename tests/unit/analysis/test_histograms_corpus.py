"""Stitched histograms of real reports against the averages that the same reports print."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from awrdiff.analysis.commit_latency.histograms import SECTION, distribution_of, has_microseconds
from awrdiff.analysis.model.comparison import Estimate
from awrdiff.analysis.names.wait_events import is_idle_event
from awrdiff.analysis.report.figures_by_name import BACKGROUND, FOREGROUND, narrow_total
from parsers.model import Report, Value
from tests.harness import corpus as real

pytestmark = pytest.mark.corpus

LEAST_WAITS = 1000
TICK_S = 8e-6  # below, a bucket is a whole microsecond or two wide, and so is the clock


class Checked(NamedTuple):
    name: str
    event: str
    average: Value
    mean: Estimate
    comparable: bool  # the stitched mean is an estimate and not a guess


@pytest.fixture(scope="module")
def rows(corpus) -> list[Checked]:
    return [row for path in sorted(corpus.glob("*.htm*")) for row in _checked(path)]


def _checked(path: Path) -> Iterator[Checked]:
    report = real.read(path)
    if report is None:
        return
    section = report.section(SECTION)
    if section is None or report.kind != "awr":
        return
    for record in section.records:
        event = section.text(record, "event")
        waits, total = _both(report, event)
        if waits is None or total is None:
            continue
        found = distribution_of(report, event, waits=waits, total_s=total)
        if found is None or found.mean_s is None or found.waits.value < LEAST_WAITS:
            continue
        average = Value(total.number / waits.number, total.half / waits.number)
        first = found.buckets[0]
        wide = not has_microseconds(report.release) and first.low_s == 0 and first.waits.value > 0.3 * waits.number
        comparable = average.number >= TICK_S and not wide and not is_idle_event(event)
        yield Checked(report.name, event, average, found.mean_s, comparable)


def _both(report: Report, event: str) -> tuple[Value | None, Value | None]:
    """Waits and seconds, foreground and background together: histograms count both."""
    waits, total = Value(0, 0), Value(0, 0)
    for section_id in (FOREGROUND, BACKGROUND):
        section = report.section(section_id)
        record = section.find(event) if section is not None else None
        if section is None or record is None:
            continue
        n, t = section.number(record, "waits"), section.number(record, "total_wait_time_s")
        exact = narrow_total(t, section.number(record, "avg_wait_s"), n)
        if n is None or exact is None:
            return None, None
        waits = Value(waits.number + n.number, waits.half + n.half)
        total = Value(total.number + exact.number, total.half + exact.half)
    return (waits, total) if waits.number > 0 else (None, None)


def test_the_printed_average_lies_in_the_bounds(rows):
    """All but one: a foreground event of 46 s in total, of which its own histogram shows no more than 4 s."""
    assert len(rows) > 500
    outside = [r for r in rows if not (r.mean.low <= r.average.high and r.average.low <= r.mean.high)]
    assert len(outside) <= 1
    assert not [r for r in outside if r.event.startswith("log file")]


def test_the_stitched_mean_is_close(rows):
    off = [abs(r.mean.value / r.average.number - 1) for r in rows if r.comparable and r.average.number > 0]
    assert len(off) > 300
    assert sum(o <= 0.05 for o in off) / len(off) >= 0.73
    assert sum(o <= 0.15 for o in off) / len(off) >= 0.95


def test_the_stitched_mean_of_the_commit_events_is_within_15_percent(rows):
    found = [r for r in rows if r.event in ("log file sync", "log file parallel write") and r.comparable]
    assert found
    assert not [(r.name, r.event) for r in found if abs(r.mean.value / r.average.number - 1) > 0.15]
