"""The live tables of a post-mortem, of the incident as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from awrdiff.analysis.export.outline import title
from awrdiff.postmortems.live import Cell, LiveTable
from awrdiff.postmortems.material import Compared, Kept, Material

GONE = "It is not in the comparison any more: the figures are as they were."
COMPUTING = "The comparison is being computed: the figures are as they were."


def tables_of(material: Material) -> dict[str, tuple[LiveTable, ...]]:
    """By section; a section without anything to show has none."""
    return {key: tuple(made(material)) for key, made in _MADE.items()}


def _timeline(material: Material) -> Iterator[LiveTable]:
    rows = tuple(
        (
            Cell(_moment(material.local(one.at))),
            Cell(one.text),
            Cell(one.get_kind_display()),
            Cell(one.user.get_username() if one.user else ""),
        )
        for one in material.events
    )
    if rows:
        yield LiveTable(Cell("Events"), (f"At ({material.incident.time_zone})", "What", "Kind", "By"), rows)


def _evidence(material: Material) -> Iterator[LiveTable]:
    if material.compared:
        rows = tuple(_compared(one) for one in material.compared)
        yield LiveTable(Cell("Comparisons"), ("Comparison", "What it compares"), rows)
    for kept in material.evidence:
        yield _kept(kept)


def _compared(one: Compared) -> tuple[Cell, ...]:
    return Cell(one.title, comparison=str(one.comparison.pk)), Cell(title(one.computed) if one.computed else "")


def _kept(kept: Kept) -> LiveTable:
    """As of now beside as it was kept, in one column where both are the same."""
    own, now = kept.evidence, kept.now
    leads_to = Cell(
        now.title if now else own.title, comparison=str(own.comparison_id), pair=own.pair, anchor=own.anchor
    )
    then = [(label, text) for label, text in own.figures]
    current = list(now.figures) if now else then
    gone = "" if now else GONE if own.comparison.is_ready else COMPUTING
    note = " ".join(part for part in ((now.place if now else own.place), own.note, gone) if part)
    if current == then:
        return LiveTable(leads_to, ("", "First → Second"), tuple((Cell(a), Cell(b)) for a, b in current), note)
    before = dict(then)
    rows = tuple((Cell(a), Cell(b), Cell(before.get(a, "–"))) for a, b in current)
    return LiveTable(leads_to, ("", "Now", "When it was kept"), rows, note)


def _actions(material: Material) -> Iterator[LiveTable]:
    rows = tuple(
        (
            Cell(one.text),
            Cell(one.owner.get_username() if one.owner else "nobody"),
            Cell(_day(one.due) if one.due else "–"),
            Cell(one.get_state_display()),
            Cell(one.link, address=one.link),
        )
        for one in material.actions
    )
    if rows:
        yield LiveTable(Cell("Action items"), ("What", "Owner", "Due", "State", "Ticket"), rows)


def _moment(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y %H:%M}"


def _day(day: object) -> str:
    return f"{day:%d %b %Y}"


_MADE: dict[str, Callable[[Material], Iterator[LiveTable]]] = {
    "timeline": _timeline,
    "evidence": _evidence,
    "actions": _actions,
}
