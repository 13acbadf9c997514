"""Links between rows of the ranked list, by samples of sessions and by names of objects."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.ranked import Connected, Mover, Subject
from awrdiff.analysis.names.events import SHARED_POOL, subject_of
from awrdiff.analysis.report.statements import Statement
from awrdiff.analysis.rows.statements import StatementPair
from awrdiff.analysis.verdict.facts import FactsOfTwo
from awrdiff.analysis.words import percent

MOST = 4  # of one row
_LEAST_SAMPLED = 1.0  # percent of DB time
_ON_CPU = "cpu + wait for cpu"
MEASURED = "measured by"
_BACK = {MEASURED: "measured by it"}  # what the other of the two has to do with the first, where that is not the same
Link = tuple[Subject, Subject, str, float]  # two subjects, by what, and how much of it


def connect(facts: FactsOfTwo, rows: Sequence[Mover], findings: Sequence[Finding]) -> Iterator[Mover]:
    """Rows with their links, the strongest first; only rows of the list are linked."""
    links: dict[Subject, list[tuple[float, Connected]]] = defaultdict(list)
    for subject, other, text, size in _links(facts, rows, findings):
        links[subject].append((size, Connected(other, text)))
        links[other].append((size, Connected(subject, _BACK.get(text, text))))
    for row in rows:
        ranked_links = sorted(links.get(row.subject, ()), key=lambda link: -link[0])
        yield replace(row, connected=tuple(c for _, c in ranked_links[:MOST]))


def _links(facts: FactsOfTwo, rows: Sequence[Mover], findings: Sequence[Finding]) -> Iterator[Link]:
    by_id = {p.sql_id: p for p in facts.statements}
    statements = [(m.subject, by_id[m.subject.key]) for m in rows if m.subject.kind == "sql" and m.subject.key in by_id]
    events = {m.subject.key.lower(): m.subject for m in rows if m.subject.kind == "event"}
    on_cpu = next((m.subject for m in rows if m.subject.kind == "cpu"), None)
    if on_cpu is not None:
        events[_ON_CPU] = on_cpu
    yield from _links_of_samples(statements, events)
    yield from _objects([m for m in rows if m.subject.kind == "object"], statements)
    yield from _links_of_evidence(rows, events, findings)
    yield from _parsing(rows)


def _links_of_samples(
    statements: Iterable[tuple[Subject, StatementPair]], events: dict[str, Subject]
) -> Iterator[Link]:
    for subject, pair in statements:
        for name, statement in (("Second", pair.second), ("First", pair.first)):
            waits = _telling(statement)
            for event, share in waits.items():
                if event.lower() in events:
                    yield subject, events[event.lower()], f"{percent(share / 100)} of {name}'s samples", share
            if waits:
                break


def _telling(statement: Statement | None) -> dict[str, float]:
    return {e: s for e, s in statement.waits.items() if s >= _LEAST_SAMPLED} if statement is not None else {}


def _objects(objects: Iterable[Mover], statements: Sequence[tuple[Subject, StatementPair]]) -> Iterator[Link]:
    for row in objects:
        table = row.subject.key.rpartition(".")[2]
        word = re.compile(rf"(?<![\w$#]){re.escape(table)}(?![\w$#])", re.IGNORECASE)
        for subject, pair in statements:
            if word.search(pair.shown.text):
                yield subject, row.subject, "its text names the object", 0.5


def _links_of_evidence(
    rows: Sequence[Mover], events: dict[str, Subject], findings: Sequence[Finding]
) -> Iterator[Link]:
    """An object's finding cites the longest of its events."""
    for row in rows:
        if row.subject.kind != "object":
            continue
        keys = dict.fromkeys(e.key.lower() for at in row.findings for e in findings[at].evidence)
        for event in (events[k] for k in keys if k in events):
            yield row.subject, event, MEASURED, abs(row.change)


def _parsing(rows: Sequence[Mover]) -> Iterator[Link]:
    work = [m for m in rows if m.subject == Subject("work", "parsing")]
    waits = [m for m in rows if m.subject.kind == "event" and subject_of(m.subject.key) == SHARED_POOL]
    for row in work:
        for event in (m for m in waits if m.change * row.change > 0):
            yield row.subject, event.subject, "a wait of the shared pool and library cache", abs(event.change)
