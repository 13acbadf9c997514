"""HTML reports to 12.2 print the month where the minutes of the startup belong."""

from __future__ import annotations

from datetime import datetime

import pytest

from awrdiff.analysis.report.instance_startup import may_be_same, same_startup, startup_text
from awrdiff.analysis.rows.text_differences import texts_differ
from parsers.model import Column

APRIL = datetime(2014, 4, 23, 16, 4)  # the fourth month, not the fourth minute


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (datetime(2014, 4, 23, 16, 33), True),
        (datetime(2014, 4, 23, 16, 4), True),
        (datetime(2014, 4, 23, 16, 0), True),
        (datetime(2014, 4, 23, 16, 59), True),
        (datetime(2014, 4, 23, 15, 59), False),
        (datetime(2014, 4, 23, 17, 0), False),
        (datetime(2014, 4, 24, 16, 33), False),
    ],
)
def test_only_the_hour_is_known(other: datetime, same: bool):
    assert may_be_same(APRIL, other) is same
    assert may_be_same(other, APRIL) is same


def test_real_minutes_count():
    assert not may_be_same(datetime(2014, 4, 23, 16, 33), datetime(2014, 4, 23, 16, 34))


def test_as_printed():
    assert same_startup("23-Apr-14 16:33", "23-Apr-14 16:04")
    assert not same_startup("23-Apr-14 16:33", "masked")
    assert not texts_differ("23-Apr-14 16:33", "23-Apr-14 16:04", Column("startup_time", "Startup Time"))


def test_no_minutes_are_claimed():
    assert startup_text(APRIL) == "23 Apr 2014 between 16:00 and 16:59"
    assert startup_text(datetime(2014, 4, 23, 16, 33)) == "23 Apr 2014 16:33"


def test_texts():
    plain, sql = Column("x", "X"), Column("sql_text", "SQL", holds="sql_text")
    assert not texts_differ("N/A", None, plain)
    assert texts_differ("N/A", "x", plain)
    assert not texts_differ("select a,b,c from t where x = 1", "select a, b, c fro...", sql)
    assert texts_differ("select a,b,c from t", "select a, b, d fro...", sql)
