"""The histogram that the server draws: bars in proportion, and lines of what took less."""

from __future__ import annotations

import itertools

import pytest

from awrdiff.web.presenters.section.histogram import chart, filled_buckets

BUCKETS = ("<1 ms", "<2 ms", "<4 ms", "<8 ms")


def bars(made, cls=""):
    return [m for m in made.marks if m.cls.startswith(f"fill-{cls}")]


def lines(made):
    edges = [m.d for m in made.marks if m.cls.startswith("edge")]
    return [[tuple(map(float, place.split())) for place in d[1:].split("L")] for d in edges]


def test_bars_are_as_high_as_their_share_and_stand_side_by_side() -> None:
    made = chart(BUCKETS, [50.0, 25.0, None, None], [None, 25.0, 12.5, None])
    first, second = bars(made, "first"), bars(made, "second")
    high = [float(b.height) for b in (*first, *second)]
    assert [round(h / high[0], 2) for h in high] == [1, 0.5, 0.5, 0.25]
    assert float(first[1].x) + float(first[1].width) == pytest.approx(float(second[0].x), abs=0.02)
    assert all(float(b.y) + float(b.height) == pytest.approx(100) for b in bars(made))


def test_the_place_of_a_bucket_says_what_both_sides_have_there_and_nothing_of_what_is_not_printed() -> None:
    made = chart(BUCKETS, [50.0, 25.0, None, None], [None, 25.0, 12.5, None])
    assert [m.title for m in made.marks if m.cls == "hit"] == [
        "<1 ms\nFirst 50 % of the waits",
        "<2 ms\nFirst 25 % of the waits\nSecond 25 % of the waits",
        "<4 ms\nSecond 12.5 % of the waits",
    ]
    assert {m.key for m in made.marks if m.cls != "hit"} == {key.key for key in made.keys}


def test_the_axis_goes_to_a_round_share_above_the_largest() -> None:
    made = chart(BUCKETS, [37.0, 0.5, None, None], [1.0, None, None, None])
    assert [t.text for t in made.levels] == ["0 %", "10 %", "20 %", "30 %", "40 %"]
    assert (made.levels[0].at, made.levels[-1].at) == (100, 0)


def test_a_share_of_almost_nothing_is_still_seen() -> None:
    made = chart(BUCKETS, [99.9, 0.1, None, None], [None] * 4)
    assert min(float(b.height) for b in bars(made)) >= 0.25


def test_buckets_beyond_those_that_hold_something_are_left_out_but_for_one() -> None:
    assert filled_buckets([None, None, 1.0, None, None], [None, None, None, 0.0, None]) == (1, 4)
    assert filled_buckets([1.0], [None]) == (0, 1)
    assert filled_buckets([None, 0.0], [0.0, None]) == (0, 0)


def test_nothing_printed_draws_nothing() -> None:
    assert chart(BUCKETS, [None] * 4, [None] * 4).marks == ()


@pytest.mark.parametrize("count", [4, 16, 35])
def test_names_stand_in_equal_distances_under_their_buckets(count: int) -> None:
    made = chart([f"<{n} min" for n in range(1000, 1000 + count)], [1.0] * count, [1.0] * count)
    at = [n.at for n in made.names]
    assert len({round(b - a, 6) for a, b in itertools.pairwise(at)}) == 1
    assert len(at) > 3
    assert at[0] == pytest.approx(50 / count)


def test_lines_say_how_much_took_less_than_the_end_of_each_bucket() -> None:
    """First prints no bucket of its own below 2 ms: its line has no point there."""
    made = chart(BUCKETS, [None, 50.0, 50.0, None], [25.0, 25.0, 25.0, 25.0])
    first, second = lines(made)
    assert first == [(0, 100), (50, 50), (75, 0)]
    assert [x for x, _ in second] == [0, 25, 50, 75, 100]
    assert second[-1][1] == 0
    assert [t.text for t in made.right_levels] == ["0 %", "25 %", "50 %", "75 %", "100 %"]
