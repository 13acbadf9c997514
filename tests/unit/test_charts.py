"""What charts are made of: scales, round ticks, labels that do not run into each other, marks in proportion."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from math import isclose, log10

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from awrdiff.web.charts.axis import MOST_MOMENTS, Linear, Log, Time, elapsed_ticks, round_ticks, step_of, time_scale
from awrdiff.web.charts.frame import NARROW, WIDE, Chart, Label, fitting
from awrdiff.web.charts.shapes import area, bar, decimal, line, point, steps

figures = st.floats(min_value=1e-6, max_value=1e12)
places = st.floats(min_value=0, max_value=100)


@given(figures, st.integers(min_value=1, max_value=8))
def test_a_step_is_1_2_or_5_of_a_power_and_no_more_than_asked_for(most, parts):
    step = step_of(most, parts)
    lead = step / 10 ** round(log10(step) - 0.35)
    assert any(isclose(lead, m) for m in (0.1, 0.2, 0.5, 1, 2, 5, 10))
    assert step * parts >= most * (1 - 1e-9)
    assert step < 2.6 * most / parts  # as fine as it may be


@given(figures, st.integers(min_value=1, max_value=8))
def test_ticks_go_from_0_to_just_above_the_largest(most, parts):
    ticks = [value for value, _ in round_ticks(most, parts)]
    assert ticks[0] == 0
    assert ticks[-1] >= most * (1 - 1e-9)
    assert ticks[-2] < most * (1 + 1e-9)
    assert 2 <= len(ticks) <= parts + 1


@given(figures, st.integers(min_value=1, max_value=8))
def test_a_tick_is_written_as_what_it_is(most, parts):
    for value, text in round_ticks(most, parts):
        assert float(text.replace(",", "")) == pytest.approx(value)


def test_what_is_below_0_has_ticks_too():
    assert [text for _, text in round_ticks(30, 4, low=-12)] == ["-20", "-10", "0", "10", "20", "30"]


def test_nothing_at_all_still_has_a_scale():
    ticks = round_ticks(0.0, 4)
    assert ticks[0][0] == 0 < ticks[-1][0]


@given(st.tuples(figures, figures), figures)
def test_a_logarithm_goes_from_end_to_end_and_never_beyond(ends, value):
    low, high = sorted(ends)
    assume(high > 1.001 * low)
    scale = Log(low, high)
    assert (scale.at(low), scale.at(high)) == (0, pytest.approx(100))
    assert 0 <= scale.at(value) <= 100 + 1e-9
    assert scale.at(0) == 0
    middle = (low * high) ** 0.5
    assert scale.at(middle) == pytest.approx(50, abs=1e-6)


def test_powers_are_those_inside():
    assert [text for _, text in Log(0.03, 2000).powers()] == ["0.1", "1", "10", "100", "1,000"]
    assert [text for _, text in Log(0.1, 1).powers()] == ["0.1", "1"]


moments = st.datetimes(min_value=datetime(1980, 1, 1), max_value=datetime(2200, 1, 1))


@given(moments, st.floats(min_value=3600, max_value=3e9))
def test_moments_are_inside_few_and_in_order(begin, span):
    scale = Time(begin, span)
    found = [m for m, _ in scale.moments()]
    assert all(scale.begin <= m <= scale.end for m in found)
    assert found == sorted(set(found))
    assert len(found) <= MOST_MOMENTS + 2


def test_time_goes_from_the_first_beginning_to_the_last_end():
    begin = datetime(2024, 1, 1)
    scale = time_scale([(begin + timedelta(hours=4), begin + timedelta(hours=8)), (begin, begin + timedelta(hours=2))])
    assert (scale.at(begin), scale.at(begin + timedelta(hours=2)), scale.at(scale.end)) == (0, 25, 100)


@given(st.floats(min_value=1, max_value=1e7))
def test_times_since_a_beginning_are_round_and_few(seconds):
    found = elapsed_ticks(seconds, 8)
    assert 1 <= len(found) <= 9
    assert found[0] == 0
    assert found[-1] <= seconds
    assert all(s % 60 == 0 for s in found)


@given(st.lists(st.tuples(places, st.text("ab ", max_size=20)), max_size=60), st.booleans())
def test_labels_do_not_run_into_each_other_on_a_desk_or_a_phone(named, last_first):
    labels = [Label(at, text) for at, text in named]
    kept = fitting(labels, last_first=last_first)
    widest = max((len(text) for _, text in named), default=0) * 6 + 5
    for shown, pixels in ((kept, WIDE), ([k for k in kept if not k.wide], NARROW)):
        assert all((b.at - a.at) / 100 * pixels >= widest for a, b in pairwise(shown))
    assert bool(kept) == bool(labels)
    if kept:
        wanted = max if last_first else min
        assert wanted(k.at for k in kept if not k.wide) == wanted(n.at for n in labels)


def test_marks_stand_where_they_are_told():
    made = bar("b", (30, 10), (100, 25), "t")
    assert (made.x, made.y, made.width, made.height, made.title) == ("10", "25", "20", "75", "t")
    assert (point("p", (1.005, 0)).x, point("p", (1.5, -0.001)).y) == ("1", "0")
    assert line("l", [(0, 1), (2.5, 3)]).d == "M0 1L2.5 3"
    assert area("a", [(0, 1), (10, 2)], [(0, 9), (10, 8)]).d == "M0 1L10 2L10 8L0 9Z"
    assert steps([1, 2, 4], [7, 8]) == [(1, 7), (2, 7), (2, 8), (4, 8)]


@given(st.floats(min_value=-1e6, max_value=1e6))
def test_a_place_is_written_short_and_near(value):
    assert float(decimal(value)) == pytest.approx(value, abs=0.0051)
    assert "e" not in decimal(value)
    assert decimal(value) != "-0"


@given(figures, figures)
def test_a_linear_scale_is_in_proportion(high, value):
    assert Linear(0, high).at(value) * high == pytest.approx(100 * value)


def test_what_holds_links_is_a_group_of_them_and_no_image() -> None:
    plain, linked = (bar("a", (0, 1), (0, 1), url=url) for url in ("", "/there/"))
    assert Chart((plain,), 100).role == "img"
    assert Chart((plain, linked), 100).role == "group"
