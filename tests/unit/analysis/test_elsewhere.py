"""A figure that one SQL list leaves out and another prints: shown, and marked as of the other list."""

from __future__ import annotations

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.comparison_json import as_dict, pack_section, unpack_section
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.report.sql_statements import ELAPSED
from awrdiff.web.presenters.section.compared_section import Options, present
from parsers.model import Column
from tests.unit.analysis.builders import exact, near, report
from tests.unit.analysis.test_statements import ID, PDB, table

CPU = "sql_by_cpu_time"
FIGURES = ("elapsed_time_s", "executions")


def lists(elapsed, by_cpu, *, names=(ID,)):
    cpu = ("cpu_time_s", "elapsed_time_s", "executions")
    return report(table(ELAPSED, FIGURES, elapsed, names=names), table(CPU, cpu, by_cpu, names=names))


def compared(first, second):
    return {s.id: s for s in compare_reports(first, second).sections}


def row(sections, section_id, *key):
    return next(r for r in sections[section_id].rows if tuple(r.key.values()) == key)


FIRST = lists(
    [("a", near(100, 0.5), exact(10)), ("b", near(50, 0.5), exact(5))], [("a", near(60), near(100), exact(10))]
)
SECOND = lists([("c", near(90, 0.5), exact(3))], [("a", near(30), near(80, 0.5), exact(20))])


def test_a_figure_of_another_list_is_compared_and_names_it():
    a = row(compared(FIRST, SECOND), ELAPSED, "a")
    assert a.status == "only_first"
    assert (a.values["elapsed_time_s"].second.number, a.values["elapsed_time_s"].diff) == (80, -20)
    assert a.values["executions"].second_per_s is not None
    assert a.elsewhere == {"elapsed_time_s": CPU, "executions": CPU}
    assert a.weight < row(compared(FIRST, SECOND), ELAPSED, "b").weight  # by what it changed, not by all it took


def test_what_no_list_prints_stays_unknown():
    sections = compared(FIRST, SECOND)
    for name, side in (("b", "second"), ("c", "first")):
        lone = row(sections, ELAPSED, name)
        assert getattr(lone.values["elapsed_time_s"], side) is None
        assert lone.elsewhere == {}


def test_another_pluggable_database_is_another_statement():
    first = lists([("a", "P1", near(100), exact(10))], [], names=(ID, PDB))
    second = lists([], [("a", "P2", near(30), near(80), exact(20))], names=(ID, PDB))
    assert row(compared(first, second), ELAPSED, "a", "P1").elsewhere == {}
    unnamed = lists([], [("a", near(30), near(80), exact(20))])
    assert row(compared(first, unnamed), ELAPSED, "a").elsewhere != {}


def test_an_id_of_two_databases_is_no_one_statement():
    both = [("a", "P1", near(30), near(80), exact(20)), ("a", "P2", near(30), near(80), exact(20))]
    first = lists([("a", near(100), exact(10))], [])
    assert row(compared(first, lists([], both, names=(ID, PDB))), ELAPSED, "a").elsewhere == {}


def test_it_is_stored_and_published():
    section = compared(FIRST, SECOND)[ELAPSED]
    assert unpack_section(pack_section(section)) == section
    document = as_dict(compare_reports(FIRST, SECOND))
    rows = next(s["rows"] for s in document["sections"] if s["id"] == ELAPSED)
    assert [r.get("elsewhere") for r in rows if r["key"]["sql_id"] == "a"] == [
        {"elapsed_time_s": CPU, "executions": CPU}
    ]
    assert "not in Second's list; figures of its other SQL lists" in as_markdown([compare_reports(FIRST, SECOND)])


def test_the_page_shows_the_figure_and_says_where_it_stands():
    view = present(compared(FIRST, SECOND)[ELAPSED], Options(basis="total"))
    cells = next(r["cells"] for r in view.rows if r["name"] == "a")
    assert (cells[1]["c"], cells[1]["t"].strip()) == ("derived", "80")
    assert cells[1]["h"] == "not in this list there: the figure is that of SQL ordered by CPU Time"
    assert cells[0]["c"] == ""
    alone = next(r["cells"] for r in view.rows if r["name"] == "b")
    assert alone[1]["t"] == "not listed"


def test_per_execution_follows_from_both_figures():
    per = Column("elapsed_per_exec_s", "Elapsed per Exec", "s", "lower", "average")
    first = report(table(ELAPSED, FIGURES, [("a", near(100, 0.5), exact(10), exact(10))], more=(per,)))
    rows = present(compared(first, SECOND)[ELAPSED], Options(basis="total")).rows
    cells = next(r["cells"] for r in rows if r["name"] == "a")
    assert [c["t"].strip() for c in cells[6:8]] == ["10.0", "4.0"]
    assert "SQL ordered by CPU Time" in cells[7]["h"]
