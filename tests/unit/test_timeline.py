"""Windows to scale: where they stand, lanes, arcs, ticks, and what no time line can have."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from uuid import UUID, uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from awrdiff.web.charts.axis import MOST_MOMENTS
from awrdiff.web.presenters.page.timeline import LANE, MOST_LANES, NARROWEST, Joined, Shown, draw


def shown(begin: str, end: str = "", pk: UUID | None = None) -> Shown:
    return Shown(pk or uuid4(), begin, end or begin, "/r/", begin)


def bars(line):
    return [m for m in line.chart.marks if m.width]


def arcs(line):
    return [m for m in line.chart.marks if m.cls == "arc"]


def top(line, bar):
    """In pixels."""
    return round(float(bar.y) * line.chart.height / 100)


def test_windows_stand_to_scale():
    line = draw([shown("2024-01-01T00:00", "2024-01-01T06:00"), shown("2024-01-01T18:00", "2024-01-02T00:00")], [])
    assert [(b.x, b.width) for b in bars(line)] == [("0", "25"), ("75", "25")]
    assert line.said == "1 Jan 2024 – 2 Jan 2024"


def test_a_window_of_a_quarter_of_an_hour_is_said_as_it_is():
    line = draw([shown("2014-04-23T18:45", "2014-04-23T19:00")], [])
    assert line.said == "23 Apr 2014 18:45 – 19:00"


def test_an_hour_in_ten_years_is_still_to_be_seen_and_nothing_stands_out_of_the_box():
    line = draw([shown("2014-01-01T00:00", "2014-01-01T01:00"), shown("2024-01-01T00:00", "2024-01-01T01:00")], [])
    assert {b.width for b in bars(line)} == {str(NARROWEST)}
    assert max(float(b.x) for b in bars(line)) == 100 - NARROWEST


def test_what_overlaps_stands_in_lanes_and_no_more_than_there_are():
    same = [shown("2024-01-01T00:00", "2024-01-01T01:00") for _ in range(9)]
    line = draw([*same, shown("2024-01-01T01:00", "2024-01-01T02:00")], [])
    heights = [top(line, b) for b in bars(line)]
    assert len(set(heights)) == MOST_LANES
    assert heights[-1] == min(heights)  # free again
    assert line.chart.height == max(heights) + LANE - 2


def test_an_arc_joins_the_middles():
    a, b = shown("2024-01-01T00:00", "2024-01-01T06:00"), shown("2024-01-01T18:00", "2024-01-02T00:00")
    line = draw([a, b], [Joined(a.pk, b.pk, "/c/", "both"), Joined(a.pk, uuid4(), "/d/", "one elsewhere")])
    assert [arc.url for arc in arcs(line)] == ["/c/"]
    assert arcs(line)[0].d.startswith("M12.5 ")
    assert " 87.5 " in arcs(line)[0].d
    plain = draw([a, b], [])
    assert min(top(line, bar) for bar in bars(line)) > top(plain, bars(plain)[0])  # room for it


@pytest.mark.parametrize("begin", ["", "soon", "0001-01-01T00:00", "9999-12-31T23:59"])
def test_without_a_moment_there_is_no_line(begin):
    assert draw([shown(begin)], []) is None


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
    assert [t.text for t in draw([shown(begin), shown(end)], []).chart.names] == texts


moments = st.datetimes(min_value=datetime(1970, 1, 1)).map(lambda m: m.isoformat())


@example([("2000-01-01T00:00:00", "2146-01-01T00:00:00")])
@given(st.lists(st.tuples(moments, moments), max_size=8))
def test_whatever_the_windows_all_is_in_the_box(windows):
    reports = [shown(*w) for w in windows]
    line = draw(reports, [Joined(a.pk, b.pk, "/c/", "") for a, b in pairwise(reports)])
    for bar in bars(line) if line else ():
        assert 0 <= float(bar.x) <= float(bar.x) + float(bar.width) <= 100.01
        assert 0 <= top(line, bar) <= line.chart.height - 7
    assert len(line.chart.names if line else ()) <= MOST_MOMENTS + 1
