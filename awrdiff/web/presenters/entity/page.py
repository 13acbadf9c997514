"""One thing as a page or side panel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from awrdiff.analysis.entities.entity import ADDM, Entity, SectionRows, statements_naming
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.web.presenters.entity import rows, statement
from awrdiff.web.presenters.entity.rows import Named, SectionRowsView
from awrdiff.web.presenters.entity.statement import StatementView
from awrdiff.web.presenters.page.movers import LinkView
from awrdiff.web.presenters.page.overview import FindingView, finding_view
from awrdiff.web.presenters.section import histogram
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.figures import Basis
from awrdiff.web.presenters.section.window import cut

_LONGEST_PROSE = 600  # characters
_MOST = 12


@dataclass(frozen=True, slots=True)
class EntityView:
    """`listed`: sentence about the only side that names it."""

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
    """`titles`: of all sections, for evidence links."""
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
