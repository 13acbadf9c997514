"""What fewer commits come to, and how it is said: figures and sentences, without a page."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.commit_batching_savings import (
    batch_formula,
    batch_size,
    formula,
    no_bound,
    runs_of,
    saving_of,
    sentences,
    signed_percent,
)
from awrdiff.analysis.commit_latency.sla import per_transaction
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.figures_in_words import fine_seconds
from awrdiff.analysis.model.commit_latency import CommitFigures
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from tests.unit.analysis.commit_builders import committing

LABELS = ("First", "Second")


def exactly(value: float) -> Estimate:
    return Estimate(value, value, value)


def run(commits: int, elapsed: float, waited: float, executions: int = 60_000):
    statistics = {"user commits": commits, "db block changes": 10**6, "execute count": executions}
    return Side(committing(statistics=statistics, elapsed=elapsed, db_time=elapsed, lfs=(commits, waited)))


def two_runs(**more):
    found = commit_latency((run(15_000, 1386.0, 501.0, **more), run(5_000, 771.0, 192.0, **more)))
    return runs_of(found.what_if, 1, assume=False)


def test_what_a_commit_adds_is_split_into_its_wait_and_the_rest():
    split = two_runs().split
    assert split.whole_s == pytest.approx(61.5e-3)
    assert split.lfs_s == pytest.approx(30.9e-3)
    assert (split.cpu_s, split.runs) == (None, 2)
    assert split.rest_s == pytest.approx(30.6e-3)
    said = " ".join(sentences(two_runs(), LABELS))
    assert "Of the 61.50 ms that a commit adds, 30.90 ms are log file sync and 30.60 ms are not" in said
    assert "explains 309.0 s of the 615.0 s; the other 306.0 s are what a commit costs besides" in said


def test_cpu_is_split_out_where_it_is_printed():
    found = commit_latency((run(15_000, 1386.0, 501.0), run(5_000, 771.0, 192.0))).what_if
    runs = runs_of(replace(found, cpu_s=(800.0, 500.0)), 1, assume=False)
    assert runs.split.cpu_s == pytest.approx(30e-3)
    assert "30.90 ms are log file sync, 30.00 ms DB CPU and 600.0 µs all else." in " ".join(sentences(runs, LABELS))


def test_no_split_where_the_waits_are_those_of_many_sessions():
    sides = [
        Side(committing(statistics={"user commits": k, "db block changes": 10**6}, elapsed=e, db_time=9_000.0))
        for k, e in ((15_000, 1386.0), (5_000, 771.0))
    ]
    runs = runs_of(commit_latency(sides).what_if, 1, assume=False)
    assert runs.split is None
    assert "cannot be split" in " ".join(sentences(runs, LABELS))


def test_the_axis_is_executions_or_the_rows_that_the_reader_knows():
    assert formula(two_runs()) == "T(k) = 463.5 s + 61.50 ms · k"
    assert two_runs().batch.unit == "executions"
    assert batch_formula(two_runs()) == "T(b) = 463.5 s + 3,690 s ÷ b"
    found = commit_latency((run(15_000, 1386.0, 501.0), run(5_000, 771.0, 192.0))).what_if
    batch = runs_of(found, 1, assume=False, rows=30_000.0).batch
    assert (batch.unit, batch.per_commit(15_000), batch.per_commit(0)) == ("rows", 2.0, None)
    uneven = replace(found, executions=(60_000.0, 30_000.0))
    assert runs_of(uneven, 1, assume=False).batch is None
    assert batch_formula(runs_of(uneven, 1, assume=False)) == ""
    assert runs_of(replace(found, executions=(60_000.0, None)), 1, assume=False).batch is None


def test_other_numbers_of_commits_lie_on_the_line():
    line = two_runs().line
    assert line.at(2_500) == pytest.approx(617.25)
    assert (line.extrapolates(2_500), line.extrapolates(5_000)) == (True, False)


def test_what_is_saved_and_its_share():
    saved, share = saving_of(exactly(100.0), CommitFigures(lfs_db_time_share=exactly(0.4)), 0.25)
    assert (saved.value, share) == (75.0, pytest.approx(0.3))


@pytest.mark.parametrize(
    ("figures", "why"),
    [
        ({"commit_wait_ratio": 1.0, "redo_per_write_bytes": 4096.0}, ""),
        ({"commit_wait_ratio": 0.4}, ""),
        ({"commit_wait_ratio": 2.0}, "2 synch writes to a commit"),
        ({"commit_wait_ratio": 1.0, "redo_per_write_bytes": 2.0**21}, "larger than one I/O request"),
        ({}, "is not printed"),
    ],
)
def test_where_it_is_a_bound(figures, why):
    found = no_bound(CommitFigures(**{name: exactly(value) for name, value in figures.items()}))
    assert (why in found) if why else found == ""


def test_the_published_benchmark_per_transaction():
    """Run 1 of the starved log writer: 133 transactions per second counted, 68,965 waits of 1,117 s in 587 s."""
    starved = CommitFigures(lfs_waits=exactly(68_965), lfs_total_s=exactly(1117.0))
    waits, waited = per_transaction(starved, 587.0, 133.0)
    assert waits.value == pytest.approx(0.8834, abs=1e-4)
    assert waited.value == pytest.approx(14.31e-3, abs=1e-5)
    with pytest.raises(ValueError, match="positive"):
        per_transaction(starved, 587.0, 0.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (1386.0, "1,386 s"),
        (463.5, "463.5 s"),
        (44.02, "44.02 s"),
        (0.0615, "61.50 ms"),
        (6.15e-5, "61.50 µs"),
        (0, "0 s"),
    ],
)
def test_four_digits_of_a_fit(seconds, text):
    assert fine_seconds(seconds) == text


@pytest.mark.parametrize(
    ("part", "text"), [(-0.457, "−45.7 %"), (0.2, "+20.0 %"), (-1e-5, "under 0.1 %"), (0.0, "0 %")]
)
def test_changes_of_the_line(part, text):
    assert signed_percent(part) == text


@pytest.mark.parametrize(("each", "text"), [(1.0, "1"), (2.5, "2.5"), (32_967.03, "32,967"), (0.5, "0.5")])
def test_what_a_commit_ends(each, text):
    assert batch_size(each) == text


def figures(wait: float, write: float, **more: object) -> CommitFigures:
    other = exactly(wait - write)
    return CommitFigures(
        lfs_avg_s=exactly(wait), lfpw_avg_s=exactly(write), naive_overhead_s=other,
        naive_share=exactly(1 - write / wait), lfs_db_time_share=exactly(0.1), **more,
    )  # fmt: skip


def test_the_lead_says_the_wait_the_write_and_what_is_neither():
    assert lead([figures(2e-3, 1e-3), figures(3e-3, 1e-3)]) == (
        "A commit waits 2.00 ms → 3.00 ms (+50 %); the redo write itself takes 1.00 ms → 1.00 ms. Outside the redo "
        "write, log file sync minus log file parallel write (LFS − LFPW): 1.00 ms (50 %) → 2.00 ms (67 %) of a wait, "
        "an upper estimate. Commit waits are 10 % → 10 % of DB time."
    )


def test_a_wait_shorter_than_a_write_is_no_share():
    said = lead([figures(2e-3, 1e-3), figures(1e-3, 2e-3)])
    assert "1.00 ms (50 %) → not to be told (commits waited 1.00 ms less than a write)" in said
    assert "−" not in said.split("(LFS − LFPW)")[1]


def test_no_change_is_told_that_the_print_does_not_show():
    near = [replace(figures(v, 1e-3), lfs_avg_s=Estimate(1.5e-3, v, 3.5e-3)) for v in (2e-3, 3e-3)]
    assert lead(near).startswith("A commit waits 2.00 ms → 3.00 ms; the redo")


def test_an_average_printed_as_nothing_is_bounded():
    assert lead([replace(figures(1e-3, 1e-3), lfs_avg_s=Estimate(0.0, 0.0, 5e-4))]).startswith(
        "A commit waits under 500 µs;"
    )


def test_what_an_average_of_nothing_leaves_open_is_not_told_as_known():
    """6 waits printed as 0 ms against writes of 764 µs: between 264 and 764 µs less."""
    below = replace(
        figures(1e-3, 1e-3), lfs_avg_s=Estimate(0.0, 0.0, 5e-4), naive_overhead_s=Estimate(-764e-6, -764e-6, -264e-6)
    )
    assert "they waited less than an average write, by at least 264 µs." in lead([below])
    assert "not to be told (commits waited at least 264 µs less than a write)" in lead([figures(2e-3, 1e-3), below])
    alike = replace(below, naive_overhead_s=Estimate(-1e-4, -5e-5, 1e-4))
    assert "not to be told (commits waited about as long as a write)" in lead([figures(2e-3, 1e-3), alike])
    assert "joined" not in lead([alike])
