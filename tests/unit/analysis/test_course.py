"""Slots of a database and how statements and events went: what is missing stays missing."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from statistics import median

import pytest

from awrdiff.analysis.course import metric_history
from awrdiff.analysis.course.largest_changes import movers_of
from awrdiff.analysis.course.report_timeline import ALL, Course, Point, Slot, apart, courses_of, slots_of, usual_course
from awrdiff.analysis.course.statement_and_event_history import event_in, statement_in
from awrdiff.analysis.metrics.binary_storage import pack_figures
from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.analysis.normal.hour_of_week_normal import ALARM, Measured, normal_at
from awrdiff.analysis.normal.worst_hours_of_day import Hour, beside_the_worst
from fixtures.fleet.hours import BEGIN as BEGIN_OF_FLEET
from fixtures.fleet.hours import fleet, hours_of
from parsers.model import Value

BEGIN = datetime(2024, 1, 1)
HOUR = timedelta(hours=1)


def point(number=0, instance=1, hours=1, figures=None, kind="awr", seconds=0):
    begin = BEGIN + number * HOUR + timedelta(seconds=seconds)
    packed = pack_figures({k: Value(v, 0.5) for k, v in (figures or {}).items()})
    return Point(
        str(number), begin, begin + hours * HOUR, Course(kind, instance, f"i{instance}"), "19", (), "e", packed
    )


class TestSlots:
    def test_snapshots_of_instances_some_seconds_apart_are_one_interval(self):
        points = [point(0, 1, figures={"db_time": 2.0}), point(0, 2, figures={"db_time": 3.0}, seconds=11), point(1, 1)]
        both, alone = slots_of(points, ALL)
        assert both.figure(BY_ID["db_time"]) == Value(5.0, 1.0)
        assert (both.is_partial, alone.is_partial) == (False, True)

    def test_an_average_is_not_added_up_and_what_one_does_not_print_is_unknown(self):
        figures = {"db_time": 2.0, "commit_wait": 0.001}
        slot = Slot((point(figures=figures), point(instance=2, figures=figures)), 2)
        assert slot.figure(BY_ID["commit_wait"]) is None
        assert Slot((point(figures=figures), point(instance=2)), 2).figure(BY_ID["db_time"]) is None

    def test_two_kinds_of_reports_of_the_same_hours_are_not_added_up(self):
        points = [point(0), point(0, 2), point(0, 1, kind="statspack"), point(0, None, kind="awr_global")]
        (slot,) = slots_of(points, ALL)
        assert [p.course.kind for p in slot.points] == ["awr", "awr"]
        assert usual_course(courses_of(points)) == ALL
        assert usual_course(courses_of(points[:1])) == "awr-1"

    def test_an_instance_without_any_report_here_is_missed_where_it_is_known_of(self):
        second, standby = Course("awr", 2, "i2"), Course("statspack", 3, "i3")
        (slot,) = slots_of([point(0)], ALL, [second, standby])
        assert (len(slot.points), slot.of) == (1, 2)
        assert slots_of([point(0, kind="statspack")], ALL, [second])[0].of == 1

    def test_hours_stand_apart_from_the_day_around_them_whichever_comes_first(self):
        hours = [Slot((point(n),)) for n in (0, 1, 2)]
        day, late = Slot((point(-3, hours=24),)), Slot((point(1, hours=5),))
        assert apart([day, *hours, late]) == (hours, [day, late])


def largest(*statements, events=()):
    rows = [[sql, "", list(plans), [s, 0.0], *[[1.0, 0.0]] * 6] for sql, s, plans in statements]
    return {"statements": rows, "events": [[name, "User I/O", [s, 0.0], None, None] for name, s in events]}


class TestHistories:
    def test_what_is_not_among_the_largest_is_unknown_and_entering_needs_a_report_before(self):
        found = [largest(("a", 2.0, ())), largest(), None, largest(("a", 1.0, ())), largest(("b", 1.0, ()))]
        told = statement_in([(point(n), one) for n, one in enumerate(found)], "a")
        assert [at.changes for at in told] == [(), ("left",), (), ("entered",), ("left",)]
        assert [at.entry.sessions.number if at.entry else None for at in told] == [2.0, None, None, 1.0, None]
        assert [at.among for at in told] == [1, 0, None, 1, 1]

    def test_another_plan_is_told_also_across_reports_that_print_none(self):
        plans = [("1",), ("1", "2"), (), ("2", "1"), ("2",)]
        told = statement_in([(point(n), largest(("a", 1.0, p))) for n, p in enumerate(plans)], "a")
        assert [at.changes for at in told] == [(), (), (), ("changed plan",), ()]
        assert told[3].plans_before == ("1", "2")

    def test_an_event_that_is_a_figure_of_its_own_is_known_where_it_is_not_listed(self):
        found = [
            (point(0, figures={"event_log_file_sync": 0.0}), largest(events=[("db file sequential read", 1.0)])),
            (point(1), largest(events=[("log file sync", 0.5)])),
            (point(2), largest()),
        ]
        told = event_in(found, "Log File  Sync")
        assert [at.entry.sessions.number if at.entry else None for at in told] == [0.0, 0.5, None]
        assert [at.is_listed for at in told] == [False, True, False]
        assert [at.changes for at in told] == [(), ("entered",), ("left",)]


class TestMovers:
    """Of two instances."""

    def moved(self, before, now):
        sides = []
        for first, second in (before, now):
            slots = slots_of([p for n in range(5) for p in (point(n, 1, **first), point(n, 2, **second))], ALL)
            sides.append([(slot, [largest(("a", 1.0, ())), largest()]) for slot in slots])
        return {m.key: (m.before, m.now) for m in movers_of(*sides)}

    def test_what_both_instances_print_is_added_up(self):
        assert self.moved([hours(1.0), hours(1.0)], [hours(2.0), hours(2.0)]) == {"db_time": (2.0, 4.0)}

    def test_what_one_of_two_does_not_print_or_list_is_no_sum(self):
        assert self.moved([hours(2.0), {}], [hours(2.0), hours(2.0)]) == {"db_time": (None, 4.0)}

    def test_reports_whose_metrics_are_not_taken_yet_say_nothing(self):
        slots = slots_of([point(n, **hours(1.0)) for n in range(10)], ALL)
        waiting = [(Slot((s.points[0]._replace(figures=None),)), [None]) for s in slots]
        told = [(s, [None]) for s in slots_of([point(n, **hours(2.0)) for n in range(5)], ALL)]
        (mover,) = movers_of([(s, [None]) for s in slots[:5]] + waiting[5:], told)
        assert (mover.before, mover.of) == (1.0, (5, 5))


class TestFollowing:
    def test_what_is_normal_is_asked_of_the_shown_hours_alone(self, monkeypatch):
        asked, normal_of_hour = [], metric_history._Hours.normal
        monkeypatch.setattr(
            metric_history._Hours, "normal", lambda *given: asked.append(given[1]) or normal_of_hour(*given)
        )
        slots = slots_of([point(n, **hours(1.0)) for n in range(24 * 8)], ALL)
        (followed,) = metric_history.follow([BY_ID["db_time"]], slots[-3:], slots[:-3])
        assert asked == [slot.begin for slot in slots[-3:]]
        assert [at.normal.of for at in followed.at] == [5, 5, 5]  # without the weekend

    def test_it_is_what_all_reports_before_say(self):
        """At three its few figures are all alike: there others stand in."""
        made = [slot_of(hour) for hour in hours_of(fleet(1)[0], 24 * 8)]
        flat = pack_figures({"db_time": Value(1.0, 0.005)})
        slots = [p._replace(figures=flat) if p.begin.hour == 3 else p for p in made]
        (followed,) = metric_history.follow([BY_ID["db_time"]], [Slot((p,)) for p in slots], [])
        history = [Measured(at.slot.begin, at.value, at.slot.era) for at in followed.at]
        asked = [normal_at(m.begin, m.era, history, unit="sessions") for m in history]
        assert [at.normal for at in followed.at] == asked
        assert {one.by for one in asked if one} == {"all hours", "hours around", "hour of the day"}

    def test_the_worst_hours_that_are_left_of_old_days_are_not_normal(self):
        """After them normal begins anew, by the hour of the week alone."""
        (one,) = fleet(1)
        made = list(hours_of(one, 14 * 7 * 24))
        since = BEGIN_OF_FLEET + timedelta(weeks=6)
        of_week, by_day = defaultdict(list), defaultdict(list)
        for hour in made:
            of_week[hour.begin.weekday(), hour.begin.hour].append(hour.db_time_s)
        for n, hour in enumerate(made):
            if hour.begin < since:
                above = hour.db_time_s - median(of_week[hour.begin.weekday(), hour.begin.hour])
                by_day[hour.begin.date()].append(Hour(n, "", hour.begin.isoformat(), above, None))
        gone = set().union(*(beside_the_worst(day, 3) for day in by_day.values()))
        left = [(hour, slot_of(hour)) for n, hour in enumerate(made) if n not in gone]

        def departures(*, is_told):
            slots = [Slot((p._replace(is_left=is_told and hour.begin < since),)) for hour, p in left]
            (followed,) = metric_history.follow([BY_ID["db_time"]], slots, [])
            assert not followed.steps
            later = [at for at in followed.at if at.slot.begin >= since and at.normal is not None]
            return sorted(at.normal.departure(at.value) for at in later)

        told, untold = departures(is_told=True), departures(is_told=False)
        assert len(told) == pytest.approx(3 * 7 * 24, rel=0.05)
        assert told[0] > -ALARM
        assert median(untold) < -0.2 < -0.1 < median(told) < 0.1  # what is left is busier than what comes


def slot_of(hour):
    figures = pack_figures({"db_time": Value(hour.db_time_s / 3600, 0.005)})
    return point(round((hour.begin - BEGIN) / HOUR))._replace(figures=figures)


def hours(sessions):
    return {"figures": {"db_time": sessions}}
