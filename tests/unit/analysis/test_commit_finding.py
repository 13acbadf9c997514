"""The finding about commits on the comparison page: sized in active sessions, quiet where they are too few to be said."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from tests.unit.analysis.commit_builders import committing


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


def test_commits_that_joined_writes_under_way():
    said, _ = finding({**LONG, "lfpw": (30_000, 30.0)}, {"lfs": (360_000, 720.0), "lfpw": (30_000, 90.0)})
    assert "commits joined writes under way" in said.text
