"""Percentiles of a printed histogram: the bucket they lie in, as far as its digits tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrdiff.analysis.rows.histogram_percentiles import bucket_range, cumulative_shares
from parsers.model import Value


def share(number: float) -> Value:
    return Value(number, 0.05)


def test_what_took_less_adds_up() -> None:
    curve = cumulative_shares([share(10.0), None, share(80.0), share(10.0)])
    assert [(one.at, round(one.value, 6)) for one in curve] == [(0, 10.0), (2, 90.0), (3, 100.0)]
    assert (round(curve[1].low, 6), round(curve[1].high, 6)) == (89.9, 90.1)


def test_a_percentile_that_the_digits_leave_open_lies_in_either_bucket() -> None:
    curve = cumulative_shares([share(10.0), share(80.0), share(10.0)])
    assert bucket_range(curve, 50) == (1, 1)
    assert bucket_range(curve, 90) == (1, 2)  # 89.9 to 90.1 took less than the end of the second
    assert bucket_range(curve, 99) == (2, 2)
    assert bucket_range(cumulative_shares([share(9.9), share(40.0), share(40.0), share(10.1)]), 90) == (2, 3)


def test_nothing_waited_has_no_percentile() -> None:
    assert bucket_range(cumulative_shares([None, Value(0, 0)]), 50) is None


@given(st.lists(st.floats(0, 100, allow_nan=False), min_size=1, max_size=20), st.sampled_from((50, 90, 95, 99)))
def test_every_percentile_lies_somewhere(numbers: list[float], percentile: int) -> None:
    curve = cumulative_shares([share(n) for n in numbers])
    if not curve:
        return
    found = bucket_range(curve, percentile)
    assert found is not None
    assert 0 <= found[0] <= found[1] < len(curve)
    assert curve[-1].value == pytest.approx(100.0)
