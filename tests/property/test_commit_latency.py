"""Whatever a report prints: no figure leaves its bounds, and nothing raises."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import convert

from awrdiff.analysis.commit_latency import causes_of, commit_latency, facts_of
from awrdiff.analysis.commit_latency.histograms import distribution_of, geometric
from awrdiff.analysis.commit_latency.tails import distance, waiter_weighted
from awrdiff.analysis.export.comparison_json import dump
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Value
from tests.unit.analysis.builders import report
from tests.unit.analysis.commit_builders import committing, histogram, stages

SHARES = st.lists(
    st.one_of(st.none(), st.sampled_from([0.0, 0.1, 50.0, 100.0]), st.floats(0, 100)), min_size=7, max_size=7
)
WAITS = st.builds(Value, st.floats(0, 1e9), st.sampled_from([0.0, 50.0, 5e4]))
EVENT = st.tuples(st.integers(1, 10**7), st.floats(0, 1e6))
MOMENT_NAMES = ("gather", "schedule", "finish", "written", "total")
MOMENTS = st.fixed_dictionaries({k: st.floats(0, 1e6) for k in MOMENT_NAMES})


def of(shares, waits, release):
    made = report(histogram({"x": (waits, shares)}), release=release)
    return distribution_of(made, "x", waits=Value(1000, 0), total_s=Value(5, 0.5))


@given(SHARES, WAITS, st.sampled_from(["11.2.0.4.0", "19.24.0.0.0"]))
def test_histograms_keep_their_bounds(shares, waits, release):
    found = of(shares, waits, release)
    if found is None:
        return
    assert all(0 <= b.waits.low <= b.waits.value <= b.waits.high for b in found.buckets)
    assert all(0 <= p.share.low <= p.share.value <= p.share.high <= 1 + 1e-9 for p in found.cdf)
    for e in (found.mean_s, found.mean_square_s2, found.over_16ms):
        assert e is None or e.low <= e.value <= e.high
    for between in (found.p50, found.p95, found.p99):
        assert between.high_s is None or between.low_s < between.high_s


@given(SHARES, SHARES, WAITS, WAITS)
def test_two_shapes(ours, theirs, waits, writes):
    a, b = of(ours, waits, "11.2.0.4.0"), of(theirs, writes, "11.2.0.4.0")
    found = distance(a, b)
    assert found is None or (found.octaves >= abs(found.shift) - 1e-9 and 0 <= found.gap <= 1)
    assert waiter_weighted(b, None) is None


@given(st.integers(0, 40), st.floats(0, 1e300))
def test_geometric_shares(terms, total):
    found = geometric(terms, total)
    assert len(found) == terms
    assert sorted(found, reverse=True) == found


SMALLEST = 2.2250738585072014e-308  # the smallest normal float: a share of it is subnormal


@settings(max_examples=60)
@example((1, SMALLEST), (1, 1.0), dict.fromkeys(MOMENT_NAMES, 1.0), 1, 1, 1)
@example((1, SMALLEST), (3, SMALLEST), dict.fromkeys(MOMENT_NAMES, SMALLEST), 10**12, 3, 7)
@example((10**7, SMALLEST), (10**7, 1e6), dict.fromkeys(MOMENT_NAMES, 0.0), 0, 0, 0)
@given(EVENT, EVENT, MOMENTS, st.integers(0, 10**12), st.integers(0, 10**9), st.integers(0, 10**6))
def test_figures_keep_their_bounds_and_survive_storage(lfs, lfpw, moments, overhead, synch, polls):
    statistics = {
        **stages(**moments),
        "redo synch writes": 1000,
        "redo synch time (usec)": synch,
        "redo synch time overhead (usec)": overhead,
        "redo synch poll writes": polls,
        "redo write broadcast ack time": polls,
    }
    side = Side(committing(lfs=lfs, lfpw=lfpw, statistics=statistics))
    found = commit_latency((side, side))
    f = found.reports[0]
    for e in (f.lfs_avg_s, f.naive_overhead_s, f.naive_share, f.measured_overhead_s, *(s.seconds for s in f.stages)):
        assert e is None or e.low <= e.value <= e.high
    assert convert(dump(found), CommitLatency) == found
    assert all(c.evidence for c in causes_of(facts_of(side)).ranked)
