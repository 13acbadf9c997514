"""What two windows cover both."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from awrdiff.analysis.report_time_windows import common_shares

MIDNIGHT = datetime(2024, 3, 5)


def span(begin: float, end: float) -> tuple[datetime, datetime]:
    return MIDNIGHT + timedelta(hours=begin), MIDNIGHT + timedelta(hours=end)


@pytest.mark.parametrize(
    ("first", "second", "shares"),
    [
        ((10, 11), (10, 11), (1, 1)),
        ((0, 24), (10, 11), (1 / 24, 1)),  # a report of the day holds the hour
        ((10, 11), (10.5, 12), (1 / 3, 1 / 2)),
        ((9, 10), (10, 11), (0, 0)),
        ((8, 9), (10, 11), (0, 0)),
        ((10.5, 10.5), (10, 11), (0, 1)),  # a moment
        ((10, 10), (10, 11), (0, 1)),
        ((11, 11), (10, 11), (0, 0)),
        ((9, 9), (10, 11), (0, 0)),
        ((10, 10), (10, 10), None),
    ],
)
def test_shares_of_the_longer_and_of_the_shorter(first, second, shares):
    expected = pytest.approx(shares) if shares else None
    assert common_shares(span(*first), span(*second)) == expected
    assert common_shares(span(*second), span(*first)) == expected


@pytest.mark.parametrize("missing", range(4))
def test_without_one_of_the_times_nothing_is_known(missing):
    times = [*span(10, 11), *span(10, 11)]
    times[missing] = None
    assert common_shares(tuple(times[:2]), tuple(times[2:])) is None
