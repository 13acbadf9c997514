"""Which reports of a day are beside its worst hours."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from awrdiff.analysis.normal.worst_hours_of_day import Hour, beside_the_worst


def hour(key, at, above=None, sessions=None, of="1"):
    return Hour(key, of, f"2025-01-06T{at:02d}:00:00", above, sessions)


def test_both_files_of_a_bad_hour_stay_and_those_of_the_others_go():
    day = [hour("a", 1, 3.0), hour("a, as text", 1, 2.9), hour("b", 2, -0.5), hour("b, as text", 2), hour("c", 3, 1.0)]
    assert beside_the_worst(day, 1) == {"b", "c"}
    assert beside_the_worst(day, 2) == {"b"}


def test_each_instance_has_its_own_worst():
    assert beside_the_worst([hour("a", 1, 3.0), hour("b", 2, 2.0), hour("c", 1, 0.1, of="2")], 1) == {"b"}


def test_far_above_normal_is_worse_than_busy_and_what_was_not_measured_is_ranked_by_itself():
    day = [hour("odd", 1, 1.0, 1.2), hour("busy", 2, 0.0, 9.0), hour("new", 3, None, 0.1), hour("newer", 4, None, 0.2)]
    assert beside_the_worst(day, 1) == {"busy", "new"}


def test_an_alarm_stays_before_what_is_farther_from_an_unsteady_normal():
    assert beside_the_worst([hour("a", 1, 0.5)._replace(is_alarm=True), hour("b", 2, 4.0)], 1) == {"b"}


def test_what_tells_no_time_is_unknown_and_stays():
    assert beside_the_worst([hour("a", 1), hour("b", 2, 1.0), hour("c", 3, 0.0)], 1) == {"c"}


levels = st.none() | st.floats(-2, 2).map(lambda number: round(number, 1))


@given(st.lists(st.tuples(st.integers(0, 23), levels, levels, st.sampled_from("12"))), st.integers(1, 5))
def test_in_whatever_order_and_parts_they_go_the_same_are_left(rows, keep):
    day = [hour(n, *row) for n, row in enumerate(rows)]
    going = beside_the_worst(day, keep)
    assert beside_the_worst(reversed(day), keep) == going
    some = set(random.Random(1).sample(sorted(going), len(going) // 2))
    assert beside_the_worst([one for one in day if one.key not in some], keep) == going - some


def test_no_alarm_goes_beyond_the_hours_that_are_kept():
    alarms = [hour(n, n, 1.0 + n)._replace(is_alarm=True) for n in range(3)]
    assert beside_the_worst([*alarms, hour("usual", 9, 9.0)], 2) == {"usual"}
