"""HTML to tables of printed cells."""

from __future__ import annotations

import pytest
from lxml import etree

from parsers.html import table_reader
from parsers.html.table_reader import MAX_COLUMNS, read_html
from parsers.tables.rawtable import MAX_TABLES
from tests.unit.parsers.reports import section, table


def one(html: str):  # type: ignore[no-untyped-def]
    (found,) = read_html(f"<html><body>{html}</body></html>").tables
    return found


def test_heading_summary_notes_and_rows() -> None:
    found = one(section("Waits", table(["Event", "Waits"], ["a&nbsp; b ", " 1,2 "], summary="S"), notes=["n 1", "n 2"]))
    assert (found.heading, found.summary, found.notes) == ("Waits", "S", ("n 1", "n 2"))
    assert (found.labels, found.rows) == (("Event", "Waits"), [["a b", "1,2"]])


def test_caption_between_heading_and_table() -> None:
    assert (
        one("<h3>Report Summary</h3><p />Load Profile<p />" + table(["", "Per Second"], ["x", "1"])).caption
        == "Load Profile"
    )


def test_a_caption_belongs_to_one_table_only() -> None:
    first, second = read_html("<h3>H</h3><p>One</p>" + table(["a"], ["1"]) + table(["b"], ["2"])).tables
    assert (first.caption, second.caption, second.heading) == ("One", "", "H")


def test_links_and_hidden_repeats_in_cells() -> None:
    found = one(
        "<table><tr><th>a</th></tr><tr><td>x <a href='#1'>y</a> z</td></tr><tr><td><div>B</div></td></tr></table>"
    )
    assert found.rows == [["x y z"], ["B"]]


def test_group_header_names_repeated_labels() -> None:
    group = '<tr><td>&#160;</td><th colspan=" 2">CR</th><th colspan="2">Current</th></tr>'
    found = one(table(["Inst", "All", "Busy", "All", "Busy"], ["1", "2", "3", "4", "5"], group=group))
    assert found.labels == ("Inst", "CR All", "CR Busy", "Current All", "Current Busy")


def test_labels_repeated_without_a_group() -> None:
    found = one(table(["Get Requests", "Pct Miss", "Pin Requests", "Pct Miss"], ["1", "2", "3", "4"]))
    assert found.labels == ("Get Requests", "Pct Miss", "Pin Requests", "Pct Miss (2)")
    found = one(table(["Name", "Reads: Data", "Reqs", "Writes: Data", "Reqs"], ["1", "2", "3", "4", "5"]))
    assert found.labels == ("Name", "Reads: Data", "Reads Reqs", "Writes: Data", "Writes Reqs")


def test_rowspan_is_carried_down() -> None:
    rows = "<tr><td rowspan='2'>cell1</td><td>1</td></tr><tr><td>2</td></tr><tr><td>cell2</td><td>3</td></tr>"
    assert one(f"<table><tr><th>Cell</th><th>n</th></tr>{rows}</table>").rows == [
        ["cell1", "1"],
        ["cell1", "2"],
        ["cell2", "3"],
    ]


def test_cells_that_span_everything_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by the fuzzer: each row carried 400 cells of the rows above."""
    laid_out = []

    class Counted(table_reader._Spans):
        def lay_out(self, cells: list[etree._Element]) -> list[str]:
            laid_out.append(super().lay_out(cells))
            return laid_out[-1]

    monkeypatch.setattr(table_reader, "_Spans", Counted)
    row = "<tr><td rowspan=65000 colspan=99999>1</td><td>2</td></tr>"
    assert one(f"<table><tr><th>a</th></tr>{row * 2000}</table>").rows
    assert len(laid_out) == 2000
    assert sum(map(len, laid_out)) < 110_000  # and not 800,000


def test_a_figure_over_two_columns_stands_in_the_first() -> None:
    head = "<tr><th>Cell</th><th colspan=2>Mean</th><th>Std Dev</th></tr>"
    row = "<tr><td>all</td><td colspan=2>4.5</td><td>0.1</td></tr>"
    found = one(f"<table>{head}{row}{row}</table>")
    assert found.labels == ("Cell", "Mean", "Mean (2)", "Std Dev")
    assert found.rows == [["all", "4.5", "", "0.1"]] * 2


def test_header_repeated_between_rows_is_no_row() -> None:
    head = "<tr><th>a</th><th>b</th></tr>"
    assert one(f"<table>{head}<tr><td>1</td><td>2</td></tr>{head}<tr><td>3</td><td>4</td></tr></table>").rows == [
        ["1", "2"],
        ["3", "4"],
    ]


def test_row_header_cells_are_cells() -> None:
    assert one("<table><tr><th>a</th><th>b</th></tr><tr><th scope=row>x</th><td>1</td></tr></table>").rows == [
        ["x", "1"]
    ]


def test_tables_without_a_row_are_left_out_and_layout_tables_are_no_data() -> None:
    inner = table(["a"], ["1"])
    document = read_html(f"<table><tr><td>{inner}</td><td>{table(['b'])}</td></tr></table>")
    assert [t.labels for t in document.tables] == [("a",)]


def test_short_and_long_rows_are_fitted() -> None:
    assert one(table(["a", "b"], ["1"], ["1", "2", "3"])).rows == [["1", "", ""], ["1", "2", "3"]]


def test_end_of_the_file() -> None:
    assert read_html(table(["a"], ["1"]) + "</BODY></HTML>").complete
    cut = read_html(
        "<h3>H</h3><table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n<tr><td>3</td><td>45"
    )
    assert not cut.complete
    assert cut.tables[0].rows == [["1", "2"]], "the row it ends in may have lost digits"
    assert cut.last_line == 4


@pytest.mark.parametrize("html", ["", " ", "<!-- -->", "<?xml?>", "\0\0", "<", "<html>"])
def test_nothing_to_read(html: str) -> None:
    assert read_html(html).tables == []


def test_entities_of_the_file_itself_are_not_expanded() -> None:
    html = '<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY f SYSTEM "file:///etc/passwd">]>' + table(["x"], ["&a;&f;"])
    assert "root:" not in str(read_html(html).tables[0].rows)
    assert "aaaa" not in str(read_html(html).tables[0].rows)


def test_limits_are_told() -> None:
    wide = read_html(f"<h3>Wide</h3>{table(['a'] * (MAX_COLUMNS + 5), ['1'] * (MAX_COLUMNS + 5))}")
    assert len(wide.tables[0].labels) == MAX_COLUMNS
    assert wide.cut == ["Wide"]
    many = read_html("<h3>Many</h3>" + table([], ["1"]) * (MAX_TABLES + 1))
    assert (len(many.tables), many.cut) == (MAX_TABLES, ["Many"])
    spans = read_html(
        "<h3>S</h3><table><tr><th colspan=999999999>a</th></tr><tr><td rowspan=99999 colspan=x>1</td></tr></table>"
    )
    assert len(spans.tables[0].labels) == MAX_COLUMNS


def test_a_heading_that_never_ends_is_shortened() -> None:
    document = read_html("<h3>" + "x" * 3000 + table(["a"], ["1"]))
    assert [len(h) for h in document.headings] == [2000]
    assert len(read_html("<h3>x" * 3000 + table(["a"], ["1"])).tables) == 1
