"""log file sync minus log file parallel write: the estimate, its interval, and what is not there."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.commit_latency.interval_arithmetic import minus, over, times
from awrdiff.analysis.model.comparison import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from tests.harness.cost import is_linear
from tests.unit.analysis.builders import EVENT_COLUMNS, events, exact, loaded, near, report, section, time_model
from tests.unit.analysis.commit_builders import USUAL, committing, histogram, stages

COMMITS = {"log file sync": (36_000, 72.0), "db file sequential read": (1000, 500.0)}


def figures(**facts):
    return figures_of(Side(loaded(waits=COMMITS, **facts)))


def test_the_naive_estimate():
    f = figures(background={"log file parallel write": (30_000, 30.0)})
    assert f.lfs_avg_s.value == pytest.approx(0.002)
    assert f.lfpw_avg_s.value == pytest.approx(0.001)
    assert f.naive_overhead_s.value == pytest.approx(0.001)
    assert f.naive_share.value == pytest.approx(0.5)
    assert f.naive_total_s.value == pytest.approx(36.0)
    assert f.group_commit.value == pytest.approx(1.2)
    assert f.calls_per_commit.value == pytest.approx(10.0)
    assert f.redo_per_write_bytes.value == pytest.approx(10_000)
    assert f.lfs_db_time_share.value == pytest.approx(72 / 1572)
    assert f.material
    assert not [m for m in f.missing if "log file" in m and "histogram" not in m]


def test_every_figure_lies_in_its_interval():
    columns = EVENT_COLUMNS[:4]
    fg = section("foreground_wait_events", columns, [("log file sync", exact(182_739), near(94), near(0.001, 0.0005))])
    bg = section(
        "background_wait_events", columns, [("log file parallel write", exact(178_859), near(39), near(0, 0.0005))]
    )
    f = figures_of(Side(report(time_model(db_time=6404.55), fg, bg)))
    for name in ("lfs_avg_s", "lfpw_avg_s", "naive_overhead_s", "naive_share", "naive_total_s", "naive_db_time_share"):
        e = getattr(f, name)
        assert e.low < e.value < e.high, name
    # the truth of this report, from Oracle's own comparison: 94.43 s and 38.82 s
    assert f.naive_total_s.low <= 94.43 - 182_739 * 38.82 / 178_859 <= f.naive_total_s.high


def test_a_negative_difference_is_shown_as_such():
    f = figures(background={"log file parallel write": (30_000, 90.0)})
    assert f.naive_overhead_s.value == pytest.approx(-0.001)
    assert f.naive_share.value == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("waits", "seconds", "material"),
    [(99, 500.0, False), (100, 500.0, True), (100, 1.1, True), (100, 0.9, False), (100_000, 5.0, False)],
)
def test_materiality(waits, seconds, material):
    f = figures_of(Side(loaded(waits={"log file sync": (waits, seconds)}, cpu=1000)))
    assert f.material is material


def test_what_is_missing_is_named_and_nothing_is_made_up():
    f = figures_of(Side(report(time_model(db_time=100), events({"x": (1, 1)}), events({"y": (1, 1)}, background=True))))
    assert f.lfs_avg_s is f.lfpw_avg_s is f.naive_overhead_s is f.group_commit is None
    assert "log file sync (not listed in foreground wait events)" in f.missing
    assert "log file parallel write (not listed in background wait events)" in f.missing
    assert "redo writes (instance activity)" in f.missing
    assert not f.material


def test_foreground_and_background_log_file_sync_are_kept_apart():
    f = figures(background={"log file parallel write": (30_000, 30.0), "log file sync": (99, 99.0)})
    assert f.lfs_waits.value == 36_000


def test_a_combined_list_holds_both():
    top = section(
        "top_timed_events",
        EVENT_COLUMNS[:3],
        [("log file sync", exact(93_100), near(143)), ("log file parallel write", exact(93_417), near(73))],
        coverage="top",
    )
    f = figures_of(Side(report(top)))
    assert f.naive_overhead_s.value == pytest.approx(143 / 93_100 - 73 / 93_417)
    assert f.naive_share.value == pytest.approx(0.491, abs=0.001)


def test_change():
    a, b = loaded(waits=COMMITS), loaded(waits={"log file sync": (36_000, 144.0)})
    found = commit_latency((Side(a), Side(b)))
    assert found.change["lfs_avg_s"].value == pytest.approx(0.002)
    assert found.change["lfs_avg_s_ratio"].value == pytest.approx(2)
    assert found.change["lfs_total_s_ratio"].value == pytest.approx(2)


def test_a_share_that_shrinks_because_the_rest_grew_is_no_news_about_commits():
    a = loaded(waits=COMMITS)
    b = loaded(waits={**COMMITS, "library cache: mutex X": (10_000, 90_000.0)})
    assert figures_of(Side(a)).material
    found = commit_latency((Side(a), Side(b)))
    assert not found.material
    share = figures_of(Side(a)).material_by[0]
    assert found.not_material.startswith(f"Commits matter in First ({share}), not in Second (")
    assert "of DB time): they took 0.02 → 0.02 of the " in found.not_material


def test_an_improvement_of_commits_is_news():
    a = loaded(waits={"log file sync": (36_000, 1200.0)})
    b = loaded(waits={"log file sync": (36_000, 4.0)})
    assert commit_latency((Side(a), Side(b))).material


def test_interval_arithmetic():
    a, b = Estimate(1, 2, 3), Estimate(4, 5, 6)
    assert minus(a, b) == Estimate(-5, -3, -1)
    assert over(a, b) == Estimate(1 / 6, 0.4, 0.75)
    assert over(a, Estimate(0, 1, 2)) is None
    assert times(Estimate(-3, -1, 2), b) == Estimate(-18, -5, 12)


@pytest.mark.hostile
def test_it_costs_what_the_number_of_events_does():
    shares = [50.0, 30.0, 10.0, 5.0, 5.0, 0.0, 0.0]

    def two(size):
        names = [f"invented event {n}" for n in range(size)]
        seen = histogram({name: (exact(1000), shares) for name in ("log file sync", *names)})
        counted = {**stages(**USUAL), **dict.fromkeys(names, 7)}
        waits = dict.fromkeys(names, (1000, 1.0))
        return [committing(waits=waits, background=waits, statistics=counted, more=[seen]) for _ in range(2)]

    assert is_linear(two, lambda reports: commit_latency([Side(r) for r in reports]), 8000)


def test_why_few_commits_wait_is_said_where_many_are_made():
    few = {"lfs": (15, 0.01), "statistics": {"user commits": 41_384.0}}
    assert commit_latency([Side(committing(**few))]).not_material == (
        "15 commit waits in the whole window are too few to rank causes by, beside 41,384 commits: those inside PL/SQL, "
        "or with NOWAIT, do not wait."
    )
    assert "beside" not in commit_latency([Side(committing(lfs=(15, 0.01)))]).not_material


def test_samples_are_not_said_to_have_no_commit_waits():
    sampled = replace(report(), kind="ash")
    assert "counts no commit waits" in commit_latency([Side(sampled)]).not_material
    assert "not among the events printed" in commit_latency([Side(report())]).not_material
