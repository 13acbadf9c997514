"""Rows without a price in DB time: no threshold measures them, so they stand behind one line that counts them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.comparison_json import dump_section, load_section
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.web.presenters.page.db_time import parts_of
from awrdiff.web.presenters.page.section_navigation import Scale
from awrdiff.web.presenters.section.compared_section import Options, present
from awrdiff.web.presenters.section.histogram import is_histogram
from tests.harness.corpus import compared
from tests.unit.analysis.builders import activity, loaded, parameters, report

READS = "db file sequential read"
CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "invented"
REAL = (
    ("19.0-rac-xydb-0800-0900.html", "19.0-rac-xydb-1500-1600.html"),
    ("12.1.0.2-single-receipt-173494-173496.html", "12.1.0.2-single-receipt-173498-173500.html"),
)


def test_the_number_said_of_a_built_pair_is_that_of_the_rows_that_show_brings():
    assert rows_behind(compared(CASES / "before.html", CASES / "after.html")) > 0


@pytest.mark.corpus
@pytest.mark.parametrize("names", REAL)
def test_the_number_said_of_a_real_pair_is_that_of_the_rows_that_show_brings(corpus, names):
    assert rows_behind(compared(*(corpus / name for name in names))) > 100


def rows_behind(made: Comparison) -> int:
    behind = 0
    for step in (0.1, 1.0, 5.0, 10.0):
        scale = Scale.of(replace(made, step=step))
        for section in map(load_section, map(dump_section, made.sections)):
            if is_histogram(section) or not section.key:
                continue
            line = SimpleNamespace(section_id=section.id)
            view = present(section, Options(step=step))
            shown = present(section, Options(step=step, unpriced=True))
            assert view.matched == scale.count(line), section.id
            assert view.unpriced == scale.unpriced(line) == shown.matched - view.matched, section.id
            assert view.matched + view.hidden_rows + view.unpriced == view.total
            assert view.total == present(section, Options(step=step, changed_only=False)).matched
            behind += view.unpriced
    return behind


def test_settings_and_the_load_itself_are_no_matter_of_price():
    first, second = (
        loaded(
            waits={READS: (1_000, seconds)},
            more=[parameters({"a": text}), activity({"physical reads": count, "rare": 0})],
        )
        for seconds, text, count in ((500.0, "1", 1_000), (900.0, "2", 9_000))
    )
    made = compare_reports(first, second)
    by_id = {s.id: present(s, Options()) for s in made.sections}
    assert [r["name"] for r in by_id["init_parameters"].rows] == ["a"]
    assert by_id["instance_activity"].rows == []
    assert "1 row changed, no share of DB time, most of all physical reads" in by_id["instance_activity"].unpriced_text
    assert not by_id["foreground_wait_events"].unpriced
    assert not any(r.unpriced for s in made.sections if s.id == "load_profile" for r in s.rows)


def test_what_is_zero_on_both_sides_is_no_part_of_the_time():
    waits = {READS: (1_000, 500.0), "CSS initialization": (4, 0.0)}
    made = compare_reports(loaded(waits=waits), loaded(waits={**waits, READS: (1_000, 900.0)}))
    subjects = [p.subject.key for p in parts_of(made.attribution)]
    assert READS in subjects
    assert "CSS initialization" not in subjects


def test_reports_without_db_time_price_nothing_and_hide_by_what_moved():
    first, second = (report(activity({"reads": count})) for count in (1_000, 9_000))
    section = next(s for s in compare_reports(first, second).sections if s.id == "instance_activity")
    assert [r.unpriced for r in section.rows] == [False]
