"""Rows that are taken out of the page before it is parsed are what lxml's tree would have held."""

from __future__ import annotations

import random
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUT_112, write
from parsers.files.encoding import decode
from parsers.files.mail_and_browser_wrappings import mend
from parsers.html.regular_table_rows import take_rows
from parsers.html.table_reader import read_html
from parsers.html.wrapped_line_rejoining import rejoin
from parsers.tables.rawtable import RawDocument
from tests.fuzz_cases import MUTATIONS
from tests.unit.parsers.kind_pages import global_report

PAGES = [write(invented.after(), LAYOUT_19), write(invented.after(modern=False), LAYOUT_112), global_report()]
# Those that leave tags whole: of broken ones the two ways make different, equally arguable things.
HARMLESS = ("beheaded", "cut", "swapped_columns", "wide_spans")
ROW = "<tr><td class='a'>x</td><td align=\"right\">1</td></tr>"


def by_the_tree(text: str) -> RawDocument:
    with mock.patch("parsers.html.table_reader.take_rows", lambda page: (page, [])):
        return read_html(text)


def page(rows: str, header: str = "<tr><th>Name</th><th>Value</th></tr>") -> str:
    return f"<html><h3>Things</h3>\n<table summary='s'>{header}\n{rows}\n</table>\n<p>after</p></html>"


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 1_000_000), name=st.sampled_from(HARMLESS))
def test_both_ways_agree_on_damaged_pages(seed: int, name: str) -> None:
    chance = random.Random(seed)
    text = decode(MUTATIONS[name](chance, chance.choice(PAGES))).text
    assert read_html(text) == by_the_tree(text)


@pytest.mark.thorough
def test_both_ways_agree_on_real_pages(corpus: Path) -> None:
    for path in sorted(p for p in corpus.iterdir() if p.suffix.lower().startswith(".htm")):
        text = rejoin(mend(decode(path.read_bytes()).text).text)
        kept, taken = take_rows(text)
        assert read_html(text) == by_the_tree(text), path.name
        assert kept.count("\n") == text.count("\n"), path.name
        assert sum(len(t.rows) for t in taken) > 0, path.name


@pytest.mark.parametrize(
    "rows",
    [
        ROW * 3,
        f"\n{ROW}\n \n{ROW}\r\n",
        "<tr class='b'><td><a class='awr' href='#x'>sql</a></td><td><a name='x'></a>1</td></tr>",
        "<tr><td>a &amp; b &lt; c</td><td>&nbsp;7&#160;</td></tr>",
        "<tr><td>  two\n  lines </td><td></td></tr>",
        "<tr><td><span class='hidden'>1st</span> x</td><td>1</td></tr>",
    ],
)
def test_regular_rows_are_taken(rows: str) -> None:
    text = page(rows)
    kept, taken = take_rows(text)
    assert len(taken) == 1
    assert "<td" not in kept
    assert kept.count("\n") == text.count("\n")
    assert read_html(text) == by_the_tree(text)


@pytest.mark.parametrize(
    "rows",
    [
        "",
        ROW + "<tr><td>one</td></tr>",
        ROW + "<tr><td>x<td>1</td></tr>",
        "<tr><td>x<br>y</td><td>1</td></tr>",
        "<tr><td title='a>b'>x</td><td>1</td></tr>",
        "<tr><td><table><tr><td>in</td></tr></table></td><td>1</td></tr>",
        "<td>x</td><td>1</td><tr></tr>",
        ROW.upper(),
        f"<tbody>{ROW}</tbody>",
        f"<!-- {ROW} -->",
        "<tr><td>x</td><td>a < b</td></tr>",
        "<tr><td>x</td><td>a > b</td></tr>",
        "<tr><td>x</td><td <b>1</td></tr>",
        "<tr><td><b>x</b></td></tr>",  # as many tags as a row of two cells
        "".join(f"<tr>{'<td>x</td>' * cells}</tr>" for cells in (3, 4, 5)),  # as many cells as three rows of four
        "<tr><td>x</td><td>1</td></tr><td>y</td><tr><td>2</td></tr>",
        ROW + "<tr><td>y</td><td>2",
        ROW + "<td",
        "<tr><td>x</td><td>1</td><td></tr>",
    ],
)
def test_other_rows_are_left_to_the_tree(rows: str) -> None:
    text = page(rows)
    assert len(take_rows(text)[1]) == rows.count("<table")  # the one inside
    assert read_html(text) == by_the_tree(text)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "\n<tr>\n<th class='b' scope=\"col\">\n Name\n of it </th> <th></th>\n</tr>\n",
        "<tr><th>a &amp; b</th><th>&#160;&lt;=1ms&nbsp;</th></tr>",
    ],
)
def test_a_plain_header_is_taken_with_its_rows(header: str) -> None:
    text = page(ROW * 2, header)
    kept, taken = take_rows(text)
    assert "<t" not in kept.replace("<table", "")
    assert taken[0].labels is not None
    assert kept.count("\n") == text.count("\n")
    assert read_html(text) == by_the_tree(text)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "<tr><th>Only one</th></tr>",
        "<tr><th>Three</th><th>of</th><th>them</th></tr>",
        "<tr><th colspan=2>Group</th></tr><tr><th>Name</th><th>Value</th></tr>",
        "<tr><th>Label</th><td>value</td></tr>",
        "<tr><th>Name</th><th>Value</th></tr>" + ROW + "<tr><th>Name</th><th>Value</th></tr>",
        "<tr><th>Id</th><th>Operation</th></tr>",
        "<tr><th colspan='2'>Name</th><th>Value</th></tr>",
        "<tr><th COLSPAN=2>Name</th><th>Value</th></tr>",
        "<tr><th>Name<br>of it</th><th>Value</th></tr>",
        "<tr><th>Name</th>text<th>Value</th></tr>",
        "<tr><th title='a>b'>Name</th><th>Value</th></tr>",
        "<tr><th>a > b</th><th>Value</th></tr>",
        "text<tr><th>Name</th><th>Value</th></tr>",
        "<thead><tr><th>Name</th><th>Value</th></tr></thead>",
        "<tr><th>Name</th><th>Value</th></tr><tr><th>of it</th><th>too</th></tr>",
        "<TR><TH>Name</TH><TH>Value</TH></TR>",
        "<caption>c</caption>",
    ],
)
def test_rows_that_do_not_fit_their_header_are_read_by_the_tree(header: str) -> None:
    text = page(ROW * 2, header)
    assert read_html(text) == by_the_tree(text)
