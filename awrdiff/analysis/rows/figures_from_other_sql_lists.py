"""Figures of a statement missing from one SQL list, taken from other lists of the same report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from awrdiff.analysis.model.comparison import Delta
from awrdiff.analysis.report.figures_by_name import Bases
from awrdiff.analysis.report.sql_statements import TABLES, Statement, StatementKey, key_of
from awrdiff.analysis.rows.align import Pair
from awrdiff.analysis.rows.deltas import compare_cells
from parsers.model import Column, Section

Sides = tuple[Section | None, Section | None]
Listed = Mapping[StatementKey, Statement]


class OtherLists:
    """Statements of both reports, from all their lists."""

    def __init__(self, first: Listed, second: Listed, bases: Bases) -> None:
        self._first, self._second, self._bases = _by_id(first), _by_id(second), bases

    def fill(self, pair: Pair, sides: Sides, values: dict[str, Delta], columns: Sequence[Column]) -> dict[str, str]:
        """Completes `values`; returns section ids by column."""
        section, record = (sides[0], pair.first) if pair.second is None else (sides[1], pair.second)
        if section is None or record is None or section.id not in TABLES or None not in (pair.first, pair.second):
            return {}
        statements = self._second if pair.second is None else self._first
        key = key_of(section, record)
        statement: Statement | None = None
        if key is not None:
            same = [s for s in statements.get(key.sql_id, ()) if s.key.pdb == key.pdb or not (s.key.pdb and key.pdb)]
            statement = same[0] if len(same) == 1 else None
        sections: dict[str, str] = {}
        for column in columns:
            figure = statement.figures.get(column.id) if statement is not None else None
            if figure is None:
                continue
            delta = values[column.id]
            a, b = (delta.first, figure.value) if pair.second is None else (figure.value, delta.second)
            values[column.id] = compare_cells(a, b, column, None, self._bases)
            sections[column.id] = figure.section
        return sections


def _by_id(statements: Listed) -> dict[str, list[Statement]]:
    statements_by_id: dict[str, list[Statement]] = defaultdict(list)
    for key, statement in statements.items():
        statements_by_id[key.sql_id].append(statement)
    return statements_by_id
