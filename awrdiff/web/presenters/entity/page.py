"""One entity as a page or side panel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from awrdiff.analysis.entities.entity import ADDM, Entity, SectionRows, statements_naming
from awrdiff.analysis.entities.kinds import EntityKind, Ref
from awrdiff.analysis.entities.of_one import Named as NamedRows
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.single import Assessment
from awrdiff.web import format as fmt
from awrdiff.web.presenters.entity import rows, statement
from awrdiff.web.presenters.entity.rows import Named, SectionRowsView
from awrdiff.web.presenters.entity.statement import StatementView
from awrdiff.web.presenters.page.movers import LinkView
from awrdiff.web.presenters.page.overview import FindingView, finding_view
from awrdiff.web.presenters.section import histogram
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.figures import Basis
from awrdiff.web.presenters.section.single import PlainRow, PlainView
from awrdiff.web.presenters.section.single import present as table
from awrdiff.web.presenters.section.window import cut

_LONGEST_PROSE = 600  # characters
_MOST = 12


@dataclass(frozen=True, slots=True)
class EntityView:
    """`listed`: sentence if only one side names it."""

    kind: str
    name: str
    path: str
    listed: str
    statements: tuple[StatementView, ...]
    histograms: tuple[histogram.HistogramView, ...]
    parts: tuple[SectionRowsView, ...]
    mentions: tuple[tuple[LinkView, str], ...]  # row, and its text
    more_mentions: int
    named_by: tuple[Named, ...]
    findings: tuple[FindingView, ...]
    cited: tuple[FindingView, ...]


def present(entity: Entity, basis: Basis, titles: Mapping[str, str]) -> EntityView:
    """`titles`: of all sections."""
    histogram_parts = [p for p in entity.parts if histogram.is_histogram(p.section)]
    prose = [p for p in entity.mentions if ADDM.match(p.section.id)]
    mentions = [_mention(p, row) for p in prose for row in p.section.rows]
    return EntityView(
        kind=entity.kind.name,
        name=entity.name,
        path=entity.ref.path,
        listed=_one_side_text(entity),
        statements=statement.present(entity, basis),
        histograms=tuple(
            histogram.present(p.section, Options(basis=basis, changed_only=False)) for p in histogram_parts
        ),
        parts=tuple(v for v in rows.present(entity, basis) if v.id not in {p.section.id for p in histogram_parts}),
        mentions=tuple(mentions[:_MOST]),
        more_mentions=max(0, len(mentions) - _MOST),
        named_by=tuple(Named(r.key, r.path) for r in statements_naming(entity)[:_MOST]),
        findings=tuple(finding_view(f, titles) for f in entity.findings),
        cited=tuple(finding_view(f, titles) for f in entity.cited),
    )


def _one_side_text(entity: Entity) -> str:
    if entity.first and entity.second:
        return ""
    if not entity.first and not entity.second:
        return "No table of either report names it."
    side, other = ("First", "Second") if entity.first else ("Second", "First")
    return f"Only {side} names it; no table of {other} does."


def _mention(part: SectionRows, row: ComparedRow) -> tuple[LinkView, str]:
    texts = [t for d in row.values.values() for t in (d.second or d.first,) if isinstance(t, str)]
    text = " · ".join(dict.fromkeys(t for t in (*row.key.values(), *texts) if t))
    return LinkView(part.section.title, f"{part.section.id}/{row.row_id}"), cut(text, _LONGEST_PROSE)


MOST_ROWS = 40  # of one section


@dataclass(frozen=True, slots=True)
class PartView:
    """`rows`: label, text and class of each figure."""

    id: str
    title: str
    rows: tuple[tuple[PlainRow, list[tuple[str, str, str]]], ...]
    more: int


@dataclass(frozen=True, slots=True)
class AloneView:
    kind: str
    name: str
    path: str
    findings: tuple[FindingView, ...]
    parts: tuple[PartView, ...]


def of_report(
    kind: EntityKind, key: str, tables: Sequence[NamedRows], assessment: Assessment | None, titles: Mapping[str, str]
) -> AloneView:
    """`titles`: of all sections."""
    findings = assessment.findings if assessment is not None else ()
    wanted = kind.same(key)
    about = (f for f in findings if f.subject and f.subject.kind == kind.id and kind.same(f.subject.key) == wanted)
    parts = tuple(map(_part, tables))
    return AloneView(kind.name, key, Ref(kind.id, key).path, tuple(finding_view(f, titles) for f in about), parts)


def _part(named_rows: NamedRows) -> PartView:
    row_ids = list(named_rows.rows)[:MOST_ROWS]
    view = table(named_rows.section, Options(), frozenset(row_ids))
    rows = tuple((r, list(_lines(view, r))) for r in view.rows)
    return PartView(view.id, view.title, rows, len(named_rows.rows) - len(rows))


def _lines(view: PlainView, row: PlainRow) -> Iterator[tuple[str, str, str]]:
    for (label, is_text), cell in zip(view.heads[1:], row["cells"], strict=True):
        if cell["t"] != fmt.NONE:
            yield label, cell["t"], "l" if is_text else ""
