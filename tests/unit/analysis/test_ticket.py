"""The text for a ticket: twelve lines whatever is compared, each of them one line that can be read."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.brief_summary import ticket
from awrdiff.analysis.model.ranked_changes import Subject
from tests.unit.analysis.builders import loaded
from tests.web.compared import comparison

READS = {f"db file event {n}": (1000 * n, 500.0 * n) for n in range(1, 9)}


def made():
    return replace(compare_reports(loaded(), loaded(waits=READS, parse=900)), address="https://awr.example/c/1/")


def test_both_hours_the_verdict_rows_and_the_address_in_this_order():
    found = made()
    lines = ticket(found).splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["First", "Second"]
    assert lines[2] == found.answer.headline
    assert lines[3] == " ".join(s.text for s in found.verdict if s.about in ("load", "time"))
    assert 1 <= sum(line.startswith("- ") for line in lines) <= 5
    assert lines[-1] == found.address
    assert len(lines) <= 12


def test_windows_that_lie_inside_each_other_are_named_in_the_line_of_second():
    lines = ticket(compare_reports(loaded(), loaded(elapsed=7200.0, begin_snap=99))).splitlines()
    assert lines[1].endswith("The two windows overlap by 50 % of the longer one: what both cover counts on both sides.")
    assert "overlap" not in ticket(made())


def test_parts_of_the_time_and_what_is_seen_another_way_never_stand_in_one_list():
    found = made()
    part = found.ranked.movers[0]
    assert part.view == "part"
    assert "The time, in active sessions:" in ticket(found)
    assert part.subject.key in ticket(found)
    seen = replace(part, view="again", subject=Subject("sql", "1yf5pgkwgrckw"), about="SELECT " + "x" * 99)
    both = ticket(replace(found, ranked=replace(found.ranked, movers=(part, seen))))
    rows = [line for line in both.splitlines() if line.startswith("- ")]
    assert len(rows) == 1
    assert "1yf5pgkwgrckw" in rows[0]
    assert rows[0].endswith("x…")


def test_what_is_below_the_threshold_is_not_in_it():
    assert "- " not in ticket(replace(made(), step=100.0, findings=())).replace(" - ", "")


@pytest.mark.parametrize("evil", ["two\nlines", "turned \u202e round", "bell\x07", "x" * 5000])
def test_a_name_neither_begins_a_line_nor_turns_the_text_around(evil):
    found = comparison()
    first, second = found.identity
    text = ticket(replace(found, identity=(replace(first, db_name=evil), second)))
    lines = text.splitlines()
    assert lines[1].startswith("Second: ")
    assert all(line.isprintable() and len(line) <= 400 for line in lines)
