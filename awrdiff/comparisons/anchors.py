"""What an anchor names, and what stands there: the same in the address of a page, in a pin or a thread, and after a
recomputation.

`foreground_wait_events/5d41402a` is a row, `foreground_wait_events` a section with its chart or table,
`finding:sql-dominant/5d41402a` what a rule says of one subject, `entity:event/log file sync` all that is printed of a
thing, `summary` the comparison itself. A row's id is a hash of its section and key, the same both ways round; so is a
subject's of its kind and key.
"""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.export.outline import row_said
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.rows.align import row_id
from awrdiff.comparisons import entities, queries
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.parts import Wanted

FINDING, ENTITY = "finding:", "entity:"
LONGEST, LONGEST_TEXT = 200, 300
MOST_FIGURES, MOST_CONSUMERS = 12, 4
WATERFALL, WHOLE = "time", "summary"
_OF_THE_PAGE = {WHOLE: "The whole comparison", WATERFALL: "Where the time went", "commit": "Commit latency"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands at an anchor: its title, the section it is of, its figures as labels and texts."""

    title: str
    place: str = ""
    figures: tuple[tuple[str, str], ...] = ()


def of_finding(finding: Finding | SingleFinding) -> str:
    """A rule may speak of several statements or objects: each finding has an anchor of its own."""
    about = finding.subject
    return f"{FINDING}{finding.rule}{f'/{row_id(finding.rule, (about.kind, about.key))}' if about else ''}"


def standing(comparison: Comparison, anchor: str, pair: int) -> Standing | None:
    """None where the anchor matches nothing (any more)."""
    try:
        if anchor.startswith(FINDING):
            return _finding(comparison, anchor, pair)
        if anchor.startswith(ENTITY):
            return _entity(comparison, anchor.removeprefix(ENTITY), pair)
        section, _, row = anchor.partition("/")
        return _row(comparison, section, row, pair) if row else _section(comparison, section, pair)
    except NotFound:
        return None


def _finding(comparison: Comparison, anchor: str, pair: int) -> Standing | None:
    found = next((f for f in queries.overview(comparison, pair).findings if of_finding(f) == anchor), None)
    return Standing(cut(found.title), "What stands out", (("", cut(found.text)),)) if found else None


def _row(comparison: Comparison, section_id: str, row_id: str, pair: int) -> Standing | None:
    section, _ = queries.load_part(comparison, section_id, Wanted(row=row_id), pair)
    row = next((r for r in section.rows if r.row_id == row_id), None)
    if row is None:
        return None
    name, figures = row_said(section, row)
    return Standing(
        cut(name or section.title), cut(section.title), tuple((cut(a), cut(b)) for a, b in figures[:MOST_FIGURES])
    )


def _entity(comparison: Comparison, path: str, pair: int) -> Standing:
    """Its figures are those of the first section that lists it."""
    kind, _, key = path.partition("/")
    found = entities.found(comparison, kind, key, pair)
    rows = next(((part.section, row) for part in found.parts for row in part.section.rows), None)
    figures = row_said(*rows)[1][:MOST_FIGURES] if rows else []
    return Standing(cut(found.name), cut(found.kind.name), tuple((cut(a), cut(b)) for a, b in figures))


def _section(comparison: Comparison, section_id: str, pair: int) -> Standing | None:
    if section_id in _OF_THE_PAGE:
        figures = _consumers(queries.overview(comparison, pair)) if section_id == WATERFALL else ()
        return Standing(_OF_THE_PAGE[section_id], "", figures)
    found = next((s for s in queries.rail(comparison, pair) if s.section_id == section_id), None)
    return Standing(cut(found.title), "", (("", f"{found.changed} of {found.rows} rows changed"),)) if found else None


def _consumers(computed: Computed) -> tuple[tuple[str, str], ...]:
    """Where most of the difference lies, in active sessions."""
    parts = computed.attribution.parts if computed.attribution else ()
    return tuple((cut(p.key), f"{p.diff_per_s:+.2f}") for p in parts if abs(p.diff_per_s) >= 0.005)[:MOST_CONSUMERS]


def cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"
