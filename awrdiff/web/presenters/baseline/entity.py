"""One thing against the baseline: each of its rows, table by table, with its figures one below the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from awrdiff.analysis.baseline.against import Against
from awrdiff.analysis.baseline.series import Series
from awrdiff.analysis.entities.kinds import EntityKind, Ref
from awrdiff.web import format as fmt
from awrdiff.web.presenters.baseline import table
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.figures import Basis

MOST_TABLES = 12
MOST_ROWS = 8  # of one table


@dataclass(frozen=True, slots=True)
class FigureView:
    label: str
    cells: tuple[table.Cell, ...]  # the baseline, Second, where it lies


@dataclass(frozen=True, slots=True)
class RowView:
    id: str
    name: str
    beside: str
    figures: tuple[FigureView, ...]


@dataclass(frozen=True, slots=True)
class PartView:
    id: str
    title: str
    rows: tuple[RowView, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ThingView:
    kind: str
    name: str
    path: str
    parts: tuple[PartView, ...]
    more: int  # tables that name it and are not shown


@dataclass(frozen=True, slots=True)
class Named:
    """One table against the baseline, and the ids of its rows that name the thing."""

    found: Against
    series: Series
    rows: Collection[str]


def present(kind: EntityKind, key: str, named: Sequence[Named], basis: Basis, more: int) -> ThingView:
    parts = tuple(part for one in named if (part := _part(one, basis)).rows)
    return ThingView(kind.name, key, Ref(kind.id, key).path, parts, more)


def _part(one: Named, basis: Basis) -> PartView:
    section = one.found.section
    rows = tuple(r for r in section.rows if r.row_id in one.rows)
    only = replace(one.found, section=replace(section, rows=rows[:MOST_ROWS]))
    view = table.present(only, one.series, Options(basis=basis, changed_only=False, everything=True))
    return PartView(view.id, view.title, tuple(_row(view, r) for r in view.rows), max(0, len(rows) - MOST_ROWS))


def _row(view: table.TableView, row: table.RowView) -> RowView:
    figures = (FigureView(h.label, tuple(row["cells"][3 * at : 3 * at + 3])) for at, h in enumerate(view.heads))
    return RowView(row["id"], row["name"], row["beside"], tuple(f for f in figures if _says(f)))


def _says(figure: FigureView) -> bool:
    """Whether either side prints it."""
    return any(cell["t"] not in ("", fmt.NONE, "not printed", "not listed") for cell in figure.cells[:2])
