"""Each trap of drawing causes from figures: the rule fires once, is quiet once, and is denied once by another row."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import causes_between, causes_of, commit_latency, facts_of
from awrdiff.analysis.commit_latency.causes.log_writer_cpu import OPEN, PROCESSED
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Column
from tests.unit.analysis.builders import column, exact, os_statistics, parameters, section
from tests.unit.analysis.commit_builders import FAST, SLOW, USUAL, committing, facts, histogram, p3, rules, stages


def figures(**more):
    return facts(**more).figures


def ranked(**more):
    return causes_of(facts(**more)).ranked


def lacks(**more):
    return {u.rule: u.lacks for u in causes_of(facts_of(Side(committing(**{"lfs": SLOW, **more})))).unsettled}


def moments(**more):
    """The log writer's usual stages with others in their place; later moments move along."""
    length = {"worker": 50.0, "gather": 10.0, "schedule": 5.0, "finish": 800.0, "written": 5.0, "total": 30.0, **more}
    at, out = 0.0, {}
    for name, took in length.items():
        at += took
        out[name] = at
    return stages(**out)


# Measured processing is without the queue


def test_processing_is_said_only_where_it_is_measured():
    """5 of the 9 ms between them are in gathering: more than half."""
    cause = rules(statistics=moments(gather=5000.0))["not-redo-io"]
    assert (cause.title, cause.confidence) == (PROCESSED, "high")
    assert "takes 5.08 ms per write, 56 % of the difference, most of it in gathering the redo" in cause.text


def test_a_long_queue_is_not_processing():
    """0.1 ms of processing; 9 ms of queueing behind writes under way."""
    cause = rules(statistics=stages(**USUAL))["not-redo-io"]
    assert (cause.title, cause.confidence) == (OPEN, "medium")
    assert "processing is 95.0 µs of the 9.00 ms between them; 9.10 ms is queueing" in cause.text


def test_without_stages_writes_that_cannot_explain_it_leave_the_processing():
    assert rules()["not-redo-io"].title == PROCESSED  # ten times a write: two whole ones are a fifth of the wait
    assert rules(lfs=(36_000, 108.0))["not-redo-io"].title == OPEN  # three times


def test_what_else_is_printed_stands_beside_what_is_open():
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    swap = section("os_statistics", columns, [("SWAP_FREE_BYTES", exact(0))])
    waits = {
        "LGWR all worker groups": (900, 30.0),
        "target log write size": (99, 9.0),
        "LGWR any worker group": (9, 1.0),
    }
    cause = rules(statistics=stages(**USUAL), background=waits, more=[swap])["not-redo-io"]
    assert (
        "Printed beside it: LGWR all worker groups 30.0 s, target log write size 9.00 s and no swap space was free."
        in (cause.text)
    )
    assert {"LGWR all worker groups", "SWAP_FREE_BYTES"} <= {e.key for e in cause.evidence}
    assert "Why is not in this report" not in cause.text
    assert (
        "No other row of the log writer or of the host that is printed says why."
        in rules(statistics=stages(**USUAL))["not-redo-io"].text
    )


# The tail


def distributions(waits, writes, number=(36_000, 30_000)):
    return histogram(
        {"log file sync": (exact(number[0]), waits), "log file parallel write": (exact(number[1]), writes)}
    )


TAIL = distributions([80.0, None, None, None, None, None, 20.0], [99.0, None, None, None, None, None, 1.0])
MEDIAN = distributions([None, None, None, 100.0, None, None, None], [97.0, None, None, 3.0, None, None, None])
NO_SLOW_WRITE = distributions([80.0, None, None, None, 20.0, None, None], [100.0, None, None, None, None, None, None])


def test_few_slow_writes_that_many_commits_waited_for():
    cause = rules(more=[TAIL])["write-tail"]
    assert cause.confidence == "high"
    assert "of 32.8 ms and longer (20 % of all), as long as the 300 slow writes (1 % of all) took" in cause.text
    assert "about 24 commits waited for each" in cause.text
    assert {e.section for e in cause.evidence} >= {"wait_event_histogram"}


def test_what_most_commits_wait_is_no_tail():
    """All commit waits are as long as the slowest 3 % of the writes: they are shifted, the median as much as the mean."""
    assert figures(more=[MEDIAN]).tail is None
    assert "write-tail" not in rules(more=[MEDIAN])


def test_no_write_was_as_long_so_the_storage_is_not_suspected():
    assert "write-tail" not in rules(more=[NO_SLOW_WRITE])


def test_more_commits_than_sessions_cannot_have_waited_for_one_write():
    one = distributions([80.0, None, None, None, None, None, 20.0], [100.0, None, None, None, None, None, 0.0])
    assert "write-tail" not in rules(more=[one])  # 7,200 long waits to a single slow write


CLOSED = histogram(
    {"log file sync": (exact(36_000), [80.0, *[None] * 5, 20.0]), "log file parallel write": (exact(30_000), [99.0, *[None] * 5, 1.0])},
    last="pct_lt_64ms",
)  # fmt: skip


@pytest.mark.parametrize(("elapsed", "tail"), [(3600.0, False), (900.0, False), (360.0, True)])
def test_more_commits_than_come_while_it_is_under_way_cannot_have_waited_for_one_write(elapsed, tail):
    """24 to each slow write of some 48 ms: of ten commits a second even the largest bursts are fewer."""
    assert ("write-tail" in rules(more=[CLOSED], elapsed=elapsed)) is tail


def test_waits_longer_than_any_write_are_not_the_writes():
    """1 % of the writes took 8 to 16 ms; most of commit time lies in waits of 32 ms and longer."""
    writes = [99.0, None, None, None, 1.0, None, None]
    beyond = distributions([80.0, None, None, None, 10.0, None, 10.0], writes)
    inside = distributions([80.0, None, None, None, 20.0, None, None], writes)
    took = {"lfs": (36_000, 95.0), "lfpw": (30_000, 18.0), "elapsed": 60.0}
    assert figures(more=[beyond], **took).tail is None
    assert figures(more=[inside], **took).tail


def test_long_waits_that_are_longer_than_the_slow_writes_are_no_tail():
    """From 2 ms on: 3,600 waits of 8 to 16 ms to 1,500 writes, nearly all of 2 to 4 ms."""
    waits = [90.0, None, None, None, 10.0, None, None]
    late, met = [95.0, None, 4.9, None, 0.1, None, None], [95.0, None, None, None, 5.0, None, None]
    assert figures(lfs=(36_000, 53.0), lfpw=(30_000, 19.0), more=[distributions(waits, late)]).tail is None
    assert figures(lfs=(36_000, 53.0), lfpw=(30_000, 32.0), more=[distributions(waits, met)]).tail


@pytest.mark.parametrize(("writes", "tail"), [(300, False), (700, True)])
def test_a_handful_of_slow_writes_proves_nothing(writes, tail):
    """1 % of them are slow: 3 or 7."""
    few = distributions([98.0, *[None] * 5, 2.0], [99.0, *[None] * 5, 1.0], (writes, writes))
    found = figures(lfs=(writes, writes * 0.001), lfpw=(writes, writes * 0.0007), more=[few]).tail
    assert (found is not None) is tail


def test_the_typical_overhead_is_that_of_the_medians():
    """Both medians lie in 0 … 1 ms, whatever the tail does to the averages."""
    f = figures(more=[TAIL])
    assert (f.typical_overhead_s.low, f.typical_overhead_s.high) == pytest.approx((-0.001024, 0.001024))
    shifted = figures(more=[MEDIAN]).typical_overhead_s
    assert (shifted.low, shifted.high) == pytest.approx((0.003072, 0.008192))


def test_without_histograms_the_tail_is_not_checked():
    assert lacks(lfpw=FAST)["write-tail"] == "histograms of log file sync and log file parallel write"


# The CPU: by the log writer's own stages


def test_scheduling_above_50_microseconds_is_off_the_cpu_whatever_the_host_says():
    cause = rules(statistics=moments(schedule=400.0), more=[os_statistics(5, 95)])["lgwr-cpu"]
    assert cause.confidence == "high"
    assert "took 400 µs per write, where 16 µs is usual" in cause.text
    assert cause.explains_s.low == pytest.approx(440e-6)  # gather, schedule and posting
    assert cause.explains_s.value == pytest.approx(440e-6 + 8.7e-3 * 0.44 / 1.44, rel=0.01)  # and the queue behind them
    assert cause.title == "The log writer was off its CPU or stalled."
    assert not any("run queue" in check for check in cause.checks)


def test_usual_scheduling_denies_that_the_log_writer_lacked_cpu():
    cause = rules(statistics=stages(**USUAL), more=[os_statistics(95, 5)])["lgwr-cpu"]
    assert cause.confidence == "low"
    assert "The log writer itself had its CPU (5.00 µs to schedule a write)" in cause.text
    assert "lgwr-cpu" not in rules(statistics=stages(**USUAL), more=[os_statistics(50, 50)])


@pytest.mark.parametrize(("before", "after", "fires"), [(5.0, 45.0, True), (20.0, 45.0, False), (1.0, 12.0, False)])
def test_scheduling_that_rose_fivefold(before, after, fires):
    sides = [facts_of(Side(committing(lfs=SLOW, statistics=moments(schedule=s)))) for s in (before, after)]
    causes = {c.rule: c for c in causes_between(sides).ranked}
    assert ("lgwr-cpu" in causes) is fires


def test_what_the_host_prints_supports_it():
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    rows = {"SYS_TIME": 60, "USER_TIME": 20, "BUSY_TIME": 80, "IDLE_TIME": 20, "SWAP_FREE_BYTES": 0, "VM_IN_BYTES": 9e9}
    os = section("os_statistics", columns, [(n, exact(v)) for n, v in rows.items()])
    text = rules(statistics=moments(schedule=400.0), more=[os])["lgwr-cpu"].text
    for said in ("the system itself took 60 % of the CPUs", "no swap space was free", "KB per second were paged in"):
        assert said in text


# One budget


def claimed(causes):
    return sum(c.explains_s.value for c in causes if c.part_of == "difference" and c.explains_s is not None)


def test_claims_never_add_up_to_more_than_the_difference():
    acks = {"redo write broadcast ack time": 3_000_000, "redo write broadcast ack count": 1000}
    found = ranked(
        statistics={**moments(worker=4000.0, written=3000.0, total=3030.0), **acks, "redo synch writes": 36_000,
                    "redo synch poll writes": 36_000, "redo synch polls": 36_000},
        more=[os_statistics(99, 1), TAIL],
    )  # fmt: skip
    assert {"rac-broadcast", "lgwr-workers", "post-io", "polling", "write-tail", "lgwr-cpu"} <= {c.rule for c in found}
    assert claimed(found) <= 0.009 + 1e-9
    by = {c.rule: c.explains_s for c in found}
    assert by["rac-broadcast"].value == pytest.approx(0.003)  # what is measured is served first
    assert by["lgwr-workers"].value == pytest.approx(0.004)
    assert by["lgwr-cpu"] is None  # and the CPU gets what is left: nothing


@pytest.mark.parametrize("stage", ["worker", "written"])
def test_measured_stages_are_not_the_cpus(stage):
    found = {c.rule: c for c in ranked(statistics=moments(**{stage: 8500.0}), more=[os_statistics(99, 1)])}
    assert {"worker": "lgwr-workers", "written": "post-io"}[stage] in found
    assert found["lgwr-cpu"].explains_s is None
    assert "not-redo-io" not in found


def test_the_larger_claim_stands_first():
    found = [c.rule for c in ranked(statistics=moments(worker=2000.0, written=5000.0))]
    assert found.index("post-io") < found.index("lgwr-workers")


# Polling


def polls(each, *, share=1.0):
    writes = 30_000
    return {
        "redo synch writes": writes,
        "redo synch poll writes": writes * share,
        "redo synch polls": writes * share * each,
    }


def test_one_sleep_that_explains_the_wait_stands_above_the_cpu():
    found = rules(lfs=(30_000, 360.0), lfpw=(30_000, 132.0), statistics=polls(1.2), more=[os_statistics(95, 5)])
    cause = found["polling"]
    assert cause.confidence == "high"
    assert "1.2 times each: one sleep is about 10.0 ms" in cause.text
    assert "Being posted, a commit would wait about 4.40 ms" in cause.text
    assert list(found).index("polling") < list(found).index("lgwr-cpu")


def test_a_short_sleep_does_not_explain_a_long_wait():
    cause = rules(statistics=polls(100.0))["polling"]
    assert cause.confidence == "low"
    assert "too short to explain the wait" in cause.text
    assert cause.explains_s.value == pytest.approx(0.0001)


def test_few_polls_are_no_polling():
    assert figures(statistics=polls(1.0, share=0.1)).polling is None
    assert "polling" not in rules(statistics=polls(1.0, share=0.1))
    assert lacks(lfpw=FAST, release="12.2.0.1.0")["polling"] == "redo synch poll writes"


# The log writer's ledger


def test_how_busy_the_log_writer_is():
    f = figures(statistics={**stages(**USUAL), "redo write total time": 2_700_000_000})
    assert f.log_writer.busy.value == pytest.approx(0.75)  # 2,700 of 3,600 s
    assert f.material_by[-1] == "the log writer was busy 75 % of the time"
    assert figures(lfpw=(30_000, 2520.0)).log_writer.busy.value == pytest.approx(0.7)  # before 12.1: its writes


def test_no_write_is_under_way_for_more_than_all_of_the_time():
    """Workers write side by side, and so do the log writers of a cluster."""
    many = {"lfs": (36_000, 5400.0), "lfpw": (90_000, 5_400.0)}
    assert rules(**many)["lgwr-busy"].text.startswith(
        "Redo writes were under way all the time, 1.5 at once on average: "
    )
    assert figures(**many).material_by[-1] == "redo writes were under way all the time, more than one at once"


def test_more_writes_at_once_than_there_are_writers_are_no_figure():
    many = {"lfs": (36_000, 5400.0), "lfpw": (90_000, 9_000.0)}
    assert "lgwr-busy" not in rules(**many)
    assert figures(**many).log_writer.busy is None


def test_histograms_that_are_not_printed_tell_nothing_apart():
    alike = rules(lfs=(36_000, 40.0), lfpw=(30_000, 30.0))["io-bound"]
    assert alike.text.endswith(". How long each of them took is not printed.")


def test_a_busy_log_writer_makes_commits_queue():
    found = rules(lfs=(36_000, 3600.0), lfpw=(300_000, 2520.0))
    assert found["lgwr-busy"].text.startswith("A redo write was under way 70 % of the time: most commits come upon one")
    assert found["lgwr-busy"].explains_s.value == pytest.approx(0.0084 * 0.7 / 2)
    assert "lgwr-busy" not in rules()
    assert "faster redo storage" in found["lgwr-busy"].caveat


def test_a_log_writer_that_waits_for_a_standby_is_not_helped_by_faster_storage_here():
    """0.9 ms each of 2,700,000 writes."""
    synchronous = {"background": {"SYNC Remote Write": (2_700_000, 2_160.0)}}
    times = {"redo write total time": 2_700_000_000, "redo writes": 2_700_000}
    found = rules(lfs=(36_000, 360.0), lfpw=(2_700_000, 270.0), statistics={**stages(**USUAL), **times}, **synchronous)
    assert "the standby's log before the redo storage here" in found["lgwr-busy"].caveat


def test_every_event_of_the_log_writer_stands_in_its_ledger():
    names = ("LGWR wait for redo copy", "LGWR any worker group", "LGWR worker group ordering", "target log write size",
             "log file single write", "LGWR something of a later release", "latch: redo writing")  # fmt: skip
    waits = dict.fromkeys(names, (10, 1.0)) | {
        "db file parallel write": (10, 9.0),
        "log file sequential read": (10, 9.0),
    }
    lines = figures(statistics=stages(**USUAL), background=waits).log_writer.lines
    events = {line.label: line for line in lines if line.is_event}
    assert set(events) == {*names, "log file parallel write"}
    assert events["LGWR wait for redo copy"].inside == "gather"
    assert events["LGWR any worker group"].inside is None, "1 s cannot be part of 50 ms, nor of any other stage"
    assert events["target log write size"].inside is None
    used = {line.use: line.seconds.value for line in lines if not line.is_event}
    assert used["io"] == pytest.approx(0.8)  # 800 µs of 1,000 writes


def test_who_waits_for_the_log_writer_is_not_its_own_time():
    """LMS waits for it as sessions do: many minutes of it say nothing of where the log writer spent its own."""
    waits = {"gcs log flush sync": (900, 630.0)}
    f = figures(statistics=stages(**USUAL), background=waits)
    assert [line.use for line in f.log_writer.lines if line.label == "gcs log flush sync"] == ["served"]
    assert "gcs log" not in rules(statistics=stages(**USUAL), background=waits)["not-redo-io"].text


def test_worker_groups_are_named_with_the_workers():
    text = rules(statistics=moments(worker=2000.0), background={"LGWR all worker groups": (900, 1.5)})[
        "lgwr-workers"
    ].text
    assert "Waits for the workers themselves: LGWR all worker groups 1.50 s." in text


def test_sessions_that_copy_redo_hold_the_log_writer_up():
    waits = {"LGWR wait for redo copy": (900, 3.0)}
    found = rules(statistics=moments(gather=3100.0), background=waits)["redo-copy"]
    assert "3.00 ms per redo write and 30 % of a commit wait" in found.text
    assert "redo-copy" not in rules(statistics=stages(**USUAL), background={"LGWR wait for redo copy": (900, 0.3)})


# What is material


@pytest.mark.parametrize(
    ("more", "material"),
    [
        ({"lfs": (200, 2.1), "db_time": 1e6}, True),  # 10.5 ms on average
        ({"lfs": (200, 1.9), "db_time": 1e6}, False),
        ({"lfs": (99, 33.0), "db_time": 1e6}, False),
        ({"lfs": (36_000, 36.0), "db_time": 1e6, "lfpw": (30_000, 2400.0)}, True),  # 67 % busy
        ({"lfs": (36_000, 36.0), "db_time": 1e6, "lfpw": (30_000, 1800.0)}, False),
    ],
)
def test_commits_matter_by_more_than_their_share(more, material):
    assert figures(**more).material is material


def test_a_hundredth_of_the_commits_of_100_ms_matters():
    rare = histogram({"log file sync": (exact(36_000), [98.0, None, None, None, None, None, None, None, 2.0])},
                     edges=(1, 2, 4, 8, 16, 32, 64, 128), last="pct_ge_128ms")  # fmt: skip
    f = figures(lfs=(36_000, 180.0), db_time=1e6, more=[rare])
    assert f.material_by == ("2 % of the commit waits take 131 ms or longer",)


def test_tiny_counts_give_no_cause():
    assert causes_of(facts_of(Side(committing(lfs=(99, 9.9), lfpw=FAST)))).ranked == ()
    found = commit_latency((Side(committing(lfs=(120, 40.0), db_time=20_000.0)),))
    assert found.material  # a third of a second each, at 0.2 % of DB time
    assert found.causes


# Rows that are read


def test_what_is_printed_of_a_standby_is_not_denied():
    late = moments(written=5000.0)
    assert "No wait for a standby is printed" in rules(statistics=late)["post-io"].text
    rare = rules(statistics=late, background={"SYNC Remote Write": (9, 1.0)})["post-io"]
    assert "No wait for a standby is printed" not in rare.text
    assert "SYNC Remote Write 1.00 s" in rare.text
    assert "SYNC Remote Write" in {e.key for e in rare.evidence}
    assert "post-io" not in rules(statistics=late, background={"SYNC Remote Write": (1000, 9.0)})


def test_rollbacks_are_those_of_transactions():
    counts = {"user calls": 3000, "user commits": 100, "user rollbacks": 1000}
    assert figures(statistics={**counts, "transaction rollbacks": 50}).calls_per_commit.value == 20
    assert (
        figures(statistics={"user calls": 3000, "user commits": 100, "user rollbacks": 50}).calls_per_commit.value == 20
    )


def test_commits_that_do_not_wait_are_pointed_out():
    counts = {"user commits": 1000, "commit nowait performed": 900}
    assert "commit nowait performed 900" in rules(statistics=counts)["commit-nowait"].text
    assert "commit-nowait" not in rules(statistics={**counts, "commit nowait performed": 3})
    asked = rules(more=[parameters({"commit_write": "BATCH, NOWAIT"})])["commit-nowait"]
    assert "commit_write = BATCH, NOWAIT" in asked.text


def test_two_syncs_to_a_transaction():
    counts = {"user commits": 1000, "redo synch writes": 2000}
    assert rules(statistics=counts)["several-syncs"].confidence == "note"
    assert "several-syncs" not in rules(statistics={**counts, "redo synch writes": 1200})


def test_redo_on_persistent_memory_has_its_own_write_event():
    f = figures(lfpw=None, background={"log file pmem persist write": (30_000, 3.0)})
    assert f.lfpw_avg_s.value == pytest.approx(1e-4)


@pytest.mark.parametrize(
    ("parts", "fires"),
    [([(2, 20, 2)], False), ([(2, 20, 4)], True), ([(1, 8192, 4)], False), ([(1, 8192, 5)], True)],
)
def test_log_parallelism_needs_more_requests_than_files_and_megabytes(parts, fires):
    """Two members are two requests; 8,192 blocks of 512 bytes are 4 MB, one request each."""
    assert ("log-parallelism" in rules(cpus=96, more=[p3(*parts)])) is fires


def test_more_commits_to_a_write_than_cpus_are_posted_at_once():
    """40 sessions go on when each write ends, on 8 CPUs."""
    text = rules(lfs=(36_000, 360.0), lfpw=(900, 0.9), cpus=8)["not-redo-io"].text
    assert "Each write ends 40 commit waits, more than the 8 CPUs can go on with at once." in text
    assert "at once" not in rules(lfs=(36_000, 360.0), lfpw=(9_000, 9.0), cpus=8)["not-redo-io"].text
