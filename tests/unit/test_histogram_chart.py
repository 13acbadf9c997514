"""The histogram that the server draws: bars in proportion, names that do not run into each other."""

from __future__ import annotations

import itertools

import pytest

from awrdiff.web.presenters.section.chart import BASE, LEFT, RIGHT, TOP, chart, filled_buckets

BUCKETS = ("<1 ms", "<2 ms", "<4 ms", "<8 ms")


def test_bars_are_as_high_as_their_share_and_stand_side_by_side() -> None:
    made = chart("r", BUCKETS, [50.0, 25.0, None, None], [None, 25.0, 12.5, None])
    first, second = ([b for b in made.bars if b.cls == side] for side in ("first", "second"))
    assert [round(b.height / first[0].height, 2) for b in (*first, *second)] == [1, 0.5, 0.5, 0.25]
    assert first[1].x + first[1].width == pytest.approx(second[0].x, abs=0.2)
    assert all(b.y >= TOP and b.y + b.height == pytest.approx(BASE, abs=0.1) for b in made.bars)
    assert first[0].title == "First, <1 ms: 50 % of the waits"


def test_the_axis_goes_to_a_round_share_above_the_largest() -> None:
    made = chart("r", BUCKETS, [37.0, 0.5, None, None], [1.0, None, None, None])
    assert [t.text for t in made.ticks] == ["0 %", "10 %", "20 %", "30 %", "40 %"]
    assert made.ticks[0].at == BASE
    assert made.ticks[-1].at == TOP


def test_a_share_of_almost_nothing_is_still_seen() -> None:
    made = chart("r", BUCKETS, [99.9, 0.1, None, None], [None] * 4)
    assert min(b.height for b in made.bars) >= 0.5


def test_buckets_beyond_those_that_hold_something_are_left_out_but_for_one() -> None:
    assert filled_buckets([None, None, 1.0, None, None], [None, None, None, 0.0, None]) == (1, 4)
    assert filled_buckets([1.0], [None]) == (0, 1)
    assert filled_buckets([None, 0.0], [0.0, None]) == (0, 0)


def test_nothing_printed_draws_nothing() -> None:
    assert chart("r", BUCKETS, [None] * 4, [None] * 4).bars == ()


@pytest.mark.parametrize("count", [4, 16, 35])
def test_names_do_not_run_into_each_other(count: int) -> None:
    made = chart("r", [f"<{n} min" for n in range(1000, 1000 + count)], [1.0] * count, [1.0] * count)
    places = [n.at for n in made.names]
    width = 8 * 6.5
    assert all(b - a >= width for a, b in itertools.pairwise(places))
    assert LEFT < places[0] < places[-1] < RIGHT
    assert len(places) > 3


def test_lines_say_how_much_took_less_than_the_end_of_each_bucket() -> None:
    """First prints no bucket of its own below 2 ms: its line has no point there."""
    made = chart("r", BUCKETS, [None, 50.0, 50.0, None], [25.0, 25.0, 25.0, 25.0])
    first, second = ([tuple(map(float, p.split(","))) for p in line.points.split()] for line in made.lines)
    pitch = (RIGHT - LEFT) / 4
    half = BASE - (BASE - TOP) / 2
    assert first == [(LEFT, BASE), (LEFT + 2 * pitch, half), (LEFT + 3 * pitch, TOP)]
    assert [x for x, _ in second] == [LEFT + n * pitch for n in range(5)]
    assert second[-1][1] == TOP
    assert [t.text for t in made.wholes] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
