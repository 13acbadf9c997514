"""The live tables of a post-mortem, of the incident as it is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import UUID

from awrdiff.accounts.models import User
from awrdiff.accounts.names import shown_name
from awrdiff.accounts.tickets import address_of, is_address, name_of
from awrdiff.analysis.verdict.bars import REST
from awrdiff.analysis.words import number
from awrdiff.incidents.account import WhatHappened
from awrdiff.incidents.comparison_events import ComparisonEvent
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.fields import TIME_LABELS
from awrdiff.incidents.hours import Hours
from awrdiff.incidents.models import EventKind
from awrdiff.postmortems.draft import db_time
from awrdiff.postmortems.live import BY_CLASS, Cell, LiveTable
from awrdiff.postmortems.material import Compared, Material

SAYS = "What it says"
ASSUMED = "Reports print local times without a zone: they are taken to be in that of the incident."


def tables_of(material: Material) -> dict[str, tuple[LiveTable, ...]]:
    """By section; a section without anything to show has none."""
    return {key: tuple(made(material)) for key, made in _MADE.items()}


def only_of(tables: Sequence[LiveTable], known: Collection[UUID]) -> tuple[LiveTable, ...]:
    """The tables with what is of the comparisons of these ids, and of none. Evidence has an anchor, and may lead
    nowhere: then nobody knows whose it is."""
    ids = {str(pk) for pk in known}

    def stays(cell: Cell) -> bool:
        return cell.comparison in ids if cell.comparison or cell.anchor else True

    return tuple(
        replace(one, rows=tuple(row for row in one.rows if all(map(stays, row))))
        for one in tables
        if stays(one.caption)
    )


def _timeline(material: Material) -> Iterator[LiveTable]:
    rows = sorted(
        (*_incident(material), *_events(material), *_event_rows(material)), key=lambda one: one[0].astimezone(UTC)
    )
    if rows:
        zone = material.incident.time_zone
        cells = tuple((Cell(_moment(at)), *what) for at, what in rows)
        yield LiveTable(Cell("Timeline"), (f"At ({zone})", "What", "By"), cells, ASSUMED if _tells(material) else "")


def _incident(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    """Its begin and end."""
    incident = material.incident
    yield material.local(incident.begins_at), (Cell("The incident begins"), Cell(""))
    if incident.ends_at is not None:
        yield material.local(incident.ends_at), (Cell("The incident ends"), Cell(""))
    for name, label in TIME_LABELS.items():
        if (at := getattr(incident, name)) is not None:
            yield material.local(at), (Cell(label), Cell(""))


def _tells(material: Material) -> bool:
    return any(one.told for one in material.compared)


def _events(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    """What happened; not what was clicked."""
    for one in (event for event in material.events if event.kind != EventKind.LOG):
        yield material.local(one.at), (Cell(one.text), _person(one.user) if one.user else Cell(one.outside_text))


def _event_rows(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    """Of reports and traces, whose local times are taken to be in the incident's zone."""
    seen = set()
    for one in material.compared:
        for told in one.told:
            said = (told["at"], _told_text(told, one.sides.bad))
            if said not in seen and not _is_for_comparison(told, one.sides.bad):
                seen.add(said)
                at = datetime.fromisoformat(told["at"]).replace(tzinfo=material.zone)
                yield at, (Cell(said[1], comparison=str(one.comparison.pk)), Cell(""))


def _is_for_comparison(told: ComparisonEvent, bad: int | None) -> bool:
    return told["kind"] == "window" and bad is not None and told["side"] != bad


def _told_text(told: ComparisonEvent, bad: int | None) -> str:
    if told["kind"] != "window":
        return told["text"]
    end = datetime.fromisoformat(told["end"])
    what = "Compared" if bad is None else "The incident's hour"
    return f"{what}, until {_moment(end)}"


def _by_class(happened: WhatHappened) -> Iterator[LiveTable]:
    """What DB time went into in the bad hour and beside it."""
    chapters = [chapter for chapter in happened.chapters if chapter.waits]
    if not chapters:
        return
    hours = {chapter.when: (chapter.window, {wait.name: wait.other for wait in chapter.waits}) for chapter in chapters}
    bad = happened.window, {wait.name: wait.bad for wait in chapters[0].waits}
    columns = {"before": hours.get("before"), "the bad hour": bad, "after": hours.get("after")}
    told = {when: hour for when, hour in columns.items() if hour is not None}
    names = dict.fromkeys(name for _, waits in (bad, *told.values()) for name in waits)
    rows = tuple(
        (Cell(name), *(Cell(_sessions(waits.get(name))) for _, waits in told.values()))
        for name in sorted(names, key=lambda name: name == REST)
    )
    whole = tuple(Cell(number(sum(v for v in waits.values() if v is not None))) for _, waits in told.values())
    leads_to = Cell("DB time by wait class", "", str(chapters[0].comparison or ""), chapters[0].pair)
    note = " · ".join(f"{when}: {window}" for when, (window, _) in told.items())
    yield LiveTable(leads_to, (BY_CLASS, *told), (*rows, (Cell("together"), *whole)), note)


def _sessions(value: float | None) -> str:
    return "–" if value is None else number(value)


def _evidence(material: Material) -> Iterator[LiveTable]:
    yield from _by_class(material.happened)
    if material.compared:
        rows = tuple(_comparison_row(one) for one in material.compared)
        yield LiveTable(Cell("Comparisons"), ("Comparison", "Load"), rows)
    for one in material.evidence:
        yield _beside_kept(one, material.hours)


def _comparison_row(one: Compared) -> tuple[Cell, ...]:
    return Cell(one.title, comparison=str(one.comparison.pk)), Cell(db_time(one))


def _beside_kept(live: Live, hours: Hours) -> LiveTable:
    """As of now beside as it was kept, in one column where both are the same; a finding as it reads from the incident's
    hour."""
    own, shown = live.evidence, live.now or live.then
    told, sides = hours.evidence(own, shown), hours.sides(own)
    leads_to = Cell(told.named, "", str(own.comparison_id), told.pair, own.anchor, own.baseline)
    note = " · ".join(part for part in (hours.place(own, shown.place), own.note, live.missing) if part)
    if told.text:
        kept = sides.said(live.then.figures[0][1]) if live.differs and not told.is_turned else ""
        said = ((SAYS, told.text), ("When it was kept", kept))
        rows = tuple((Cell(label), Cell(text)) for label, text in said if text)
        return LiveTable(leads_to, ("", "Finding"), rows, note)
    if not live.differs:
        arrow, figures = hours.figures(own, shown.figures)
        rows = tuple((Cell(label or SAYS), Cell(text)) for label, text in figures)
        return LiveTable(leads_to, ("Figure", arrow), rows, note)
    before = dict(live.then.figures)
    both = tuple((Cell(label or SAYS), Cell(text), Cell(before.get(label, "–"))) for label, text in shown.figures)
    return LiveTable(leads_to, ("Figure", "Now", "When it was kept"), both, note)


def _actions(material: Material) -> Iterator[LiveTable]:
    rows = tuple(
        (
            Cell(one.text),
            _person(one.owner) if one.owner else Cell("nobody"),
            Cell(_day(one.due) if one.due else "–"),
            Cell(one.get_state_display()),
            Cell(_ticket_text(one.link), address=address_of(material.incident.team.ticket_pattern, one.link)),
        )
        for one in material.actions
    )
    if rows:
        yield LiveTable(Cell("Action items"), ("What", "Owner", "Due", "State", "Ticket"), rows)


def _ticket_text(ticket: str) -> str:
    """An address alone is read as it is: a printed post-mortem has no links."""
    return ticket if is_address(ticket) else name_of(ticket)


def _person(user: User) -> Cell:
    return Cell(shown_name(user), person=user.get_username())


def _moment(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y %H:%M}"


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"


_MADE: dict[str, Callable[[Material], Iterator[LiveTable]]] = {
    "timeline": _timeline,
    "evidence": _evidence,
    "actions": _actions,
}
