"""Loads side by side: how high, in whose colour, of which windows, and what no line can have."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from awrdiff.web.charts.axis import MOST_MOMENTS, time_scale
from awrdiff.web.charts.frame import moments_of
from awrdiff.web.presenters.page.home import MOST_WINDOWS, LoadWindow, draw


def window(begin: str, sessions: float | None = 1.0, end: str = "", pk: UUID | None = None) -> LoadWindow:
    return LoadWindow(pk or uuid4(), begin, end or begin, sessions, "/r/", begin)


def test_bars_stand_in_order_as_high_as_their_loads():
    chart, text = draw([window("2024-01-02T00:00", 8.0), window("2024-01-01T00:00", 2.0)], {})
    low, high = chart.marks
    assert (low.title, high.title) == ("2024-01-01T00:00: 2.00", "2024-01-02T00:00: 8.00")
    assert (low.height, high.height) == ("25", "100")
    assert float(low.x) + float(low.width) < float(high.x)
    assert chart.alt == "Active sessions of 2 reports: 2.00 to 8.00"
    assert chart.levels[0].text == "8.00"
    assert text == "1 Jan 2024 – 2 Jan 2024"


def test_a_window_of_a_quarter_of_an_hour_is_named_as_it_is():
    assert draw([window("2014-04-23T18:45", end="2014-04-23T19:00")], {})[1] == "23 Apr 2014 18:45 – 19:00"


def test_sides_have_their_colours_and_an_unknown_load_is_no_load_of_zero():
    first, ash, idle = window("2024-01-01T00:00"), window("2024-01-01T00:15", None), window("2024-01-02T00:00", 0.0)
    marks = draw([first, ash, idle], {first.pk: "first", ash.pk: "second"})[0].marks
    assert [m.cls for m in marks] == ["first", "second unknown", ""]
    assert marks[1].title.endswith("no load printed")
    assert marks[2].title.endswith(": 0")
    assert draw([ash], {})[0] is None


def test_the_latest_are_drawn():
    begins = [datetime(2024, 1, 1) + timedelta(hours=n) for n in range(MOST_WINDOWS + 5)]
    chart, text = draw([window(b.isoformat(), float(n)) for n, b in enumerate(begins)], {})
    assert len(chart.marks) == MOST_WINDOWS
    assert chart.marks[0].title.startswith(begins[5].isoformat())
    assert text.startswith("1 Jan 2024")


@pytest.mark.parametrize("begin", ["", "soon", "0001-01-01T00:00", "9999-12-31T23:59"])
def test_without_a_moment_there_is_no_line(begin):
    assert draw([window(begin)], {}) is None


@pytest.mark.parametrize(
    ("begin", "end", "texts"),
    [
        ("2024-01-01T22:00", "2024-01-02T02:00", ["01 Jan 23:00", "02 Jan 00:00", "02 Jan 01:00"]),
        ("2024-01-30T12:00", "2024-02-02T00:00", ["31 Jan 00:00", "31 Jan 12:00", "01 Feb 00:00", "01 Feb 12:00"]),
        ("2024-01-15T00:00", "2024-06-15T00:00", ["Feb 2024", "Mar 2024", "Apr 2024", "May 2024", "Jun 2024"]),
        ("2009-06-23T17:00", "2026-04-23T14:15", ["2014", "2019", "2024"]),
    ],
)
def test_ticks_are_round_moments(begin, end, texts):
    scale = time_scale([(datetime.fromisoformat(begin), datetime.fromisoformat(end))])
    assert [t.text for t in moments_of(scale)] == texts
    assert len(texts) <= MOST_MOMENTS + 1


moments = st.datetimes(min_value=datetime(1970, 1, 1)).map(lambda m: m.isoformat())
loads = st.none() | st.floats(0, 1e9)


@example([("2000-01-01T00:00:00", "2146-01-01T00:00:00", 0.0)])
@given(st.lists(st.tuples(moments, moments, loads), max_size=8))
def test_whatever_the_windows_all_is_in_the_box(windows):
    chart, _ = draw([window(begin, load, end) for begin, end, load in windows], {}) or (None, "")
    for bar in chart.marks if chart else ():
        assert 0 <= float(bar.x) <= float(bar.x) + float(bar.width) <= 100.01
        assert 0 <= float(bar.y) <= float(bar.y) + float(bar.height) <= 100.01
