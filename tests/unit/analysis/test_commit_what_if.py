"""Fewer commits: the bound of one report, the line through several; commit time and a promise about it."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.sla import against_sla, commit_time
from awrdiff.analysis.commit_latency.what_if import (
    all_but_paid_off,
    fit,
    fit_batches,
    saved_at_least,
    where_it_stops_paying,
)
from awrdiff.analysis.model import Estimate
from awrdiff.analysis.side import Side
from tests.unit.analysis.commit_builders import committing

# Elapsed seconds by rows per commit, 900,000 rows, 11.2: a published measurement.
BATCHES = (
    (1, 82.9945), (2, 64.9540), (4, 55.4025), (8, 50.6216), (16, 47.9620), (32, 45.0470), (64, 44.4585),
    (128, 44.4191), (256, 43.9992), (512, 43.7342), (1024, 43.6555), (2048, 43.5763), (4096, 43.7083),
    (8192, 43.5302), (16384, 43.2844), (32768, 43.1086),
)  # fmt: skip


def test_three_commits_per_loop_against_one():
    """Published: 1386 s with three commits per loop, 771 s with one, 503 s with one at the end."""
    found = fit([(3, 1386.0), (1, 771.0)])
    assert found.a_s == pytest.approx(463.5)
    assert found.c_s == pytest.approx(307.5)
    assert found.at(0) == pytest.approx(463.5)
    assert found.at(0) / 503 - 1 == pytest.approx(-0.079, abs=0.0005)
    assert found.extrapolates(0)
    assert not found.extrapolates(2)
    assert found.worst_error == pytest.approx(0)


def test_without_their_commit_waits_and_what_those_explain():
    assert 1386 - 501 == 885
    assert 771 - 192 == 579
    assert (501 - 192, 1386 - 771) == (309, 615)


def test_batch_size():
    found = fit_batches(BATCHES)
    assert round(found.a_s, 2) == 44.02
    # 40.045 to the printed digits of the source
    assert found.c_s == pytest.approx(40.05, abs=0.006)
    assert round(found.worst_error * 100, 2) == 3.15
    worst = max(found.points, key=lambda p: abs(p.error))
    assert 1 / worst.commits == pytest.approx(8)
    assert (found.lowest, found.highest) == (1 / 32768, 1.0)


def test_where_more_batching_stops_paying():
    assert where_it_stops_paying(BATCHES) == 32
    base = BATCHES[0][1]
    times = dict(BATCHES)
    assert round((times[32] / base - 1) * 100, 1) == -45.7
    assert round((times[32768] / base - 1) * 100, 1) == -48.1


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
        (run(5_000, None), "no number of commits or no elapsed time"),
        (run(5_000, 1390), "a clock ended them, not the work"),
    ],
)
def test_why_no_line_is_fitted(second, why):
    found = commit_latency((run(15_000, 1386), second)).what_if
    assert found.fit is None
    assert why in found.why_not


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
