"""Headlines a DBA would sign: each clause of what decides one fires, is quiet, and is denied by another figure."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison, Finding
from awrdiff.analysis.model.diagnosis import Answer
from awrdiff.analysis.model.ranked_changes import Subject
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.diagnosis import warning_text
from awrdiff.analysis.verdict.findings import Outcome
from fixtures.diagnosed.hour import READS, hour
from fixtures.diagnosed.one_statement import PlanRun, sql_report
from fixtures.diagnosed.other_work import elsewhere
from fixtures.writer import Model, write
from parsers import parse_report

LOCK = "enq: TX - row lock contention"
COMMIT = {"log file sync": (10_000, 10_000.0)}  # 1 s each, 2.8 sessions
SLOW_LOG = {"log file parallel write": (6_000, 3_000.0)}  # 500 ms, busy for 83 % of the hour
SLOWER_LOG = {"log file parallel write": (3_000, 3_000.0)}  # 1 s
QUICK_LOG = {"log file parallel write": (150_000, 1_800.0)}  # 12 ms
IDLE_LOG = {"log file parallel write": (3_000, 1_500.0)}  # 500 ms, busy for 42 %


def compared(first: Model, second: Model) -> Comparison:
    return compare_reports(parse_report(write(first)), parse_report(write(second)))


def answer(first: Model, second: Model) -> Answer:
    return compared(first, second).answer


def queue(seconds: float, *, each: float = 5.0, background=SLOW_LOG) -> Model:
    """Row locks of `each` seconds, behind commits of 1 s."""
    return hour(waits={**READS, **COMMIT, LOCK: (round(seconds / each), seconds)}, background=background)


class TestRowLocksBehindCommits:
    def test_the_redo_write_leads_where_it_is_no_faster_than_before(self):
        found = answer(hour(), queue(20_000.0))
        assert found.headline == (
            "A redo write takes 500 ms (600 µs before): commits and the row locks behind them hold all of the rise of "
            "8.3 active sessions."
        )
        assert found.cause is not None
        assert found.cause.rule == "commit-latency"
        turned = answer(queue(20_000.0), hour())
        assert turned.cause is not None
        assert turned.cause.rule == "commit-latency"

    def test_a_write_that_became_faster_is_no_cause_of_more_locks(self):
        found = answer(queue(9_000.0, background=SLOWER_LOG), queue(40_000.0))
        assert found.headline.endswith(": row locks hold all of the rise of 8.6 active sessions.")
        assert "redo writes are slow on both sides (1.00 s → 500 ms)" in found.not_the_cause
        turned = answer(queue(40_000.0), queue(9_000.0, background=SLOWER_LOG))
        assert "redo writes are slow on both sides (500 ms, 1.00 s in Second)" in turned.not_the_cause

    @pytest.mark.parametrize(
        "bad",
        [
            pytest.param(queue(20_000.0, background=QUICK_LOG), id="the writes are fast"),
            pytest.param(queue(20_000.0, background=IDLE_LOG), id="the log writer has time"),
            pytest.param(queue(20_000.0, each=0.9), id="a lock is waited for less than a commit takes"),
            pytest.param(queue(20_000.0, each=7.0), id="longer than a queue of commits takes"),
        ],
    )
    def test_else_the_locks_lead(self, bad):
        assert answer(hour(), bad).headline.startswith("Row locks hold ")
        assert "redo write" not in answer(hour(), bad).headline


def test_waits_for_an_itl_slot_are_no_row_locks():
    found = answer(hour(), hour(waits={**READS, "enq: TX - allocate ITL entry": (4_000, 9_000.0)}))
    assert found.headline.startswith("Waits for a free ITL slot hold all of the rise of 2.5")


class TestWorseIsNotSick:
    def test_an_hour_without_trouble_is_the_worse_one(self):
        reads = hour(waits={"db file sequential read": (2_400_000, 7_200.0)})
        found = answer(reads, hour())
        assert found.headline.startswith("First was the worse hour: sessions waited longer for db file sequential read")
        assert found.badge == "First was the worse hour"

    def test_one_with_trouble_is_sick(self):
        found = answer(hour(waits={**READS, LOCK: (900, 9_000.0)}), hour())
        assert found.headline.startswith("First was the sick hour: row locks hold")
        assert found.badge == "First was the sick hour"


class TestAWindowThatIsNoHour:
    @pytest.mark.parametrize(
        ("first", "second", "word"),
        [(3600.0, 3610.0, "hour"), (900.0, 900.0, "window"), (3600.0, 1800.0, "window"), (7200.0, 3600.0, "window")],
    )
    def test_is_called_a_window(self, first, second, word):
        sick = hour(waits={**READS, LOCK: (900, 9_000.0 * first / 3600)}, elapsed=first)
        found = answer(sick, hour(elapsed=second))
        assert found.headline.startswith(f"First was the sick {word}: ")
        assert found.badge == f"First was the sick {word}"
        assert found.claim.startswith("Row locks ")

    @pytest.mark.parametrize(("lasts", "word"), [(3600.0, "hour"), (900.0, "window")])
    def test_and_so_is_that_of_one_report(self, lasts, word):
        model = hour(waits={**READS, LOCK: (900, 9_000.0 * lasts / 3600)}, elapsed=lasts)
        assert assess(parse_report(write(model))).headline.startswith(f"The {word} is sick: ")


class TestTheWorkThatGrew:
    def test_it_is_named_with_the_wait(self):
        bad = hour(waits={"db file sequential read": (4_000_000, 9_600.0)}, work=1.5)
        assert " with 1.5 × the transactions and 1.5 × the logical reads: " in answer(hour(), bad).headline
        assert " with 1.5 × the transactions and 1.5 × the logical reads: " in answer(bad, hour()).headline

    def test_and_is_not_excluded_then(self):
        bad = hour(waits={"db file sequential read": (4_000_000, 9_600.0)}, work=1.5)
        assert not any("work" in clause for clause in answer(hour(), bad).not_the_cause)
        calls = {"execute count": 900.0 * 3600 * 2}  # beside as many transactions
        more = hour(waits={"db file sequential read": (4_000_000, 9_600.0)}, statistics=calls)
        assert not any("work" in clause for clause in answer(hour(), more).not_the_cause)
        same = hour(waits={"db file sequential read": (4_000_000, 9_600.0)})
        assert any("no more work" in clause for clause in answer(hour(), same).not_the_cause)

    def test_of_as_much_work_nothing_is_said(self):
        bad = hour(waits={"db file sequential read": (2_400_000, 9_600.0)}, work=1.2)
        assert "×" not in answer(hour(), bad).headline.replace("10 ×", "")

    def test_no_slower_needs_more_work(self):
        busier = hour(cpu=3_200.0)
        assert answer(hour(), busier).headline.startswith("Both hours are calm")
        grown = hour(cpu=5_760.0, waits={"db file sequential read": (4_800_000, 2_880.0)}, work=2.0)
        assert answer(hour(), grown).headline.startswith("No slower per unit of work: transactions +100 %")
        assert not answer(grown, hour()).headline.startswith("No slower")

    def test_as_many_sessions_for_much_more_work_are_no_slower(self):
        assert answer(hour(), hour(work=1.3)).headline.startswith("No slower per unit of work: transactions +30 %")
        assert answer(hour(), hour(work=1.15)).headline.startswith("Both hours are calm")


def test_unaccounted_for_time_is_a_figure():
    found = answer(hour(), hour(db_time=9_000.0))
    assert (
        found.headline == "Unaccounted-for time, neither CPU nor a wait, holds all of the rise of 1.3 active sessions."
    )
    assert found.cause is not None
    assert found.cause.rule == "unaccounted-time"
    assert answer(hour(db_time=9_000.0), hour()).cause == found.cause


def test_a_little_more_time_for_as_much_work_is_named():
    found = answer(hour(), hour(waits={**READS, "log file sync": (144_000, 1_260.0)}))
    assert found.state == "calm"
    assert found.headline == (
        "Neither hour is in trouble: 1.2 → 1.6 active sessions (+29 %) for as much work; more waits for log file sync: "
        "all of the rise of 0.35 active sessions."
    )
    executions = {"execute count": 900.0 * 3600 * 1.5}
    work = hour(waits={**READS, "log file sync": (144_000, 1_260.0)}, statistics=executions)
    assert "for as much work" not in answer(hour(), work).headline


class TestTwoHoursAlike:
    WAITING = hour(waits={"db file sequential read": (2_400_000, 28_800.0)})  # 8 sessions, 12 ms

    def test_what_both_wait_for_is_named(self):
        found = answer(self.WAITING, self.WAITING)
        assert found.headline == (
            "Both hours are alike: 8.8 and 8.8 active sessions, 8 of them waiting for db file sequential read "
            "(12.0 ms each)."
        )

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            pytest.param(hour(), hour(), id="less than a session"),
            pytest.param(
                hour(cpu=20_000.0, waits={"db file sequential read": (2_400_000, 6_000.0)}),
                hour(cpu=20_000.0, waits={"db file sequential read": (2_400_000, 6_000.0)}),
                id="less than a quarter",
            ),
            pytest.param(
                hour(waits={"db file sequential read": (2_400_000, 6_000.0)}),
                hour(waits={"direct path read": (2_400_000, 6_000.0)}),
                id="for different things",
            ),
            pytest.param(
                hour(cpus=160, waits={"db file sequential read": (2_400_000, 6_000.0)}),
                hour(cpus=160, waits={"db file sequential read": (2_400_000, 6_000.0)}),
                id="on many CPUs",
            ),
        ],
    )
    def test_else_they_are_calm(self, first, second):
        assert answer(first, second).headline.startswith("Both hours are calm")


class TestTwoDatabases:
    def test_what_warns_of_an_hour_alone_is_named_by_its_side(self):
        held = hour(waits={**READS, "resmgr:cpu quantum": (200_000, 1_400.0)}, parameters={"cpu_count": "2"})
        assert answer(hour(), elsewhere(held)).headline.endswith(
            "; the resource manager holds sessions back in Second."
        )
        assert answer(elsewhere(held), hour()).headline.endswith("; the resource manager holds sessions back in First.")

    def test_more_than_in_another_database_is_no_trouble(self):
        slower = hour(waits={"db file sequential read": (2_400_000, 4_800.0)})
        assert answer(hour(), elsewhere(slower)).headline.endswith("; no trouble stands out in either.")


class TestTwoHoursAsSick:
    SLOW = hour(waits={**READS, "log file sync": (30_000, 3_000.0)}, background=SLOW_LOG)

    def test_what_both_suffer_leads_and_warns(self):
        found = compared(self.SLOW, self.SLOW)
        assert found.answer.headline.startswith("Both hours are sick: a redo write takes 500 ms: commits hold 0.83 of")
        assert found.findings[0].severity != "note"
        assert found.findings[0].title.startswith("In both hours: ") or found.findings[0].rule == "commit-latency"

    def test_what_one_of_them_suffers_alone_is_told_of_it(self):
        locked = hour(waits={**READS, LOCK: (900, 9_000.0)})
        both = hour(waits={**READS, LOCK: (900, 9_000.0), "db file scattered read": (30_000, 3_000.0)})
        titles = [f.title for f in compared(locked, both).findings if f.severity != "note"]
        assert "In both hours: Sessions wait for each other's row locks." in titles
        assert not any(t.startswith("In First: ") for t in titles)


class TestAStatementThatHadNotEnded:
    @staticmethod
    def ran(executions: int, seconds: float, snap: int) -> bytes:
        return sql_report(PlanRun("111", executions, seconds, 10.0), snap=snap)

    def test_the_hour_is_named_and_the_time_is_of_all(self):
        ended, running = self.ran(1, 3_000.0, 1000), self.ran(0, 1_200.0, 1001)
        found = compare_reports(parse_report(ended), parse_report(running)).answer
        assert found.headline == (
            "No execution of the statement ended in Second: 7orders000001, in all 3,000 s → 1,200 s, by the same plan (111)."
        )
        turned = compare_reports(parse_report(running), parse_report(ended)).answer
        assert turned.headline.startswith("No execution of the statement ended in First: ")

    def test_one_that_ended_in_both_has_its_time_each(self):
        found = compare_reports(
            parse_report(self.ran(1, 3_000.0, 1000)), parse_report(self.ran(2, 6_000.0, 1001))
        ).answer
        assert "in all" not in found.headline


def test_a_statement_that_warns_beside_a_calm_hour_is_named():
    def beside(title: str, subject: Subject) -> str:
        return warning_text(Outcome((Finding("sql-new-id", "warning", title, "", subject=subject),), ()))

    other = Subject("sql", "7orders000001")
    assert beside("A statement ran with other literals.", other) == "a statement ran with other literals: 7orders000001"
    assert beside("A statement entered: 7orders000001.", other) == "a statement entered: 7orders000001"
    assert (
        beside("Sessions wait for log switches.", Subject("event", "log file switch"))
        == "sessions wait for log switches"
    )
    assert warning_text(Outcome((), ())) == ""
