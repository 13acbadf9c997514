"""Hours of a database in the nightly list, where several reports begin in one minute."""

from __future__ import annotations

import pytest

from awrdiff.fleet.deviations import Hour, _hours_of_one

AT = "2024-01-01T10:00:00"


def hour(above: float | None, *, begin: str = AT, is_alarm: bool = False, instance: str = "pay1") -> Hour:
    return Hour(instance, "1h", begin, 4.0, 2.0, 1.0, above, is_alarm)


@pytest.mark.parametrize(
    ("hours", "kept"),
    [
        ([hour(1.0), hour(9.0)], [9.0]),
        ([hour(9.0), hour(1.0)], [9.0]),
        ([hour(9.0), hour(1.0, is_alarm=True)], [1.0]),
        ([hour(None), hour(-2.0)], [-2.0]),
        ([hour(1.0), hour(9.0, begin="2024-01-01T10:01:00")], [1.0, 9.0]),
    ],
)
def test_of_one_minute_the_hour_farthest_from_normal_is_kept(hours, kept):
    assert [kept_hour.above for kept_hour in _hours_of_one(hours, None)] == kept
