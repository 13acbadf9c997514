"""The finding about commits on the comparison page: sized in active sessions, quiet where they are too few to be said."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.commit_wait_breakdown import probable
from awrdiff.analysis.commit_latency.figures import figures_of
from awrdiff.analysis.commit_latency.sla import slas_of_reports
from awrdiff.analysis.commit_latency.summary import lead
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Estimate
from awrdiff.analysis.report.figures_by_name import Side
from tests.unit.analysis.builders import EVENT_COLUMNS, exact, section
from tests.unit.analysis.commit_builders import USUAL, committing, stages


def finding(*sides):
    found = compare_reports(*(committing(**s) for s in sides))
    return next((f for f in found.findings if f.rule == "commit-latency"), None), found


SHORT, LONG = {"lfs": (36_000, 72.0)}, {"lfs": (36_000, 720.0)}


def test_it_is_about_the_sessions_in_log_file_sync():
    said, _ = finding(SHORT, LONG)
    assert said.sessions.second.low <= 720 / 3600 <= said.sessions.second.high
    assert said.sessions.first.low <= 72 / 3600 <= said.sessions.first.high
    assert (said.subject.kind, said.subject.key) == ("event", "log file sync")
    assert said.severity in ("warning", "critical")


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        (SHORT, LONG, "Commits wait longer."),
        (LONG, SHORT, "Commits take less time."),
        (SHORT, {"lfs": (360_000, 720.0)}, "More commits wait, each about as long as before."),
        (LONG, LONG, "Commits take about as much time as before."),
    ],
)
def test_its_title_says_what_moved(first, second, title):
    assert finding(first, second)[0].title == title


def test_too_few_sessions_are_not_said_and_stay_on_the_commit_page():
    """0.028 sessions: below what a finding is about, and 7 % of DB time."""
    said, comparison = finding({"lfs": (36_000, 30.0)}, {"lfs": (36_000, 100.0)})
    assert said is None
    assert comparison.commit_latency.material
    assert comparison.commit_latency.causes


def test_so_few_waits_have_no_average_on_the_commit_page_either():
    few, many = figures_of(Side(committing(lfs=(15, 0.01)))), figures_of(Side(committing()))
    assert lead([few, many]).startswith("A commit waits (15 times, too few for an average) → 2.00 ms; ")
    assert "(LFS − LFPW): (too few waits) → 1.00 ms (50 %) of a wait" in lead([few, many])
    assert lead([few, few]).startswith(
        "Commits waited 15 → 15 times, too few for an average: 10.0 ms → 10.0 ms in all."
    )
    assert lead([few]).startswith("Commits waited 15 times, too few for an average: 10.0 ms in all.")
    (told,) = slas_of_reports(commit_latency((Side(committing(lfs=(15, 0.01))),)), 0.010)
    assert told.text.endswith(" That is of 15 waits, too few to tell.")
    (told,) = slas_of_reports(commit_latency((Side(committing()),)), 0.010)
    assert "too few" not in told.text


WAKING = {"redo synch writes": 360_000, "redo synch time (usec)": 720e6, "redo synch time overhead (usec)": 108e6}


@pytest.mark.parametrize("woken", [True, False])
def test_what_is_longer_than_the_averages_are_apart_is_no_part_of_their_difference(woken):
    """Commits wait 2 ms, writes take 1.9 ms, and sessions need 0.3 ms to wake up: they joined writes under way."""
    after = {"lfs": (360_000, 720.0), "lfpw": (300_000, 570.0), "statistics": WAKING if woken else {"x": 1}}
    said, found = finding(SHORT, after)
    lead_said, verdict = lead(found.commit_latency.reports), found.summary
    for text in (said.text, verdict):
        assert ("at most 100 µs" in text) is not woken
        assert ("100 µs (5 %) longer than an average redo write" in text) is woken
        assert ("though the wake-up alone took 300 µs: commits joined writes under way" in text) is woken
    assert ("The wake-up of Second alone took 300 µs: commits joined writes under way." in lead_said) is woken
    alone = lead(found.commit_latency.reports[1:])
    assert ("The wake-up alone took 300 µs: commits joined writes under way." in alone) is woken


def test_commits_that_joined_writes_under_way():
    said, _ = finding({**LONG, "lfpw": (30_000, 30.0)}, {"lfs": (360_000, 720.0), "lfpw": (30_000, 90.0)})
    assert "commits joined writes under way" in said.text


def _explaining(part: float, of: str = "difference"):
    """A comparison's commit latency whose first cause accounts for that part of LFS − LFPW."""
    latency = commit_latency([Side(committing(**LONG, statistics=stages(**USUAL)))])
    whole = latency.reports[0].naive_overhead_s.value
    claim = Estimate(0.0, part * whole, whole)
    top = replace(latency.causes[0], confidence="high", explains_s=claim, part_of=of, reports=(0,))
    return replace(latency, causes=(top, *latency.causes[1:]))


def test_a_cause_of_little_of_the_wait_is_not_why_commits_wait():
    assert probable(_explaining(0.3)) is not None
    assert probable(_explaining(0.1)) is None
    assert probable(_explaining(0.1, "write")) is not None  # a slow write that others queue behind
    assert probable(replace(_explaining(0.3), causes=())) is None


def test_what_a_top_list_leaves_out_is_not_none():
    columns = (*EVENT_COLUMNS[:4],)
    top = section("top_timed_events", columns, [("x", exact(9), exact(900), exact(100))], coverage="top")
    cut = committing(**SHORT)
    cut = replace(cut, sections=(*(s for s in cut.sections if s.id != "foreground_wait_events"), top))
    found = compare_reports(committing(**SHORT), cut).commit_latency
    assert "Second's list of top events leaves log file sync out" in found.not_material
    assert "→ 0" not in found.not_material


def test_commits_of_background_sessions_alone_contradict_no_statistic():
    waits = {"lfs": None, "background": {"log file sync": (20, 0.02)}}
    synch = {"statistics": {"redo synch time (usec)": 314e6, "redo synch writes": 9_000}}
    assert not any("redo synch time says" in n for n in figures_of(Side(committing(**waits, **synch))).notes)
    assert any("redo synch time says" in n for n in figures_of(Side(committing(**SHORT, **synch))).notes)
