"""Parts of a report's active sessions: CPU, events, wait classes, statements, phases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Final, Literal, NamedTuple, get_args

from msgspec import Struct

from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.analysis.metrics.top_events_and_statements import LargestEvent, LargestStatement
from parsers.model import Value

CarriedKind = Literal["cpu", "event", "wait class", "statement", "phase"]
KINDS: Final[tuple[CarriedKind, ...]] = get_args(CarriedKind)
MOST = 3
# What is less than this part of the whole departure carries nothing of it; what has that much of what holds it says it
# closer.
_WORTH, _CLOSER = 0.1, 0.5
_PHASES = {  # of the time model, with what each is part of; what is nearly all of DB time tells nothing
    "parsing": "",
    "hard_parsing": "parsing",
    "hard_parsing_sharing": "hard_parsing",
    "hard_parsing_bind": "hard_parsing",
    "failed_parsing": "parsing",
    "plsql_compilation": "",
    "connecting": "",
    "sequence_loading": "",
    "repeated_binding": "",
}
_CLASSES = [m.id for m in BY_ID.values() if m.group == "waits"]
_EVENTS = [m.id for m in BY_ID.values() if m.id.startswith("event_")]


class Name(NamedTuple):
    kind: CarriedKind
    name: str


class CarriedPart(NamedTuple):
    """`above`: active sessions; `at_least`: other reports do not list it."""

    kind: CarriedKind
    name: str
    above: float
    at_least: bool = False


class Carried(Struct, frozen=True):
    """Active sessions; `inside`: part → whole.

    `listed`: least listed per kind; others lie below.
    """

    sessions: Mapping[Name, float]
    inside: Mapping[Name, Name]
    listed: Mapping[CarriedKind, float]


def carried_in(
    figures: Mapping[str, Value], events: Sequence[LargestEvent], statements: Sequence[LargestStatement]
) -> Carried:
    sessions: dict[Name, float] = dict(_declared(figures))
    inside = {_phase(part): _phase(whole) for part, whole in _PHASES.items() if whole}
    for largest_event in events:
        name = Name("event", largest_event.name)
        sessions[name] = largest_event.sessions.number
        if largest_event.wait_class:
            inside[name] = Name("wait class", largest_event.wait_class)
    for largest_statement in statements:
        of = f" ({largest_statement.pdb})" if largest_statement.pdb else ""
        sessions[Name("statement", f"{largest_statement.sql_id}{of}")] = largest_statement.sessions.number
    kinds: tuple[tuple[CarriedKind, Sequence[LargestEvent | LargestStatement]], ...]
    kinds = (("event", events), ("statement", statements))
    return Carried(sessions, inside, {kind: min(e.sessions.number for e in of) for kind, of in kinds if of})


def _declared(figures: Mapping[str, Value]) -> Iterator[tuple[Name, float]]:
    if "db_cpu" in figures:
        yield Name("cpu", BY_ID["db_cpu"].title), figures["db_cpu"].number
    kinds: tuple[tuple[CarriedKind, Sequence[str]], ...] = (("wait class", _CLASSES), ("event", _EVENTS))
    for kind, metrics in kinds:
        for metric in metrics:
            if metric in figures:
                yield Name(kind, BY_ID[metric].title), figures[metric].number
    for metric in _PHASES:
        if metric in figures:
            yield _phase(metric), figures[metric].number


def _phase(metric: str) -> Name:
    return Name("phase", BY_ID[metric].title)


def largest_parts(now: Carried, alike: Sequence[Carried], above: float) -> tuple[CarriedPart, ...]:
    """Parts, at most three, largest first; of overlapping ones one.

    `above`: active sessions over those of `alike`.
    """
    if above <= 0 or not alike:
        return ()
    worth = [name for name, sessions in now.sessions.items() if sessions >= _WORTH * above]
    parts = [part for name in worth if (part := _part(name, now, alike, above)).above >= _WORTH * above]
    parts.sort(key=lambda part: (-part.above, KINDS.index(part.kind), part.name))
    chosen_parts: list[CarriedPart] = []
    for part in parts:
        is_nested = any(_holder(other, now) == part[:2] and other.above >= _CLOSER * part.above for other in parts)
        if not is_nested and not _is_inside_of(part, chosen_parts, now):
            chosen_parts.append(part)
    return tuple(chosen_parts[:MOST])


def _part(name: Name, now: Carried, alike: Sequence[Carried], above: float) -> CarriedPart:
    usual = median(other.sessions.get(name, other.listed.get(name.kind, 0.0)) for other in alike)
    certain = median(other.sessions.get(name, 0.0) for other in alike)
    return CarriedPart(*name, now.sessions[name] - usual, usual - certain > 0.05 * above)


def _is_inside_of(part: CarriedPart, parts: Sequence[CarriedPart], now: Carried) -> bool:
    holder, named_parts = _holder(part, now), {other[:2] for other in parts}
    while holder is not None:
        if holder in named_parts:
            return True
        holder = now.inside.get(holder)
    return False


def _holder(part: CarriedPart, now: Carried) -> Name | None:
    return now.inside.get(Name(part.kind, part.name))
