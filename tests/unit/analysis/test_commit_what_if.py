"""Fewer commits: the bound of one report, the line through several; commit time and a promise about it."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.commit_batching_savings import all_but_paid_off, fit, plateau, saved_at_least
from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.commit_latency.sla import against_sla, commit_time, share_above
from awrdiff.analysis.model.comparison import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from tests.unit.analysis.builders import exact
from tests.unit.analysis.commit_builders import committing, histogram

LONG = histogram({"log file sync": (exact(1000), [50.0, 20.0, 20.0, 5.0, 5.0, None, None])})
OPEN = histogram({"log file sync": (exact(1000), [50.0, 20.0, 20.0, 5.0, None, None, 5.0])})


@pytest.mark.parametrize(
    ("table", "limit_s", "low", "high"),
    [
        (LONG, 0.008, 0.05, 0.05),  # an edge: as close as the shares are printed
        (LONG, 0.0082, 0.05, 0.05),  # within 3 % of it
        (LONG, 0.010, 0.0, 0.05),  # inside 8 … 16 ms: some or all of it
        (LONG, 0.020, 0.0, 0.0),  # no wait was as long
        (OPEN, 0.500, 0.0, 0.05),  # the last bucket has no end
        (LONG, 0.0001, 0.5, 1.0),
    ],
)
def test_the_share_of_commits_above_a_promise_is_bounds(table, limit_s, low, high):
    f = figures_of(Side(committing(lfs=(1000, 3.0), more=[table], release="12.1.0.2.0")))
    found = share_above(f.lfs_histogram, limit_s)
    assert found.low == pytest.approx(low, abs=0.0011)
    assert found.high == pytest.approx(high, abs=0.0011)
    assert found.low <= found.value <= found.high


def test_an_sla_is_held_against_the_histogram_as_well():
    f = figures_of(Side(committing(lfs=(1000, 3.0), more=[LONG], release="12.1.0.2.0")))
    found = against_sla(f.lfs_avg_s, 0.010, f.lfs_histogram)
    assert "By the histogram up to 5 % of the waits were longer." in found.text
    assert (found.p95_s.low_s, found.p95_s.high_s) == (0.004, 0.016)
    assert against_sla(f.lfs_avg_s, 0.010).above is None


def test_where_fewer_commits_stop_paying():
    found = plateau([(1000, 80.0), (100, 60.0), (10, 51.0), (1, 50.0)])
    assert (found.report, found.commits, found.elapsed_s) == (2, 10, 51.0)
    assert (found.best_report, found.best_commits) == (3, 1)
    assert found.change == pytest.approx(-0.3625)
    assert found.best_change == pytest.approx(-0.375)


@pytest.mark.parametrize("points", [[(3, 1386.0), (1, 771.0)], [(3, 1386.0), (2, 771.0), (1, 503.0)]])
def test_it_stops_nowhere_as_far_as_two_runs_or_the_best_alone_tell(points):
    assert plateau(points) is None


def test_a_line_extrapolates_beyond_its_points():
    found = fit([(3, 1386.0), (1, 771.0)])
    assert found.extrapolates(0)
    assert not found.extrapolates(2)
    assert found.worst_error == pytest.approx(0)


def test_a_line_needs_two_numbers_of_commits():
    with pytest.raises(ValueError, match="two different numbers"):
        fit([(3, 1.0), (3, 2.0)])


def test_the_bound_of_one_report():
    assert saved_at_least(Estimate(90, 100, 110), 0.25) == Estimate(67.5, 75.0, 82.5)
    assert saved_at_least(Estimate(90, 100, 110), 1.0) == Estimate(0, 0, 0)
    with pytest.raises(ValueError, match="fraction"):
        saved_at_least(Estimate(90, 100, 110), 1.5)


def run(commits, elapsed, work=1_000_000, **more):
    statistics = {"user commits": commits, **({"db block changes": work} if work else {})}
    return Side(committing(statistics=statistics, elapsed=elapsed, **more))


def test_reports_of_the_same_work_get_a_line():
    found = commit_latency((run(15_000, 1386), run(5_000, 771))).what_if
    assert found.fit.a_s == pytest.approx(463.5)
    assert found.fit.c_s * 5_000 == pytest.approx(307.5)
    assert found.commits == (15_000, 5_000)
    assert found.why_not == ""
    assert found.removable_s[0].value == pytest.approx(72)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (run(5_000, 771, work=2_000_000), "different work: db block changes differ by 50 %"),
        (run(5_000, 771, work=0), "do not print by what to tell"),
        (run(14_900, 771), "about the same number of commits"),
        (run(5_000, 1380), "windows are equally long"),
        (run(5_000, None), "both its number of commits and its elapsed time"),
    ],
)
def test_why_no_line_is_fitted(second, why):
    found = commit_latency((run(15_000, 1386), second)).what_if
    assert found.fit is None
    assert why in found.why_not


def test_without_log_file_sync_only_for_one_session():
    alone, crowd = run(15_000, 1386, db_time=1386.0), run(5_000, 771, db_time=3000.0)
    found = commit_latency((alone, crowd)).what_if
    assert found.without_s[0].value == pytest.approx(1386 - 72)
    assert found.without_s[1] is None


def test_a_line_for_who_knows_that_the_work_was_the_same():
    untold = commit_latency((run(15_000, 1386, work=0), run(5_000, 771, work=0))).what_if
    assert untold.fit_if_same_work.a_s == pytest.approx(463.5)
    different = commit_latency((run(15_000, 1386), run(5_000, 771, work=2_000_000))).what_if
    assert different.fit_if_same_work is None


def test_from_where_on_a_line_leaves_little_to_save():
    line = fit([(15_000, 1386), (5_000, 771)])
    found = all_but_paid_off(line)
    assert line.at(found) == pytest.approx(463.5 * 1.05)
    assert all_but_paid_off(fit([(1, 10), (2, 9)])) is None


def test_commit_time():
    found = commit_time(Estimate(0.001, 0.001, 0.001))
    assert found.low == pytest.approx(0.001 / 0.87)
    assert found.high == pytest.approx(0.001 / 0.73)
    assert found.low < found.value < found.high


@pytest.mark.parametrize(("sla", "verdict"), [(0.002, "breached"), (0.0025, "probably breached"), (0.004, "within")])
def test_sla(sla, verdict):
    found = against_sla(Estimate(0.0019, 0.002, 0.0021), sla)
    assert found.verdict == verdict
    assert f"{0.2 / sla:.0f} %" in found.text


def test_an_sla_is_positive():
    with pytest.raises(ValueError, match="positive"):
        against_sla(Estimate(1, 1, 1), 0)
