"""What is normal at an hour, how far a report is from it, and where a level changed."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from itertools import combinations

import pytest

from awrdiff.analysis.metrics.values import metrics_of
from awrdiff.analysis.normal.baseline import ALARM, Measured, TimeSpan, normal_at
from awrdiff.analysis.normal.steps import FALSE_ALARMS, _highest, steps_in
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
    assert (tuesday.by, tuesday.of) == ("hour of the day", 12)
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


def test_chosen_periods_are_taken_whatever_was_changed_since():
    made = history(*range(1, 11), era="before")
    chosen = [TimeSpan(MONDAY, MONDAY + 3 * WEEK), TimeSpan(MONDAY + 8 * WEEK, MONDAY + 10 * WEEK)]
    found = normal_at(MONDAY + 20 * WEEK, "after", made, chosen)
    assert (found.by, found.of, found.median.number) == ("chosen periods", 5, 3)


def test_figures_that_are_all_alike_are_no_steadier_than_they_are_printed():
    coarse = normal_at(MONDAY + 9 * WEEK, None, history(0, 0, 0, 0, 0, half=0.5))
    assert coarse.departure(Value(1.0, 0.5)) == 2.0
    fine = normal_at(MONDAY + 9 * WEEK, None, history(100, 100, 100, 100, 100))
    assert fine.departure(Value(104.0, 0.0)) < 1
    assert fine.departure(Value(200.0, 0.0)) > ALARM


def test_the_chance_of_a_false_step_is_counted_and_no_guess():
    run, of = 2, 6
    m = _highest(run, of, 0.25)
    orders = list(combinations(range(run + of), run))  # places of the new figures among all, 0 the highest
    above = sum(sum(p < max(new) and p not in new for p in range(run + of)) < m for new in orders)
    assert above / len(orders) <= 0.25 < math.comb(m + run, run) / math.comb(of + run, run)


@pytest.mark.parametrize("factor", [1.5, 0.6])
def test_a_step_is_found_in_three_reports(factor):
    first = 8 * 7 * 24
    found = steps_in(raised(steady(first + 30), first, factor), "per_s")
    assert [(s.begin, s.seen) for s in found] == [(MONDAY + first * HOUR, MONDAY + (first + 2) * HOUR)]
    assert found[0].factor == pytest.approx(factor, rel=0.1)


def test_one_odd_hour_is_no_step_and_neither_is_the_shape_of_a_day():
    first = 8 * 7 * 24
    assert not steps_in(raised(steady(first + 30), first, 3.0, first + 1), "per_s")


def test_bursts_before_hide_a_step_as_soon_as_they_are_as_many_as_chance_allows():
    first, begun = 8 * 7 * 24, 3 * 7 * 24  # reports before the step, and before any is held against its hour
    of = first + 3 - begun - 12
    allowed = _highest(3, of, 0.8 * FALSE_ALARMS / (365.25 * 24) / 2)
    found = []
    for bursts in (allowed - 1, allowed):
        hours = {begun + 24 + n * 37 for n in range(bursts)}
        made = [
            m._replace(value=Value(m.value.number * (2 if n in hours else 1), 0.0))
            for n, m in enumerate(steady(first + 3))
        ]
        found.append(len(steps_in(raised(made, first, 1.6), "per_s")))
    assert found == [1, 0]


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
