"""What is normal while no hour of the day was seen five times: of the hours around it, and how little these say."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import pytest

from awrdiff.analysis.normal.hour_of_week_normal import ALARM, Measured, normal_at
from awrdiff.analysis.normal.report_deviation import Hour, departure_of
from bench.alarms import FIRST, FIRST_DAYS, WEEKDAYS, score_alarms, score_offices
from fixtures.fleet.hours import BEGIN
from parsers.model import Value

MONDAY = datetime(2025, 1, 6)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def day(hour: int, batch: int = 2) -> float:
    """Quiet but for office hours from 8 to 18, into which it comes and goes within two hours, and an hour of batch."""
    return 5.0 if hour == batch else 1 + 4 * max(0.0, min(1.0, (hour - 7) / 2, (19 - hour) / 2))


def sessions(days: int, begin: datetime = MONDAY, missing: int = -1) -> list[Hour[int]]:
    """No two hours are quite alike."""
    return [
        Hour(n, begin + n * HOUR, "", Value(day(n % 24) * (1 + 0.05 * math.sin(n * n)), 1e-6))
        for n in range(24 * days)
        if n != missing
    ]


def found_at(hour: int, figure: float, days: int = 1, begin: datetime = MONDAY, missing: int = -1):
    """Of that hour after so many days."""
    until = 24 * days + hour
    history = [one for one in sessions(days + 1, begin, missing) if one.key < until]
    return departure_of(Hour(-1, begin + until * HOUR, "", Value(figure, 1e-6)), history)


@pytest.mark.parametrize(("hour", "told"), [(1, 20.0), (4, 20.0), (5, 2.5), (8, 4.0), (11, 2.5), (18, 4.0), (21, 2.5)])
def test_on_the_second_day_an_hour_is_held_against_those_around_it(hour, told):
    """What they are apart is not told: within two hours of the batch, or of the edges of a day."""
    assert found_at(hour, day(hour)).normal.by == "hours around"
    assert not found_at(hour, day(hour)).is_alarm
    assert found_at(hour, told * day(hour)).is_alarm


def test_they_are_those_within_two_hours_of_the_day_before_or_three_where_one_is_missing():
    assert found_at(4, 1.0).alike == (2, 3, 4, 5, 6)
    assert found_at(4, 1.0, missing=3).alike == (1, 2, 4, 5, 6, 7)
    assert found_at(23, 1.0).alike == (21, 22, 23, 24, 25)


def test_a_batch_that_comes_an_hour_earlier_or_later_is_no_alarm_nor_are_its_neighbours():
    for hour in range(1, 5):
        assert not found_at(hour, day(hour, batch=hour)).is_alarm
        assert not found_at(hour, day(hour, batch=-1)).is_alarm


def test_each_day_more_says_more_closely_what_days_differ_by():
    deviations = [found_at(5, 1.0, days).normal.deviation for days in (1, 2, 4)]
    assert deviations == sorted(deviations, reverse=True)
    assert deviations[0] >= 0.2  # of a median of 1


@pytest.mark.parametrize(("weekday", "usual", "told"), [(5, 1.5, 2.5), (6, 1.5, 2.5), (0, 5.0, 20.0)])
def test_a_weekend_says_little_of_a_monday_and_a_friday_enough_of_a_saturday(weekday, usual, told):
    """By times what the hour did on the day before."""
    first = MONDAY + (weekday - 1) % 7 * DAY
    assert not found_at(14, usual * day(14), begin=first).is_alarm
    assert found_at(14, told * day(14), begin=first).is_alarm


def test_a_monday_after_a_friday_is_held_against_that():
    found = found_at(14, 5.0, 3, MONDAY + 4 * DAY)
    assert (found.normal.by, found.alike) == ("hours around", (12, 13, 14, 15, 16))


def test_what_is_0_around_it_is_as_unsteady_as_any_hour():
    history = [Measured(h.begin, Value(20.0 if h.key % 24 == 15 else 0.0, 0.5 / 3600)) for h in sessions(1)]
    found = normal_at(MONDAY + DAY + 4 * HOUR, None, history, unit="per_s")
    assert found.departure(Value(25.0, 0.0)) < ALARM < found.departure(Value(100.0, 0.0))


def test_load_steps_of_three_times_are_found_in_two_days_and_nothing_else_is():
    score = score_alarms(30, FIRST_DAYS, FIRST)
    assert score.found["load step"] >= 0.9 * score.planted["load step"]
    assert score.others == 0


def test_reports_of_a_quarter_of_an_hour_are_no_days():
    """Of the hour four were seen yesterday, and two today."""
    quarters = [Measured(MONDAY + n * HOUR / 4, Value(day(n // 4 % 24), 0.0)) for n in range(4 * 27 + 2)]
    found = normal_at(MONDAY + 27.5 * HOUR, None, quarters)
    assert found.by == "hours around"
    assert found.departure(Value(5.0, 0.0)) < ALARM  # the batch, an hour late


@pytest.mark.parametrize(("days", "per_hour"), [(5, 1), (5, 4), (12, 1)])
def test_of_few_days_alike_no_hour_is_as_steady_as_chance_makes_it(days, per_hour):
    """Five figures that happen to be alike leave as much to days that were not seen as their number does."""
    begin = MONDAY + (days // 5 * 7 + days % 5) * DAY
    working = [MONDAY + (n // 5 * 7 + n % 5) * DAY + q * HOUR / 4 for n in range(days) for q in range(per_hour)]
    found = normal_at(begin, None, [Measured(at, Value(100.0, 0.0)) for at in working])
    assert (found.of, found.by) == (days * per_hour, "hour of the day")
    assert found.deviation == pytest.approx(20 / math.sqrt(days))


@pytest.mark.parametrize("after", WEEKDAYS)
def test_mornings_and_batches_of_an_office_are_no_alarms(after):
    _, others = score_offices(60, BEGIN + timedelta(days=WEEKDAYS[after]))
    assert others <= 1


def test_a_friday_night_and_a_weekend_say_little_of_a_monday():
    """It is three days from the first of them, and ten hours of working days; no batch at night hides that."""
    _, others = score_offices(60, BEGIN + timedelta(days=4), days=4, missed_h=22, batch_times=1.0)
    assert others == 0  # 18 by how long it is


def test_later_a_batch_that_moves_is_hardly_ever_one_and_weekends_say_nothing_of_working_days():
    """It comes in a third of days, which the median absolute deviation of an hour does not see."""
    _, others = score_offices(60, BEGIN, days=16)
    assert others <= 15  # 70 by the middle alone
    score = score_alarms(30, 16, {"load step": 1.5})
    assert score.found["load step"] >= 24  # 17 where weekends count
