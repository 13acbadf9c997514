"""A statement in all tables of both reports: figures, texts, plans, ASH waits.

Rebuilt as in awrdiff/analysis/report/sql_statements.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import ComparedSection, Delta
from awrdiff.analysis.model.comparison import SameStatement as Same
from awrdiff.analysis.report.figures_by_name import Bases, Basis
from awrdiff.analysis.report.sql_statements import FIGURES, Statement, StatementKey, statements_of, together
from awrdiff.analysis.rows.deltas import compare_cells
from parsers.model import Better, Cell, Column, Database, Host, Period, Report, Row, Section, Value

_NEITHER = frozenset({"executions", "rows_processed"})  # more of them is neither better nor worse


class JoinedFigure(Struct, frozen=True):
    """Total and per execution. `partial`: sides that print some ids only."""

    column: Column
    total: Delta
    per_execution: Delta
    first_from: str = ""
    second_from: str = ""
    partial: tuple[bool, bool] = (False, False)


class JoinedStatement(Struct, frozen=True):
    """One pluggable database's; None: unlisted. `added`: ids summed."""

    first: Statement | None
    second: Statement | None
    figures: tuple[JoinedFigure, ...]
    added: bool = False

    @property
    def sides(self) -> tuple[Statement | None, Statement | None]:
        return self.first, self.second

    @property
    def pdb(self) -> str:
        return next((s.key.pdb for s in self.sides if s is not None and s.key.pdb), "")

    @property
    def modules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(s.module for s in self.sides if s is not None and s.module))

    @property
    def is_plsql(self) -> bool:
        return any(s is not None and s.is_plsql for s in self.sides)

    @property
    def texts_differ(self) -> bool:
        """True unless equal, or one, where cut, begins the other."""
        if self.first is None or self.second is None or not self.first.text or not self.second.text:
            return False
        short, long = sorted(("".join(s.text.split()) for s in (self.first, self.second)), key=len)
        cut = self.first.text_is_cut or self.second.text_is_cut
        return not (long.startswith(short) if cut else long == short)


def ids_of(key: str, same: Iterable[Same]) -> Same:
    for ids in same:
        if key in ids.first or key in ids.second:
            return ids
    return Same((key,), (key,))


def join_statements(
    key: str, sections: Sequence[ComparedSection], ids: Same, headers: tuple[Mapping[str, Any], Mapping[str, Any]]
) -> tuple[JoinedStatement, ...]:
    """One per pluggable database; `key` separate and first if both list it."""
    wanted = {*ids.first, *ids.second}
    first_side, second_side = (
        {k: s for k, s in statements_of(_side(sections, header, first=first)).items() if k.sql_id in wanted}
        for first, header in ((True, headers[0]), (False, headers[1]))
    )
    deltas = [d for s in sections for r in s.rows for d in r.values.values() if d.first_per_s or d.second_per_s]
    bases = Bases(
        _basis((d.first, d.first_per_s, d.first_per_txn) for d in deltas),
        _basis((d.second, d.second_per_s, d.second_per_txn) for d in deltas),
    )
    return tuple(s for a, b in _by_database(first_side, second_side) for s in _of_database(a, b, key, bases))


def _of_database(
    first: Sequence[Statement], second: Sequence[Statement], key: str, bases: Bases
) -> Iterator[JoinedStatement]:
    own = [[s for s in side if s.key.sql_id == key] for side in (first, second)]
    several = any(s.key.sql_id != key for s in (*first, *second))
    if several and all(own):
        yield _joined_statement(own[0], own[1], key, bases)
    if first or second:
        yield replace(_joined_statement(first, second, key, bases), added=several)


def _by_database(
    first_side: Mapping[StatementKey, Statement], second_side: Mapping[StatementKey, Statement]
) -> list[tuple[list[Statement], list[Statement]]]:
    names = [list(dict.fromkeys(k.pdb for k in side)) for side in (first_side, second_side)]
    if any("" in n for n in names) or max(map(len, names)) < 2:
        return [(list(first_side.values()), list(second_side.values()))]
    return [
        ([s for k, s in first_side.items() if k.pdb == pdb], [s for k, s in second_side.items() if k.pdb == pdb])
        for pdb in dict.fromkeys(names[0] + names[1])
    ]


def _all(statements: Sequence[Statement], key: str) -> Statement | None:
    if not statements:
        return None
    own = next((s for s in statements if s.key.sql_id == key and s.text), None)
    total = together(statements)
    return replace(total, text=own.text, text_is_cut=own.text_is_cut) if own is not None else total


def _joined_statement(
    first: Sequence[Statement], second: Sequence[Statement], key: str, bases: Bases
) -> JoinedStatement:
    a, b = _all(first, key), _all(second, key)
    figures = []
    for name in FIGURES:
        some = [any(name in s.figures for s in side) for side in (first, second)]
        if any(some):
            figure = _figure(name, a, b, bases)
            x, y = (has_figures and not (s and name in s.figures) for has_figures, s in zip(some, (a, b), strict=True))
            figures.append(replace(figure, partial=(x, y)))
    return JoinedStatement(a, b, tuple(figures))


def _figure(name: str, first: Statement | None, second: Statement | None, bases: Bases) -> JoinedFigure:
    a, b = (s.figures.get(name) if s is not None else None for s in (first, second))
    level = name in ("version_count", "sharable_memory_bytes")
    unit = "s" if name.endswith("_s") else "bytes" if name.endswith("_bytes") else "count"
    better: Better = "neither" if name in _NEITHER else "lower"
    label = name.removesuffix("_s").removesuffix("_bytes").replace("_", " ")
    column = Column(name, label, unit, better, "level" if level else "total")
    per = Delta(None, None)
    if not level and name != "executions":
        x, y = (s.per_execution(name) if s is not None else None for s in (first, second))
        per = compare_cells(x, y, Column(name, label, unit, better, "average"), None, bases)
    total = compare_cells(a.value if a else None, b.value if b else None, column, None, bases)
    return JoinedFigure(column, total, per, a.section if a else "", b.section if b else "")


def _side(sections: Iterable[ComparedSection], header: Mapping[str, Any], *, first: bool) -> Report:
    return Report(
        kind=header["kind"],
        format=header.get("format", "html"),
        encoding="utf-8",
        release=header.get("release"),
        database=Database(),
        instances=(),
        host=Host(),
        period=Period(),
        sections=tuple(_section(s, first=first) for s in sections),
    )


def _section(section: ComparedSection, *, first: bool) -> Section:
    other = "only_second" if first else "only_first"
    records = [
        Row(tuple(r.cell(c.id, first=first) for c in section.columns), r.unit)
        for r in section.rows
        if r.status != other
    ]
    s = section
    return Section(s.id, s.title, s.known, s.coverage, s.key, s.columns, records)


def _basis(figures: Iterable[tuple[Cell, float | None, float | None]]) -> Basis:
    elapsed: Value | None = None
    for cell, per_s, per_txn in figures:
        if isinstance(cell, Value) and cell.number and per_s:
            elapsed = Value(cell.number / per_s, 0.0)
            if per_txn:
                return Basis(elapsed, cell.number / per_txn)
    return Basis(elapsed, None)
