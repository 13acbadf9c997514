"""The time between two reports of a database, as its line in the list names it."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest

from awrdiff.web.presenters.database.stacked_active_sessions import between_text

TEN = datetime(2024, 1, 1, 10)


def slot(begin: datetime, length: timedelta = timedelta(hours=1)) -> SimpleNamespace:
    return SimpleNamespace(begin=begin, end=begin + length)


@pytest.mark.parametrize(
    ("offset_s", "text"),
    [
        (0, ""),
        (60, ""),
        (61, "61.0 s later"),
        (-60, ""),
        (-61, "overlaps"),
        (-1_800, "overlaps"),
        (7_200, "120.0 min later"),
    ],
)
def test_a_gap_and_an_overlap_of_more_than_a_minute_are_named(offset_s, text):
    begin = TEN + timedelta(hours=1, seconds=offset_s)
    assert between_text(slot(TEN), slot(begin)) == text


def test_before_the_first_report_there_is_no_gap():
    assert between_text(None, slot(TEN)) == ""
