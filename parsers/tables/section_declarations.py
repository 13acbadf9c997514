"""Declarations of sections: titles, columns and keys of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from parsers.model import Better, Column, Coverage, Holds, Measure, Row, Section
from parsers.tables.issues import Notebook
from parsers.tables.rawtable import RawTable, Shape, normal_label, normal_title, shape_of

Reader = Callable[["Declaration", Sequence[RawTable], Notebook], Section]
RowUnit = Callable[[str], str | None]


class ColumnSpec(Struct, frozen=True):
    """Column with Oracle's labels; `scale`: printed unit if labels have none."""

    column: Column
    labels: tuple[str, ...]
    scale: float | None = None
    per_row: bool = False  # the row's label carries the unit: numbers stay as printed

    @property
    def id(self) -> str:
        return self.column.id


# told apart as objects: what is worked out for one is kept by it
class Declaration(Struct, frozen=True, eq=False):
    """A section; `columns` None: by label, as Exadata's vary."""

    id: str
    title: str
    family: str
    coverage: Coverage
    key: tuple[str, ...]
    columns: tuple[ColumnSpec, ...] | None
    titles: tuple[str, ...]
    summaries: tuple[str, ...]
    requires: frozenset[str]
    forbids: frozenset[str]
    reader: Reader | None = None
    row_unit: RowUnit | None = None
    shapes: frozenset[Shape] = frozenset(("plain",))
    by_label: dict[str, ColumnSpec] = field(default_factory=dict)

    def has_title(self, title: str) -> bool:
        return any(title.startswith(t[:-1]) if t.endswith("*") else title == t for t in self.titles)

    def has_summary(self, summary: str) -> bool:
        return any(s in summary for s in self.summaries)

    def fits(self, labels: frozenset[str], shape: Shape) -> bool:
        return shape in self.shapes and self.requires <= labels and not (self.forbids & labels)


def text(column_id: str, *labels: str, holds: Holds | None = None) -> ColumnSpec:
    return ColumnSpec(Column(column_id, labels[0], None, "neither", "text", holds), labels)


def number(
    column_id: str,
    unit: str,
    *labels: str,
    measure: Measure,
    better: Better = "neither",
    scale: float | None = None,
    per_row: bool = False,
) -> ColumnSpec:
    return ColumnSpec(Column(column_id, labels[0], unit, better, measure), labels, scale, per_row)


def count(
    column_id: str, *labels: str, better: Better = "neither", measure: Measure = "total", scale: float | None = None
) -> ColumnSpec:
    return number(column_id, "count", *labels, measure=measure, better=better, scale=scale)


def seconds(
    column_id: str, *labels: str, better: Better = "lower", measure: Measure = "total", scale: float | None = None
) -> ColumnSpec:
    return number(column_id, "s", *labels, measure=measure, better=better, scale=scale)


def bytes_(
    column_id: str, *labels: str, better: Better = "neither", measure: Measure = "total", scale: float | None = None
) -> ColumnSpec:
    return number(column_id, "bytes", *labels, measure=measure, better=better, scale=scale)


def percent(column_id: str, *labels: str, better: Better = "neither") -> ColumnSpec:
    return number(column_id, "percent", *labels, measure="share", better=better)


def ratio(
    column_id: str, *labels: str, unit: str = "ratio", better: Better = "neither", measure: Measure = "average"
) -> ColumnSpec:
    return number(column_id, unit, *labels, measure=measure, better=better)


def per_s(column_id: str, *labels: str, better: Better = "neither") -> ColumnSpec:
    return number(column_id, "per_s", *labels, measure="rate", better=better)


class Family:
    """Sections of one family file; `vocabulary`: shared columns."""

    def __init__(self, name: str, *vocabulary: ColumnSpec) -> None:
        self.name = name
        self.declarations: list[Declaration] = []
        self._words = {spec.id: spec for spec in (*SHARED, *vocabulary)}

    def section(
        self,
        section_id: str,
        title: str,
        columns: str | Sequence[str | ColumnSpec] | None,
        *,
        key: str = "",
        coverage: Coverage = "all",
        titles: Sequence[str] = (),
        summaries: Sequence[str] = (),
        requires: Sequence[str] = (),
        forbids: Sequence[str] = (),
        reader: Reader | None = None,
        row_unit: RowUnit | None = None,
        levels: bool = False,
        shape: Shape | None = None,
    ) -> Declaration:
        """Declare a section; `columns`: ids of the vocabulary, or specs.

        `titles`: a trailing * is "begins with". `summaries`: parts of the summary attribute, stable from 11.2.
        `levels`: figures are states or estimates. `shape`: plain, by instance with label "I#", of two periods with 1st
        and 2nd.
        """
        specs = self._specs(columns)
        if specs is not None and levels:
            specs = tuple(_as_level(s) for s in specs)
        by_label = {normal_label(label): spec for spec in specs or () for label in spec.labels}
        declaration = Declaration(
            id=section_id,
            title=title,
            family=self.name,
            coverage=coverage,
            key=tuple(key.split()) or ((specs[0].id,) if specs else ()),
            columns=specs,
            titles=(normal_title(title), *map(normal_title, titles)),
            summaries=tuple(s.lower() for s in summaries),
            requires=frozenset(map(normal_label, requires)),
            forbids=frozenset(map(normal_label, forbids)),
            reader=reader,
            row_unit=row_unit,
            shapes=frozenset((shape,)) if shape else _shapes(by_label),
            by_label=by_label,
        )
        self.declarations.append(declaration)
        return declaration

    def _specs(self, columns: str | Sequence[str | ColumnSpec] | None) -> tuple[ColumnSpec, ...] | None:
        if columns is None:
            return None
        out: list[ColumnSpec] = []
        for part in [columns] if isinstance(columns, str) else columns:
            out.extend([part] if isinstance(part, ColumnSpec) else [self._words[w] for w in part.split()])
        return tuple(out)


def _shapes(by_label: dict[str, ColumnSpec]) -> frozenset[Shape]:
    shape = shape_of(by_label)
    return frozenset(("plain", shape)) if shape == "instances" else frozenset((shape,))


def _as_level(spec: ColumnSpec) -> ColumnSpec:
    if spec.column.measure != "total":
        return spec
    return replace(spec, column=replace(spec.column, measure="level", better="neither"))


_UNIT_IN_NAME = re.compile(r"\((s|bytes|MB|KB|GB|us|usec|ms|cs|mins|blocks)\)\s*:?$|^%|%\s*:?$", re.IGNORECASE)


@lru_cache(maxsize=4096)  # reports print the same thousand statistics
def unit_in_label(label: str) -> str:
    """Unit in `DB Time(s)`, `Read IO (MB)`, `% Host Mem used`."""
    match = _UNIT_IN_NAME.search(label)
    if not match:
        return "count"
    unit = match[1]
    if unit is None:
        return "percent"
    return {"s": "s", "usec": "us"}.get(unit.lower(), unit if unit.isupper() else unit.lower())


SHARED: tuple[ColumnSpec, ...] = (
    text("pdb_name", "PDB Name", "Container Name", holds="database"),
    count("executions", "Executions", "Execs"),
    count("waits", "Waits"),
    seconds("elapsed_time_s", "Elapsed Time (s)", "Elapsed Time(s)"),
    seconds("cpu_time_s", "CPU Time (s)", "CPU Time(s)"),
    text("statistic", "Statistic", "Statistic Name"),
    count("total", "Total"),
    per_s("per_second", "per Second", "Per Second"),
    number("per_transaction", "per_txn", "per Trans", "Per Transaction", measure="average"),
    percent("pct_total", "%Total", "% Total"),
)


__all__ = [
    "SHARED",
    "ColumnSpec",
    "Declaration",
    "Family",
    "Reader",
    "Row",
    "bytes_",
    "count",
    "number",
    "per_s",
    "percent",
    "ratio",
    "seconds",
    "text",
    "unit_in_label",
]
