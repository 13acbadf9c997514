"""What is normal at an hour, how far a report is from it, and where a level changed."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from random import Random

import pytest

from awrdiff.analysis.metrics.single_report_metrics import metrics_of
from awrdiff.analysis.normal.hour_of_week_normal import ALARM, Measured, normal_at
from awrdiff.analysis.normal.level_shifts import FALSE_ALARMS, _Chance, steps_in
from bench.fleet import planted_fleet, score_night, score_planted
from fixtures.fleet.figures import FIGURES, figures_of, histories_of
from fixtures.fleet.hours import Planted, fleet, hours_of, plant
from fixtures.fleet.reports import report_of
from parsers import parse_report
from parsers.model import Value

MONDAY = datetime(2025, 1, 6, 9)
DAY, WEEK, HOUR = timedelta(days=1), timedelta(weeks=1), timedelta(hours=1)


def history(*numbers, every=WEEK, half=0.0, era=None, begin=MONDAY):
    return [Measured(begin + n * every, Value(float(x), half), era) for n, x in enumerate(numbers)]


def steady(count, every=HOUR, level=100.0):
    """The same shape every day, with a little noise of no pattern."""
    noise = (1 + 0.03 * math.sin(n * n) for n in range(count))
    return [
        Measured(MONDAY + n * every, Value(level * (1.2 + math.sin(n * math.pi / 12)) * e, 0.0))
        for n, e in enumerate(noise)
    ]


def raised(made, first, factor, last=10**6):
    return [
        m._replace(value=Value(m.value.number * factor, 0.0)) if first <= n < last else m for n, m in enumerate(made)
    ]


def test_normal_is_of_the_hour_of_the_week_then_of_the_day_then_of_all():
    weeks, days = history(10, 11, 12, 13, 14), history(*[20] * 7, every=DAY, begin=MONDAY + 5 * WEEK + DAY)
    all_week = normal_at(MONDAY + 9 * WEEK, None, [*weeks, *days])
    assert (all_week.by, all_week.of, all_week.median.number) == ("hour of the week", 6, 12.5)
    tuesday = normal_at(MONDAY + 9 * WEEK + DAY, None, [*weeks, *days])
    assert (tuesday.by, tuesday.of) == ("hour of the day", 10)  # without Saturday and Sunday
    evening = normal_at(MONDAY + 9 * WEEK + 10 * HOUR, None, [*weeks, *days])
    assert (evening.by, evening.of) == ("all hours", 12)


def test_below_five_reports_nothing_is_normal():
    assert normal_at(MONDAY + 9 * WEEK, None, history(1, 2, 3, 4)) is None
    assert normal_at(MONDAY + 9 * WEEK, None, history(1, 2, 3, 4, 5)) is not None


def test_what_came_later_says_nothing():
    assert normal_at(MONDAY + 4 * WEEK, None, history(1, 2, 3, 4, 5, 6)) is None


def test_a_restart_another_release_or_other_parameters_begin_anew():
    before = history(1, 1, 1, 1, 1, era="before")
    after = history(9, 9, 9, 9, 9, era="after", begin=MONDAY + 5 * WEEK)
    assert normal_at(MONDAY + 20 * WEEK, "after", [*before, *after]).median.number == 9
    assert normal_at(MONDAY + 20 * WEEK, "third", [*before, *after]) is None


NOW = MONDAY + 9 * WEEK


def test_a_step_of_the_print_is_one_deviation_on_either_side():
    coarse = normal_at(NOW, None, history(0, 0, 0, 0, 0, half=0.5))
    assert coarse.departure(Value(1.0, 0.5)) == 1.0
    fine = normal_at(NOW, None, history(7, 7, 7, 7, 7, half=0.005))
    assert fine.departure(Value(9.0, 0.5)) == 2.0
    assert fine.departure(Value(20.0, 0.5)) > ALARM


def test_figures_that_are_all_alike_are_no_steadier_than_hours_are():
    fine = normal_at(NOW, None, history(100, 100, 100, 100, 100))
    assert fine.departure(Value(104.0, 0.0)) < 1
    assert fine.departure(Value(200.0, 0.0)) > ALARM
    assert normal_at(NOW, None, history(0, 0, 0, 0, 0)).departure(Value(1.0, 0.0)) > ALARM


@pytest.mark.parametrize(
    ("unit", "usual", "half", "no_more", "told"),
    [
        ("per_hour", 0, 0.005, 3, 40),  # log switches
        ("sessions", 0, 1.4e-7, 0.02, 12),  # row locks
        ("percent", 99.9, 0.005, 99.1, 92),  # a cache's hits
        ("percent", 100, 0.05, 99.5, 97),
        ("percent", 1.5, 0.005, 2.9, 9),
        ("per_s", 0, 0.5 / 3600, 4 / 3600, 7 / 3600),  # deadlocks: single ones are counted
        ("s", 0.0005, 5e-8, 0.0006, 0.003),
        ("bytes_per_s", 0, 0.5 / 3600, 4000, 10**6),
    ],
)
def test_what_is_always_alike_departs_by_what_is_worth_a_word(unit, usual, half, no_more, told):
    found = normal_at(NOW, None, history(*[usual] * 6, half=half), unit=unit)
    assert abs(found.departure(Value(no_more, half))) < ALARM
    assert abs(found.departure(Value(told, half))) > ALARM


def test_what_is_0_but_for_a_run_now_and_then_is_as_unsteady_as_its_runs():
    """Every tenth hour has a run, none of them at this hour so far."""
    made = [
        m._replace(value=Value(20.0 if n % 10 == 3 and m.begin.hour != 9 else 0.0, 0.5 / 3600))
        for n, m in enumerate(history(*[0] * 24 * 40, every=HOUR))
    ]
    found = normal_at(MONDAY + 40 * DAY, None, made, unit="per_s")
    assert (found.by, found.median.number) == ("hour of the week", 0)
    assert found.departure(Value(20.0, 0.0)) < ALARM < found.departure(Value(100.0, 0.0))


@pytest.mark.parametrize("otherwise", [{0: 3.0}, {2: 10.0}, {4: 0.1, 5: 0.1}])
def test_a_weekday_that_does_otherwise_every_week_is_no_measure_of_the_others(otherwise):
    """A peak on Mondays, a batch on Wednesdays, free on Friday and Saturday."""
    days = [
        Measured(MONDAY + n * DAY, Value(otherwise.get(n % 7, 1.0) * (1 + 0.07 * math.sin(n * n)), 1e-6))
        for n in range(70)
    ]
    for weekday in range(7):
        usual, found = otherwise.get(weekday, 1.0), normal_at(MONDAY + 10 * WEEK + weekday * DAY, None, days)
        assert found.departure(Value(1.1 * usual, 1e-6)) < ALARM < found.departure(Value(1.7 * usual, 1e-6))


def test_one_quiet_week_of_eight_hides_nothing():
    days = [
        Measured(MONDAY + n * DAY, Value((0.4 if n // 7 == 4 else 1.0) * (1 + 0.07 * math.sin(n * n)), 1e-6))
        for n in range(56)
    ]
    assert normal_at(MONDAY + 8 * WEEK, None, days).departure(Value(1.7, 1e-6)) > ALARM


def test_a_job_of_every_third_day_is_no_alarm_on_any():
    """Of the median absolute deviation of no weekday it is seen."""
    days = [Measured(MONDAY + n * DAY, Value((5.0 if n % 3 == 0 else 1.0) + 1e-3 * n, 1e-6)) for n in range(56)]
    for weekday in range(7):
        found = normal_at(MONDAY + 8 * WEEK + weekday * DAY, None, days)
        assert (found.by, found.departure(Value(5.0, 1e-6)) < ALARM) == ("hour of the week", True)


def leaning(part, count, noise=0.1, seed=1):
    """A level of 100 whose hours keep a part of what the one before was off by."""
    random, drift, made = Random(seed), 0.0, []
    for n in range(count):
        drift = part * drift + random.gauss(0.0, noise * math.sqrt(1 - part**2))
        made.append(Measured(MONDAY + n * HOUR, Value(100.0 * math.exp(drift), 0.0)))
    return made


@pytest.mark.parametrize("part", [0.0, 0.3, 0.6])
def test_hours_that_lean_on_each_other_are_no_steps(part):
    """Figures of 15 % noise, half a year each; with each hour by itself those of 0.6 had three or four."""
    for seed in range(2):
        assert not steps_in(leaning(part, 26 * 7 * 24, 0.15, seed), "per_s")


@pytest.mark.parametrize("part", [0.0, 0.6])
def test_what_an_hour_keeps_of_the_one_before_is_estimated(part):
    rests = [math.log(m.value.number / 100.0) for m in leaning(part, 1300)]
    found = _Chance.of(rests, 0.0)
    assert found.carried_part == pytest.approx(part, abs=0.08)
    assert found.deviation == pytest.approx(0.1 * math.sqrt(1 - part**2), rel=0.1)
    with_bursts = [1.0 if n % 200 == 0 else rest for n, rest in enumerate(rests)]
    assert _Chance.of(with_bursts, 0.0).deviation == pytest.approx(found.deviation, rel=0.15)


def test_a_step_among_hours_that_lean_is_found_in_three_reports():
    first = 12 * 7 * 24
    found = 0
    for seed in range(6):
        steps = steps_in(raised(leaning(0.5, first + 3, 0.08, seed), first, 1.5), "per_s")
        found += [s.proved_at for s in steps] == [MONDAY + (first + 2) * HOUR]
    assert found >= 5


@pytest.mark.parametrize("factor", [1.5, 0.6])
def test_a_step_is_found_in_three_reports(factor):
    first = 8 * 7 * 24
    found = steps_in(raised(steady(first + 30), first, factor), "per_s")
    assert [(s.begin, s.proved_at) for s in found] == [(MONDAY + first * HOUR, MONDAY + (first + 2) * HOUR)]
    assert found[0].factor == pytest.approx(factor, rel=0.1)


def test_one_odd_hour_is_no_step_and_neither_is_the_shape_of_a_day():
    first = 8 * 7 * 24
    assert not steps_in(raised(steady(first + 30), first, 3.0, first + 1), "per_s")


def test_two_bursts_beside_each_other_are_no_step():
    first = 8 * 7 * 24
    for pattern in ([3.0, 3.0, 1.2], [3.0, 1.2, 3.0], [1.2, 3.0, 3.0]):
        made = steady(first + 30)
        for n, factor in enumerate(pattern):
            made = raised(made, first + n, factor, first + n + 1)
        assert not steps_in(made, "per_s")


def test_a_small_change_is_none():
    first = 8 * 7 * 24
    assert not steps_in(raised(steady(first + 100), first, 1.1), "per_s")


def test_back_from_a_quiet_week_is_no_regression():
    first, last = 8 * 7 * 24, 9 * 7 * 24
    down, up = steps_in(raised(steady(last + 30), first, 0.4, last), "per_s")
    assert (down.returns, up.returns) == (False, True)
    assert up.begin == MONDAY + last * HOUR


def test_percentages_move_by_points():
    first = 8 * 7 * 24
    made = [
        m._replace(value=Value(99.0 + 0.1 * math.sin(n * n) - (3.0 if n >= first else 0), 0.0))
        for n, m in enumerate(steady(first + 12))
    ]
    (found,) = steps_in(made, "percent")
    assert found.factor == pytest.approx(-3.0, abs=0.2)


def test_with_few_reports_no_step_is_claimed():
    """A rate of false alarms that cannot be kept is not promised."""
    first = 3 * 7 * 24 + 40
    assert not steps_in(raised(steady(first + 6), first, 5.0), "per_s")
    assert not steps_in([], "per_s")
    assert not steps_in(steady(30), "per_s")


def test_figures_of_nothing_are_no_steps():
    assert not steps_in(history(*[0.0] * 2000, every=HOUR), "sessions")


def test_planted_changes_are_found_and_nothing_else_is():
    score = score_planted(planted_fleet(8, 9, 0.05), 12, ("db_time", "log_switches"))
    assert sum(score.found.values()) >= 7
    assert sum(score.found.values()) + sum(score.found_late.values()) == 8
    assert score.false_in_hundred_years <= 100 * FALSE_ALARMS


def test_a_planted_hour_stands_out_of_its_fleet():
    night = score_night(20, 16 * 24)
    assert (night.found, night.others) == (night.planted, 0)


def test_built_reports_print_the_figures_of_their_hours():
    (database,) = fleet(1)
    made = plant(database, Planted("log switch storm", 10, 12, 6.0))
    hours = list(hours_of(made, 24))
    assert hours == list(hours_of(made, 24))
    hour = hours[10]
    read = metrics_of(parse_report(report_of(made, hour)))
    for name, number in figures_of(hour).items():
        assert read.figures[name].number == pytest.approx(number, rel=0.05), name
    assert read.statements[0].sql_id == "0lines0000001"
    assert set(histories_of(hours)) == set(FIGURES)
