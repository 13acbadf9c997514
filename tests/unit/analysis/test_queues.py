"""Who waits for a CPU or for a lock: one measure on both sides, nothing counted twice, no title its own text denies."""

from __future__ import annotations

import pytest

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict import capacity_limits, trouble_detection
from awrdiff.analysis.verdict.rules.waits import chain_of
from fixtures.diagnosed.hour import READS, hour
from fixtures.writer import Model, write
from parsers import parse_report
from tests.unit.analysis.test_headlines import LOCK, answer

DB_TIME = 36_000.0  # 10 active sessions
QUANTUM = "resmgr:cpu quantum"


def side(model: Model) -> Side:
    return Side(parse_report(write(model)))


def printed(pct: float) -> dict[str, list[dict[str, float]]]:
    return {"instance_cpu": [{"pct_total_cpu": 50.0, "pct_busy_cpu": 90.0, "pct_db_time_waiting_for_cpu": pct}]}


@pytest.mark.parametrize(
    ("more", "share"),
    [
        ({"cpu": 0.8 * DB_TIME - 1440}, 0.20),  # unaccounted for alone
        ({"cpu": 0.8 * DB_TIME - 1440, "sections": printed(15.0)}, 0.20),  # of which the manager has 15
        ({"cpu": 0.9 * DB_TIME - 1440, "sections": printed(15.0)}, 0.15),
        ({"cpu": 0.7 * DB_TIME - 1440, "waits": {**READS, QUANTUM: (9_000, 0.2 * DB_TIME)}}, 0.30),
    ],
)
def test_sessions_that_queue_for_a_cpu_are_counted_once(more, share):
    queueing = side(hour(db_time=DB_TIME, busy=95.0, **more))
    assert capacity_limits.queued_share(queueing) == pytest.approx(share, abs=0.002)
    assert trouble_detection.sessions_in(trouble_detection.OVERLOAD, queueing) == pytest.approx(10 * share, abs=0.02)


def test_a_cap_that_is_used_up_is_named_and_not_the_host():
    capped = hour(db_time=DB_TIME, cpu=4 * 3600.0, busy=25.0, cpus=16, parameters={"cpu_count": "4"})
    headline = answer(hour(cpus=16), capped).headline
    assert headline.startswith(
        "The database uses 4 of the 4 CPUs it may use (cpu_count is 4 of 16 CPUs): sessions queue"
    )


@pytest.mark.parametrize(
    ("commit_s", "write_s", "is_chain"),
    [
        (0.005, 0.001, False),  # a queue of 60 commits is as long as a lock, and no commit is slow
        (0.005, 0.021, True),  # the log writer is what they queue for
        (0.040, 0.001, True),  # a tenth of a lock and more
    ],
)
def test_locks_are_behind_commits_that_are_slow(commit_s, write_s, is_chain):
    waits = {LOCK: (720_000, 216_000.0), "log file sync": (100_000, 100_000 * commit_s)}
    crowded = side(hour(waits=waits, background={"log file parallel write": (round(1_900 / write_s), 1_900.0)}))
    assert (chain_of(crowded) is not None) is is_chain


class TestTheLocksThatGrew:
    BEFORE = hour(waits={**READS, LOCK: (3_600, 10_800.0)})
    AFTER = hour(waits={**READS, LOCK: (3_600, 10_080.0), "enq: TM - contention": (900, 9_000.0)})

    def test_lead_with_the_rule_that_names_them(self):
        grown = answer(self.BEFORE, self.AFTER)
        assert "table locks hold all of the rise" in grown.headline
        assert grown.cause is not None
        assert grown.cause.rule == "enqueues"
        assert trouble_detection.main_lock(side(self.AFTER), side(self.BEFORE), is_rise=True)[2] == pytest.approx(2.5)

    def test_where_nothing_rose_the_longest_lead(self):
        event, name, sessions = trouble_detection.main_lock(side(self.AFTER), side(self.BEFORE), is_rise=False)
        assert (event, name, sessions) == (LOCK, "Row locks", pytest.approx(2.8))

    def test_locks_of_a_transaction_are_not_all_row_locks(self):
        other = {LOCK: (3_600, 10_080.0), "enq: TX - contention": (900, 9_000.0)}
        assert trouble_detection.main_lock(side(hour(waits=other)), side(self.BEFORE), is_rise=True)[:2] == (
            "enq: TX - contention",
            "Waits for other transactions",
        )


def test_what_instance_cpu_prints_beyond_the_event_is_in_the_sessions_too():
    waits = {**READS, QUANTUM: (9_000, 0.03 * DB_TIME)}
    found = assess(parse_report(write(hour(db_time=DB_TIME, waits=waits, sections=printed(30.0)))))
    (text,) = [f.text for f in found.findings if f.rule == "resource-manager"]
    assert "for 30 % of DB time (3" in text
