"""One budget: what the log writer times itself claims before what its histograms match, and nothing is claimed twice."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import causes_of, facts_of
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import TAIL, moments
from tests.unit.analysis.commit_builders import committing

WAIT_S, WRITE_S = 0.010, 0.001
LEFT_S = WAIT_S - WRITE_S


def claims(**more):
    """Milliseconds of a commit wait, by rule; the tail of few slow writes could claim all of LFS − LFPW."""
    side = Side(committing(**{"lfs": (36_000, 360.0), "lfpw": (30_000, 30.0), "more": [TAIL], **more}))
    found = causes_of(facts_of(side)).ranked
    claimed = {c.rule: c.explains_s.value for c in found if c.explains_s is not None and c.part_of == "difference"}
    assert sum(claimed.values()) <= LEFT_S + 1e-9
    return {rule: round(s * 1e3, 3) for rule, s in claimed.items()}


def test_the_tail_claims_all_where_nothing_is_measured():
    assert claims() == {"write-tail": 9.0}


@pytest.mark.parametrize(
    ("took", "rule", "ms"),
    [
        ({"schedule": 4000.0}, "lgwr-cpu", 8.132),  # with gathering and posting, and the queue behind them
        ({"gather": 6000.0}, "not-redo-io", 6.085),  # and what the hand-over to a worker takes
        ({"worker": 3000.0}, "lgwr-workers", 3.0),
        ({"written": 3000.0}, "post-io", 3.0),
    ],
)
def test_what_the_log_writer_measures_claims_before_the_tail(took, rule, ms):
    found = claims(statistics=moments(**took))
    assert found == {rule: ms, "write-tail": round(9.0 - ms, 3)}


def test_usual_stages_leave_the_tail_what_it_had():
    assert claims(statistics=moments()) == {"write-tail": 9.0}


def test_redo_that_sessions_copy_is_not_claimed_again_as_lost_cpu_or_processing():
    copied = {"LGWR wait for redo copy": (900, 3.0)}  # 3 ms of each of 1,000 writes: part of gathering
    off_cpu = claims(statistics=moments(gather=3100.0, schedule=500.0), background=copied)
    assert (off_cpu["redo-copy"], off_cpu["lgwr-cpu"]) == (3.0, 2.762)
    processed = claims(
        statistics=moments(gather=5500.0, worker=1500.0), background={"LGWR wait for redo copy": (900, 0.9)}
    )
    assert processed["lgwr-workers"] == 1.5
    assert processed["not-redo-io"] == 5.535, "gathering and posting, without the hand-over to a worker"
