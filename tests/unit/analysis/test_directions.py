"""Which way a figure went: each sentence in both directions, where a swap would read just as well and be wrong."""

from __future__ import annotations

from datetime import timedelta

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.comparability_warnings import warnings_of
from tests.unit.analysis.builders import BEGIN, activity, loaded, report

FEW, MANY = 360_000.0, 3_600_000.0  # physical reads in an hour: 100 and 1,000 a second


def reading(physical_reads: float):
    """The same work, with so many physical reads."""
    made = loaded()
    figures = {
        "user calls": 360_000.0,
        "execute count": 720_000.0,
        "session logical reads": 36_000_000.0,
        "user commits": 36_000.0,
        "user rollbacks": 0.0,
        "physical reads": physical_reads,
    }
    sections = [activity(figures) if s.id == "instance_activity" else s for s in made.sections]
    return report(*sections)


@pytest.mark.parametrize(
    ("first", "second", "title", "severity", "rates"),
    [
        (FEW, MANY, "More physical reads.", "note", "100 → 1,000"),
        (MANY, FEW, "Fewer physical reads.", "note", "1,000 → 100"),
    ],
)
def test_physical_reads(first, second, title, severity, rates):
    findings = {f.rule: f for f in compare_reports(reading(first), reading(second)).findings}
    found = findings["physical-reads"]
    assert (found.title, found.severity) == (title, severity)
    assert found.text.startswith(rates)


def test_physical_reads_that_stayed():
    rules = {f.rule for f in compare_reports(reading(MANY), reading(MANY * 1.9)).findings}
    assert "physical-reads" not in rules


def restarts(started_after_begin: timedelta) -> list[str]:
    """Warnings where the second instance was started so long after the second window began."""
    begin = BEGIN + timedelta(hours=3)
    later = report(begin=begin, begin_snap=200, startup=begin + started_after_begin)
    return [w.code for w in warnings_of(Side(report()), Side(later))]


@pytest.mark.parametrize("seconds", [-3600, 0, 30, 60])
def test_a_start_up_to_the_minute_of_the_first_snapshot_is_before_it(seconds):
    """Reports to 10.2 print it to the second: the first snapshot may be taken in the minute of the start."""
    assert "restart-inside" not in restarts(timedelta(seconds=seconds))


@pytest.mark.parametrize("seconds", [61, 120, 1800, 3500])
def test_a_start_after_that_is_inside_the_window(seconds):
    assert "restart-inside" in restarts(timedelta(seconds=seconds))
