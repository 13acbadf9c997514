"""A comparison in a line: what it claims, and what it leaves out."""

from __future__ import annotations

from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Finding, Median
from awrdiff.analysis.model.diagnosis import Answer, Cause
from awrdiff.analysis.model.ranked_changes import Mover, Range, Ranked, Sessions, Subject
from awrdiff.analysis.verdict.summary import line_of
from tests.web.compared import comparison

LOCKS = "enq: TX - row lock contention"


def mover(kind, key, first, second, view="part"):
    sessions = Sessions(Range(first, first), Range(second, second))
    return Mover(Subject(kind, key), view, sessions, second - first, "neutral")


def line(first, second, *movers, findings=()):
    made = replace(comparison(), ranked=Ranked(first, second, max(first, second), movers), findings=findings)
    return line_of(made)


def finding(title, severity="critical", because=""):
    return Finding("rule", severity, title, "Why.", folded_because=because)


def test_how_much_in_what_and_whose_it_is():
    found = line(2.8, 9.3, mover("event", LOCKS, 0.1, 5), mover("sql", "bsw76f0d1g2hk", 0.2, 4.8, "again"))
    assert found == f"2.8 → 9.3 active sessions · {LOCKS} · bsw76f0d1g2hk"


def test_the_largest_that_went_the_same_way_is_named_and_only_where_it_is_much_of_the_change():
    movers = (mover("event", "a", 9, 1), mover("event", "b", 1, 4), mover("event", "c", 0, 2))
    assert line(10, 16, *movers) == "10 → 16 active sessions · b"
    assert line(16, 10, *movers) == "16 → 10 active sessions · a"
    assert line(10, 30, mover("event", "b", 1, 4), mover("sql", "s", 0, 2.9, "again")) == "10 → 30 active sessions"


def test_the_answer_is_said_and_its_load_once():
    made = replace(comparison(), ranked=Ranked(1.9, 2.2, 2.2, (mover("event", LOCKS, 0.1, 0.4),)))
    calm = replace(made, answer=Answer("calm", "No slower per unit of work: sessions 1.9 → 2.2."))
    assert line_of(calm) == "No slower per unit of work: sessions 1.9 → 2.2"
    caused = replace(made, answer=Answer("second_worse", "Row locks hold 0.3 more.", cause=Cause("row-locks")))
    assert line_of(caused) == "1.9 → 2.2 active sessions · Row locks hold 0.3 more"
    of_samples = replace(made, answer=Answer("partial", "ASH lost samples."))
    assert line_of(of_samples) == "1.9 → 2.2 active sessions · ASH lost samples"


def test_where_it_held_nothing_carries_it_and_the_finding_that_stands_first_is_said():
    movers = (mover("event", "a", 1, 1.4),)
    assert line(10, 10.5, *movers) == "about 10.5 active sessions on both sides"
    findings = (finding("Folded.", because="small"), finding("A note.", "note"), finding("Parsing dominates."))
    said = line(10, 10.5, *movers, findings=findings)
    assert said == "about 10.5 active sessions on both sides · Parsing dominates"


def test_without_db_time_the_finding_is_said_or_the_verdict():
    without = replace(comparison(), ranked=None, verdict=(), summary="No DB time is printed.", findings=())
    assert line_of(without) == "No DB time is printed."
    assert line_of(replace(without, findings=(finding("The plan changed."),))) == "The plan changed"


def test_against_a_median_that_is_said_beside_the_figures():
    median = Median(of=7, name="", description="", reports=(), sessions="", sessions_outside=False, lies={})
    made = replace(comparison(), ranked=Ranked(4.5, 17.8, 17.8, (mover("cpu", "cpu", 3, 12),)), median=median)
    assert line_of(made).startswith("4.5 → 17.8 active sessions · against the median of 7 · cpu")


def test_two_databases_are_called_so_and_a_line_has_an_end():
    of_two = [{"database": {"dbid": n, "name": f"DB{n}"}} for n in (1, 2)]
    made = replace(comparison(), headers=tuple(of_two), commonality=None, ranked=Ranked(1, 4, 4, ()), findings=())
    assert line_of(made) == "two databases · 1 → 4 active sessions"
    long = replace(made, ranked=None, verdict=(), summary="word " * 100)
    assert len(line_of(long)) == 160
    assert line_of(long).endswith("…")
