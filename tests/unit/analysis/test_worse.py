"""Which hour is called the worse one, and sentences with other names for First and Second."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.diagnosis import NO_ANSWER, Answer, Trouble
from awrdiff.analysis.worse_hour import SideName, rename_sides, worse_side
from tests.golden.test_diagnosed import both, compared

OUTAGE_FIRST = "the host recovers its memory"
OWN, OTHER = SideName("the incident's hour", "the incident hour's"), SideName("the hour before", "the earlier hour's")


def test_an_outage_before_its_recovery_is_the_worse_hour():
    assert worse_side(compared(OUTAGE_FIRST)) == "first"
    assert worse_side(compare_reports(*reversed(both(OUTAGE_FIRST)))) == "second"


@pytest.mark.parametrize(
    "name",
    [
        "no sorts on disk",  # nothing got worse
        "half the work takes half the CPU",  # less DB time for less work is no trouble of First's
        "one statement went and a lesser one came while DB time held",
        "what weighed on the first of two databases weighs on it alone",  # neither is better or worse
    ],
)
def test_where_it_is_open_nobody_guesses(name):
    assert worse_side(compared(name)) is None


def test_trouble_in_an_hour_of_less_db_time_is_open():
    """Less got done: that may be the outage, or the end of it."""
    found = replace(compared(OUTAGE_FIRST), answer=NO_ANSWER)
    busier = replace(found.identity[1], active_sessions=100.0)
    assert worse_side(replace(found, identity=(found.identity[0], busier))) is None
    unknown = replace(found.identity[1], active_sessions=None)
    assert worse_side(replace(found, identity=(found.identity[0], unknown))) is None


def test_as_much_trouble_on_either_side_is_open():
    found = replace(compared(OUTAGE_FIRST), answer=NO_ANSWER)
    (better,) = (f for f in found.findings[:1])
    sessions = replace(better.sessions, first=better.sessions.second, second=better.sessions.first)
    worse = replace(better, tone="worse", sessions=sessions)
    assert worse_side(replace(found, findings=(better, worse))) is None


@pytest.mark.parametrize(("first", "second", "side"), [(2.0, 8.0, "second"), (8.0, 2.0, "first"), (8.0, 7.0, None)])
def test_of_two_sick_hours_it_is_the_one_in_the_larger_trouble(first, second, side):
    troubles = [(Trouble("locks", "row-locks", sessions, 0.5, "…"),) for sessions in (first, second)]
    answer = Answer("both_sick", "Both hours are sick: …", first=troubles[0], second=troubles[1])
    assert worse_side(replace(compared(OUTAGE_FIRST), answer=answer)) == side


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("In First swap is used up.", "In the incident's hour swap is used up."),
        ("Second is nearly idle.", "The hour before is nearly idle."),
        ("61 % of First's DB time. Second has 15.", "61 % of the incident hour's DB time. The hour before has 15."),
        ("Said by “Second Shift” in Second.", "Said by “Second Shift” in the hour before."),
        ("SECOND_JOB took a second, Seconds more.", "SECOND_JOB took a second, Seconds more."),
    ],
)
def test_a_sentence_names_the_hours_otherwise(text, said):
    assert rename_sides(text, OWN, OTHER) == said
