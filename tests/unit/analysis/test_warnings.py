"""What stands between two reports and a fair comparison."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.comparability_warnings import warnings_of
from parsers.model import Column, Issue
from tests.unit.analysis.builders import BEGIN, STARTED, activity, loaded, report, section

LATER = BEGIN + timedelta(hours=3)


def codes(a, b):
    return [w.code for w in warnings_of(Side(a), Side(b))]


def pair(**second):
    facts = {"begin": LATER, "begin_snap": 200, **second}
    return codes(report(), report(**facts))


def test_a_fair_pair_has_none():
    assert pair() == []


def test_what_a_file_lacks_is_told_first():
    """Of the whole file, not of a section or of what is not known here."""
    lacking = Issue("truncated", "The report ends early (line 9): what comes after that is missing, not zero.", line=9)
    others = (Issue("overflow", "A figure was too wide.", "load_profile"), Issue("unknown-column", "New.", ours=True))
    first, second = report(), report(begin=LATER, begin_snap=200, release="12.2.0.1.0")
    told = warnings_of(Side(replace(first, issues=others)), Side(replace(second, issues=(lacking, *others))))
    assert [w.code for w in told] == ["truncated", "different-release"]
    assert told[0].text == "Second: the report ends early (line 9): what comes after that is missing, not zero."
    assert codes(replace(first, issues=(lacking,)), second) == ["truncated", "different-release"]


def test_a_time_that_cannot_be_read_is_said():
    """It is no gap: what is not listed is zero all the same."""
    unread = Issue("unreadable-time", "A time of this report cannot be read.")
    first, second = report(), replace(report(begin=LATER, begin_snap=200), issues=(unread,))
    assert codes(first, second) == ["unreadable-time"]
    assert warnings_of(Side(second), Side(first))[0].text.startswith("First: a time")
    assert not second.gaps


def test_a_release_is_called_by_its_product_where_the_number_does_not_say_it():
    first, second = report(release="23.9.0.25.07"), report(begin=LATER, begin_snap=200, release="23.26.0.0.0")
    (warning,) = warnings_of(Side(first), Side(second))
    assert "23.9.0.25.07 (23ai) against 23.26.0.0.0 (26ai)" in warning.text


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ({"release": "12.2.0.1.0"}, "different-release"),
        ({"dbid": "2"}, "different-database"),
        ({"host": "db2"}, "different-host"),
        ({"cpus": 16}, "different-cpus"),
        ({"instance": 2}, "rac-instance-mismatch"),
        ({"elapsed": 4000.0}, "different-elapsed"),
        ({"elapsed": None}, "elapsed-unknown"),
        ({"startup": STARTED + timedelta(days=9)}, "restart-between"),
        ({"startup": LATER + timedelta(minutes=10)}, "restart-inside"),
        ({"begin": BEGIN + timedelta(minutes=30)}, "overlapping"),
        ({"begin": BEGIN - timedelta(hours=5), "begin_snap": 50}, "second-before-first"),
    ],
)
def test_each(second, code):
    assert code in pair(**second)


def test_elapsed_up_to_a_tenth_apart_is_fine():
    assert pair(elapsed=3900.0) == []


def test_the_same_snapshots():
    assert codes(report(), report(name="copy.html")) == ["same-report"]
    (text,) = [w.text for w in warnings_of(Side(loaded()), Side(loaded(cpu=3_000.0))) if w.code == "same-report"]
    assert text.endswith("any difference lies in the reports, not in the load.")  # true where something differs, too


def test_what_is_not_printed_is_no_difference():
    bare = report(begin=None, begin_snap=None, cpus=None, startup=None)
    assert codes(bare, report()) == []


def test_masked_names_do_not_make_another_database():
    a, b = report(dbid="7"), report(dbid="7", begin=LATER, begin_snap=200)
    masked = replace(b, database=replace(b.database, name="XXXX"))
    assert "different-database" not in codes(a, masked)


def test_statistics_that_went_backwards():
    assert codes(report(activity({"user calls": -5})), report(begin=LATER, begin_snap=200)) == ["statistics-reset"]


def test_little_of_db_time_accounted_for():
    a = loaded(db_time=10_000)
    b = loaded(begin=LATER, begin_snap=200)
    assert codes(a, b) == ["low-coverage"]


def test_sentences_say_what_differs():
    a, b = report(), report(cpus=16, begin=LATER, begin_snap=200, startup=datetime(2024, 2, 1, 7, 30))
    texts = " ".join(w.text for w in warnings_of(Side(a), Side(b)))
    assert "The host has 8 CPUs in the first report and 16 in the second." in texts
    one = " ".join(w.text for w in warnings_of(Side(report(cpus=1)), Side(report(cpus=2))))
    assert "The host has 1 CPU in the first report and 2 in the second." in one
    assert "16" in texts
    assert "01 Feb 2024 07:30" in texts


def about(kind, section_id, **texts):
    """A report of another kind, with the table that says what it is about."""
    columns = [Column(name, name) for name in texts]
    made = report(section(section_id, columns, [tuple(texts.values())]))
    return replace(made, kind=kind)


@pytest.mark.parametrize(
    ("kind", "section_id", "column", "what"),
    [
        ("awr_pdb", "pdb_information", "container_name", "Different pluggable databases: a against b."),
        ("awr_sql", "sql_summary", "sql_id", "Different statements: a against b."),
        ("awr_compare", "compare_snapshots", "begin_snap_time", ""),
    ],
)
def test_the_same_time_is_not_the_same_report(kind, section_id, column, what):
    """Of another container, of another statement, against another period."""
    a, b = (about(kind, section_id, **{column: value}) for value in "ab")
    assert "same-report" not in codes(a, b)
    assert "same-report" in codes(a, a)
    assert [w.text for w in warnings_of(Side(a), Side(b)) if w.code == "different-subject"] == [what] * bool(what)


def test_ash_of_other_sessions_at_the_same_time():
    a, b = (
        replace(
            report(
                section("ash_period", [Column("metric", "Metric"), Column("value", "Value")], [("Report Target", v)])
            ),
            kind="ash",
        )
        for v in ("None specified", "Session 12")
    )
    assert "same-report" not in codes(a, b)
    assert "different-subject" in codes(a, b)


def test_windows_that_touch_do_not_overlap():
    """An ASH report begins at the full hour, its snapshots are taken some seconds later."""
    assert "overlapping" not in pair(begin=BEGIN + timedelta(minutes=59, seconds=50))
    assert "overlapping" in pair(begin=BEGIN + timedelta(minutes=58))


def test_snapshots_of_one_number_at_other_times_are_not_the_same():
    assert "same-report" not in pair(begin_snap=100)
    assert "same-report" in codes(report(), report(begin=BEGIN + timedelta(seconds=30)))


@pytest.mark.parametrize(("host", "differs"), [("DB1.shop.example", False), ("db10.shop.example", True), ("db", True)])
def test_a_host_with_its_domain_is_the_same_host(host, differs):
    assert ("different-host" in pair(host=host)) == differs


def test_databases_of_one_name_are_told_apart_by_their_ids():
    first, second = (report(dbid=dbid) for dbid in ("11", "22"))
    second = replace(second, database=replace(second.database, name=first.database.name))
    (said,) = [w.text for w in warnings_of(Side(first), Side(second)) if w.code == "different-database"]
    assert said == "Different databases: DB11 (id 11) against DB11 (id 22)."


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("COPY", ["One id under two names, DB11 and COPY: a copy of the database, or it was renamed."]),
        ("XXXX", []),
        ("db11", []),
    ],
)
def test_one_id_under_two_names_is_said_unless_one_is_masked(name, text):
    first = second = report(dbid="11")
    second = replace(second, database=replace(second.database, name=name))
    said = warnings_of(Side(first), Side(second))
    assert [w.text for w in said if w.code == "different-database"] == text
    assert ("same-report" in {w.code for w in said}) == (not text)


def test_a_start_inside_a_window_is_not_between_the_two():
    begin = datetime(2024, 1, 10, 9, 0)
    a = report(begin=begin, startup=datetime(2024, 1, 1, 7, 30))
    b = report(begin=begin + timedelta(hours=2), begin_snap=200, startup=begin + timedelta(hours=2, minutes=10))
    assert codes(a, b) == ["restart-inside"]
    assert codes(b, a) == ["restart-inside", "second-before-first"]
    (finding,) = [f for f in compare_reports(a, b).findings if f.rule == "cold-start"]
    assert finding.title == "The instance was started inside the window of Second."
    assert finding.text.startswith("Instance DB11 was started inside Second: ")


def test_waits_and_cpu_of_far_more_than_db_time():
    """Some events are counted twice in any report: a sixth more is usual, twice as much is not."""
    twice = loaded(db_time=700.0, begin=LATER, begin_snap=200)
    assert "high-coverage" in codes(loaded(), twice)
    texts = " ".join(w.text for w in warnings_of(Side(loaded()), Side(twice)))
    assert "Waits and CPU come to 214 % of Second's DB time: the figures of that report do not add up." in texts
    assert "high-coverage" not in codes(loaded(), loaded(db_time=1_270.0, begin=LATER, begin_snap=200))


def test_snapshots_of_two_databases_have_nothing_in_between():
    def texts(dbid):
        statspack = replace(loaded(), kind="statspack")
        return " ".join(w.text for w in warnings_of(Side(statspack), Side(loaded(begin=LATER, dbid=dbid))))

    assert "take their own snapshots" in texts("1")
    assert "take their own snapshots" not in texts("2")
