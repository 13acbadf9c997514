"""Redo writes out of v$active_session_history, attached as CSV: into how many requests they were split, and when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.log_writer_samples import MOST_KINDS
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import hour
from tests.unit.analysis.traces import HOUR, samples

ONE, SPLIT, NEEDED = (1, 2, 1), (1, 4, 4), (2, 3000, 4)
LATER = HOUR + timedelta(hours=2)
SECOND = LATER + timedelta(minutes=5)


def single(*writes, **facts):
    found = commit_latency([Side(hour(cpus=96))], [samples(*writes, **facts)])
    return found, {c.rule: c for c in found.causes}


def between(*files):
    first, second = hour(lfs=(36_000, 72.0), cpus=96), hour(cpus=96, begin=LATER)
    return {c.rule: c for c in commit_latency([Side(first), Side(second)], files).causes}


def test_they_are_counted_by_what_they_were_split_into():
    found, _ = single(ONE, SPLIT, SPLIT)
    assert [(s.report, s.requests, s.count) for s in found.events.sampled] == [(0, 4, 2), (0, 1, 1)]
    assert found.events.traces[0].host == "db1"
    assert not found.events.traces[0].covers_first, "it warns of no slow write"


@pytest.mark.parametrize(
    ("writes", "facts", "fires"),
    [
        ((ONE, SPLIT), {}, True),
        ((ONE, NEEDED), {}, False),
        ((SPLIT, *[ONE] * 30), {}, False),
        ((ONE, SPLIT), {"begin": HOUR - timedelta(days=1)}, False),
        ((ONE, SPLIT), {"host": "db9"}, False),
    ],
    ids=["split", "as their files and bytes need", "a single one", "of another day", "of another host"],
)
def test_log_parallelism_by_samples(writes, facts, fires):
    _, causes = single(*writes, **facts)
    assert ("log-parallelism" in causes) is fires
    if fires:
        assert "lgwr_samples" in {e.section for e in causes["log-parallelism"].evidence}
        assert {c.state for c in causes["log-parallelism"].criteria} == {"met", "not printed"}


@pytest.mark.parametrize(
    ("quiet", "loaded", "fires"),
    [((ONE,), (ONE, SPLIT), True), ((ONE, SPLIT), (ONE, SPLIT), False), ((ONE,), (ONE, NEEDED), False), ((), (SPLIT,), False)],
    ids=["more under load", "as many", "as their bytes need", "none of First"],
)  # fmt: skip
def test_a_quiet_and_a_loaded_period_by_samples(quiet, loaded, fires):
    causes = between(samples(*quiet, begin=HOUR), samples(*loaded, begin=SECOND))
    assert ("log-parallelism-load" in causes) is fires
    if fires:
        assert "1 → 1 and 4" in causes["log-parallelism-load"].text


def test_many_kinds_are_bounded_and_told_as_a_range():
    many = [(1, 2, n) for n in range(1, 13) for _ in range(10)]
    _, causes = single(*many)
    assert "(P3: 1 to 12)" in causes["log-parallelism"].text
    found, _ = single(*[(1, n, 1) for n in range(2 * MOST_KINDS)])
    assert len(found.events.sampled) == MOST_KINDS
