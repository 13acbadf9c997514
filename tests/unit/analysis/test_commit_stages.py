"""The log writer's own stages: their units, what is absent in which release, and figures that are not believed."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.commit_latency.session_wake_up import Waits, overhead_counts
from awrdiff.analysis.commit_latency.stages import measured_stages, microseconds_of_broadcast
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Row
from tests.unit.analysis.builders import column, exact, report, section
from tests.unit.analysis.commit_builders import USUAL, W, committing, histogram, stages

LFS, LFPW = (2000, 2.0), (1000, 0.8)  # 1 ms and 0.8 ms


def figures(statistics, **facts):
    return figures_of(Side(committing(**{"lfs": LFS, "lfpw": LFPW, "statistics": statistics, **facts})))


def microseconds(f):
    return {s.id: round(s.seconds.value * 1e6, 3) for s in f.stages}


def test_stages_are_differences_of_cumulative_moments():
    f = figures(stages(**USUAL))
    assert microseconds(f) == {
        "worker": 50, "gather": 10, "schedule": 5, "io": 800, "post_io": 5, "posting": 30, "queue": 100,
    }  # fmt: skip
    # worker, gather, schedule and posting: neither the write, nor what follows it, nor the queue behind other writes
    assert f.measured_overhead_s.value == pytest.approx(95e-6)
    assert f.stage("io").per == "write"
    assert f.stage("queue").per == "commit wait"
    assert {e.key for e in f.stage("io").evidence} == {"redo write finish time", "redo write schedule time"}


def test_issue_is_a_stage_where_it_is_printed():
    f = figures(stages(**{**USUAL, "issue": 165.0}))
    assert microseconds(f)["issue"] == 100
    assert microseconds(f)["io"] == 700


def test_one_log_writer_has_no_worker_delay():
    moments = {k: v for k, v in USUAL.items() if k != "worker"}
    f = figures(stages(**moments))
    assert f.stage("worker") is None
    assert microseconds(f)["gather"] == 60


def test_before_12_1_there_are_no_stages_and_that_is_said():
    f = figures({"redo writes": W})
    assert f.stages == ()
    assert f.measured_overhead_s is None
    assert "stages of a redo write (statistics of 12.1 and later)" in f.missing


@pytest.mark.parametrize(
    ("release", "unit"),
    [
        ("11.1.0.7.0", 1e4),
        ("10.2.0.5.0", 1e4),
        ("11.2.0.3.0", 1.0),
        ("12.1.0.2.0", 1.0),
        ("23.7.0.25.01", 1.0),
        (None, 1.0),
    ],
)
def test_the_unit_of_the_broadcast_time_depends_on_the_release(release, unit):
    assert microseconds_of_broadcast(release) == unit


def test_broadcast_is_taken_out_of_posting():
    f = figures({**stages(**USUAL), "redo write broadcast ack time": 10_000, "redo write broadcast ack count": 100})
    assert microseconds(f)["broadcast"] == 10
    assert microseconds(f)["posting"] == 20
    assert f.broadcast_ack_s.value == pytest.approx(100e-6)


def test_broadcast_beyond_the_posting_overlaps_with_the_write():
    f = figures({**stages(**USUAL), "redo write broadcast ack time": 100_000})
    posting = f.stage("posting").seconds
    assert (posting.low, posting.value, posting.high) == pytest.approx((0, 0, 30e-6))


def test_synch_time_that_counts_differently_is_said():
    assert any("counts differently" in n for n in figures({"redo synch time (usec)": 4_000_000}).notes)
    assert not any("counts differently" in n for n in figures({"redo synch time (usec)": 2_050_000}).notes)


def test_broadcast_in_centiseconds():
    f = figures({"redo writes": W, "redo write broadcast ack time": 5}, release="11.1.0.7.0")
    assert f.stage("broadcast").seconds.value == pytest.approx(0.05 / W)
    assert f.stage("broadcast").seconds.low < 0.05 / W < f.stage("broadcast").seconds.high


def test_an_io_stage_well_above_the_event_is_said():
    assert not [n for n in figures(stages(**USUAL)).notes if "timing of the write" in n]
    notes = figures(stages(**{**USUAL, "finish": 1865.0, "written": 1870.0, "total": 1900.0})).notes
    assert any("125 % more than log file parallel write says" in n for n in notes)


def test_a_queue_far_below_zero_is_flagged():
    f = figures(stages(**{**USUAL, "total": 1200.0}))
    assert microseconds(f)["queue"] == -200
    assert any("20 % of a wait" in n for n in f.notes)
    assert not any("of a wait" in n for n in figures(stages(**{**USUAL, "total": 1050.0})).notes)


OVERHEAD = "redo synch time overhead (usec)"


def test_wake_up_is_believed_up_to_the_synch_time_it_is_part_of():
    f = figures({"redo synch writes": 2000, "redo synch time (usec)": 2_000_000, OVERHEAD: 400_000})
    assert f.stage("wake_up").seconds.value == pytest.approx(200e-6)
    assert not f.stage("wake_up").bounds_only
    assert f.stage("wake_up").inside == ("queue", "posting")


COUNTS = {
    f"redo synch time overhead count ({name})": n
    for name, n in zip(("  2ms", "  8ms", " 32ms", "128ms", "inf"), (1900, 60, 30, 10, 0), strict=True)
}


def test_waits_too_few_for_an_average_have_no_queue_either():
    """19 waits beside 1.2 million commits of PL/SQL: the lead says that they are too few."""
    few, enough = (figures(stages(**USUAL), lfs=(n, n * 0.0001)) for n in (99, 100))
    assert few.stage("queue") is None
    assert not any("Commits waited" in note for note in few.notes)
    assert enough.stage("queue") is not None
    assert any("Commits waited" in note for note in enough.notes)


def test_the_wake_up_is_part_of_the_queue_and_not_added_again():
    """Once inside `queue` and once as a stage of its own it would make the stages more than the whole wait."""
    alone, with_it = stages(**USUAL), stages(**USUAL)
    with_it |= {
        "redo synch time overhead (usec)": 80_000,
        "redo synch time (usec)": 2_000_000,
        "redo synch writes": 1000,
    }
    assert figures(with_it).stage("wake_up").seconds.value == pytest.approx(80e-6)
    assert figures(with_it).measured_overhead_s == figures(alone).measured_overhead_s


def test_garbage_is_refused_and_its_counts_give_bounds():
    f = figures({"redo synch writes": 2000, "redo synch time (usec)": 2_000_000, OVERHEAD: 97_988_503_259, **COUNTS})
    stage = f.stage("wake_up")
    assert stage.bounds_only
    assert stage.seconds.low == pytest.approx((60 * 2 + 30 * 8 + 10 * 32) / 2000 / 1e3)
    assert stage.seconds.high == pytest.approx(1e-3)  # no more than the whole synch time
    assert any("97,989 s" in n and "not believed" in n for n in f.notes)


def test_a_wake_up_beyond_the_commit_waits_is_refused():
    """Within redo synch time, and more than the 2 s that all of log file sync took."""
    f = figures({"redo synch writes": 2000, "redo synch time (usec)": 9_000_000, OVERHEAD: 3_000_000, **COUNTS})
    assert f.stage("wake_up").bounds_only
    assert f.stage("wake_up").seconds.high == pytest.approx(1e-3)
    assert any("more than 2.00 s of log file sync" in n for n in f.notes)


SHORT = histogram({"log file sync": (exact(2000), [90.0, 5.0, 5.0, None, None, None, None])}, last="pct_lt_64ms")
LONG = histogram({"log file sync": (exact(2000), [90.0, 5.0, None, None, None, None, 5.0])})
ONE_LONG = {**COUNTS, **{f"redo synch time overhead count ({n})": 0 for n in (" 32ms", "128ms")},
            "redo synch time overhead count (inf)": 1}  # fmt: skip


@pytest.mark.parametrize(("waits", "believed"), [(SHORT, False), (LONG, True)])
def test_a_wake_up_that_needs_longer_waits_than_any_seen_is_refused(waits, believed):
    """1.9 s of which all but one can be no more than 8 ms: that one must have taken longer than any commit waited."""
    f = figures({"redo synch writes": 2000, "redo synch time (usec)": 1_990_000, OVERHEAD: 1_000, **ONE_LONG})
    assert not f.stage("wake_up").bounds_only
    statistics = {"redo synch writes": 2000, "redo synch time (usec)": 19_000_000, OVERHEAD: 1_900_000}
    few = {**ONE_LONG, "redo synch time overhead count (  2ms)": 9, "redo synch time overhead count (  8ms)": 0}
    stage = figures({**statistics, **few}, more=[waits]).stage("wake_up")
    assert (stage is not None) is believed


@pytest.mark.parametrize(("long", "believed"), [(3, True), (4, False)])
def test_a_wake_up_is_no_part_of_waits_that_are_fewer(long, believed):
    """Two of 2,000 commits waited 128 ms and longer, as far as a tenth of a percent tells, or three."""
    edges = (1, 2, 4, 8, 16, 32, 64, 128)
    shares = [90.0, 5.0, 4.9, None, None, None, None, None, 0.1]
    waits = histogram({"log file sync": (exact(2000), shares)}, edges=edges, last="pct_lt_256ms")
    counts = {**COUNTS, "redo synch time overhead count (inf)": long}
    f = figures({"redo synch writes": 2000, "redo synch time (usec)": 2e6, OVERHEAD: 9e5, **counts}, more=[waits])
    assert f.stage("wake_up").bounds_only is not believed
    assert any("4 wake-ups of 128 ms or longer where at most 3 commits" in n for n in f.notes) is not believed


def test_garbage_without_counts_is_missing():
    f = figures({"redo synch writes": 2000, "redo synch time": 200, OVERHEAD: 97_988_503_259})
    assert f.stage("wake_up") is None
    assert "redo synch time overhead (not believable)" in f.missing


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (("( 2ms)", "( 8ms)", "( 32ms)", "(128ms)", "(inf)"), (1, 2, 3, 4, 5)),
        (("(<128 msec)", "(<2 msec)", "(<32 msec)", "(<8 msec)", "(>=128 msec)"), (4, 1, 3, 2, 5)),
        (("(", "(", "(", "(1", "(i"), (1, 2, 3, 4, 5)),
        (("(<", "(<", "(<", "(<", "(>"), (4, 1, 3, 2, 5)),
    ],
)
def test_buckets_of_the_overhead_whatever_their_order_and_cut(names, counts):
    columns = (column("statistic", None), column("total"))
    rows = [
        Row((f"redo synch time overhead count {n}", exact(c)), ordinal=i)
        for i, (n, c) in enumerate(zip(names, counts, strict=True))
    ]
    found, _ = overhead_counts(Side(report(section("instance_activity", columns, rows))))
    assert found == [(2, 1), (8, 2), (32, 3), (128, 4), (None, 5)]


def test_a_write_that_its_rounding_allows_for_is_not_called_shorter():
    """0.8 ms of the log writer's own; 1 ms printed to half a millisecond."""
    side = Side(committing(statistics=stages(**USUAL)))
    assert measured_stages(side, None, Estimate(0.0005, 0.001, 0.0015), Waits()).notes == ()
    assert "20 % less" in measured_stages(side, None, Estimate(0.0009, 0.001, 0.0011), Waits()).notes[0]


SYNC = {"SYNC Remote Write": (1000, 1.9)}


def test_data_guard_sync_is_named_with_its_range():
    f = figures(stages(**USUAL), background=SYNC)
    assert f.remote.event == "SYNC Remote Write"
    assert f.remote.cost_s.low == pytest.approx(1.1e-3)
    assert f.remote.cost_s.high == pytest.approx(1.9e-3)
    assert f.remote.cost_s.low <= f.remote.cost_s.value <= f.remote.cost_s.high
    assert not f.remote.from_histograms


def test_data_guard_sync_from_the_histograms():
    shapes = histogram({
        "log file parallel write": (exact(1000), [100.0, None, None, None, None, None, None]),
        "SYNC Remote Write": (exact(1000), [50.0, None, None, 50.0, None, None, None]),
    })  # fmt: skip
    f = figures(stages(**USUAL), background=SYNC, more=[shapes])
    assert f.remote.from_histograms
    assert f.remote.cost_s.low <= f.remote.cost_s.value <= f.remote.cost_s.high


@pytest.mark.parametrize(
    ("event", "waits", "found"),
    [("SYNC Remote Write", 400, False), ("LGWR-LNS wait on channel", 900, True), ("LNS wait on SENDREQ", 900, True),
     ("LNS wait on LGWR", 900, False)],
)  # fmt: skip
def test_what_counts_as_data_guard_sync(event, waits, found):
    f = figures(stages(**USUAL), background={event: (waits, 1.0)})
    assert (f.remote is not None) is found


def test_polling():
    f = figures({"redo synch writes": 2000, "redo synch poll writes": 2000, "redo synch polls": 5000})
    assert f.polling_share.value == 1.0
    assert f.polls_per_poll_write.value == 2.5
    assert figures({"redo synch writes": 2000}).polling_share is None
