"""Rows of one entity; one line each in long sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from awrdiff.analysis.entities.kinds import KINDS, SQL, refs, ways_in
from awrdiff.analysis.entities.two_report_entity import Entity, is_own_table
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.analysis.report.sql_statements import TABLES, TEXTS
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.section import missing_rows
from awrdiff.web.presenters.section.columns_and_cells import THERE, Absent, Basis, Cell, ColumnGroup, alone
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.row_limits import cut

FEW = 3  # rows of a section that are shown with all their figures
MOST = 12  # rows of a section that are shown at all
_LONGEST = 600  # characters of a cell or name


NamePart = tuple[str, str]  # text, and the path of its entity below the comparison


def present(entity: Entity, basis: Basis) -> Iterator[dict[str, Any]]:
    """SQL tables show one figure; the joined statement more."""
    for part in entity.parts:
        section = part.section
        if entity.ref.kind == SQL and section.id == TEXTS:
            continue
        rows = sorted(section.rows, key=lambda r: -r.weight)
        joined = entity.ref.kind == SQL and section.id in TABLES
        few = len(rows) <= FEW and is_own_table(section, entity.kind) and not joined
        maker = _Maker(section, entity, basis, every_figure=few)
        alone = [] if few else [(entity.name, "")]
        yield {
            "id": section.id,
            "title": section.title,
            # Id, name, figures with First, Second and change.
            "rows": [(r.row_id, list(maker.name(r)) or alone, list(maker.lines(r))) for r in rows[:MOST]],
            "figure": "" if few else maker.main_label,  # the only one shown
            "more": len(rows[MOST:]) + part.left_out,
        }


class _Maker:
    def __init__(self, section: ComparedSection, entity: Entity, basis: Basis, *, every_figure: bool) -> None:
        layout = layout_of(section, basis, everything=every_figure)
        self._kind, self._labels = entity.ref.kind, {c.id: c.label for c in section.columns}
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
        several = entity.ids is not None and len({*entity.ids.first, *entity.ids.second}) > 1
        self._own = set() if several else {KINDS[entity.ref.kind].same(entity.name)}

    @property
    def main_label(self) -> str:
        return self._figures[0].label if self._figures else ""

    def name(self, row: ComparedRow) -> Iterator[NamePart]:
        entity_refs = refs(row, self._columns)
        texts = set(self._said)
        printed = [(c, text) for c, text in row.key.items() if text]
        deltas = [(c, row.values[c]) for c in self._beside if c in row.values]
        printed += [(c, text) for c, d in deltas if isinstance(text := d.second or d.first, str) and text]
        for column, text in printed:
            ref = entity_refs.get(column)
            is_own = ref is not None and ref.kind == self._kind and KINDS[ref.kind].same(ref.key) in self._own
            if text not in texts and column not in self._naming and not is_own:
                texts.add(text)
                is_number = text.replace(",", "").replace(".", "").isdigit()
                label = f"{self._labels.get(column, column)} " if is_number else ""
                yield cut(f"{label}{text}", _LONGEST), ref.path if ref else ""

    def lines(self, row: ComparedRow) -> Iterator[tuple[str, list[Cell]]]:
        first = self._absent[0] if row.status == "only_second" else THERE
        second = self._absent[1] if row.status == "only_first" else THERE
        for at, figure in enumerate(self._figures):
            cells = alone(figure).cells(row, (first, second))
            if at == 0 or any(c["t"] not in ("", fmt.NONE) for c in cells[:2]):
                yield figure.label, [Cell(c=c["c"], t=cut(c["t"], _LONGEST), h=c["h"]) for c in cells]


def _absent(section: ComparedSection, entity: Entity, *, first: bool) -> Absent:
    absence = missing_rows.absent(section, first=first)
    listed = entity.first if first else entity.second
    if absence.text != "not listed" or not listed:
        return absence
    return Absent("not in this list", "other tables of that report name it: see there")
