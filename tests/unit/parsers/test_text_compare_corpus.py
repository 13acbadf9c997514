"""Oracle's compare report as text beside the HTML one of the same snapshots: the same rows and values, cell by cell."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.model import Report, Value
from parsers.sections.registry import REGISTRY
from parsers.text.oracle_compare_report import read_compare
from tests.harness import corpus as real
from tests.unit.parsers.test_text_corpus import agree, cut_of, data_lines, matched

pytestmark = pytest.mark.corpus
NAME = "11.2.0.3-compare-dbm11203-1822-1823-vs-1826-1827"

# Only HTML lists the full texts of statements by their ids; the text has their beginnings below the rows.
ONLY_IN_HTML = {"sql_text"}
# HTML prints an empty row between both periods.
EMPTY_ROWS = {"instance_recovery", "pga_aggregate_target"}
# The line ends before its last column does: what is left of the figure is not shown.
LEFT_OUT = {("compare_shared_servers_rates", "server_total_pct_diff")}


def both(corpus: Path) -> tuple[Report, Report]:
    html, text = (real.read(corpus / f"{NAME}.{ending}") for ending in ("html", "txt"))
    return html, text


def joined(text: object) -> str:
    return "".join(str(text).split())


def test_html_and_text_agree_cell_by_cell(corpus: Path) -> None:
    html, text = both(corpus)
    assert {s.id for s in html.sections} ^ {s.id for s in text.sections} == ONLY_IN_HTML
    numbers, wrong = 0, []
    for section in html.sections:
        other = text.section(section.id)
        if other is None:
            continue
        assert [(c.id, c.unit, c.measure) for c in section.columns] == [
            (c.id, c.unit, c.measure) for c in other.columns
        ]
        assert (section.key, section.coverage) == (other.key, other.coverage)
        assert len(section.records) - (section.id in EMPTY_ROWS) == len(other.records), section.id
        for row, match in matched(section, other):
            if match is None:
                assert section.id in EMPTY_ROWS
                assert not any(row.cells)
                continue
            assert row.unit == match.unit, section.key_of(row)
            for column in section.columns:
                a, b = section.cell(row, column.id), other.cell(match, column.id)
                numbers += isinstance(a, Value)
                if column.id == "sql_text":
                    assert joined(b).startswith(joined(a).removesuffix("...")), section.key_of(row)
                elif not agree(a, b, cut_of(other, column.id)):
                    wrong.append((section.id, column.id, b))
    assert wrong == [(section_id, column, None) for section_id, column in LEFT_OUT]
    assert numbers > 8000


def test_both_periods_are_headed_alike(corpus: Path) -> None:
    html, text = both(corpus)
    assert (text.kind, text.format) == ("awr_compare", "text")
    for fact in ("release", "database", "instances", "host", "period"):
        assert getattr(text, fact) == getattr(html, fact), fact
    for section_id in ("compare_databases", "compare_snapshots"):
        assert text.by_id[section_id].as_dict()["rows"] == html.by_id[section_id].as_dict()["rows"]


def test_every_table_is_known_and_nothing_is_noted(corpus: Path) -> None:
    text = both(corpus)[1]
    assert [s.id for s in text.sections if not s.known] == []
    assert text.issues == ()
    for table in read_compare((corpus / f"{NAME}.txt").read_text()).tables:
        assert len(REGISTRY.candidates(table)) == 1, (table.heading, table.labels)


def test_statements_are_the_beginning_of_the_full_ones(corpus: Path) -> None:
    """White space is collapsed after a statement was cut to lines: where a line ended with a blank is not printed."""
    html, text = both(corpus)
    full = {html.by_id["sql_text"].key_of(r)[0]: r.cells[1] for r in html.by_id["sql_text"].records}
    found = [
        (section.text(r, "sql_id"), section.text(r, "sql_text"))
        for section in text.sections
        if section.id.startswith("compare_sql")
        for r in section.records
    ]
    assert len(found) > 100
    wrong = [i for i, begin in found if not joined(full[i]).startswith(joined(begin))]
    assert wrong == []


def test_every_figure_of_every_row_is_kept(corpus: Path) -> None:
    text = (corpus / f"{NAME}.txt").read_text()
    kept = {w for t in read_compare(text).tables for row in t.rows for cell in row for w in cell.split()}
    rows = [line for line in data_lines(text) if "DB/Inst:" not in line]
    assert len(rows) > 500
    lost = [line for line in rows if sum(w in kept for w in line.split()) * 3 < 2 * len(line.split())]
    assert lost == []
