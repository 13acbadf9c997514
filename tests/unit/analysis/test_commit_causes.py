"""Each rule fires on its evidence, and stays silent where one piece of it is missing or speaks against it."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import causes_between, causes_of, commit_latency
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Column
from tests.unit.analysis.builders import column, exact, near, os_statistics, parameters, section
from tests.unit.analysis.commit_builders import (
    DEFAULT,
    SET,
    SLOW,
    USUAL,
    between,
    committing,
    facts,
    histogram,
    host_cpu,
    p3,
    rules,
    stages,
)


def test_not_the_write_and_nothing_else_known():
    found = rules(more=[os_statistics(20, 80)])
    assert set(found) == {"not-redo-io"}
    cause = found["not-redo-io"]
    assert "10 times as long" in cause.text
    assert {e.key for e in cause.evidence} == {"log file sync", "log file parallel write"}
    assert all(e.row_id for e in cause.evidence)
    assert cause.caveat
    assert cause.checks


def test_every_cause_has_evidence_a_caveat_and_a_next_step():
    more = [os_statistics(95, 5), parameters({})]
    found = rules(more=more, statistics={**stages(**USUAL), "user calls": 90, "user commits": 10, "redo size": 1000})
    assert len(found) >= 2
    for cause in found.values():
        assert cause.evidence
        assert cause.caveat
        assert cause.checks


ALIKE = {"log file sync": (exact(36_000), [None, 90.0, 10.0, None, None, None, None]),
         "log file parallel write": (exact(30_000), [None, 92.0, 8.0, None, None, None, None])}  # fmt: skip
APART = {**ALIKE, "log file sync": (exact(36_000), [70.0, None, None, 30.0, None, None, None])}


def test_io_bound_by_ratio_and_shape():
    found = rules(lfs=(36_000, 50.4), more=[histogram(ALIKE)], release="11.2.0.4.0")
    assert found["io-bound"].confidence == "high"
    assert "wait_event_histogram" in {e.section for e in found["io-bound"].evidence}


@pytest.mark.parametrize(("each", "said"), [(112_640, True), (20_000, False)])
def test_large_writes_are_told_with_what_they_carry(each, said):
    counts = {"redo writes": 30_000, "redo size": 30_000 * each}
    cause = rules(lfs=(36_000, 50.4), statistics=counts)["io-bound"]
    assert ("each carries 110 kB of redo on average" in cause.text) is said
    assert ("redo size" in {e.key for e in cause.evidence}) is said


def test_io_bound_without_histograms_is_less_certain():
    assert rules(lfs=(36_000, 50.4))["io-bound"].confidence == "medium"


def test_not_io_bound_where_the_shapes_differ():
    assert "io-bound" not in rules(lfs=(36_000, 50.4), more=[histogram(APART)], release="11.2.0.4.0")


def test_a_schedulers_clock_is_pointed_out():
    crowd = {"log file sync": (exact(36_000), [None, 25.0, 5.0, 10.0, 60.0, None, None]),
             "log file parallel write": (exact(30_000), [None, 95.0, 5.0, None, None, None, None])}  # fmt: skip
    found = rules(more=[histogram(crowd)])
    assert "crowd at 8 to 16 ms" in found["not-redo-io"].text


def test_slow_writes_are_io_bound_whatever_the_ratio():
    found = rules(lfs=(9311, 18_373.0), lfpw=(4974, 1555.0), elapsed=1606.0)
    assert found["io-bound"].confidence == "high"
    assert found["io-bound"].title == "Redo writes are far too slow, and commits queue behind them."
    assert "313 ms" in found["io-bound"].text
    assert "as it should be" not in found["io-bound"].caveat, "writes of 313 ms are not"
    pauses = rules(lfs=(9311, 18_373.0), lfpw=(4974, 1555.0))["io-bound"]
    assert pauses.title == "Redo writes are far too slow.", "one under way 43 % of the time: no queue is seen"
    assert "queue" not in pauses.text + pauses.size
    alone = rules(lfs=(4974, 1700.0), lfpw=(4974, 1555.0))["io-bound"]
    assert alone.title == "Commits wait for the redo writes themselves."
    assert "not-redo-io" not in found


def test_starved_of_cpu_needs_evidence_of_cpu():
    assert rules(more=[os_statistics(95, 5)])["lgwr-cpu"].confidence == "low"  # a busy host alone is weak
    assert "lgwr-cpu" not in rules(more=[os_statistics(50, 50)])
    unknown = {u.rule: u.lacks for u in causes_of(facts()).unsettled}
    assert unknown["lgwr-cpu"] == "how busy the host's CPUs were"
    assert unknown["write-tail"] == "histograms of log file sync and log file parallel write"


def test_a_load_above_the_cpus_is_weak_where_they_were_idle():
    assert rules(more=[host_cpu(14.0, idle=58.0)])["lgwr-cpu"].confidence == "low"
    assert "not-redo-io" in rules(more=[host_cpu(14.0, idle=58.0)])
    assert "lgwr-cpu" not in rules(more=[host_cpu(7.0)])


def test_waiting_for_cpu_in_the_os_statistics_is_no_evidence():
    """OS_CPU_WAIT_TIME of 4.1 times the busy time was seen at 16 % busy."""
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    rows = [("BUSY_TIME", exact(16)), ("IDLE_TIME", exact(84)), ("OS_CPU_WAIT_TIME", exact(66))]
    assert "lgwr-cpu" not in rules(more=[section("os_statistics", columns, rows)])


def test_a_standby_is_never_called_cpu():
    more = {
        "background": {"SYNC Remote Write": (1000, 9.0)},
        "statistics": stages(**USUAL),
        "more": [os_statistics(99, 1)],
    }
    found = rules(**more)
    assert "lgwr-cpu" not in found
    assert found["data-guard-sync"].confidence == "high"
    assert "neither the local disk nor the CPU" in found["data-guard-sync"].text


def test_log_writer_workers():
    slow = {
        **USUAL,
        "worker": 2000.0,
        "gather": 2010.0,
        "schedule": 2015.0,
        "finish": 2815.0,
        "written": 2820.0,
        "total": 2850.0,
    }
    assert "20 % of a commit wait" in rules(statistics=stages(**slow))["lgwr-workers"].text
    assert "lgwr-workers" not in rules(statistics=stages(**USUAL))


def test_broadcast():
    acks = {"redo write broadcast ack time": 1_000_000, "redo write broadcast ack count": 100}
    found = rules(statistics={**stages(**{**USUAL, "total": 2000.0}), **acks})
    assert "Each acknowledgement took 10.0 ms." in found["rac-broadcast"].text


@pytest.mark.parametrize(
    ("calls", "size", "wastage", "fires"),
    [(200, 40_000, 0, True), (200, 400_000, 0, False), (200, 400_000, 150_000, True), (600, 40_000, 30_000, False)],
)
def test_frequent_commits_need_small_or_padded_writes(calls, size, wastage, fires):
    statistics = {
        "user calls": calls,
        "user commits": 10,
        "redo size": size,
        "redo writes": 20,
        "redo wastage": wastage,
    }
    assert ("frequent-commits" in rules(statistics=statistics)) is fires


@pytest.mark.parametrize(("seconds", "confidence"), [(360.0, "medium"), (76.0, "medium"), (74.0, "low"), (36.0, "low")])
def test_few_calls_are_a_cause_where_fewer_commits_would_save_a_twentieth_of_db_time(seconds, confidence):
    """Of 1,500 s; a quiet database has small transactions as well, and gains nothing."""
    statistics = {"user calls": 200, "user commits": 10, "redo size": 20_000, "redo writes": 20, "redo wastage": 0}
    found = rules(lfs=(36_000, seconds), statistics=statistics)["frequent-commits"]
    assert found.confidence == confidence
    assert ("All commit waits together are" in found.text) is (confidence == "low")


def test_few_calls_of_cheap_commits_stand_below_the_storage():
    statistics = {"user calls": 200, "user commits": 10, "redo size": 20_000, "redo writes": 20, "redo wastage": 0}
    cheap = list(rules(lfs=(36_000, 43.0), statistics=statistics))
    assert cheap.index("io-bound") < cheap.index("frequent-commits")
    dear = list(rules(lfs=(90_000, 108.0), lfpw=(90_000, 76.0), statistics=statistics))
    assert dear.index("frequent-commits") < dear.index("io-bound")


def test_frequent_commits_without_redo_figures_is_unsettled():
    lacks = {u.rule: u.lacks for u in causes_of(facts(statistics={"user calls": 100, "user commits": 10})).unsettled}
    assert lacks["frequent-commits"] == "redo per write and redo wastage"


def test_polling():
    statistics = {"redo synch writes": 100, "redo synch poll writes": 100, "redo writes": 100}
    found = rules(lfs=(10_000, 119.0), lfpw=(10_000, 44.0), statistics=statistics)
    assert "100 % of the synch writes polled" in found["polling"].text
    assert found["polling"].confidence == "low"
    assert "polling" not in rules(statistics={**statistics, "redo synch poll writes": 10})


def test_log_parallelism():
    assert "1, 2 and 4" in rules(cpus=96, more=[p3(1, 2, 4)])["log-parallelism"].text
    assert "log-parallelism" not in rules(cpus=96, more=[p3(1)])
    assert "log-parallelism" not in rules(cpus=8, more=[p3(1, 2, 4)])
    assert "log-parallelism" not in rules(cpus=96, more=[p3(1, 2, 4), parameters({"_log_parallelism_max": "2"})])
    assert "log-parallelism" in {u.rule for u in causes_of(facts(cpus=96)).unsettled}


def switched(count: int, per_hour: float):
    columns = (
        Column("statistic", "Statistic"),
        column("total", "Total", "count"),
        column("per_hour", "per_hour", "rate"),
    )
    row = ("log switches (derived)", exact(count), near(per_hour, 0.005))
    return section("instance_activity_thread", columns, [row])


def test_log_switches():
    stall = {"log file switch (checkpoint incomplete)": (164, 146.0)}
    assert rules(waits=stall)["log-switches"].confidence == "high"
    often = switched(11, 43.9)
    assert rules(more=[often])["log-switches"].confidence == "note"
    assert rules(more=[often])["log-switches"].title == "Redo logs switch often."
    assert "log-switches" not in rules(more=[switched(1, 6.5)]), "one switch in nine minutes is no rate"
    completion = rules(waits={"log file switch completion": (164, 146.0)})["log-switches"]
    assert completion.confidence == "high"  # a switch that only had to complete is one as well
    assert "log file switch completion 146 s: 9.7 % of DB time" in completion.text


def test_log_switches_of_some_size_against_the_commits_are_not_called_little():
    """Under 1 % of DB time, and three quarters of what commits waited."""
    waits = {"log file switch completion": (50_056, 270.0)}
    cause = rules(waits=waits, db_time=40_000.0)["log-switches"]
    assert cause.confidence == "medium"
    assert "75 % as long as commits waited" in cause.text
    assert "log-switches" not in rules(waits={"log file switch completion": (3, 3.0)}, db_time=40_000.0)


def test_a_cause_of_both_reports_says_whose_figures_it_tells():
    few, many = ({"log file switch (checkpoint incomplete)": (164, seconds)} for seconds in (146.0, 400.0))
    cause = between({"waits": few}, {"waits": many})["log-switches"]
    assert cause.reports == (0, 1)
    assert "400 s" in cause.text
    assert cause.text.endswith("(In First: 146 s, 9.7 % of DB time.)")
    assert "In First" not in between({"waits": few}, {"waits": few})["log-switches"].text
    flushed = [{"background": {"gcs log flush sync": (9_000, s)}} for s in (40.0, 80.0)]
    assert "(In First: 40.0 s, 4.44 ms each.)" in between(*flushed)["log-flush"].text


def test_a_write_is_no_longer_than_the_wait_it_is_in():
    """Commits that join writes under way wait less than an average one."""
    claim = rules(lfs=(36_000, 32.4))["io-bound"].explains_s
    assert (claim.value, claim.high) == pytest.approx((0.0009, 0.0009))


def test_hardly_any_wait_in_one_report_is_not_said_of_the_other():
    columns = (Column("statistic", "Statistic"), column("per_hour", "per_hour", "rate"))
    often = section("instance_activity_thread", columns, [("log switches (derived)", near(43.9, 0.005))])
    stalled, hardly = ({"waits": {"log file switch completion": (9, s)}, "more": [often]} for s in (146.0, 0.5))
    for pair, reports in (((stalled, hardly), (0,)), ((hardly, stalled), (1,))):
        cause = between(*pair)["log-switches"]
        assert (cause.reports, cause.confidence) == (reports, "high")


def test_log_buffer():
    assert "log-buffer" in rules(waits={"log buffer space": (100, 30.0)})
    assert "log-buffer" not in rules(waits={"log buffer space": (100, 3.0)})


@pytest.mark.parametrize(
    ("full_s", "stall", "said"),
    [
        (16.0, {"log file switch (checkpoint incomplete)": (4, 3.5)}, "as by log file switch (checkpoint incomplete)"),
        (16.0, {"log file switch completion": (90, 0.9)}, "single stalls, not slow writes as a rule"),
        (16.0, {}, "single stalls, not slow writes as a rule"),
    ],
)
def test_a_buffer_that_is_full_for_far_longer_than_a_write_is_held_up_by_something_else(full_s, stall, said):
    cause = rules(waits={"log buffer space": (40, full_s), **stall})["log-buffer"]
    assert said in cause.text
    assert {e.key for e in cause.evidence} >= {"log buffer space", "log file parallel write"}


def test_a_buffer_that_is_full_for_a_few_writes_says_no_more():
    assert "where a redo write" not in rules(waits={"log buffer space": (9_000, 90.0)})["log-buffer"].text


# Between two reports

BEFORE = {"lfs": (100_000, 25.0), "lfpw": (100_000, 5.0)}
AFTER = {"lfs": (100_000, 50.0), "lfpw": (50_000, 3.75)}


def polls(number):
    return {"statistics": {"redo synch writes": 100, "redo synch poll writes": number, "redo writes": 100}}


def test_adaptive_switch():
    cause = between({**BEFORE, **polls(90)}, {**AFTER, **polls(0)})["adaptive-switch"]
    assert cause.confidence == "high"
    assert cause.between
    assert cause.reports == (0, 1)
    assert "250 µs → 500 µs" in cause.text
    assert "50.0 µs → 75.0 µs" in cause.text
    assert "for the worse" in cause.text
    assert any("Log file sync switching" in c for c in cause.checks)
    assert "storage-slowed" not in between({**BEFORE, **polls(90)}, {**AFTER, **polls(0)})


def test_adaptive_switch_back():
    assert "for the better" in between({**AFTER, **polls(0)}, {**BEFORE, **polls(90)})["adaptive-switch"].text


SLOWER = {"lfs": (100_000, 50.0), "lfpw": (50_000, 12.5)}  # 50 → 250 µs of 250 µs more


@pytest.mark.parametrize("share", [0, 50, 100])
def test_no_switch_where_as_many_poll_as_before(share):
    """Fewer, larger and slower writes are the storage where they carry the longer wait; a tenth of it is nothing."""
    assert {"adaptive-switch", "storage-slowed"}.isdisjoint(
        between({**BEFORE, **polls(share)}, {**AFTER, **polls(share)})
    )
    found = between({**BEFORE, **polls(share)}, {**SLOWER, **polls(share)})
    assert "adaptive-switch" not in found
    cause = found["storage-slowed"]
    assert cause.confidence == "medium"
    assert f"The share that polled did not move ({share} % → {share} %)." in cause.text


def test_where_no_row_says_how_many_polled_it_is_the_storage_if_the_writes_carry_it():
    found = causes_between([facts(**BEFORE), facts(**SLOWER)])
    assert [c.rule for c in found.ranked if c.between] == ["storage-slowed"]
    text = next(c.text for c in found.ranked if c.between)
    assert text.index("the redo writes became slower") < text.index("polling and being posted")
    assert {u.rule for u in found.unsettled} >= {"adaptive-switch"}
    assert "The redo storage became faster." in {
        c.title for c in causes_between([facts(**SLOWER), facts(**BEFORE)]).ranked
    }


def test_where_no_row_says_how_many_polled_it_is_the_switch_if_they_do_not():
    found = causes_between([facts(**BEFORE), facts(**AFTER)])
    assert [(c.rule, c.confidence) for c in found.ranked if c.between] == [("adaptive-switch", "medium")]
    assert "adaptive-switch" not in {u.rule for u in found.unsettled}
    elsewhere = causes_between([facts(**BEFORE), facts(**AFTER, host="db2")])
    assert not [c for c in elsewhere.ranked if c.between], "two hosts poll as they do"
    assert "adaptive-switch" in {u.rule for u in elsewhere.unsettled}
    later = {name: at + 340.0 * (name != "worker") for name, at in USUAL.items()}  # gathering takes so much longer
    own = [facts(**BEFORE, statistics=stages(**USUAL)), facts(**AFTER, statistics=stages(**later))]
    assert not [c for c in causes_between(own).ranked if c.between], "larger writes piled up behind the log writer"


def test_a_parameter_that_forbids_the_switch_leaves_the_storage_what_it_carries():
    never = {"more": [parameters({"_use_adaptive_log_file_sync": "FALSE"})]}
    for after, slowed in ((AFTER, False), (SLOWER, True)):
        found = between({**BEFORE, **polls(90)}, {**after, **polls(0), **never})
        assert "adaptive-switch" not in found
        assert ("storage-slowed" in found) is slowed


def sized(lfs, lfpw, bytes_each):
    """With redo of so many bytes per write."""
    return {"lfs": lfs, "lfpw": lfpw, "statistics": {"redo writes": lfpw[0], "redo size": lfpw[0] * bytes_each}}


@pytest.mark.parametrize(
    ("first", "second", "slowed"),
    [
        (sized((36_000, 72.0), (30_000, 30.0), 4_000), sized((36_000, 144.0), (30_000, 60.0), 4_000), True),  # as many writes
        (sized((36_000, 72.0), (30_000, 30.0), 4_000), sized((36_000, 144.0), (30_000, 60.0), 8_000), True),  # small ones: not by byte
        (sized((36_000, 72.0), (30_000, 30.0), 200_000), sized((36_000, 144.0), (30_000, 60.0), 400_000), False),  # as long per byte
        (sized((36_000, 72.0), (30_000, 30.0), 200_000), sized((36_000, 144.0), (30_000, 60.0), 200_000), True),
        (sized((36_000, 72.0), (30_000, 30.0), 120_000), sized((36_000, 144.0), (30_000, 60.0), 400_000), True),  # one of the two is small
        (sized((36_000, 72.0), (30_000, 30.0), 4_000), sized((36_000, 360.0), (30_000, 60.0), 4_000), False),  # 2 of 8 ms
        (sized((36_000, 72.0), (90, 0.09), 4_000), sized((36_000, 144.0), (90, 0.2), 4_000), False),  # 90 writes
    ],
)  # fmt: skip
def test_the_storage_slowed_where_its_writes_carry_the_change(first, second, slowed):
    assert ("storage-slowed" in between(first, second)) is slowed


def test_far_slower_writes_whose_tail_the_waits_match_carry_it_too():
    waits, writes = [80.0, None, None, None, None, None, 20.0], [99.0, None, None, None, None, None, 1.0]
    shapes = histogram({"log file sync": (exact(36_000), waits), "log file parallel write": (exact(30_000), writes)})
    first = {"lfs": (36_000, 360.0), "lfpw": (30_000, 300.0)}
    slow = {"lfs": (36_000, 7_200.0), "lfpw": (30_000, 900.0)}
    assert "storage-slowed" not in between(first, slow), "20 of 190 ms"
    assert "storage-slowed" in between(first, {**slow, "more": [shapes]})


@pytest.mark.parametrize(
    "change",
    [
        {"more": [parameters({"_use_adaptive_log_file_sync": "FALSE"})]},
        {"lfpw": (90_000, 6.75)},
        {"lfpw": (50_000, 2.5)},
    ],
)
def test_no_adaptive_switch(change):
    assert "adaptive-switch" not in between({**BEFORE, **polls(90)}, {**AFTER, **polls(0), **change})


def test_what_no_rule_accounts_for_stands_below_what_one_does():
    first = {"more": [DEFAULT]}
    found = list(between(first, {"lfs": (36_000, 720.0), "more": [SET]}))
    assert found.index("log-parallelism-changed") < found.index("not-redo-io")


def test_in_proportion_to_the_load():
    first = {"lfs": (10_000, 20.0), "statistics": {"user commits": 10_000}}
    second = {"lfs": (20_000, 40.0), "statistics": {"user commits": 20_000}}
    assert between(first, second)["proportional"].confidence == "high"
    assert "proportional" not in between(first, {**second, "lfs": (20_000, 80.0)})
    assert "proportional" not in between(first, {**second, "statistics": {"user commits": 10_000}})


def test_a_rule_that_fires_in_both_is_one_cause():
    cause = between({}, {})["not-redo-io"]
    assert cause.reports == (0, 1)


def test_ranked_by_confidence():
    """By size times confidence: 4 ms per commit wait for certain, then 9 ms that may be."""
    stall = {"log file switch (checkpoint incomplete)": (164, 146.0)}
    found = list(rules(waits=stall, lfpw=(30_000, 60.0), more=[host_cpu(14.0, idle=58.0)]))
    assert found == ["log-switches", "lgwr-cpu", "not-redo-io"]
    small = list(rules(waits=dict.fromkeys(stall, (9, 60.0)), more=[host_cpu(14.0, idle=58.0)]))
    assert small == ["lgwr-cpu", "log-switches", "not-redo-io"]


# What is not material


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"lfs": (99, 90.0)}, "99 commit waits in the whole window are too few"),
        ({"lfs": (36_000, 3.0)}, "Commit waits are 0.2 % of DB time, 83.3 µs on average: no cause"),
        ({"lfs": None}, "log file sync is not among the events printed"),
    ],
)
def test_not_material_is_said_instead_of_ranked(more, said):
    found = commit_latency((Side(committing(**more)),))
    assert found.causes == ()
    assert found.not_material.startswith(said)


def test_one_report_alone():
    found = commit_latency((Side(committing(lfs=SLOW)),))
    assert found.material
    assert found.change == {}
    assert [c.reports for c in found.causes] == [(0,)]
    assert found.what_if.why_not.startswith("One report alone")
