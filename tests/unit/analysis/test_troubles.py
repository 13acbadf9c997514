"""What makes an hour sick, each clause of its threshold alone."""

from __future__ import annotations

import pytest

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.trouble_detection import health_of, troubles_of, unread_of
from tests.unit.analysis.builders import column, loaded, report, section

WRITE = "log file parallel write"


def names(**changes) -> list[str]:
    return [t.name for t in troubles_of(Side(loaded(**changes)))]


def waiting(event: str, waits: float, seconds: float, *, cpu: float = 1000.0, **changes) -> list[str]:
    return names(waits={event: (waits, seconds)}, cpu=cpu, **changes)


@pytest.mark.parametrize(
    ("event", "waits", "enough", "few_sessions", "small_share", "name"),
    [
        # seconds of an hour: 3,600 are one session; `small_share` beside 90,000 s of CPU on 64 CPUs
        ("enq: TX - row lock contention", 9_000, (3_700, 1_000), (3_500, 100), (9_000, 90_000), "locks"),
        ("enq: TM - contention", 9_000, (3_700, 1_000), (3_500, 100), (9_000, 90_000), "locks"),
        ("library cache lock", 9_000, (3_700, 1_000), (3_500, 100), (9_000, 90_000), "locks"),
        ("log file switch completion", 9_000, (1_900, 1_000), (1_700, 100), (9_000, 90_000), "log switches"),
        ("log file sync", 50_000, (1_900, 1_000), (1_700, 100), (9_000, 90_000), "commits"),
        ("db file sequential read", 90_000, (3_700, 1_000), (3_500, 100), (20_000, 90_000), "I/O"),
        ("gc buffer busy acquire", 9_000, (3_700, 1_000), (3_500, 100), (50_000, 90_000), "cluster"),
        ("latch: cache buffers chains", 9_000, (3_700, 1_000), (3_500, 100), (20_000, 90_000), "concurrency"),
    ],
)
class TestWaits:
    def test_from_its_share_and_its_sessions_on(self, event, waits, enough, few_sessions, small_share, name):
        assert waiting(event, waits, enough[0], cpu=enough[1]) == [name]

    def test_fewer_sessions_are_none(self, event, waits, enough, few_sessions, small_share, name):
        assert name not in waiting(event, waits, few_sessions[0], cpu=few_sessions[1])

    def test_a_small_share_is_none(self, event, waits, enough, few_sessions, small_share, name):
        assert name not in waiting(event, waits, small_share[0], cpu=small_share[1], cpus=64)


def test_reads_that_are_fast_or_few_are_none():
    assert waiting("db file sequential read", 190_000, 3_700) == []  # 19 ms
    assert waiting("db file sequential read", 99, 3_700) == []
    assert waiting("db file sequential read", 180_000, 3_700) == ["I/O"]


def test_commits_that_are_quick_are_none_unless_redo_writes_are_slow():
    assert waiting("log file sync", 190_000, 3_700) == []
    slow = {WRITE: (30_000, 630.0)}
    assert waiting("log file sync", 190_000, 3_700, background=slow) == ["commits"]
    assert waiting("log file sync", 190_000, 1_700, background=slow) == []  # of less than half a session
    assert waiting("log file sync", 190_000, 3_700, background={WRITE: (99, 9.0)}) == []  # of a few writes


def test_on_many_cpus_one_session_of_contention_is_none():
    assert waiting("gc buffer busy acquire", 9_000, 7_000, cpus=64) == []  # 1.9 sessions, 5 % are 3.2
    assert waiting("gc buffer busy acquire", 9_000, 12_000, cpus=64) == ["cluster"]


def test_parsing():
    assert names(cpu=12_000, parse=3_700) == []  # under 30 %
    assert names(cpu=12_000, parse=3_900) == ["parsing"]
    assert names(cpu=4_000, parse=3_500) == []  # under a session


def test_a_full_host_is_sick_where_sessions_queue():
    assert names(cpu=20_000, db_time=30_000, busy=95) == ["CPU overload"]
    assert names(cpu=20_000, db_time=30_000, busy=85) == []
    assert names(cpu=20_000, db_time=21_000, busy=95) == []  # nothing is unaccounted for
    assert names(cpu=2_000, db_time=5_000, busy=95) == []  # 0.7 sessions


def cap(cpus: int):
    rows = [("cpu_count", str(cpus))]
    columns = (column("parameter", "Parameter", "text"), column("begin_value", "Begin value", "text"))
    return section("init_parameters", columns, rows, key=("parameter",))


def test_a_cap_that_is_used_up_is_as_a_full_host():
    assert "CPU overload" in names(cpu=13_500, db_time=24_000, busy=45, more=[cap(4)])
    assert names(cpu=9_000, db_time=16_000, busy=45, more=[cap(4)]) == []  # 2.5 of 4


def test_the_resource_manager():
    assert waiting("resmgr:cpu quantum", 9_000, 3_700) == ["CPU cap"]
    assert waiting("resmgr:cpu quantum", 9_000, 3_500, cpu=100) == []
    assert waiting("resmgr:cpu quantum", 9_000, 3_700, cpu=16_000) == []


def test_a_crowd_where_nothing_says_why():
    assert names(cpu=60_000) == ["crowd"]  # 16.8 on 8 CPUs
    assert names(cpu=56_000) == []
    locked = {"enq: TX - row lock contention": (9_000, 60_000.0)}
    assert names(waits=locked) == ["locks"]


def test_the_largest_comes_first():
    both = {"enq: TX - row lock contention": (9_000, 5_000.0), "log file switch completion": (9_000, 9_000.0)}
    assert names(waits=both) == ["log switches", "locks"]


def test_what_was_not_read_is_not_judged():
    assert unread_of(Side(loaded())) == ()
    bare = Side(report())
    assert unread_of(bare) == ("DB time", "wait events")
    assert troubles_of(bare) == ()
    assert health_of(bare, ()) == "partial"
    assert assess(report()).state == "partial"
    assert health_of(Side(loaded()), ()) == "calm"
    assert health_of(Side(loaded()), troubles_of(Side(loaded(cpu=60_000)))) == "sick"
