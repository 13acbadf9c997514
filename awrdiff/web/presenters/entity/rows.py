"""Rows of one entity; one line each in long sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from awrdiff.analysis.entities.entity import Entity, SectionRows, is_own_table
from awrdiff.analysis.entities.kinds import KINDS, SQL, Ref, refs, ways_in
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.analysis.report.statements import TABLES, TEXTS
from awrdiff.web import format as fmt
from awrdiff.web.format import ColumnFormat
from awrdiff.web.presenters.section import words
from awrdiff.web.presenters.section.figures import THERE, Absent, Basis, Cell, ColumnGroup, Formatted
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.window import cut

FEW = 3  # rows of a section that are shown with all their figures
MOST = 12  # rows of a section that are shown at all
_LONGEST = 600  # characters of a cell or name


class Named(NamedTuple):
    """Text, with its entity's path below the comparison."""

    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class RowLines:
    """`lines`: figures with First, Second and change."""

    row_id: str
    name: tuple[Named, ...]
    lines: tuple[tuple[str, list[Cell]], ...]


@dataclass(frozen=True, slots=True)
class SectionRowsView:
    """`figure`: the only one shown; `more`: omitted rows."""

    id: str
    title: str
    rows: tuple[RowLines, ...]
    figure: str
    more: int

    @property
    def first_row(self) -> str:
        return self.rows[0].row_id if self.rows else ""


def present(entity: Entity, basis: Basis) -> tuple[SectionRowsView, ...]:
    """SQL tables show one figure; the joined statement more."""
    return tuple(_part(p, entity, basis) for p in entity.parts if entity.ref.kind != SQL or p.section.id != TEXTS)


def _part(part: SectionRows, entity: Entity, basis: Basis) -> SectionRowsView:
    section = part.section
    rows = sorted(section.rows, key=lambda r: -r.weight)
    joined = entity.ref.kind == SQL and section.id in TABLES
    few = len(rows) <= FEW and is_own_table(section, entity.kind) and not joined
    visible_rows = rows[:MOST]
    maker = _Maker(section, entity, basis, every_figure=few)
    alone = () if few else (Named(entity.name),)
    row_lines = (RowLines(r.row_id, tuple(maker.name(r)) or alone, tuple(maker.lines(r))) for r in visible_rows)
    figure = "" if few else maker.main_label
    return SectionRowsView(
        section.id, section.title, tuple(row_lines), figure, len(rows) - len(visible_rows) + part.left_out
    )


class _Maker:
    def __init__(self, section: ComparedSection, entity: Entity, basis: Basis, *, every_figure: bool) -> None:
        layout = layout_of(section, basis, everything=every_figure)
        self._section, self._found = section, entity
        self._figures: Sequence[ColumnGroup] = [f for f in layout.figures if f.column != TEXTS]
        if not every_figure:
            self._figures = self._figures[layout.bar or 0 :][:1]
        self._beside = layout.beside
        self._columns = frozenset(c.id for c in section.columns)
        self._absent = tuple(_absent(section, entity, first=first) for first in (True, False))
        self._naming = {c for kind, way in ways_in(self._columns) if kind is entity.kind for c in way.columns[:-1]}
        self._said = {
            "N/A",
            *(t for s in entity.statements for t in (s.pdb, *s.modules) if len(entity.statements) == 1),
        }
        self._own = {KINDS[entity.ref.kind].same(k) for k in _keys(entity)}

    @property
    def main_label(self) -> str:
        return self._figures[0].label if self._figures else ""

    def name(self, row: ComparedRow) -> Iterator[Named]:
        entity_refs = refs(row, self._columns)
        texts = set(self._said)
        for column, text in self._printed(row):
            ref = entity_refs.get(column)
            if text not in texts and column not in self._naming and not (ref is not None and self._is_own(ref)):
                texts.add(text)
                yield Named(cut(self._labelled(column, text), _LONGEST), ref.path if ref else "")

    def lines(self, row: ComparedRow) -> Iterator[tuple[str, list[Cell]]]:
        first = self._absent[0] if row.status == "only_second" else THERE
        second = self._absent[1] if row.status == "only_first" else THERE
        for at, figure in enumerate(self._figures):
            cells = Formatted(figure, ColumnFormat(figure.unit, None, 0)).cells(row, (first, second))
            if at == 0 or any(c["t"] not in ("", fmt.NONE) for c in cells[:2]):
                yield figure.label, [Cell(c=c["c"], t=cut(c["t"], _LONGEST), h=c["h"]) for c in cells]

    def _printed(self, row: ComparedRow) -> Iterator[tuple[str, str]]:
        yield from ((c, text) for c, text in row.key.items() if text)
        for column in self._beside:
            delta = row.values.get(column)
            text = (delta.second or delta.first) if delta is not None else None
            if isinstance(text, str) and text:
                yield column, text

    def _labelled(self, column: str, text: str) -> str:
        if not text.replace(",", "").replace(".", "").isdigit():
            return text
        return f"{next((c.label for c in self._section.columns if c.id == column), column)} {text}"

    def _is_own(self, ref: Ref) -> bool:
        return ref.kind == self._found.ref.kind and KINDS[ref.kind].same(ref.key) in self._own


def _keys(entity: Entity) -> Iterable[str]:
    several = entity.ids is not None and len({*entity.ids.first, *entity.ids.second}) > 1
    return () if several else (entity.name,)


def _absent(section: ComparedSection, entity: Entity, *, first: bool) -> Absent:
    absence = words.absent(section, first=first)
    listed = entity.first if first else entity.second
    if absence.text != "not listed" or not listed:
        return absence
    return Absent("not in this list", "other tables of that report name it: see there")
