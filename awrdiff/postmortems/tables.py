"""The live tables of a post-mortem, of the incident as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime

from awrdiff.incidents.comparison_events import ComparisonEvent
from awrdiff.incidents.evidence import Live
from awrdiff.postmortems.draft import TURNED, db_time
from awrdiff.postmortems.live import Cell, LiveTable
from awrdiff.postmortems.material import Compared, Material

SAYS = "What it says"
READ_TURNED = "Read with First and Second the other way round."
ASSUMED = "Reports print local times without a zone: they are taken to be in that of the incident."


def tables_of(material: Material) -> dict[str, tuple[LiveTable, ...]]:
    """By section; a section without anything to show has none."""
    return {key: tuple(made(material)) for key, made in _MADE.items()}


def _timeline(material: Material) -> Iterator[LiveTable]:
    rows = sorted(
        (*_incident(material), *_events(material), *_event_rows(material)), key=lambda one: one[0].astimezone(UTC)
    )
    if rows:
        zone = material.incident.time_zone
        cells = tuple((Cell(_moment(at)), *what) for at, what in rows)
        yield LiveTable(Cell("Timeline"), (f"At ({zone})", "What", "By"), cells, ASSUMED if _tells(material) else "")


def _incident(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    """Its begin and end, and the verdicts on what was found."""
    incident = material.incident
    yield material.local(incident.begins_at), (Cell("The incident begins"), Cell(""))
    if incident.ends_at is not None:
        yield material.local(incident.ends_at), (Cell("The incident ends"), Cell(""))
    for one in material.verdicts:
        what = f"{one.get_state_display().capitalize()}: {one.title}{f' ({TURNED})' if one.swapped else ''}"
        said = Cell(what, comparison=str(one.shown_in or ""), pair=one.pair, anchor=one.anchor)
        yield material.local(one.at), (said, Cell(one.user.get_username() if one.user else ""))


def _tells(material: Material) -> bool:
    return any(one.told for one in material.compared)


def _events(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    for one in material.events:
        yield material.local(one.at), (Cell(one.text), Cell(one.user.get_username() if one.user else ""))


def _event_rows(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    """Of reports and traces, whose local times are taken to be in the incident's zone."""
    seen = set()
    for one in material.compared:
        for told in one.told:
            said = (told["at"], _window_text(told))
            if said not in seen:
                seen.add(said)
                at = datetime.fromisoformat(told["at"]).replace(tzinfo=material.zone)
                yield at, (Cell(said[1], comparison=str(one.comparison.pk)), Cell(""))


def _window_text(told: ComparisonEvent) -> str:
    if told["kind"] != "window":
        return told["text"]
    end = datetime.fromisoformat(told["end"])
    return f"Window of {_SIDES.get(told['side'], 'another report')}, until {_moment(end)}"


def _evidence(material: Material) -> Iterator[LiveTable]:
    if material.compared:
        rows = tuple(_comparison_row(one) for one in material.compared)
        yield LiveTable(Cell("Comparisons"), ("Comparison", "First → Second"), rows)
    for one in material.evidence:
        yield _beside_kept(one)


def _comparison_row(one: Compared) -> tuple[Cell, ...]:
    return Cell(one.title, comparison=str(one.comparison.pk)), Cell(db_time(one.identity))


def _beside_kept(live: Live) -> LiveTable:
    """As of now beside as it was kept, in one column where both are the same."""
    own, shown = live.evidence, live.now or live.then
    leads_to = Cell(shown.title, "", str(own.comparison_id), own.pair, own.anchor, own.baseline)
    notes = (shown.place, READ_TURNED if own.swapped else "", own.note, live.missing)
    note = " · ".join(part for part in notes if part)
    if not live.differs:
        rows = tuple((Cell(label or SAYS), Cell(text)) for label, text in shown.figures)
        sides = "Baseline → Second" if own.baseline else "First → Second"
        return LiveTable(leads_to, ("Figure", sides), rows, note)
    before = dict(live.then.figures)
    both = tuple((Cell(label or SAYS), Cell(text), Cell(before.get(label, "–"))) for label, text in shown.figures)
    return LiveTable(leads_to, ("Figure", "Now", "When it was kept"), both, note)


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


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


_SIDES = {0: "First", 1: "Second"}
_MADE: dict[str, Callable[[Material], Iterator[LiveTable]]] = {
    "timeline": _timeline,
    "evidence": _evidence,
    "actions": _actions,
}
