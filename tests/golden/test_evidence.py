"""Every row that a finding cites is there, and was read: change the row, and the words change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison, Finding
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.rows.align import anchor
from fixtures.diagnosed import CASES
from parsers.model import Cell, Report, Row, Section, Value
from tests.golden.said import shape
from tests.golden.test_diagnosed import NAMES, both, compared

MUCH = 3.7  # an odd factor, so that no threshold lies right at it


def is_row(section: Section, record: Row, evidence: Evidence) -> bool:
    key = section.key_of(record)
    slot = section.id == "activity_over_time" and evidence.key in key  # its row lies between the two reports' times
    return slot or anchor(section.id, *key) == evidence.row_id


def scaled(report: Report, evidence: Evidence) -> Iterator[Report]:
    """The report with one figure of the cited row multiplied after the other, that of the cited column first; nothing
    where it does not print the row."""
    section = report.section(evidence.section)
    if section is None:
        return
    hits = [is_row(section, r, evidence) for r in section.records]
    figures = [at for at, column in enumerate(section.columns) if column.id not in section.key]
    figures.sort(key=lambda at: section.columns[at].id != evidence.column)
    for at in figures if any(hits) else ():
        rows = tuple(more(r, at) if hit else r for r, hit in zip(section.records, hits, strict=True))
        changed = replace(section, records=rows)
        yield replace(report, sections=tuple(changed if s.id == section.id else s for s in report.sections))


def more(record: Row, at: int) -> Row:
    return record._replace(cells=tuple(_more(c) if i == at else c for i, c in enumerate(record.cells)))


def _more(cell: Cell) -> Cell:
    if isinstance(cell, str) and re.fullmatch(r"\d+/\d+", cell):  # two counts in one cell
        return re.sub(r"\d+", lambda count: str(int(int(count[0]) * MUCH + 1)), cell)
    return Value(cell.number * MUCH + 1, cell.half) if isinstance(cell, Value) else cell


def of(comparison: Comparison, finding: Finding) -> set[tuple[str, str]]:
    return {(f.title, f.text) for f in comparison.findings if f.rule == finding.rule}


def cited() -> Iterator[tuple[str, Finding, Evidence]]:
    for name in sorted(NAMES):
        for finding in compared(name).findings:
            for evidence in finding.evidence:
                yield name, finding, evidence


# The header tells sessions, startup and clock; a parameter, an edition, a statement's text is no figure.
NO_FIGURE = {"snapshot_information", "instance_information", "database_information", "init_parameters"}


def test_every_cited_row_is_in_a_report():
    missing = []
    for name, finding, evidence in cited():
        if not any(True for r in both(name) for _ in scaled(r, evidence)):
            missing.append((name, finding.rule, evidence.section, evidence.key))
    assert missing == []


def test_every_cited_column_is_one_of_its_section():
    missing = []
    for name, finding, evidence in cited():
        columns = {c.id for r in both(name) if (s := r.section(evidence.section)) for c in s.columns}
        if evidence.column not in columns:
            missing.append((name, finding.rule, evidence.section, evidence.column))
    assert missing == []


def tried() -> Iterator[tuple[str, Finding, Evidence]]:
    """Rows to change: a rule that cites a row in the same words, but for their figures, is tried once."""
    words = set()
    for name, finding, evidence in cited():
        key = (finding.rule, shape(f"{finding.title} {finding.text}"), evidence.section, evidence.key, evidence.column)
        if evidence.section not in NO_FIGURE and key not in words:
            words.add(key)
            yield name, finding, evidence


def test_a_cited_row_that_changes_changes_the_words():
    unread = []
    for name, finding, evidence in tried():
        first, second = both(name)
        said = of(compared(name), finding)
        others = chain(
            (compare_reports(first, changed) for changed in scaled(second, evidence)),
            (compare_reports(changed, second) for changed in scaled(first, evidence)),
        )
        if all(of(other, finding) == said for other in others):
            unread.append((name, finding.rule, evidence.section, evidence.key))
    assert unread == []


def test_there_are_cases_enough():
    assert len(CASES) >= 60
