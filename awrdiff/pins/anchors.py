"""What an anchor names, and what stands there: the same in the address of a page, in a pin, and after a recomputation.

`foreground_wait_events/5d41402a` is a row, `foreground_wait_events` a section with its chart or table,
`finding:host-cpu-full` what a rule says. A row's id is a hash of its section and key, the same both ways round.
"""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.export.outline import row_said
from awrdiff.comparisons import queries
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.parts import Wanted

FINDING = "finding:"
LONGEST, LONGEST_TEXT, MOST_FIGURES = 200, 300, 12
WATERFALL = "time"
_OF_THE_PAGE = {WATERFALL: "Where the time went", "commit": "Commit latency"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands at an anchor: its title, the section it is of, its figures as labels and texts."""

    title: str
    place: str = ""
    figures: tuple[tuple[str, str], ...] = ()


def standing(comparison: Comparison, anchor: str, pair: int) -> Standing | None:
    """None where the anchor matches nothing (any more)."""
    try:
        if anchor.startswith(FINDING):
            return _finding(comparison, anchor.removeprefix(FINDING), pair)
        section, _, row = anchor.partition("/")
        return _row(comparison, section, row, pair) if row else _section(comparison, section, pair)
    except NotFound:
        return None


def _finding(comparison: Comparison, rule: str, pair: int) -> Standing | None:
    found = next((f for f in queries.overview(comparison, pair).findings if f.rule == rule), None)
    return Standing(_cut(found.title), "What stands out", (("", _cut(found.text)),)) if found else None


def _row(comparison: Comparison, section_id: str, row_id: str, pair: int) -> Standing | None:
    section, _ = queries.load_part(comparison, section_id, Wanted(row=row_id), pair)
    row = next((r for r in section.rows if r.row_id == row_id), None)
    if row is None:
        return None
    name, figures = row_said(section, row)
    return Standing(
        _cut(name or section.title), _cut(section.title), tuple((_cut(a), _cut(b)) for a, b in figures[:MOST_FIGURES])
    )


def _section(comparison: Comparison, section_id: str, pair: int) -> Standing | None:
    if section_id in _OF_THE_PAGE:
        text = queries.overview(comparison, pair).summary
        return Standing(_OF_THE_PAGE[section_id], "", (("", _cut(text)),) if section_id == WATERFALL else ())
    found = next((s for s in queries.rail(comparison, pair) if s.section_id == section_id), None)
    return Standing(_cut(found.title), "", (("", f"{found.changed} of {found.rows} rows changed"),)) if found else None


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"
