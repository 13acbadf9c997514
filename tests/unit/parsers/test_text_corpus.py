"""Real reports as text: the same figures as in HTML, every line of data kept, Statspack beside AWR."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.model import Cell, Report, Row, Section, Value
from parsers.sections.registry import REGISTRY
from parsers.text.awr_and_statspack_reader import read_text
from tests.harness import corpus as real

PAIRS = ("11.2.0.3-single-dbm11203-1822-1823", "11.2.0.3-single-dbm11203-1826-1827", "11.2.0.4-rac-orcl1-2-3")
pytestmark = pytest.mark.corpus

# Only HTML lists the full texts of statements by their ids; the text has them below the rows.
ONLY_IN_HTML = {"sql_text"}
# HTML gives the time of the instance's start, the text that of its opening; HTML shows less of a statement.
PRINTED_OTHERWISE = {("database_information", "startup_time")}


def text_reports(corpus: Path) -> list[Path]:
    found = [p for p in sorted(corpus.glob("*.txt")) if not any(k in p.name for k in ("-ash-", "-compare-"))]
    assert found
    return found


def read(path: Path) -> Report:
    found = real.read(path)
    assert found is not None
    return found


@pytest.mark.parametrize("pair", PAIRS)
def test_html_and_text_agree_cell_by_cell(corpus: Path, pair: str) -> None:
    html, text = read(corpus / f"{pair}.html"), read(corpus / f"{pair}.txt")
    assert {s.id for s in html.sections} - {s.id for s in text.sections} == ONLY_IN_HTML
    compared, wrong = 0, []
    for section in html.sections:
        other = text.section(section.id)
        if other is None:
            continue
        assert section.key == other.key, section.id
        for row, match in matched(section, other):
            assert match is not None, (section.id, section.key_of(row))
            for column in section.columns:
                a, b = section.cell(row, column.id), other.cell(match, column.id)
                compared += 1
                if not agree(a, b, cut_of(other, column.id)) and not excused(section.id, column.id, a, b):
                    wrong.append((section.id, section.key_of(row), column.id, a, b))
    assert not wrong
    assert compared > 7000


def matched(section: Section, other: Section) -> list[tuple[Row, Row | None]]:
    """Each row of the HTML report with its row of the text, whose key cells may be cut."""
    left = list(other.records)
    out: list[tuple[Row, Row | None]] = []
    for row in section.records:
        keys = [(section.cell(row, k), k) for k in section.key]
        found = next((r for r in left if all(agree(a, other.cell(r, k), cut_of(other, k)) for a, k in keys)), None)
        if found is not None:
            left.remove(found)
        out.append((row, found))
    return out


def cut_of(section: Section, column: str) -> int | None:
    return next((c.cut_at for c in section.columns if c.id == column), None)


def agree(full: Cell, printed: Cell, cut: int | None) -> bool:
    """Numbers within the sum of both half-digits; texts where one is the other cut on the right or the left."""
    if isinstance(full, Value) and isinstance(printed, Value):
        return abs(full.number - printed.number) <= (full.half + printed.half) * (1 + 1e-9)
    if isinstance(full, str) and isinstance(printed, str):
        a, b = full.lower(), printed.lower()
        # A value may be printed behind a blank, which takes one of the column's places.
        return a == b or (cut is not None and b in (a[:cut].rstrip(), a[-cut:].lstrip(), a[: cut - 1]))
    return full is None and printed is None


def excused(section: str, column: str, full: Cell, printed: Cell) -> bool:
    if (section, column) in PRINTED_OTHERWISE or column == "sql_text":
        return True
    return full is None and printed == "N/A"  # a column of nothing else, read by its looks


def test_every_table_is_kept_and_known(corpus: Path) -> None:
    for path in text_reports(corpus):
        report = read(path)
        assert [s.id for s in report.sections if not s.known] == [], path.name
        assert [i for i in report.issues if i.code != "overflow"] == [], path.name


def test_every_figure_of_every_row_is_kept(corpus: Path) -> None:
    """Words of the lines under the rulers that no cell holds: wrapped values, statements and header lines only."""
    for path in text_reports(corpus):
        text = path.read_text(errors="replace")
        kept = {w for t in read_text(text).tables for row in t.rows for cell in row for w in cell.split()}
        kept |= {w.rstrip("KMG") for w in kept}
        lost = [line for line in data_lines(text) if sum(w in kept for w in line.split()) * 3 < 2 * len(line.split())]
        assert lost == [], path.name


def data_lines(text: str) -> list[str]:
    """Lines made of a name and at least three numbers, outside of notes, statements and prose."""
    body = text.partition("ADDM Report for")[0].split("\n")
    return [
        line
        for line in body
        if sum(w.replace(",", "").replace(".", "").isdigit() for w in line.split()) >= 3
        and not line.startswith(("->", "   ->"))
        and not any(c in line for c in "=;'\"|")
        and "," not in line.replace(", ", "~").replace("~", "x,")[-1:]
        and not line.lower().startswith(("host cpu", "select", "elapsed"))
    ]


def test_exactly_one_section_takes_a_table(corpus: Path) -> None:
    for path in text_reports(corpus):
        for table in read_text(path.read_text(errors="replace")).tables:
            found = [d.id for d in REGISTRY.candidates(table)]
            assert len(found) == 1, (path.name, table.heading, table.labels, found)


@pytest.mark.parametrize(
    ("section", "share"),
    [("load_profile", 1.0), ("time_model", 1.0), ("os_statistics", 1.0), ("instance_activity", 0.95), ("latch_activity", 0.97)],
)  # fmt: skip
def test_statspack_agrees_with_awr_of_nearly_the_same_interval(corpus: Path, section: str, share: float) -> None:
    """Both ran over the same quarter of an hour, half a minute apart."""
    awr = read(corpus / "11.2.0.3-single-dbm11203-1822-1823.txt").section(section)
    pack = read(corpus / "11.2.0.3-statspack-dbm11203-1830-1845.txt").section(section)
    assert awr is not None
    assert pack is not None
    by_key = {awr.key_of(r): r for r in awr.records}
    near = []
    for record in pack.records:
        other = by_key.get(pack.key_of(record))
        for column in pack.columns if other else ():
            a, b = awr.number(other, column.id), pack.number(record, column.id)  # type: ignore[arg-type]
            if a and b:
                near.append(abs(a.number - b.number) <= max(a.half + b.half, 0.05 * abs(a.number)))
    assert len(near) > 10
    assert sum(near) >= share * len(near)
