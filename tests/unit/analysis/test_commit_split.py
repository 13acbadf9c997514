"""A commit wait and its change in parts that add up to them; a cause claims its part and no other."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import Hour, alone, moments, overhead, pair, polls, system
from tests.unit.analysis.builders import os_statistics, parameters
from tests.unit.analysis.traces import Went, record, trace


def latency(hour: Hour):
    reports, traces = hour
    return commit_latency([Side(r) for r in reports], traces)


def causes(hour: Hour):
    return {c.rule: c for c in latency(hour).causes}


STAGED = moments(gather=3000.0)
LATE = {**overhead(108.0), "redo synch time (usec)": 360e6}


@pytest.mark.parametrize("statistics", [{}, STAGED, {**moments(), **LATE}, moments(schedule=90_000.0)])
def test_the_parts_are_the_wait(statistics):
    found = latency(alone(statistics=statistics)).reports[0]
    assert sum(found.split.parts.values()) == pytest.approx(0.010)
    assert all(0 <= s <= 0.010 for s in found.split.parts.values())
    assert ("queue" in found.split.parts) is (found.stage("queue") is not None)


def test_the_change_is_split_by_what_both_print():
    found = latency(pair({"statistics": moments()}, {"lfs": (36_000, 720.0), "statistics": STAGED}))
    assert found.split.parts["log_writer"] == pytest.approx(2.99e-3)
    assert sum(found.split.parts.values()) == pytest.approx(0.010)
    coarse = latency(pair({}, {"lfs": (36_000, 720.0), "statistics": STAGED}))
    assert set(coarse.split.parts) == {"write", "open"}
    assert "Of the change: 7.01 ms the queue behind writes under way and 2.99 ms the log writer's" in lead(
        found.reports
    )


@pytest.mark.parametrize("synchs", [30_000, 36_000, 60_000])
def test_the_claim_of_the_wake_up_is_its_part(synchs):
    found = latency(alone(statistics={**moments(), **LATE, "redo synch writes": synchs}))
    claims = {c.rule: c.explains_s.value for c in found.causes if c.explains_s is not None}
    assert claims["wake-up"] == pytest.approx(found.reports[0].split.parts["wake_up"]) == pytest.approx(3e-3)


@pytest.mark.parametrize(("waits", "known"), [(110, True), (90, False)])
def test_an_average_of_few_waits_is_no_measure_of_the_other_report(waits, known):
    few = {"lfs": (waits, waits * 0.5e-3), "lfpw": (30_000, 6.0), "statistics": {"redo size": 3e8, "redo writes": 3e4}}
    found = latency(pair(few, {"lfpw": (9_000, 45.0), "statistics": {"redo size": 9e8, "redo writes": 9e3}}))
    assert any(c.between for c in found.causes) is known
    assert bool(found.reports[0].split.parts) is known
    assert bool(found.split.parts) is known


def test_a_step_under_the_floor_is_a_note():
    """A standby of 0.1 ms beside a wait of 10 ms is no title."""
    little = latency(alone(background={"SYNC Remote Write": (1000, 0.1)}, statistics=moments())).causes
    assert {c.rule: c.confidence for c in little}["data-guard-sync"] == "note"
    much = causes(alone(background={"SYNC Remote Write": (1000, 9.0)}, statistics=moments()))
    assert much["data-guard-sync"].confidence == "high"


EIGHTFOLD = (
    {"lfs": (100_000, 100.0), "lfpw": (100_000, 50.0), "statistics": polls(1.0, share=0.9)},
    {"lfs": (100_000, 800.0), "lfpw": (60_000, 240.0), "statistics": polls(1.0, share=0.0)},
)


def test_writes_of_eight_times_are_storage_whatever_switched():
    found = causes(pair(*EIGHTFOLD, trace(Went("2024-03-05 11:30:00"))))
    assert found["storage-slowed"].explains_s.value == pytest.approx(3.5e-3)
    switch = found.get("adaptive-switch")
    claimed = switch.explains_s.value if switch is not None else 0.0
    assert found["storage-slowed"].explains_s.value + claimed <= 7e-3


def test_a_switch_claims_what_the_writes_leave():
    quiet = ({"lfs": (100_000, 25.0), "lfpw": (100_000, 5.0)}, {"lfs": (100_000, 50.0), "lfpw": (50_000, 3.75)})
    found = causes(pair(*quiet, trace(Went("2024-03-05 11:30:00"))))["adaptive-switch"]
    assert found.explains_s.value == pytest.approx(225e-6), "250 µs less the 25 µs that a write takes longer"


POLLED = {"lfs": (30_000, 360.0), "lfpw": (30_000, 132.0), "statistics": polls(1.2)}


def test_the_other_report_is_the_measurement():
    posted = {**POLLED, "lfs": (30_000, 210.0), "statistics": polls(1.2, share=0.01)}
    found = latency(pair(posted, POLLED))
    text = {c.rule: c.text for c in found.causes}["polling"]
    assert "commits of the other report waited 7.00 ms" in text
    assert "would wait" not in text
    assert found.reports[1].polling.posted_s is None


def test_what_made_commits_faster_is_no_cause_of_slowness():
    slower = {**POLLED, "lfs": (30_000, 450.0), "statistics": polls(1.2, share=0.01)}
    assert "polling" not in causes(pair(slower, POLLED))
    assert "polling" in causes(pair(POLLED, POLLED))


STALLED = moments(schedule=400.0)
SWAPPED = [system(BUSY_TIME=18, IDLE_TIME=82, SYS_TIME=11, USER_TIME=7, SWAP_FREE_BYTES=0)]


def test_a_stall_on_an_idle_host_is_named_by_what_is_printed():
    memory = causes(alone(statistics=STALLED, more=SWAPPED))["lgwr-cpu"]
    assert memory.title == "The log writer was stalled on a host short of memory."
    assert any("vmstat (si, so" in c for c in memory.checks)
    queued = causes(alone(statistics=STALLED, more=[os_statistics(95, 5)]))["lgwr-cpu"]
    assert queued.title == "The log writer waited for a CPU."
    idle = causes(alone(statistics=STALLED, more=[os_statistics(18, 82)]))["lgwr-cpu"]
    assert idle.title == "The log writer was off its CPU or stalled."
    assert not any("run queue" in c for c in (*memory.checks, *idle.checks))


def test_a_record_clears_the_queue_for_a_cpu_alone():
    found = causes((alone(statistics={n: 30 * v for n, v in STALLED.items()})[0], (record(0.0),)))["lgwr-cpu"]
    assert found.confidence == "high", "the stages measured it"
    assert "paging and steal are not in such a record" in found.text


def test_a_share_above_the_whole_is_not_printed():
    found = causes((alone(statistics={"redo writes": 30_000})[0], (record(0.5),)))["lgwr-off-cpu"]
    assert "longer than a commit waited" in found.text
    assert "%" not in found.text.split("waited for a CPU")[1]


def test_commits_of_second_that_do_not_wait_stand_first():
    nowait = {"user commits": 10_000, "commit nowait performed": 9_000}
    lost = latency(pair({"statistics": {"user commits": 10_000}}, {"statistics": {**STALLED, **nowait}})).causes
    assert lost[0].rule in ("commit-nowait", "commit-nowait-changed")
    kept = latency(pair({"statistics": nowait}, {"statistics": STALLED})).causes
    assert [c.rule for c in kept].index("commit-nowait") > [c.rule for c in kept].index("lgwr-cpu")


SMALL = {"user calls": 30_000, "user commits": 20_000, "redo size": 9e6, "redo writes": 30_000}


@pytest.mark.parametrize(("lfs", "busy", "first"), [(108.0, 30.0, False), (40.0, 30.0, True), (300.0, 10.0, False)])
def test_the_number_of_commits_stands_above_where_the_writer_matters(lfs, busy, first):
    """Writes of 1 ms: beside waits of 3 ms it is not the writes that matter, beside 1.1 ms it is."""
    found = latency(alone(lfs=(36_000, lfs), lfpw=(30_000, busy), statistics=SMALL, db_time=300.0)).causes
    assert (found[0].rule == "frequent-commits") is first


def test_few_calls_are_commits_on_the_server():
    text = causes(alone(statistics=SMALL))["frequent-commits"].text
    assert "commits inside PL/SQL, or on the server" in text
    more = causes(alone(statistics={**SMALL, "user calls": 200_000}))["frequent-commits"].text
    assert "inside PL/SQL" not in more


def test_large_writes_are_not_far_too_long():
    large = {"redo size": 12e6 * 30_000, "redo writes": 30_000}
    found = causes(alone(lfs=(36_000, 1080.0), lfpw=(30_000, 720.0), statistics=large))["io-bound"]
    assert found.title == "Commits wait for large redo writes."
    assert "far too" not in found.text
    small = causes(alone(lfs=(36_000, 1080.0), lfpw=(30_000, 720.0)))["io-bound"]
    assert "far too long" in small.text


@pytest.mark.parametrize(("busy", "stages", "lost"), [(95, False, True), (80, False, False), (95, True, False)])
def test_writes_on_a_saturated_host_hold_lost_cpu(busy, stages, lost):
    more = {"statistics": moments()} if stages else {}
    found = causes(alone(lfs=(36_000, 50.4), more=[os_statistics(busy, 100 - busy)], **more))["io-bound"]
    assert ("part of it may be lost CPU" in found.text) is lost


def test_the_size_of_the_log_buffer_stands_beside_waits_for_it():
    space = {"log buffer space": (9_000, 90.0)}
    said = causes(alone(waits=space, more=[parameters({"log_buffer": "14680064"})]))["log-buffer"]
    assert "log_buffer is 14.0 MB." in said.text or "log_buffer is 14 MB." in said.text
    assert "log_buffer is" not in causes(alone(waits=space))["log-buffer"].text


@pytest.mark.parametrize(("writes", "said"), [(900, True), (3_000, False)])
def test_forty_sessions_posted_per_write_are_said_whatever_the_cpus(writes, said):
    text = causes(alone(lfpw=(writes, writes / 1000), cpus=96))["not-redo-io"].text
    assert ("posted one after another" in text) is said
