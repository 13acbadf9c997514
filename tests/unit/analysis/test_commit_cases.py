"""What only some reports print: a top list and nothing else, writes of hundreds of ms, several instances."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Column, Value
from tests.unit.analysis.builders import column, report, section
from tests.unit.analysis.commit_builders import committing


def test_a_foreground_top_list_bounds_nothing():
    """AWR's own top list holds no background events, so that a missing redo write says nothing."""
    columns = (Column("event", "Event"), column("waits"), column("total_wait_time_s", "s"))
    rows = [("log file sync", Value(2000, 0), Value(100, 0.5)), ("db file sequential read", Value(9, 0), Value(3, 0.5))]
    f = figures_of(Side(report(section("top_timed_events", columns, rows, coverage="top"))))
    assert f.lfpw_at_most_s is None
    assert "log file parallel write (the report prints no background wait events)" in f.missing


def test_hundreds_of_milliseconds():
    f = figures_of(Side(committing(lfs=(9311, 18_373.0), lfpw=(4974, 1555.0))))
    assert f.lfs_avg_s.value / f.lfpw_avg_s.value == pytest.approx(6.3, abs=0.02)


def global_report():
    """Two instances, of which the top lists by instance name the waits of both and the writes of one."""
    columns = (
        Column("instance_number", "I#"),
        Column("event", "Event"),
        column("waits"),
        column("total_wait_time_s", "s"),
    )
    foreground = [("*", "log file sync", Value(3000, 0), Value(9, 0.005)), ("1", "log file sync", Value(1000, 0), Value(1, 0.005)),
                  ("2", "log file sync", Value(2000, 0), Value(8, 0.005))]  # fmt: skip
    background = [("1", "log file parallel write", Value(900, 0), Value(0.45, 0.005))]
    key = ("instance_number", "event")
    return committing(
        lfs=(3000, 9.0),
        more=[
            section("top_timed_foreground_events", columns, foreground, key=key, coverage="top"),
            section("top_timed_background_events", columns, background, key=key, coverage="top"),
        ],
    )


def test_the_instances_of_a_global_report():
    one, two = commit_latency((Side(global_report()),)).instances[0]
    assert (one.whose, two.whose) == ("instance 1", "instance 2")
    assert one.lfs_avg_s.value == pytest.approx(0.001)
    assert one.naive_overhead_s.value == pytest.approx(0.0005)
    assert two.lfs_avg_s.value == pytest.approx(0.004)
    assert two.naive_overhead_s is None
    assert two.missing == ("log file parallel write (not in the top list of instance 2)",)


def test_a_report_of_one_instance_has_no_instances():
    assert commit_latency((Side(committing(statistics={"redo writes": 1})),)).instances == ((),)
