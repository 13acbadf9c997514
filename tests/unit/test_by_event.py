"""Statements by event, from samples: what stands in proportion to what, and what no list says."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.rows.ash_shares_by_event import outside_the_list, statements_by_event
from awrdiff.web.presenters.page.sampled_activity import events_chart
from parsers.model import Column
from tests.unit.analysis.builders import column, loaded, near, section

CPU, READS, LOCKS = "CPU + Wait for CPU", "db file sequential read", "enq: TX - row lock contention"
COLUMNS = (
    Column("sql_id", "SQL ID"),
    Column("plan_hash", "Plan Hash"),
    Column("event", "Event"),
    column("pct_activity", "percent", "level"),
    column("pct_event", "percent", "level"),
)
BEFORE = [("stays", "1", CPU, 30.0, 20.0), ("stays", "1", READS, 30.0, 9.996), ("leaves", "2", CPU, 10.0, 4.0)]
AFTER = [("stays", "1", CPU, 20.0, 20.0), ("stays", "3", READS, 10.0, 10.0), ("comes", "4", LOCKS, 50.0, 50.0)]


def compared(before=BEFORE, after=AFTER):
    sides = [
        loaded(more=[section("top_sql_with_top_events", COLUMNS, [_cells(r) for r in rows], key=KEY, coverage="top")])
        for rows in (before, after)
    ]
    return next(s for s in compare_reports(*sides).sections if s.id == "top_sql_with_top_events")


KEY = ("sql_id", "plan_hash", "event")


def _cells(row):
    *names, active, of_event = row
    return (*names, near(active, 0.005), near(of_event, 0.005))


def drawn(sessions=(2.0, 8.0), **sides):
    return events_chart(compared(**sides), sessions, lambda path: f"/{path}")


def blocks(view, side):
    """Height and width of each bar, by statement and event."""
    found = {}
    for mark in view.marks:
        said, _, what = mark.title.partition(", ")
        if said == side:
            name, _, event = what.partition(": ")
            found[name, event.rsplit(" ", 3 if " of " in event else 1)[0]] = float(mark.height), float(mark.width)
    return found


def test_a_plan_counts_once_and_what_is_not_listed_is_of_nobody():
    found = statements_by_event(compared())
    sides = {s.sql_id: s.sides for s in found}
    assert [side.whole for side in sides["stays"]] == pytest.approx([30.0, 30.0])  # two rows of one plan, two plans
    assert sides["comes"][0] is None  # unknown, not zero
    assert sides["stays"][0].unnamed == 0.0  # no more than the digits leave open
    assert sides["leaves"][0].unnamed == pytest.approx(6.0)
    assert [outside_the_list(found, at) for at in (0, 1)] == pytest.approx([60.0, 20.0])


def test_both_sides_stand_at_one_scale_and_events_share_their_statement():
    view = drawn()
    first, second = blocks(view, "First"), blocks(view, "Second")
    one = second["comes", LOCKS][0] / 4.0  # half of 8 active sessions
    assert first["stays", CPU][0] == pytest.approx(0.6 * one, rel=0.02)  # 30 % of 2
    assert first["stays", CPU][1] == pytest.approx(2 * first["stays", READS][1], rel=0.01)
    assert first["leaves", "events not listed"][1] == pytest.approx(1.5 * first["leaves", CPU][1], rel=0.01)
    assert second["not listed", "by statement"][0] == pytest.approx(1.6 * one, rel=0.02)
    assert {m.url for m in view.marks if "comes" in m.title} == {"/sql/comes/"}


def test_a_list_of_little_is_not_hidden_by_what_it_leaves_out():
    few = [("stays", "1", CPU, 2.0, 2.0)]
    view = drawn(before=few, after=few)
    assert blocks(view, "Second")["stays", CPU][0] == pytest.approx(50.0)
    assert "not listed 7.8 ↑" in [m.text for m in view.marks]
    assert view.keys[-1].cls == "w-rest"


def test_nothing_is_drawn_where_a_side_has_no_list_or_no_mean():
    assert drawn(after=[]) is None
    assert drawn(sessions=(None, 8.0)) is None


def test_nothing_is_said_to_be_missing_of_a_list_of_everything():
    every = [("stays", "1", CPU, 100.0, 100.0)]
    view = drawn(before=every, after=every)
    assert [key.cls for key in view.keys] == ["db-cpu"]
