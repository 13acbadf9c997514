"""How far a report lies from normal in active sessions, what carries it, and when the next one is overdue."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from awrdiff.analysis.metrics.top_events_and_statements import LargestEvent, LargestStatement
from awrdiff.analysis.normal.load_breakdown import carried_in, largest_parts
from awrdiff.analysis.normal.report_cadence import rhythm_of
from awrdiff.analysis.normal.report_deviation import PARTS_OF, Hour, departure_of
from parsers.model import Value

MONDAY = datetime(2025, 1, 6, 10)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def hours(*sessions, step=HOUR, era=""):
    return [Hour(n, MONDAY + n * step, era, Value(s, 0.005)) for n, s in enumerate(sessions)]


def test_nothing_is_normal_below_five():
    *history, last = hours(1.0, 1.1, 0.9, 1.0, 9.0)
    assert departure_of(last, history) is None


def test_sessions_above_the_median_and_the_report_nearest_to_it():
    *history, last = hours(1.0, 1.3, 0.7, 1.2, 1.11, 9.0, step=7 * HOUR)
    found = departure_of(last, history)
    assert (found.normal.median.number, found.normal.of, found.normal.by) == (1.11, 5, "all hours")
    assert found.above == pytest.approx(7.89)
    assert (found.nearest, found.is_alarm) == (4, True)
    assert found.alike == (0, 1, 2, 3, 4)


@pytest.mark.parametrize("sessions", [9.0, 0.0])
def test_of_less_than_a_day_it_is_too_early_to_tell(sessions):
    *history, last = hours(1.0, 1.3, 0.7, 1.2, 1.11, sessions, step=5 * HOUR)
    assert departure_of(last, history) is None


def test_only_its_own_hour_of_working_days_says_what_is_normal_where_it_was_seen_five_times():
    nights = [Hour(f"n{n}", MONDAY - 12 * HOUR + n * DAY, "", Value(50.0, 0.005)) for n in range(8)]
    *days, last = hours(1.0, 1.1, 0.9, 1.0, 1.2, 0.1, 0.1, 1.0, step=DAY)
    found = departure_of(last, sorted([*nights, *days], key=lambda one: one.begin))
    assert found.normal.by == "hour of the day"
    assert found.alike == (0, 1, 2, 3, 4)
    assert not found.is_alarm


def test_reports_of_another_era_and_later_ones_do_not_count():
    *history, last = hours(*[1.0] * 5, 1.0)
    changed = [one._replace(era="before the restart") for one in history]
    assert departure_of(last, changed) is None
    assert departure_of(history[0], [*history, last]) is None


def test_no_more_are_asked_what_carried_them_than_the_latest():
    *history, last = hours(*[1.0] * (3 * 288), 1.0, step=HOUR / 12)
    around = range(2 * 288 - 30, 2 * 288 + 31)
    assert departure_of(last, history).alike == tuple(around[-PARTS_OF:])


def carried(cpu=1.0, *, events=(), statements=(), **figures):
    told = {"db_cpu": Value(cpu, 0.0), **{name: Value(number, 0.0) for name, number in figures.items()}}
    return carried_in(
        told,
        [LargestEvent(name, of, Value(sessions, 0.0), None, None) for name, of, sessions in events],
        [LargestStatement(i, "", Value(s, 0.0), *[None] * 6, ()) for i, s in statements],
    )


USUAL = [carried(1.0, waits_user_io=0.5, events=[("read", "User I/O", 0.4)], statements=[("sql1", 0.3)])] * 5


def test_what_carries_it_is_told_by_sessions_above_its_own_normal():
    now = carried(1.2, waits_user_io=4.0, events=[("read", "User I/O", 3.6)], statements=[("sql1", 3.1)])
    assert [(p.kind, p.name, round(p.above, 3)) for p in largest_parts(now, USUAL, 3.7)] == [
        ("event", "read", 3.2),
        ("statement", "sql1", 2.8),
    ]  # not the class that the event is of, nor 0.2 of CPU


def test_a_class_is_told_where_no_event_of_it_is_half_of_it():
    events = [("read", "User I/O", 0.4 + 0.9), ("scattered", "User I/O", 0.9), ("direct", "User I/O", 0.9)]
    now = carried(1.0, waits_user_io=3.2, events=events)
    assert [(p.kind, p.name) for p in largest_parts(now, USUAL, 2.7)] == [("wait class", "User I/O")]


def test_a_part_of_parsing_is_told_and_not_parsing():
    now = carried(1.0, parsing=5.0, hard_parsing=4.8, hard_parsing_sharing=0.7)
    usual = [carried(1.0, parsing=0.1, hard_parsing=0.0, hard_parsing_sharing=0.0)]
    assert [p.name for p in largest_parts(now, usual, 5.0)] == ["Hard parsing"]


def test_what_others_do_not_list_took_at_most_as_much_as_the_least_they_list():
    now = carried(1.0, statements=[("new", 2.0)])
    (part,) = largest_parts(now, USUAL, 2.0)
    assert (part.name, part.above, part.at_least) == ("new", pytest.approx(1.7), True)


def test_nothing_carries_what_is_not_above():
    assert largest_parts(USUAL[0], USUAL, -1.0) == ()


def came(*gaps_h):
    moments = [MONDAY]
    for gap in gaps_h:
        moments.append(moments[-1] + timedelta(hours=gap))
    return moments


def test_an_hourly_database_may_be_silent_for_an_hour_and_a_half():
    found = rhythm_of(came(*[1.0] * 30))
    assert (found.every, found.patience) == (HOUR, 1.5 * HOUR)


def test_one_outage_makes_no_rhythm_longer_and_weekends_do():
    assert rhythm_of(came(*[1.0] * 40, 30, *[1.0] * 40)).patience == 1.5 * HOUR
    weeks = rhythm_of(came(*([24.0] * 4 + [72.0]) * 5))
    assert (weeks.every, weeks.patience) == (DAY, 4.5 * DAY)


@pytest.mark.parametrize("gaps", [[1.0] * 4, [0.02] * 50, [1, 30, 2, 100, 1, 40, 3, 90]])
def test_no_rhythm_of_few_of_an_import_or_of_what_comes_as_it_happens(gaps):
    assert rhythm_of(came(*gaps)) is None
