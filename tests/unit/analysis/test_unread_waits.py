"""Wait events whose rows do not say it all: one name for several, a time too wide for its column, counters that went
back. What cannot be read is unknown, and never nothing."""

import pytest
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.inputs_from_report import inputs_of
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.active_sessions_attribution import attribute, unaccounted_share
from awrdiff.analysis.verdict.rules.finding_sizes import waits
from parsers.model import Cell, Report, Value
from tests.unit.analysis.builders import EVENT_COLUMNS, activity, events, exact, near, report, section, time_model

READS = "db file sequential read"
WORK = activity({"user commits": 36_000, "user calls": 360_000, "execute count": 720_000, "session logical reads": 3e7})


def hour(*rows: tuple[str, Cell, Cell, Cell, Cell], db_time: float = 7_200.0) -> Report:
    """One hour on CPU for 1,800 s, with these foreground waits: name, waits, seconds, average, share of DB time."""
    listed = section("foreground_wait_events", EVENT_COLUMNS, rows, coverage="nonzero")
    return report(time_model(db_time=db_time, db_cpu=1_800.0), listed, events({}, background=True), WORK)


def read_in(seconds: float, name: str = READS, count: float = 900_000) -> tuple[str, Cell, Cell, Cell, Cell]:
    return name, exact(count), near(seconds), near(seconds / count, 5e-6), exact(50.0)


TOO_WIDE = (READS, exact(900_000), None, near(0.006, 5e-6), exact(75.0))
TOO_WIDE_TWICE = (READS, exact(900_000), None, None, exact(75.0))
WENT_BACK = (READS, exact(-900_000), near(-5_400), near(0.006, 5e-6), exact(75.0))
OTHER = read_in(3.0, "direct path read", 1_000)


def test_rows_that_a_column_cuts_to_one_name_are_added_up():
    """`cell single block physical read` and `…: flash cache` in a text report."""
    cut = "cell single block physical"
    side = Side(hour(read_in(4_000, cut), read_in(1_400, cut, 100_000)))
    found = side.foreground[cut]
    assert (found.waits, found.total.number) == (exact(1_000_000), pytest.approx(5_400, abs=3))
    assert unaccounted_share(side) == pytest.approx(0, abs=0.001)


def test_a_number_of_waits_that_one_of_such_rows_lacks_is_that_of_neither():
    cut = "cell single block physical"
    found = Side(hour(read_in(4_000, cut), (cut, None, near(1_400), None, exact(19.0)))).foreground[cut]
    assert (found.waits, found.total.number) == (None, pytest.approx(5_400, abs=3))


def test_a_time_too_wide_for_its_column_is_waits_times_average():
    side = Side(hour(TOO_WIDE, OTHER))
    assert side.foreground[READS].total.number == pytest.approx(5_400)
    assert side.foreground[READS].total.half == pytest.approx(4.5)
    assert not side.unread_waits
    said = compare_reports(hour(read_in(900.0), OTHER, db_time=2_700), hour(TOO_WIDE, OTHER))
    assert "reads through the buffer cache account for all of the rise of 1.2 sessions" in said.summary
    assert "naccounted" not in said.summary


def test_an_idle_event_too_wide_for_its_column_stays_idle():
    idle = ("some idle wait of a later release", exact(3_600_000), None, near(1.0, 0.005), None)
    assert list(Side(hour(read_in(5_400), idle)).foreground) == [READS]


@pytest.mark.parametrize("row", [TOO_WIDE_TWICE, WENT_BACK])
def test_a_time_that_cannot_be_read_is_unknown_and_not_none(row):
    before, after = hour(read_in(900.0), OTHER, db_time=2_700), hour(row, OTHER)
    side = Side(after)
    assert side.unread_waits == {READS}
    assert list(side.foreground) == ["direct path read"]
    assert unaccounted_share(side) is None
    assert waits(side, lambda name: name == READS) is None
    assert waits(side, lambda name: name.startswith("direct")) is not None
    for pair in ((before, after), (after, before)):
        change = attribute(*map(Side, pair))
        assert change is not None
        assert READS not in {part.key for part in change.parts}
        said = compare_reports(*pair)
        told = " ".join([said.summary, *(f"{f.title} {f.text}" for f in said.findings)])
        assert not any(wrong in told for wrong in ("naccounted", "buffer cache", READS))
        (warning,) = (w for w in said.warnings if w.code == "unread-waits")
        assert f"prints for {READS} cannot be read" in warning.text
        assert not {"low-coverage", "high-coverage"} & {w.code for w in said.warnings}
    assert f"The time that the report prints for {READS} cannot be read" in assess(after).verdict


def test_commits_whose_waits_cannot_be_read_are_said_to():
    row = ("log file sync", exact(-36_000), near(-5.0), near(0.001, 5e-6), exact(1.0))
    found = inputs_of(Side(hour(read_in(5_400), row)))
    assert found.lfs is None
    assert "log file sync (its time cannot be read)" in found.missing


def test_a_row_without_any_time_is_no_time_that_cannot_be_read():
    """A list that prints no times at all, or an event that nobody waited for."""
    none = (READS, exact(0), None, None, None)
    assert not Side(hour(read_in(5.0, "direct path read"), none)).unread_waits


def test_more_than_three_are_counted():
    rows = [(f"wait {n}", exact(-1), near(-5.0), Value(1.0, 0.5), exact(1.0)) for n in range(5)]
    said = compare_reports(hour(read_in(5_400)), replace(hour(*rows), name="b.html"))
    (warning,) = (w for w in said.warnings if w.code == "unread-waits")
    assert "for wait 0, wait 1, wait 2 and 2 more cannot be read" in warning.text


def test_a_counter_that_went_back_is_unknown_and_what_is_no_counter_may_shrink():
    named = {"redo size": -5e9, "session pga memory": -4096.0, "user calls": 0.0}
    side = Side(report(time_model(db_time=100.0), activity(named)))
    assert side.statistic("redo size") is None
    assert side.statistic("session pga memory") == exact(-4096)
    assert side.statistic("user calls") == exact(0)
    said = compare_reports(report(activity({"redo size": 1e9})), side.report)
    assert "statistics-reset" in {w.code for w in said.warnings}
