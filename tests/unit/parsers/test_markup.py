"""Pages whose markup is damaged, too dense or too deep: what is read of them, in which time and memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
from msgspec.structs import replace

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUT_112, write
from parsers import UnsupportedReport, parse_report
from parsers.files.encoding import decode
from parsers.files.mail_and_browser_wrappings import mend
from parsers.html.regular_table_rows import take_rows
from parsers.html.repair import is_damaged
from parsers.html.table_reader import read_html
from parsers.html.wrapped_line_rejoining import rejoin
from parsers.model import Section
from parsers.tables.rawtable import RawTable
from tests import mangle
from tests.fuzz import FLOOR, MOST_TIMES, Memory
from tests.harness.cost import is_linear
from tests.unit.parsers.kind_pages import global_report
from tests.unit.parsers.listings import listing

PAGES = {
    "19c": write(invented.after(), LAYOUT_19),
    "11.2": write(invented.after(modern=False), LAYOUT_112),
    "global": global_report(),
}
WHOLE = {name: parse_report(data) for name, data in PAGES.items()}
EVERY_PAGE = pytest.mark.parametrize("name", PAGES)
END = b"End of Report"


def without(pattern: bytes) -> Callable[[bytes], bytes]:
    return lambda data: re.sub(pattern, b"", data)


def tables(page: str) -> list[RawTable]:
    """But for the lines, which are those where tags begin, not where they end."""
    return [replace(table, line=None) for table in read_html(page).tables]


def anew(page: str) -> list[RawTable]:
    """As if lxml would take too much for it."""
    with mock.patch("parsers.html.table_reader.is_overloaded", return_value=True):
        return tables(page)


def same_rows(sections: tuple[Section, ...], whole: tuple[Section, ...]) -> bool:
    return [(s.id, s.columns, s.records, s.notes) for s in sections] == [
        (s.id, s.columns, s.records, s.notes) for s in whole
    ]


@EVERY_PAGE
def test_a_whole_page_written_anew_says_the_same(name: str) -> None:
    text = PAGES[name].decode()
    for page in (text, mangle.minified(PAGES[name]).decode(), mangle.upper_case_tags(PAGES[name]).decode()):
        assert not is_damaged(take_rows(page)[0])
        assert anew(page) == tables(page)


@pytest.mark.thorough
def test_a_whole_real_page_written_anew_says_the_same(corpus: Path) -> None:
    for path in sorted(p for p in corpus.iterdir() if p.suffix.lower().startswith(".htm")):
        text = rejoin(mend(decode(path.read_bytes()).text).text)
        assert not is_damaged(take_rows(text)[0]), path.name
        assert anew(text) == tables(text), path.name


LOST = {
    "ends of tables": without(rb"</table>"),
    "every third end of a table": lambda data: b"".join(
        part + (b"</table>" if n % 3 else b"") for n, part in enumerate(data.split(b"</table>"))
    ),
    "beginnings of rows": without(rb"<tr[^>]*>"),
    "beginnings of cells": without(rb"<td[^>]*>"),
    "cells with a letter gone": lambda data: data.replace(b"<td", b"<d"),
    "rows with a letter gone": lambda data: data.replace(b"<tr", b"<r"),
    "ends of all in tables": without(rb"</t(?:able|[rdh])>"),
    "ends of tables, minified": lambda data: mangle.minified(data).replace(b"</table>", b""),
    "the title's end and those of tables": without(rb"</t[^>]*>"),
    "notes' ends": without(rb"</(?:li|ul|table)>"),
}


@EVERY_PAGE
@pytest.mark.parametrize("way", LOST)
def test_rows_come_back_whatever_was_lost(name: str, way: str) -> None:
    report = parse_report(LOST[way](PAGES[name]))
    assert same_rows(report.sections, WHOLE[name].sections)
    assert report.period == WHOLE[name].period
    assert [i.code for i in report.issues] == ["damaged-markup"]


def test_the_beginnings_of_tables_come_back_but_for_what_they_say_of_themselves() -> None:
    report = parse_report(without(rb"<table[^>]*>")(PAGES["global"]))
    assert same_rows(report.sections, WHOLE["global"].sections)


def test_a_page_whose_rows_are_lost_is_refused_with_what_is_wrong() -> None:
    with pytest.raises(UnsupportedReport, match="tables of this report are damaged") as refusal:
        parse_report(without(rb"</?tr[^>]*>")(PAGES["19c"]))
    assert refusal.value.code == "damaged-markup"


def test_damage_in_one_table_says_nothing_about_the_others() -> None:
    page = PAGES["19c"].replace(b"</table>", b"", 1).replace(b"<td align", b"< td align", 1)
    report = parse_report(page)
    assert same_rows(report.sections[3:], WHOLE["19c"].sections[3:])


@EVERY_PAGE
@pytest.mark.parametrize("tags", [b"<b>", b"<div>", b"<ul><li>", b"<p><h3>", b"<li><h3>", b"<span><a name=x>", b"<h3>"])
def test_tags_nested_deep_hide_nothing(name: str, tags: bytes) -> None:
    """lxml stops at 2,048."""
    at = PAGES[name].find(b"<h3")
    report = parse_report(PAGES[name][:at] + tags * 3_000 + PAGES[name][at:])
    assert {s.id for s in report.sections} >= {s.id for s in WHOLE[name].sections}
    assert [s.records for s in report.sections[-3:]] == [s.records for s in WHOLE[name].sections[-3:]]


def test_tables_nested_deep_are_read_around() -> None:
    at = PAGES["19c"].find(b"<h3")
    report = parse_report(PAGES["19c"][:at] + b"<table><tr><td>" * 1_800 + PAGES["19c"][at:])
    assert {s.id for s in report.sections} >= {s.id for s in WHOLE["19c"].sections}


@pytest.mark.hostile
@pytest.mark.parametrize("tag", [b"<th ", b"</h3 ", b"<p "])
@pytest.mark.parametrize("value", [b"", b"=1", b'="<>"', b"='>'", b'="x"', b"<"])
def test_a_tag_of_very_many_attributes_takes_no_time(tag: bytes, value: bytes) -> None:
    """Found by the fuzzer: lxml compares each with all before it, which took minutes."""

    def page(attributes: int) -> bytes:
        many = b" ".join(b"a%d%s" % (n, value) for n in range(attributes))
        return PAGES["19c"].replace(END, tag + many + b">x</h3>" + END)

    assert {s.id for s in parse_report(page(40_000)).sections} >= {s.id for s in WHOLE["19c"].sections}
    assert is_linear(page, parse_report, 40_000)


def odd_rows(rows: int, attributes: int) -> bytes:
    """A page with rows that do not fit their header."""
    many = b" ".join(b"a%d" % n for n in range(attributes))
    row = b"<tr><td>1</td><td %s>2</td></tr>" % many
    return PAGES["19c"].replace(END, b"<h3>Odd</h3><table><tr><th>A</th></tr>" + row * rows + b"</table>" + END)


@pytest.mark.hostile
@pytest.mark.parametrize(("rows", "attributes"), [(1, 60_000), (20_000, 0)], ids=["attributes", "rows"])
def test_so_do_rows_that_do_not_fit_their_header(rows: int, attributes: int) -> None:
    """Found by the fuzzer: such rows are read once more by lxml."""
    memory = Memory()
    page = odd_rows(rows, attributes)
    before = memory.reset()
    assert len(parse_report(page).sections[-1].records) == rows
    assert memory.read() - before < MOST_TIMES * len(page) + FLOOR
    if attributes:
        assert is_linear(lambda size: odd_rows(1, size), parse_report, attributes)
    else:
        assert is_linear(lambda size: odd_rows(size, 0), parse_report, rows)


DENSE = {
    "cells": b"<td>1</td>",
    "cells without ends": b"<td>1",
    "rows of one cell": b"<tr><td>1</td></tr>",
    "rows without ends": b"<tr><td>1",
    "paragraphs": b"<p>",
    "rules": b"<hr>",
    "notes": b"<li>x",
    "headings": b"<h3>x</h3>",
    "breaks": b"<br>",
    "bold": b"<b>x</b>",
    "tables": b"<table><tr><td>1</td></tr></table>",
}


def page_of(tags: bytes, size: int) -> bytes:
    return PAGES["19c"].replace(END, b"<h3>Dense</h3><table>" + tags * (size // len(tags)) + END)


@pytest.mark.hostile
@pytest.mark.parametrize("what", DENSE)
def test_pages_of_next_to_nothing_but_tags_take_bounded_memory(what: str) -> None:
    page = page_of(DENSE[what], 3_500_000)
    memory = Memory()
    before = memory.reset()
    report = parse_report(page)
    assert memory.read() - before < MOST_TIMES * len(page) + FLOOR
    assert same_rows(report.sections[: len(WHOLE["19c"].sections) - 1], WHOLE["19c"].sections[:-1])


@pytest.mark.hostile
@pytest.mark.parametrize("what", DENSE)
def test_and_time_in_proportion(what: str) -> None:
    assert is_linear(partial(page_of, DENSE[what]), parse_report, 1_000_000)


def test_what_is_left_out_of_a_page_is_said() -> None:
    report = parse_report(PAGES["19c"].replace(END, b"<p>" * 500_000 + b"<h3>Late</h3><table><td>1</table>" + END))
    assert [i.code for i in report.issues][-1] == "left-out"
    assert re.search(r"From line \d+ on", report.issues[-1].text)
    assert "late" not in {s.id for s in report.sections}
    whole = {s.id: s.coverage for s in WHOLE["19c"].sections}
    assert {s.id for s in report.sections if s.coverage != whole[s.id]} <= {report.sections[-1].id}
    assert report.sections[-1].coverage == "top"


def dense_page(size: int) -> bytes:
    row = b"<tr>" + b"<td>1</td>" * 9 + b"</tr>"
    return PAGES["19c"].replace(END, b"<table>" + row * (size // len(row)) + b"</table>" + END)


def test_a_large_file_of_tags_alone_is_refused_and_a_smaller_one_read() -> None:
    assert len(parse_report(dense_page(2_000_000)).sections) > 50
    with pytest.raises(UnsupportedReport, match="more tags than text"):
        parse_report(dense_page(8_600_000))


def test_a_file_of_signs_that_begin_no_tag_is_refused() -> None:
    page = PAGES["19c"].replace(END, b"%b" + END)
    size = len(page)
    assert len(parse_report(page.replace(b"%b", b"<p>a < b</p>" * (size // 30))).sections) > 50
    with pytest.raises(UnsupportedReport, match="more tags than text"):
        parse_report(page.replace(b"%b", b"<" * 2 * size))


def test_a_large_file_of_ordinary_rows_is_read() -> None:
    row = b"<tr>" + b"<td class='awrc'>12,345</td>" * 9 + b"</tr>"
    page = PAGES["19c"].replace(END, b"<h3>Large</h3><table>" + row * (8_600_000 // len(row)) + b"</table>" + END)
    report = parse_report(page)
    assert len(report.sections[-1].records) == 8_600_000 // len(row)
    assert report.issues == ()


@pytest.mark.parametrize("line", [b"\n", b"x\n", b"- -\n1 2\n", b"a\n~~~\n", b"\f\n", b"\r"])
def test_listings_of_lines_without_text_take_bounded_memory(line: bytes) -> None:
    data = listing().replace("\nEnd of Report", "").encode() + line * (2_500_000 // len(line))
    memory = Memory()
    before = memory.reset()
    report = parse_report(data)
    assert memory.read() - before < MOST_TIMES * len(data) + FLOOR
    assert "left-out" in [i.code for i in report.issues]
    assert report.database.name == "SHOP"


@pytest.mark.parametrize("line", [b"a1\t" * 20 + b"\n", b"ab\t" * 300 + b"\n", b"ab\tcd\n"])
def test_copies_of_short_cells_take_bounded_memory(line: bytes) -> None:
    head = "\n".join(" ".join(row.split()) for row in listing().replace("\nEnd of Report", "").split("\n"))
    data = head.encode() + b"\n" + line * (2_500_000 // len(line))
    memory = Memory()
    before = memory.reset()
    assert parse_report(data).source in ("squeezed", "copy")
    assert memory.read() - before < MOST_TIMES * len(data) + FLOOR
