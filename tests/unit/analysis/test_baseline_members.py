"""Which reports a baseline is made of, and what is said of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from awrdiff.analysis.baseline.aligned_sections import measure
from awrdiff.analysis.baseline.baseline_sentences import (
    hour_text,
    hours_and_days_text,
    median_name,
    member_text,
    sessions_text,
    unlike_members_text,
)
from awrdiff.analysis.baseline.member_selection import (
    alike,
    latest,
    positions_by_time,
    presets,
    restarted_between,
    same_window,
    unlike,
)
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from parsers.model import Database, Snapshot
from tests.unit.analysis.builders import BEGIN, report, time_model

WEEK = timedelta(days=7)


def test_a_report_like_second_counts():
    first, second = report(), report(begin=BEGIN + WEEK)
    assert unlike(first, second) == ()
    assert unlike(report(startup=BEGIN + timedelta(minutes=1)), report()) == ()  # printed to the minute


def test_what_names_no_database_does_not_count_by_itself():
    assert len(unlike(replace(report(), database=Database()), report())) == 1


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"dbid": "2"}, "another database"),
        ({"release": "11.2.0.4.0"}, "another release (11.2.0.4.0)"),
        ({"instance": 2}, "another instance (number 2)"),
        ({"startup": BEGIN + timedelta(minutes=2)}, "restarted inside its window"),
    ],
)
def test_a_report_unlike_second_does_not_count_by_itself(other, said):
    found = unlike(report(**other), report())
    assert len(found) == 1
    assert found[0].startswith(said)


@pytest.mark.parametrize(("name", "said"), [("COPY", ("one id under two names (COPY)",)), ("XXXX", ()), (None, ())])
def test_a_copy_does_not_count_by_itself_and_a_masked_name_does(name, said):
    one = report()
    assert unlike(replace(one, database=replace(one.database, name=name)), one) == said


def test_another_number_of_instances():
    one = report()
    several = replace(one, instances=(*one.instances, replace(one.instances[0], number=2)))
    assert unlike(several, one) == ("another number of instances (2)",)


def test_one_click_chooses_all_earlier_or_the_same_weekday_and_hour():
    begins = [BEGIN, BEGIN + timedelta(days=1), BEGIN + WEEK, BEGIN + 2 * WEEK + timedelta(minutes=12)]
    reports = [report(begin=b) for b in begins]
    found = {p.id: p for p in presets(reports, 3)}
    assert found["earlier"].members == (0, 1, 2)
    assert found["same-hour"].members == (0, 2)
    assert presets(reports, 0) == ()


def test_a_preset_leaves_out_what_is_unlike_and_counts_it():
    reports = [report(begin=BEGIN, release="11.2.0.4.0"), report(begin=BEGIN + WEEK), report(begin=BEGIN + 2 * WEEK)]
    (found,) = presets(reports, 2)
    assert (found.members, list(found.left_out)) == ((1,), [0])


def test_the_same_time_twice_counts_once():
    """HTML and text of one report, say."""
    reports = [report(begin=BEGIN), report(begin=BEGIN), report(begin=BEGIN + WEEK), report(begin=BEGIN + 2 * WEEK)]
    (found,) = presets(reports, 3)
    assert (found.members, found.left_out) == ((0, 2), {1: ("the same time again",)})
    assert not same_window(report(instance=2), report())


def test_the_latest_report():
    assert latest([report(begin=BEGIN + WEEK), report(begin=BEGIN)]) == 0
    assert latest([report(begin=None), report(begin=BEGIN)]) is None


def test_the_latest_is_held_against_its_hour_of_the_week_where_two_are_like_it():
    begins = [BEGIN + n * WEEK for n in (3, 0, 1)] + [BEGIN + timedelta(days=1)]
    reports = [report(begin=b) for b in begins]
    assert alike(reports) == BaselineSelection((1, 2), 0)
    assert alike([reports[0], reports[1], reports[3]]) is None
    assert alike([*reports[:2], replace(reports[2], release="11.2.0.4.0")]) is None
    assert alike([replace(r, kind="ash") for r in reports]) is None
    assert alike([*reports, report(begin=None)]) is None
    assert alike([]) is None


def test_what_does_not_say_when_it_began_stands_last():
    begins = [None, BEGIN + WEEK, BEGIN, None]
    assert positions_by_time([report(begin=b) for b in begins]) == [2, 1, 0, 3]


def test_a_restart_between_two_reports_is_told():
    started = BEGIN + timedelta(days=2, minutes=31)
    after = report(begin=BEGIN + WEEK, startup=started)
    assert restarted_between(report(), after) == {started: [*after.instances]}
    assert restarted_between(report(), report(begin=BEGIN + WEEK)) == {}


@pytest.mark.parametrize(
    ("begins", "hours_long", "said"),
    [
        ([BEGIN], 1, "Tuesdays 09:00–10:00, 5 Mar 2024"),
        ([BEGIN, BEGIN + WEEK], 1, "Tuesdays 09:00–10:00, 5 Mar to 12 Mar 2024"),
        ([BEGIN, BEGIN + timedelta(days=1)], 1, "09:00–10:00, 5 Mar to 6 Mar 2024"),
        ([BEGIN, BEGIN + timedelta(hours=1)], 1, "5 Mar 2024"),
        ([BEGIN, BEGIN - 52 * WEEK], 1, "Tuesdays 09:00–10:00, 7 Mar 2023 to 5 Mar 2024"),
        ([BEGIN, None], 1, "5 Mar 2024"),  # the hour of one is not known
    ],
)
def test_over_what_time_a_baseline_goes(begins, hours_long, said):
    assert hours_and_days_text([report(begin=b, elapsed=hours_long * 3600.0) for b in begins]) == said


def test_an_hour_is_said_with_its_days_and_without_a_time_by_its_file():
    late = BEGIN.replace(hour=23)
    assert hour_text(report(begin=late, elapsed=3540.0)) == "Tuesday 5 Mar 2024 23:00–23:59"
    assert hour_text(report(begin=late, elapsed=7200.0)) == "Tuesday 5 Mar 2024 23:00 – 6 Mar 2024 01:00"
    endless = replace(report(), period=replace(report().period, end=Snapshot()))
    assert hour_text(endless) == "Tuesday 5 Mar 2024 09:00"
    assert hour_text(report(begin=None, name="a.html")) == "a.html"
    assert hour_text(report(begin=None, name=""))


def test_what_is_said_of_members_counts_those_unlike():
    second, other = report(), report(release="11.2.0.4.0")
    assert median_name([second, second], second) == "the median of 2 reports like it"
    assert median_name([second, other], second) == "the median of 2 reports, 1 of them unlike Second"
    assert unlike_members_text([second, other, second], BaselineSelection((0, 1), 2)) == "1 of them unlike Second"
    assert unlike_members_text([second, other, second], BaselineSelection((0,), 2)) == ""
    made = report(time_model(db_time=7200.0))
    assert member_text(made, measure(made)) == f"{hour_text(made)}: 2 active sessions"
    assert member_text(second, measure(second)) == hour_text(second)
    measures = [measure(made), measure(second)]
    assert (
        sessions_text(measures, BaselineSelection((0,), 1)) == sessions_text(measures, BaselineSelection((1,), 0)) == ""
    )
    assert sessions_text(measures, BaselineSelection((0,), 0)) == "2 active sessions, inside (2)"
