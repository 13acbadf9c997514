"""Published cases as reports built by hand from the figures their authors printed."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.side import Side
from parsers.model import Column, Value
from tests.unit.analysis.builders import column, report, section
from tests.unit.analysis.commit_builders import committing, top_list

# The log writer starved of CPU: SSD redo in both runs. Waits, seconds, average ms, percent of call time.
STARVED = top_list(
    {
        "log file sync": (68_965, 1117, 16, 64.6),
        "db file sequential read": (159_712, 241, 2, 14.0),
        "CPU time": (0, 163, 0, 9.4),
        "log file switch (checkpoint incomplete)": (164, 146, 890, 8.4),
        "db file parallel write": (19_651, 31, 2, 1.8),
    },
    release="11.1.0.7.0",
    cpus=4,
)
FREED = top_list(
    {
        "db file sequential read": (838_810, 1635, 2, 69.1),
        "CPU time": (0, 253, 0, 10.7),
        "db file parallel write": (153_334, 145, 1, 6.1),
        "log file sync": (93_100, 143, 2, 6.0),
        "log file parallel write": (93_417, 73, 1, 3.1),
    },
    release="11.1.0.7.0",
    cpus=4,
)


def test_the_freed_run_has_a_naive_estimate():
    f = figures_of(Side(FREED))
    assert round(f.naive_overhead_s.value * 1e3, 2) == 0.75
    assert round(f.naive_share.value * 100) == 49
    assert f.lfs_db_time_share.value == pytest.approx(0.06)
    assert f.lfpw_at_most_s is None


def test_the_starved_run_bounds_the_writes_it_does_not_list():
    f = figures_of(Side(STARVED))
    assert f.lfpw_avg_s is None
    assert f.naive_overhead_s is None
    assert "log file parallel write (not in the top list)" in f.missing
    assert f.lfpw_at_most_s == 31
    assert any("31 s" in n for n in f.notes)
    assert f.material


def test_the_change_from_freed_to_starved():
    change = commit_latency((Side(FREED), Side(STARVED))).change
    assert round(change["lfs_avg_s_ratio"].value, 1) == 10.5
    assert round(change["lfs_total_s_ratio"].value, 1) == 7.8
    assert change["lfpw_avg_s_ratio"] is None


def test_the_verdict_is_processing_with_the_stall_beside_it():
    found = commit_latency((Side(STARVED),))
    causes = {c.rule: c for c in found.causes}
    assert list(causes) == ["not-redo-io", "log-switches"]
    verdict = causes["not-redo-io"]
    assert verdict.title == "The log writer's processing rather than the redo writes."
    assert "at most 31 s of the 1,117 s" in verdict.text
    assert "only if 18.0 sessions shared each one" in verdict.text
    assert verdict.confidence == "high"
    assert ("top_timed_events", "db file parallel write") in {(e.section, e.key) for e in verdict.evidence}
    assert "146 s: 8.4 % of call time" in causes["log-switches"].text
    assert "lgwr-cpu" in {u.rule for u in found.unsettled}  # nothing printed says how busy the CPUs were


def test_comparing_the_two_runs_reads_well():
    text = compare_reports(FREED, STARVED).summary
    assert "A commit waited 16.2 ms (1.54 ms in First); how much of it is the redo write is not printed." in text
    assert "The log writer's processing rather than the redo writes." in text


def test_a_foreground_top_list_bounds_nothing():
    """AWR's own top list holds no background events, so that a missing redo write says nothing."""
    columns = (Column("event", "Event"), column("waits"), column("total_wait_time_s", "s"))
    rows = [("log file sync", Value(2000, 0), Value(100, 0.5)), ("db file sequential read", Value(9, 0), Value(3, 0.5))]
    f = figures_of(Side(report(section("top_timed_events", columns, rows, coverage="top"))))
    assert f.lfpw_at_most_s is None
    assert "log file parallel write (the report prints no background wait events)" in f.missing


def test_adaptive_switch():
    """Published figures: LFS 250 → 500 µs, LFPW count halved, 50 → 75 µs, writes of 128 KB doubled."""
    size = {"redo size": 1_000_000_000}
    before = committing(lfs=(1_000_000, 250.0), lfpw=(1_000_000, 50.0), statistics={"redo writes": 1_000_000, **size})
    after = committing(lfs=(1_000_000, 500.0), lfpw=(500_000, 37.5), statistics={"redo writes": 500_000, **size})
    found = commit_latency((Side(before), Side(after)))
    assert found.causes[0].rule in ("adaptive-switch", "not-redo-io")
    cause = next(c for c in found.causes if c.rule == "adaptive-switch")
    assert "bytes per write +100 %" in cause.text
    assert found.change["lfs_avg_s_ratio"].value == pytest.approx(2)


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
