"""The order of causes, what they must rest on, and what the wake-up, absent rows and commits that do not wait say."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import causes_between, causes_of, commit_latency
from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.model.commit_latency import CommitFigures
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import SMOOTH, TAIL, moments, overhead, polls, shares
from tests.unit.analysis.builders import os_statistics, parameters
from tests.unit.analysis.commit_builders import committing, facts, p3, sockets, top_list

WAKING = overhead(108.0)  # of 30,000 synch writes: 108 of 360 s


def ranked(**more):
    return causes_of(facts(**more)).ranked


def rules(**more):
    return {c.rule: c for c in ranked(**more)}


def order(**more):
    return [c.rule for c in ranked(**more) if c.confidence != "note"]


# The order


def test_a_stage_that_is_measured_stands_above_a_larger_tail():
    assert order(more=[TAIL], statistics=moments(worker=3000.0)) == ["lgwr-workers", "write-tail"]


def test_a_stage_that_is_a_little_of_a_wait_stands_below_the_tail():
    assert order(more=[TAIL], statistics=moments(worker=1500.0)) == ["write-tail", "lgwr-workers"]


def test_the_standby_stands_above_the_tail_and_polling():
    sleeping = {**polls(1.2), "redo writes": 30_000}
    remote = {"SYNC Remote Write": (30_000, 60.0)}
    found = order(more=[TAIL], statistics=sleeping, background=remote)
    assert found[:3] == ["data-guard-sync", "polling", "write-tail"]


def test_few_calls_stand_above_the_storage_where_writes_are_fast_and_small():
    calls = {"user calls": 200, "user commits": 10, "redo writes": 20}
    alike = {"lfs": (36_000, 36.0), "db_time": 300.0, "more": [shares(SMOOTH, SMOOTH)]}
    assert order(**alike, lfpw=(30_000, 27.0), statistics={**calls, "redo size": 20_000}) == [
        "frequent-commits",
        "io-bound",
    ]
    for lfpw, size in (((30_000, 33.0), 20_000), ((30_000, 27.0), 60_000)):  # 1.1 ms; 5.9 blocks
        assert order(**alike, lfpw=lfpw, statistics={**calls, "redo size": size}) == ["io-bound", "frequent-commits"]


def test_a_log_writer_that_is_busy_with_its_writes_stands_below_them():
    slow = {"lfs": (36_000, 7_200.0), "lfpw": (30_000, 2_700.0)}
    assert order(**slow)[:2] == ["io-bound", "lgwr-busy"]
    own = {name: 30 * value for name, value in moments(gather=100_000.0).items()}  # of 30,000 writes: 100 ms each
    found = order(lfs=(36_000, 7_200.0), statistics=own)
    assert found == ["not-redo-io", "lgwr-busy"], "busy with its own processing"


def test_room_in_the_log_buffer_is_a_symptom():
    full = {"log buffer space": (100, 3_000.0)}
    assert order(waits=full, more=[TAIL]) == ["write-tail", "log-buffer"]


# What claims against the storage must rest on


@pytest.mark.parametrize(("writes", "fires"), [(90, False), (110, True)])
def test_a_handful_of_writes_proves_nothing_against_the_storage(writes, fires):
    assert ("io-bound" in rules(lfs=(400, 40.0), lfpw=(writes, writes * 0.03))) is fires
    assert ("lgwr-busy" in rules(lfs=(400, 16_000.0), lfpw=(writes, 3_000.0))) is fires


@pytest.mark.parametrize(("wait_s", "fires"), [(0.5, False), (0.3, True)])
def test_slow_writes_that_cannot_be_a_twentieth_of_the_waits_are_not_why(wait_s, fires):
    assert ("io-bound" in rules(lfs=(36_000, 36_000 * wait_s), lfpw=(30_000, 600.0), db_time=50_000.0)) is fires


@pytest.mark.parametrize(("schedule", "storage"), [(4_000.0, False), (900.0, True)])
def test_writes_that_may_hold_as_much_lost_cpu_are_not_the_storage(schedule, storage):
    found = rules(lfs=(36_000, 900.0), lfpw=(30_000, 600.0), statistics=moments(schedule=schedule, gather=1_000.0))
    assert found["lgwr-cpu"].confidence == "high"
    assert ("io-bound" in found) is storage
    assert ("say little of the storage" in found["lgwr-cpu"].text) is not storage


# The wake-up


def test_the_wake_up_is_a_cause_of_its_own_and_not_open():
    found = rules(statistics={**moments(), **overhead(200.0), "redo synch time (usec)": 360e6})
    cause = found["wake-up"]
    assert (cause.confidence, cause.part_of) == ("medium", "wait")
    assert cause.explains_s.value == pytest.approx(0.010 * 200 / 360, rel=1e-3)
    assert "200 s" in cause.text
    assert "each" not in cause.text, "30,000 synch writes and 36,000 waits"
    assert "not-redo-io" not in found


def test_a_few_late_wake_ups_are_told_apart_from_all():
    few = {**moments(), **overhead(100.0, 29_000, 500, 400, 100, 0), "redo synch time (usec)": 360e6}
    assert "at least 7.40 s of it in the 1,000 that took 2 ms" not in rules(statistics=few)["wake-up"].text, "7.4 %"
    many = {**few, **overhead(100.0, 22_000, 7_500, 400, 100, 0)}
    assert "at least 21.4 s" not in rules(statistics=many)["wake-up"].text, "21 %"
    most = {**few, **overhead(100.0, 20_000, 7_500, 2_000, 500, 0)}
    assert "at least 47.0 s of it in the 10,000 that took 2 ms and longer" in rules(statistics=most)["wake-up"].text


@pytest.mark.parametrize(("busy", "said"), [(20, True), (60, False)])
def test_a_host_with_cpu_to_spare_is_told_beside_a_wake_up(busy, said):
    late = {**moments(), **overhead(200.0), "redo synch time (usec)": 360e6}
    cause = rules(statistics=late, more=[os_statistics(busy, 100 - busy)])["wake-up"]
    assert ("the host's CPUs were 20 % busy" in cause.text) is said
    assert cause.confidence == "medium"


def test_sleeping_between_polls_and_the_wake_up_are_one_cause():
    """The wake-up counts the time from the write to the end of the sleep."""
    sleeping = {"lfs": (30_000, 360.0), "lfpw": (30_000, 132.0)}
    late = {**overhead(200.0), "redo synch time (usec)": 360e6}
    assert "wake-up" in rules(**sleeping, statistics=late)
    found = rules(**sleeping, statistics={**polls(1.2), **late})
    assert found["polling"].confidence == "high"
    assert "wake-up" not in found
    short = rules(**sleeping, statistics={**polls(100.0), **late})
    assert "of the synch writes polled: their sleep is part of it" in short["wake-up"].text


def test_per_wait_it_is_told_where_there_are_as_many_synchs():
    counts = {**moments(), **overhead(108.0), "redo synch writes": 36_000, "redo synch time (usec)": 360e6}
    assert "(3.00 ms each)" in rules(statistics=counts)["wake-up"].text


@pytest.mark.parametrize(
    ("host", "confidence"),
    [
        ({"more": [os_statistics(95, 5)]}, "high"),
        ({"more": [os_statistics(50, 50)]}, "medium"),
        ({"waits": {"resmgr:cpu quantum": (900, 90.0)}}, "high"),
        ({"waits": {"resmgr:cpu quantum": (900, 60.0)}}, "medium"),  # 4 % of DB time
    ],
)
def test_a_busy_host_or_the_resource_manager_makes_it_sure(host, confidence):
    found = rules(statistics={**moments(), **WAKING, "redo synch time (usec)": 360e6}, **host)
    assert found["wake-up"].confidence == confidence
    assert "lgwr-cpu" not in found


@pytest.mark.parametrize(
    "counts",
    [
        {**overhead(30.0), "redo synch time (usec)": 360e6},  # 8 %
        {**overhead(400.0), "redo synch time (usec)": 360e6},  # longer than it is a part of: refused
    ],
)
def test_little_or_what_cannot_be_is_no_cause(counts):
    assert "wake-up" not in rules(statistics={**moments(), **counts})


def test_the_write_gets_what_the_wake_up_leaves_of_a_wait():
    counts = {**overhead(18.0), "redo synch time (usec)": 36e6}
    found = rules(
        lfs=(36_000, 36.0), lfpw=(30_000, 27.0), db_time=300.0, more=[shares(SMOOTH, SMOOTH)], statistics=counts
    )
    assert found["wake-up"].explains_s.value == pytest.approx(0.0005)
    assert found["io-bound"].explains_s.value == pytest.approx(0.0005)


def test_it_is_taken_out_of_what_is_called_queueing():
    text = rules(statistics={**moments(), **overhead(72.0), "redo synch time (usec)": 360e6})["not-redo-io"].text
    assert "7.10 ms is queueing" in text  # 10 − 0.9 − 2


# Commits that do not wait


@pytest.mark.parametrize(
    ("commits", "synchs", "fires"), [(100_000, 7_000, True), (100_000, 53_000, False), (900, 60, False)]
)
def test_commits_that_do_not_wait_take_few_calls_away(commits, synchs, fires):
    counts = {
        "user commits": commits,
        "redo synch writes": synchs,
        "user calls": 3 * commits,
        "redo size": 1e6,
        "redo writes": 1_000,
    }
    found = rules(statistics=counts)
    assert ("unwaited-commits" in found) is fires
    assert ("frequent-commits" in found) is not fires


def test_commits_with_nowait_are_told_as_such():
    counts = {"user commits": 100_000, "redo synch writes": 7_000, "commit nowait performed": 90_000}
    assert {"unwaited-commits", "commit-nowait"} & set(rules(statistics=counts)) == {"commit-nowait"}


# Absent rows


WORK = {"db block changes": 1000, "user commits": 100, "session logical reads": 5000}


@pytest.mark.parametrize(("waited", "fires"), [((100, 30.0), True), ((1, 0.0015), False), (None, False)])
def test_buffer_busy_waits_that_first_does_not_print_were_at_most_a_millisecond(waited, fires):
    first = {"lfs": (36_000, 18.0), "statistics": WORK, "more": [sockets(4)]}
    second = {**first, "lfs": (36_000, 200.0), "waits": {"buffer busy waits": waited} if waited else {}}
    found = {c.rule: c for c in causes_between([facts(**first), facts(**second)]).ranked}
    assert ("numa" in found) is fires
    if fires:
        assert "at most 1.00 ms → 30.0 s" in found["numa"].text


@pytest.mark.parametrize(
    ("left", "cpus", "named"), [(200.0, 96, True), (200.0, 8, False), (5.0, 96, False), (90.0, 96, False)]
)
def test_buffer_busy_waits_that_stay_after_the_parallelism_point_to_numa(left, cpus, named):
    busy = {"buffer busy waits": (1000, 190.0)}
    first = {"waits": busy, "cpus": cpus, "more": [parameters({"db_name": "D"})]}
    second = {
        "lfs": (36_000, 72.0),
        "waits": {"buffer busy waits": (1000, left)},
        "cpus": cpus,
        "more": [parameters({"db_name": "D", "_log_parallelism_max": "2"})],
    }
    found = {c.rule: c for c in causes_between([facts(**first), facts(**second)]).ranked}
    cause = found["log-parallelism-changed"]
    assert any("kernel.numa_balancing" in c for c in cause.checks) is named
    assert ("buffer busy waits stayed" in cause.text) is named


# What the lead says of writes below the end of a top list


def test_a_bound_is_told_and_not_that_it_is_unknown():
    waits = {"log file sync": (68_965, 1117.0, 16.0, 64.6), "db file parallel write": (19_651, 31.0, 2.0, 1.8)}
    starved = figures_of(Side(top_list(waits)))
    known = figures_of(Side(committing()))
    for reports in ([starved], [known, starved]):
        text = lead(reports)
        assert "(at most 31 s in all)" in text
        assert "at least 97 % by all redo writes together" in text
        assert "unknown" not in text


@pytest.mark.parametrize(("most", "said"), [(0.0004, "under 0.1 %"), (0.003, "at most 0.3 %")])
def test_waits_printed_as_nothing_are_not_told_as_nothing(most, said):
    waits = Estimate(6, 6, 6)
    few = CommitFigures(lfs_waits=waits, lfs_total_s=Estimate(0, 0, 0.003), lfs_db_time_share=Estimate(0, 0, most))
    assert f"Commit waits are {said} of DB time" in lead([few])


def test_the_share_of_db_time_is_told_in_seconds_too():
    assert lead([figures_of(Side(committing(lfs=(36_000, 501.0), db_time=1386.0)))]).endswith(
        "Commit waits are 36 % of DB time (501 of 1,386 s)."
    )


@pytest.mark.parametrize(
    ("quiet", "loaded", "wait_s", "cpus", "fires"),
    [
        ((1,), (1, 2, 4), 360.0, 96, True),
        ((1, 2, 4), (1, 2, 4), 360.0, 96, False),  # as many when it was quiet
        ((1,), (1,), 360.0, 96, False),
        ((1,), (1, 2, 4), 100.0, 96, False),  # 2.0 → 2.8 ms
        ((1,), (1, 2, 4), 360.0, 8, False),
    ],
)
@pytest.mark.parametrize("back", [False, True])
def test_writes_that_are_split_under_load(quiet, loaded, wait_s, cpus, fires, back):
    pair = [
        facts(lfs=(36_000, 72.0), cpus=cpus, more=[p3(*quiet)]),
        facts(lfs=(36_000, wait_s), cpus=cpus, more=[p3(*loaded)]),
    ]
    found = {c.rule: c for c in causes_between(pair[::-1] if back else pair).ranked}
    assert ("log-parallelism-load" in found) is fires
    if fires:
        assert ("1, 2 and 4 → 1" if back else "1 → 1, 2 and 4") in found["log-parallelism-load"].text


def test_p3_of_one_period_alone_says_nothing_of_the_load():
    found = causes_between([facts(lfs=(36_000, 72.0), cpus=96), facts(cpus=96, more=[p3(1, 2, 4)])])
    assert "log-parallelism-load" not in {c.rule for c in found.ranked}
    assert "log-parallelism-load" in {u.rule for u in found.unsettled}


@pytest.mark.parametrize(("synchs", "fires"), [(7_000, True), (53_000, False)])
def test_waits_that_do_not_matter_are_told_with_the_commits_that_do_not_wait(synchs, fires):
    counts = {"user commits": 100_000, "redo synch writes": synchs}
    found = commit_latency((Side(committing(lfs=(7_000, 3.0), statistics=counts)),))
    assert found.causes == ()
    assert ("Most commits do not wait at all" in found.not_material) is fires
