"""Objects with much of the samples (ASH) that no segment list names: container reports lack such lists.

Source: Oracle Database Performance Tuning Guide, Active Session History, top DB objects.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.facts import Facts, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules.objects import hot_object, hot_object_io
from awrdiff.analysis.verdict.statement_changes import OF_SIDE, most_of, sessions_in_samples
from awrdiff.analysis.words import listing, number, percent, sentence
from parsers.model import Row, Section

_LIST = "top_db_objects"
_EVENTS = 3  # of an object, that are told
NOT_PRINTED = Unknown("Top DB Objects (ASH)")


class SampledObject(Struct, frozen=True):
    """`sessions`: approximate, by its share (0..1) of the samples."""

    name: str  # OWNER.NAME
    share: float
    sessions: Range
    events: tuple[tuple[str, float], ...]  # with their shares, the largest first
    evidence: Evidence

    @property
    def text(self) -> str:
        event_texts = listing([f"{event} {percent(share)}" for event, share in self.events[:_EVENTS]])
        about = f"about {number(self.sessions.middle)} active sessions"
        return f"{about}, {percent(self.share)} of the samples (ASH), wait for it: {event_texts}"

    def title(self, *, of_first: bool = False) -> str:
        of = "First's sampled time was" if of_first else "the sampled time is"
        return f"{'Most' if self.share >= 0.5 else 'Much'} of {of} waiting for {self.name}."


def objects_sampled(facts: Facts) -> RuleResult:
    """One object in {OF_SIDE:%} of a side's samples, beyond twice their scatter, that no segment list names."""
    if not any(map(is_printed, facts.sides)):
        return NOT_PRINTED
    listed_objects = _objects_named(hot_object(facts), hot_object_io(facts))
    observed: dict[str, Observation] = {}
    for side in reversed(facts.sides):
        for each in largest(side, listed_objects | observed.keys()):
            observed[each.name] = _observation(facts, each, side)
    return tuple(observed.values()) or QUIET


def _objects_named(*answers: RuleResult) -> set[str]:
    observations = [s for a in answers for s in (a if isinstance(a, tuple) else (a,)) if isinstance(s, Observation)]
    return {s.subject.key for s in observations if s.subject is not None}


def _observation(facts: Facts, each: SampledObject, side: Side) -> Observation:
    title, subject = each.title(of_first=side is not facts.sides[-1]), Subject("object", each.name)
    if not isinstance(facts, FactsOfTwo):
        return Observation(title, f"{sentence(each.text)}.", (each.evidence,), each.sessions, subject)
    which, other, name = ("First", facts.second, "Second") if side is facts.first else ("Second", facts.first, "First")
    beside = sampled_objects(other).get(each.name)
    there = beside.sessions if beside is not None else _left_out(other)
    text = f"In {which} {each.text}. {name}: "
    if beside is not None:
        text += f"about {number(beside.sessions.middle)} active sessions, {percent(beside.share)} of the samples."
    elif there is not None:
        text += f"not among its sampled objects, hence under {number(there.high)} active sessions."
    else:
        text += "no sampled objects are printed."
    sessions = Sessions(there, each.sessions) if which == "Second" else Sessions(each.sessions, there)
    return Observation(title, text, (each.evidence,), sessions, subject)


def is_printed(side: Side) -> bool:
    return side.has(_LIST)


def largest(side: Side, but: Collection[str] = ()) -> list[SampledObject]:
    """Objects with 30 % of the samples, the largest first."""
    least = OF_SIDE * (side.active_sessions or 0.0)
    objects = [o for o in sampled_objects(side).values() if o.name not in but and o.sessions.low >= least > 0]
    return sorted(objects, key=lambda o: -o.share)


def sampled_objects(side: Side) -> dict[str, SampledObject]:
    section = side.report.section(_LIST)
    rows: dict[str, list[Row]] = {}
    for record in section.records if section is not None else ():
        name = section.text(record, "object").partition(" (")[0] if section is not None else ""
        if "." in name and "**" not in name:
            rows.setdefault(name, []).append(record)
    return (
        {name: _sampled_object(side, section, name, rows_of_object) for name, rows_of_object in rows.items()}
        if section is not None
        else {}
    )


def _sampled_object(side: Side, section: Section, name: str, rows: list[Row]) -> SampledObject:
    pct = max((v.number for r in rows if (v := section.number(r, "pct_activity")) is not None), default=0.0)
    events = [(section.text(r, "event"), v.number / 100) for r in rows if (v := section.number(r, "pct_event"))]
    events.sort(key=lambda event_share: -event_share[1])
    row = Evidence(section.id, name, "pct_activity", anchor(section.id, *section.key_of(rows[0])))
    return SampledObject(name, pct / 100, sessions_in_samples(side, pct), tuple(events), row)


def _left_out(side: Side) -> Range | None:
    """Below the list's last."""
    listed = [o.share for o in sampled_objects(side).values()]
    return Range(0.0, most_of(side, 100 * min(listed))) if listed else None
