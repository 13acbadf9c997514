"""What the commit latency page calls stages, edges, checks and changes."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.model.commit_latency import Between, Cause, CommitFigures, CommitLatency
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.web.presenters.commit import figure_texts as commit_words
from awrdiff.web.presenters.commit import histograms as commit_histograms
from awrdiff.web.presenters.commit import stages as commit_stages
from awrdiff.web.presenters.commit.page import check_of, ranked_causes
from tests.web.commit_pages import committed

ROWS = commit_words.Rows("/x/", {})


def test_a_check_with_a_statement_is_cut_at_it():
    assert check_of("ASH: SELECT 1 FROM x; (so)") == ("ASH:", "SELECT 1 FROM x;", "(so)")
    assert check_of("vmstat") == ("vmstat", "", "")


@pytest.mark.parametrize(
    ("text", "claim", "explains"),
    [
        ("It takes 2.00 ms.", (0.00199, 0.002, 0.00201), ""),
        ("It is busy.", (0.00199, 0.002, 0.00201), "Can account for up to 2.00 ms of a commit wait."),
        ("2.00 ms.", (0.001, 0.002, 0.003), "Can account for about 2.00 ms of a commit wait (1.00 ms … 3.00 ms)."),
    ],
)
def test_a_claim_is_told_once_and_its_range_where_it_is_open(text, claim, explains):
    cause = Cause("r", "T.", "high", text, "", (), (), explains_s=Estimate(*claim))
    view = ranked_causes(CommitLatency((CommitFigures(),), causes=(cause,)), commit_words.sides_of(1, 0), ROWS)
    assert view["ranked"][0]["explains"] == explains


def test_stages_inside_others_are_not_added_and_a_negative_queue_is_flagged():
    late = committed(lfs=(36_000, 18.0), moved={"redo synch time overhead (usec)": 3_600_000, "redo synch time": 9_000})
    found = commit_latency((Side(late),))
    view = commit_stages.present(found.reports, (commit_words.SideLabel("", "first", 0),), None, ROWS)
    side = view["sides"][0]
    measured = side["bars"][0]
    assert "wake-up" not in measured["text"]
    assert measured["inside"] is not None
    assert sum(s["width"] for s in measured["segments"]) == pytest.approx(900 / 1000 * 100)
    assert measured["wait_at"] == pytest.approx(50.0)
    assert any("The queue is negative (−400 µs)" in text for text in side["remarks"])
    assert any("they waited 500 µs less than an average write" in text for text in side["remarks"])
    queue = next(r for r in view["stages"] if r.cls == "queue")
    assert (queue.figures[0].text, queue.figures[0].cls) == ("−400 µs", "flag")
    assert next(r for r in view["stages"] if r.cls == "wake_up").part


def test_instances_of_a_global_report_one_by_one():
    from awrdiff.analysis.model.commit_latency import CommitFigures
    from awrdiff.web.presenters.commit import page

    one = CommitFigures(whose="instance 1", lfs_avg_s=Estimate(0.002, 0.002, 0.002))
    two = CommitFigures(whose="instance 2", lfpw_avg_s=Estimate(0.001, 0.001, 0.001))
    sides = commit_words.sides_of(2, (0, 1))
    rows = page.instance_rows(((one, two), (one,)), sides, ROWS)
    assert [(instance, side.label) for instance, side, *_ in rows] == [
        *(("instance 1", "First"), ("instance 1", "Second")),
        *(("instance 2", "First"), ("instance 2", "Second")),
    ]
    figures = [[f.text for f in figures] for _, _, figures, _ in rows]
    assert figures[1][1] == "2.00 ms"
    assert figures[2][1] == "–"
    assert set(figures[3]) == {"–"}


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        (Between(0.0, 512e-6), "under 512 µs"),
        (Between(1.024e-3, 2.048e-3), "1 ms … 2 ms"),
        (Between(0.032, 0.064), "32 ms … 64 ms"),
        (Between(0.131072, 1.048576), "128 ms … 1 s"),
        (Between(32.768, 65.536), "32 s … 1 min"),
        (Between(3932.16, None), "over 1 h"),
    ],
)
def test_edges_are_called_as_reports_call_them(edges, text):
    assert commit_histograms.between(edges) == text


@pytest.mark.parametrize(
    ("first", "second", "unit", "text", "cls"),
    [
        ((1, 1, 1), (2, 2, 2), "s", "▲ ×2.0", "worse"),
        ((2, 2, 2), (1, 1, 1), "s", "▼ −50 %", "better"),
        ((1, 1.5, 2), (1.9, 2.4, 3), "s", "= below print", "same"),
        ((0.1, 0.1, 0.1), (0.15, 0.15, 0.15), "share", "▲ +5.0 pt", "worse"),
        ((-2e-3, -2e-3, -2e-3), (1e-3, 1e-3, 1e-3), "s", "▲ +3.00 ms", "worse"),
        ((1, 1, 1), None, "s", "", "na"),
    ],
)
def test_changes(first, second, unit, text, cls):
    cell = commit_words.change(Estimate(*first), Estimate(*second) if second else None, unit)
    assert (cell["t"], cell["c"]) == (text, cls)
