"""Every field of a part of DB time, and events that one side does not list, in both directions."""

from __future__ import annotations

from math import log

import pytest
from msgspec.structs import replace

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.active_sessions_attribution import attribute, main_way, split_change
from parsers.model import Column, Report, Row
from tests.unit.analysis.builders import events, exact, loaded, report, section, time_model

HOUR = 3600.0


def parts(a: Report, b: Report):
    found = attribute(Side(a), Side(b))
    assert found is not None
    return {p.key: p for p in found.parts}


def test_cpu():
    part = parts(loaded(cpu=360), loaded(cpu=1800))["DB CPU"]
    assert (part.first_per_s, part.second_per_s) == (pytest.approx(0.1), pytest.approx(0.5))
    assert part.diff_per_s == pytest.approx(0.4)
    assert (part.by_count_per_s, part.by_latency_per_s, part.first_avg_s, part.second_avg_s) == (None,) * 4
    assert (part.section, part.row_id) == ("time_model", anchor("time_model", "DB CPU"))


def test_an_event_of_both_sides():
    """From 1 wait a second of 0.1 s to 2 of 0.3 s: of 0.5, ln 2 ÷ ln 6 by count and ln 3 ÷ ln 6 by latency."""
    part = parts(loaded(waits={"x": (HOUR, 360.0)}), loaded(waits={"x": (2 * HOUR, 2160.0)}))["x"]
    assert (part.first_per_s, part.second_per_s, part.diff_per_s) == pytest.approx((0.1, 0.6, 0.5))
    assert (part.by_count_per_s, part.by_latency_per_s) == pytest.approx((0.5 * log(2) / log(6), 0.5 * log(3) / log(6)))
    assert (part.first_avg_s, part.second_avg_s) == pytest.approx((0.1, 0.3))
    assert (part.section, part.row_id) == ("foreground_wait_events", anchor("foreground_wait_events", "x"))


def test_largest_changes_come_first_whichever_way_they_went():
    a = loaded(cpu=100, waits={"down": (10, 900.0), "same": (10, 50.0), "up": (10, 10.0)}, db_time=1060)
    b = loaded(cpu=150, waits={"down": (10, 100.0), "same": (10, 50.0), "up": (10, 700.0)}, db_time=1000)
    assert list(parts(a, b)) == ["down", "up", "DB CPU", "same"]


def test_an_event_that_ends():
    part = parts(loaded(waits={"old": (36, 360.0)}), loaded(waits={}))["old"]
    assert (part.first_per_s, part.second_per_s) == (pytest.approx(0.1), None)
    assert part.diff_per_s == part.by_count_per_s == pytest.approx(-0.1)
    assert part.by_latency_per_s == 0
    assert (part.first_avg_s, part.second_avg_s) == (10.0, None)


def test_an_event_that_begins():
    part = parts(loaded(waits={}), loaded(waits={"new": (36, 360.0)}))["new"]
    assert (part.first_avg_s, part.second_avg_s) == (None, 10.0)
    assert (part.first_per_s, part.second_per_s) == (None, pytest.approx(0.1))


def listing(coverage: str, db_time: float, **waits: float) -> Report:
    return report(time_model(db_time=db_time), events({n: (10, s) for n, s in waits.items()}, coverage=coverage))


@pytest.mark.parametrize(
    ("first", "second", "key", "diff"),
    [
        # what the other list leaves out is at most its last entry: 0.1 of the first, 0.05 of the second
        ({"x": 360.0}, {"x": 180.0, "new": 1080.0}, "new", 0.3 - 0.1),
        ({"x": 360.0, "old": 1080.0}, {"x": 180.0}, "old", -(0.3 - 0.05)),
        # and may be more than the row itself
        ({"x": 360.0}, {"x": 180.0, "new": 90.0}, "new", 0.0),
    ],
)
def test_outside_a_top_list(first, second, key, diff):
    part = parts(listing("top", 2000, **first), listing("top", 2000, **second))[key]
    assert part.diff_per_s == pytest.approx(diff)
    assert part.by_count_per_s is part.by_latency_per_s is None


def test_against_an_empty_top_list_all_of_it_counts():
    part = parts(listing("top", 2000), listing("top", 2000, new=360.0))["new"]
    assert part.diff_per_s == pytest.approx(0.1)


def test_in_a_whole_list_all_of_it_counts_though_the_other_side_is_a_top_list():
    part = parts(listing("nonzero", 2000, x=36.0), listing("top", 2000, x=36.0, new=360.0))["new"]
    assert part.diff_per_s == part.by_count_per_s == pytest.approx(0.1)


@pytest.mark.parametrize("missing", range(4))
def test_a_change_is_split_only_where_all_four_are_known(missing):
    four = [1.0, 2.0, 3.0, 4.0]
    mean = (2.0 * 4.0 - 1.0 * 3.0) / log(8.0 / 3.0)
    assert split_change(*four) == pytest.approx((mean * log(2.0), mean * log(4.0 / 3.0)))
    assert split_change(*(None if i == missing else v for i, v in enumerate(four))) == (None, None)


def test_without_a_number_of_waits_there_is_no_average():
    listed = events({"x": (10, 360.0)})
    bare = replace(listed, records=[Row((r.cells[0], None, r.cells[2], None, r.cells[4])) for r in listed.records])
    unknown = report(time_model(db_time=1000), bare)
    part = parts(unknown, loaded(waits={"x": (10, 720.0)}))["x"]
    assert part.diff_per_s == pytest.approx(0.1)
    assert (part.by_count_per_s, part.by_latency_per_s, part.first_avg_s) == (None, None, None)
    assert part.second_avg_s == pytest.approx(72.0)


def classed(name: str, wait_class: str | None) -> Report:
    """With the class in its top list, or without one."""
    columns = (Column("event", "Event"), Column("wait_class", "Wait Class"))
    top = section("top_timed_events", columns, [(name, wait_class)], coverage="top")
    return report(time_model(db_time=1000), events({name: (10, 360.0)}), top)


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [("Odd", "Odd", "Odd"), ("Odd", None, "Odd"), (None, "Odd", "Odd"), (None, None, None)],
)
def test_the_class_is_that_of_either_side(first, second, known):
    assert parts(classed("made up", first), classed("made up", second))["made up"].wait_class == known


class TestWhoseWaits:
    """A list of all sessions does not tell: the other side's own lists do, or what the event is."""

    @staticmethod
    def combined(**waits: float) -> Report:
        listed = events({n: (10, s) for n, s in waits.items()})
        return report(time_model(db_time=1000), replace(listed, id="wait_events"))

    def test_background_sessions_alone(self):
        other = loaded(waits={"x": (10, 100.0)}, background={"odd": (10, 50.0)})
        assert set(parts(self.combined(x=10.0, odd=50.0, z=20.0), other)) == {"DB CPU", "x", "z"} - {"DB CPU"}
        assert set(parts(other, self.combined(x=10.0, odd=50.0, z=20.0))) == {"x", "z"}

    def test_sessions_of_both_kinds(self):
        other = loaded(waits={"odd": (10, 100.0)}, background={"odd": (10, 50.0)})
        assert "odd" in parts(self.combined(odd=50.0), other)

    def test_whatever_the_case_of_its_name(self):
        other = loaded(waits={"x": (10, 100.0)}, background={"Odd": (10, 50.0)})
        assert "odd" not in parts(self.combined(x=10.0, odd=50.0), other)

    def test_a_list_of_foreground_sessions_says_it_itself(self):
        first = loaded(waits={"odd": (10, 100.0)}, background={"y": (10, 50.0)})
        second = loaded(waits={"x": (10, 100.0)}, background={"odd": (10, 50.0)})
        assert parts(first, second)["odd"].first_per_s == pytest.approx(100 / HOUR)


def test_exact_figures_of_the_builders_are_exact():
    """The sums above rest on it."""
    assert exact(5).half == 0


@pytest.mark.parametrize(
    ("count", "latency", "way"),
    [
        (3.0, 1.0, "count"),
        (1.0, 3.0, "latency"),
        (1.51, 1.0, "count"),
        (1.5, 1.0, "count"),  # half as much again
        (1.49, 1.0, "both"),
        (1.2, 1.0, "both"),
        (-1.0, -1.5, "latency"),
        (-1.0, -1.2, "both"),
        (1.2, -1.0, "count"),  # more waits, each of them shorter
        (-1.0, 1.2, "latency"),  # fewer, each of them longer
    ],
)
def test_which_way_a_wait_moved(count: float, latency: float, way: str):
    assert main_way(count, latency) == way
