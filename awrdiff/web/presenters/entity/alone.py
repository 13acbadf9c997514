"""One entity in a single report: its rows by table, and its findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from awrdiff.analysis.entities.kinds import EntityKind, Ref
from awrdiff.analysis.entities.of_one import Named
from awrdiff.analysis.model.single import Assessment
from awrdiff.web import format as fmt
from awrdiff.web.presenters.page.overview import FindingView, finding_view
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.single import PlainRow, PlainView
from awrdiff.web.presenters.section.single import present as table

MOST_ROWS = 40  # of one section


@dataclass(frozen=True, slots=True)
class PartView:
    """`rows`: with label, text and class of each figure, read downwards."""

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


def present(
    kind: EntityKind, key: str, tables: Sequence[Named], assessment: Assessment | None, titles: Mapping[str, str]
) -> AloneView:
    """`titles`: of all sections, for evidence links."""
    findings = assessment.findings if assessment is not None else ()
    wanted = kind.same(key)
    about = (f for f in findings if f.subject and f.subject.kind == kind.id and kind.same(f.subject.key) == wanted)
    parts = tuple(map(_part, tables))
    return AloneView(kind.name, key, Ref(kind.id, key).path, tuple(finding_view(f, titles) for f in about), parts)


def _part(named_rows: Named) -> PartView:
    row_ids = list(named_rows.rows)[:MOST_ROWS]
    view = table(named_rows.section, Options(), frozenset(row_ids))
    rows = tuple((r, list(_lines(view, r))) for r in view.rows)
    return PartView(view.id, view.title, rows, len(named_rows.rows) - len(rows))


def _lines(view: PlainView, row: PlainRow) -> Iterator[tuple[str, str, str]]:
    for (label, is_text), cell in zip(view.heads[1:], row["cells"], strict=True):
        if cell["t"] != fmt.NONE:
            yield label, cell["t"], "l" if is_text else ""
