"""Live tables of a post-mortem."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from msgspec.structs import replace

from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import User
from awrdiff.accounts.ticket_references import address_of, is_address, name_of
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.report_time_windows import span_word
from awrdiff.analysis.verdict.db_time_bars import REST
from awrdiff.incidents.bad_hour_selection import Hours
from awrdiff.incidents.bad_hour_summary import WhatHappened
from awrdiff.incidents.cached_comparison_answers import ComparisonEvent
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.field_validation import TIME_LABELS
from awrdiff.incidents.models import EventKind
from awrdiff.postmortems import queries
from awrdiff.postmortems.draft import day_text, db_time, minute_text
from awrdiff.postmortems.incident_material import Material, material_of
from awrdiff.postmortems.models import Postmortem, PostmortemSection
from awrdiff.postmortems.sections import BY_CLASS, Cell, LiveTable

SAYS = "What it says"
ASSUMED = "Reports print local times without a zone: they are taken to be in that of the incident."


def tables_of(material: Material) -> dict[str, tuple[LiveTable, ...]]:
    """By section; empty ones are omitted."""
    return {key: tuple(make_tables(material)) for key, make_tables in _MAKERS.items()}


def only_of(tables: Sequence[LiveTable], comparison_ids: Collection[UUID]) -> tuple[LiveTable, ...]:
    """Rows of these comparisons or none; unlinked evidence goes."""
    ids = {str(pk) for pk in comparison_ids}

    def stays(cell: Cell) -> bool:
        return cell.comparison in ids if cell.comparison or cell.anchor else True

    return tuple(
        replace(table, rows=tuple(row for row in table.rows if all(map(stays, row))))
        for table in tables
        if stays(table.caption)
    )


def _timeline(material: Material) -> Iterator[LiveTable]:
    rows = sorted(
        (*_incident(material), *_events(material), *_event_rows(material)), key=lambda entry: entry[0].astimezone(UTC)
    )
    if rows:
        zone = material.incident.time_zone
        cells = tuple((Cell(minute_text(at)), *what) for at, what in rows)
        note = ASSUMED if any(comparison.events for comparison in material.compared) else ""
        yield LiveTable(Cell("Timeline"), (f"At ({zone})", "What", "By"), cells, note)


def _incident(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    incident = material.incident
    yield material.local(incident.begins_at), (Cell("The incident begins"), Cell(""))
    if incident.ends_at is not None:
        yield material.local(incident.ends_at), (Cell("The incident ends"), Cell(""))
    for name, label in TIME_LABELS.items():
        if (at := getattr(incident, name)) is not None:
            yield material.local(at), (Cell(label), Cell(""))


def _events(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    for happening in (event for event in material.events if event.kind != EventKind.LOG):
        yield (
            material.local(happening.at),
            (Cell(happening.text), _person(happening.user) if happening.user else Cell(happening.outside_text)),
        )


def _event_rows(material: Material) -> Iterator[tuple[datetime, tuple[Cell, ...]]]:
    """Local times, taken as in the incident's zone."""
    seen_texts = set()
    for comparison in material.compared:
        bad = comparison.sides.bad
        for event in comparison.events:
            moment_text = (event["at"], _event_text(event, bad))
            is_for_comparison = event["kind"] == "window" and bad is not None and event["side"] != bad
            if moment_text not in seen_texts and not is_for_comparison:
                seen_texts.add(moment_text)
                at = datetime.fromisoformat(event["at"]).replace(tzinfo=material.zone)
                yield at, (Cell(moment_text[1], comparison=str(comparison.comparison.pk)), Cell(""))


def _event_text(event: ComparisonEvent, bad: int | None) -> str:
    if event["kind"] != "window":
        return event["text"]
    end = datetime.fromisoformat(event["end"])
    word = span_word((end - datetime.fromisoformat(event["at"])).total_seconds())
    what = "Compared" if bad is None else f"The incident's {word}"
    return f"{what}, until {minute_text(end)}"


def _by_class(happened: WhatHappened) -> Iterator[LiveTable]:
    chapters = [chapter for chapter in happened.chapters if chapter.waits]
    if not chapters:
        return
    hours = {chapter.when: (chapter.window, {wait.name: wait.other for wait in chapter.waits}) for chapter in chapters}
    bad = happened.window, {wait.name: wait.bad for wait in chapters[0].waits}
    columns = {"before": hours.get("before"), f"the bad {happened.span}": bad, "after": hours.get("after")}
    listed_hours = {when: hour for when, hour in columns.items() if hour is not None}
    names = dict.fromkeys(name for _, waits in (bad, *listed_hours.values()) for name in waits)
    rows = tuple(
        (Cell(name), *(Cell(_sessions(waits.get(name))) for _, waits in listed_hours.values()))
        for name in sorted(names, key=lambda name: name == REST)
    )
    whole = tuple(Cell(number(sum(v for v in waits.values() if v is not None))) for _, waits in listed_hours.values())
    leads_to = Cell("DB time by wait class", "", str(chapters[0].comparison or ""), chapters[0].pair)
    note = " · ".join(f"{when}: {window}" for when, (window, _) in listed_hours.items())
    yield LiveTable(leads_to, (BY_CLASS, *listed_hours), (*rows, (Cell("together"), *whole)), note)


def _sessions(value: float | None) -> str:
    return "–" if value is None else number(value)


def _evidence(material: Material) -> Iterator[LiveTable]:
    yield from _by_class(material.happened)
    if material.compared:
        rows = tuple(
            (Cell(each.title, comparison=str(each.comparison.pk)), Cell(db_time(each))) for each in material.compared
        )
        yield LiveTable(Cell("Comparisons"), ("Comparison", "Load"), rows)
    for live in material.evidence:
        yield _beside_kept(live, material.hours)


def _beside_kept(live: Live, hours: Hours) -> LiveTable:
    """Findings read from the incident's hour."""
    own, visible = live.evidence, live.now or live.then
    reading, sides = hours.evidence(own, visible), hours.sides(own)
    leads_to = Cell(reading.heading, "", str(own.comparison_id), reading.pair, own.anchor, own.baseline)
    note = " · ".join(part for part in (hours.place(own, visible.place), own.note, live.missing) if part)
    if reading.text:
        kept_text = sides.rename(live.then.figures[0][1]) if live.differs and not reading.is_turned else ""
        summary_rows = ((SAYS, reading.text), ("When it was kept", kept_text))
        rows = tuple((Cell(label), Cell(text)) for label, text in summary_rows if text)
        return LiveTable(leads_to, ("", "Finding"), rows, note)
    if not live.differs:
        arrow, figures = hours.figures(own, visible.figures)
        rows = tuple((Cell(label or SAYS), Cell(text)) for label, text in figures)
        return LiveTable(leads_to, ("Figure", arrow), rows, note)
    before = dict(live.then.figures)
    figure_rows = tuple(
        (Cell(label or SAYS), Cell(text), Cell(before.get(label, "–"))) for label, text in visible.figures
    )
    return LiveTable(leads_to, ("Figure", "Now", "When it was kept"), figure_rows, note)


def _actions(material: Material) -> Iterator[LiveTable]:
    pattern = material.incident.team.ticket_pattern
    rows = tuple(
        (
            Cell(action.text),
            _person(action.owner) if action.owner else Cell("nobody"),
            Cell(day_text(action.due) if action.due else "–"),
            Cell(action.get_state_display()),
            # Bare addresses stay: printed documents have no links.
            Cell(action.link if is_address(action.link) else name_of(action.link), address_of(pattern, action.link)),
        )
        for action in material.actions
    )
    if rows:
        yield LiveTable(Cell("Action items"), ("What", "Owner", "Due", "State", "Ticket"), rows)


def _person(user: User) -> Cell:
    return Cell(shown_name(user), person=user.get_username())


_MAKERS: dict[str, Callable[[Material], Iterator[LiveTable]]] = {
    "timeline": _timeline,
    "evidence": _evidence,
    "actions": _actions,
}


Tables = Mapping[str, Sequence[LiveTable]]


@dataclass(frozen=True, slots=True)
class Reading:
    """`material` of the tables; None once reviewed."""

    sections: Sequence[PostmortemSection]
    tables: Tables
    material: Material | None

    @property
    def digest(self) -> str:
        """Digest of content alone, whoever saved it."""
        content = [
            [section.key, section.text, *map(_content, filter(_counts, self.tables.get(section.key, ())))]
            for section in self.sections
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def reading_of(postmortem: Postmortem) -> Reading:
    sections = queries.sections_of(postmortem)
    if postmortem.is_frozen:
        return Reading(sections, queries.kept_tables(postmortem), None)
    material = material_of(postmortem.incident)
    return Reading(sections, tables_of(material), material)


def _counts(table: LiveTable) -> bool:
    """The chart's table adds nothing; earlier signed versions had none."""
    return table.head[:1] != (BY_CLASS,)


def _content(table: LiveTable) -> list[str | list[str]]:
    return [table.caption.text, table.note, *([cell.person or cell.text for cell in row] for row in table.rows)]
