"""From printed percentages to waits: counts with bounds, moments, percentiles, and two shapes against each other."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.commit_latency.histograms import (
    distribution_of,
    distribution_of_rows,
    edge_s,
    geometric,
    has_microseconds,
    representatives,
    total_waits,
)
from awrdiff.analysis.commit_latency.tails import distance, waiter_weighted
from awrdiff.analysis.model.commit_latency import Bucket
from awrdiff.analysis.model.comparison import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from tests.unit.analysis.builders import exact, near, report
from tests.unit.analysis.commit_builders import committing, histogram

NAME = "log file sync"


def distribution(shares, *, waits=None, release="11.2.0.4.0", known=None, total=None, **more):
    made = report(histogram({NAME: (waits or exact(10_000), shares)}, **more), release=release)
    return distribution_of(made, NAME, waits=known, total_s=total)


def test_the_few_waits_of_a_wide_bucket_are_near_its_beginning():
    """Statspack's last bucket but one reaches from 32 ms to 1 s; where it holds most waits, nothing says where in it."""
    edges = [(0.0, 0.001), (0.016, 0.032), (0.032, 1.024)]
    for counts, wide_s in (((900.0, 80.0, 20.0), 0.064), ((100.0, 80.0, 820.0), 0.181)):
        buckets = [Bucket(low, high, Estimate(n, n, n), "x") for (low, high), n in zip(edges, counts, strict=True)]
        middles = representatives(buckets, None)
        assert middles[1:] == pytest.approx([0.0226, wide_s], abs=0.0005)


@pytest.mark.parametrize(
    ("amount", "unit", "coarse", "fine"),
    [
        (8, "us", None, 8e-6),
        (1, "ms", 1e-3, 1.024e-3),
        (32, "ms", 32e-3, 32.768e-3),
        (125, "ms", 0.128, 0.131072),
        (1, "s", 1.024, 1.048576),
        (1, "m", 65.536, 67.108864),
        (15, "m", 1048.576, 1073.741824),
        (1, "h", 4194.304, 4294.967296),
    ],
)
def test_edges(amount, unit, coarse, fine):
    if coarse is not None:
        assert edge_s(amount, unit, fine=False) == pytest.approx(coarse)
    assert edge_s(amount, unit, fine=True) == pytest.approx(fine)


@pytest.mark.parametrize(
    ("release", "fine"),
    [
        ("11.2.0.4.0", False),
        ("12.1.0.2.0", False),
        ("12.2.0.1.0", True),
        ("19.24", True),
        ("23.7.0", True),
        (None, False),
    ],
)
def test_release_families(release, fine):
    assert has_microseconds(release) is fine


def test_cells_become_counts_with_bounds():
    d = distribution([50.0, 30.0, 19.9, 0.0, None, None, None])
    first, second, third, tiny = d.buckets
    assert (first.waits.low, first.waits.high) == pytest.approx((4995, 5005))
    assert (tiny.waits.low, tiny.waits.high) == pytest.approx((1, 5))
    assert sum(b.waits.value for b in d.buckets) == pytest.approx(10_000)
    assert (second.low_s, second.high_s) == (1e-3, 2e-3)
    assert third.column == "pct_lt_4ms"


def test_a_blank_cell_is_none_at_all():
    d = distribution([100.0, None, None, None, None, None, None])
    assert len(d.buckets) == 1
    assert d.p99.high_s == 1e-3


def test_an_open_end_leaves_the_mean_unknown():
    d = distribution([60.0, None, None, None, None, None, 40.0])
    assert d.open_ended
    assert d.mean_s is None
    assert d.mean_square_s2 is None
    assert d.p50.high_s is not None
    assert d.p99.high_s is None


def test_the_detail_tables_own_count_is_exact():
    # 0.2 % of 10,000 may be 15 to 25 waits: the table says 19, of which the `.0` cells hold at least one each
    d = distribution(
        [99.8, None, 0.2, 0.0, 0.0, None, None],
        details={"waits_4ms_to_32ms": {NAME: 19}},
        total=None,
    )
    detail = [b.waits.value for b in d.buckets if b.low_s >= 2e-3]
    assert sum(detail) == pytest.approx(19)
    assert detail[-1] == 1
    assert all(b.waits.low <= b.waits.value <= b.waits.high for b in d.buckets)


def test_geometric_tail():
    assert geometric(0, 10) == []
    assert geometric(1, 7) == [7]
    assert geometric(3, 2) == [1, 1, 1]
    tail = geometric(3, 7)
    assert sum(tail) == pytest.approx(7)
    assert tail == pytest.approx([4, 2, 1])


@pytest.mark.parametrize(
    ("printed", "known", "expected"),
    [
        (near(81_100, 50), exact(79_252), (81_050, 81_100, 81_150)),  # they differ: the histogram's own
        (near(182_800, 50), exact(182_812), (182_812, 182_812, 182_812)),
        (near(182_800, 50), None, (182_750, 182_800, 182_850)),
    ],
)
def test_the_total(printed, known, expected):
    assert total_waits(printed, known) == Estimate(*expected)


def test_the_first_bucket_takes_what_the_total_leaves_over():
    # 5,000 waits below 1 ms and 5,000 of about 1.41 ms; 8.07 s in total
    d = distribution([50.0, 50.0, None, None, None, None, None], known=exact(10_000), total=exact(8.071))
    assert d.mean_s.value == pytest.approx(8.071e-4, rel=1e-3)
    clipped = distribution([50.0, 50.0, None, None, None, None, None], known=exact(10_000), total=exact(100))
    assert clipped.mean_s.value == pytest.approx((1e-3 + 1.4142e-3) / 2, rel=1e-3)


def test_moments_lie_in_their_bounds():
    d = distribution([10.0, 40.0, 30.0, 15.0, 4.0, 1.0, None])
    assert d.mean_s.low < d.mean_s.value < d.mean_s.high
    assert d.mean_s.low == pytest.approx(2.08e-3, rel=0.01)
    assert d.mean_square_s2.low < d.mean_square_s2.value < d.mean_square_s2.high
    assert d.over_16ms.value == pytest.approx(0.01)
    assert d.over_32ms.value == 0
    assert (d.p50.low_s, d.p50.high_s) == (1e-3, 4e-3)  # 50.0 ± 0.1 % lies below 2 ms
    assert (d.p95.low_s, d.p95.high_s) == (4e-3, 16e-3)


def test_the_cumulative_curve_rises_to_one():
    d = distribution([10.0, 40.0, 30.0, 15.0, 4.0, 1.0, None])
    shares = [p.share.value for p in d.cdf]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert all(p.share.low <= p.share.value <= p.share.high for p in d.cdf)


def test_what_is_not_there():
    assert distribution_of(report(), NAME) is None
    assert distribution_of(report(histogram({"other": (exact(5), [100.0, *[None] * 6])})), NAME) is None


def test_a_cut_name_is_found():
    made = report(histogram({"log file switch (checkpoi": (exact(5), [100.0, *[None] * 6])}), release="11.2.0.4.0")
    assert distribution_of(made, "log file switch (checkpoint incomplete)") is not None


# Two shapes


def shape(shares):
    return distribution(shares, waits=exact(10_000))


FAST = [None, 90.0, 10.0, None, None, None, None]


def test_the_same_shape():
    found = distance(shape(FAST), shape([None, 88.0, 12.0, None, None, None, None]))
    assert found.shape == "same"
    assert found.octaves == pytest.approx(0.02)


def test_shifted_to_longer_waits():
    found = distance(shape([None, None, None, 90.0, 10.0, None, None]), shape(FAST))
    assert found.shape == "longer"
    assert found.shift == pytest.approx(2.0, abs=0.01)  # two doublings
    assert found.gap_at_s == pytest.approx(4e-3)
    assert found.gap == pytest.approx(1.0)


def test_a_schedulers_clock():
    found = distance(shape([None, 80.0, 5.0, None, 15.0, None, None]), shape(FAST))
    assert found.peaks_s == ((8e-3, 16e-3),)
    assert distance(shape(FAST), shape(FAST)).peaks_s == ()


def test_half_of_the_waits_under_a_millisecond_resolve_no_shape():
    assert distance(shape([90.0, 10.0, *[None] * 5]), shape([95.0, 5.0, *[None] * 5])).shape == "unresolved"


def test_too_few_waits_have_no_shape():
    few = distribution(FAST, waits=exact(50))
    assert distance(few, shape(FAST)) is None
    assert distance(None, shape(FAST)) is None


def test_waiter_weighted_write():
    # Half of the writes at about 1.4 ms, half at about 22.6 ms: a waiter meets the slow ones far more often.
    d = shape([None, 50.0, None, None, None, 50.0, None])
    average = Estimate(0.012, 0.012, 0.012)
    found = waiter_weighted(d, average)
    assert found.low < found.value < found.high
    assert found.value == pytest.approx((0.5 * 2e-6 + 0.5 * 512e-6) / 0.012, rel=1e-6)
    assert found.low >= average.low  # E[w²] is never below E[w]²
    assert waiter_weighted(None, average) is None
    assert waiter_weighted(d, None) is None


def test_a_histogram_that_cannot_have_the_printed_average_is_not_used():
    """0.5 to 1 ms by the rows; 20 % from 16 ms on by the histogram."""

    def one(seconds: float, count: int = 36_000, background: float = 0.0):
        shape = histogram({NAME: (exact(count), [80.0, None, None, None, None, 20.0, None])})
        side = Side(committing(lfs=(count, seconds), background={NAME: (count, background)} if background else {},
                               more=[shape], release="11.2.0.4.0"))  # fmt: skip
        lfs = side.foreground[NAME]
        return distribution_of_rows(side.report, lfs, side.background.get(NAME)), figures_of(side).missing

    denied = f"{NAME} (its histogram cannot have the average that is printed)"
    found, missing = one(36.0)
    assert found is None
    assert denied in missing
    for fits in (one(36_000 * 0.005), one(999 * 0.001, 999)):  # 3.3 to 7.2 ms; too few to tell
        assert fits[0] is not None
        assert denied not in fits[1]
