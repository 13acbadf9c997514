"""Statements and objects that only samples (ASH) or ADDM's advice name.

Source: Oracle Database Performance Tuning Guide, Active Session History: one sample each 10 s is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from awrdiff.analysis.figures_in_words import listing, number, percent, sentence, several
from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import PrintedRow, printed_rows
from awrdiff.analysis.report.sql_statements import SAMPLED, Statement
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import addm, finding_sizes
from awrdiff.analysis.verdict.rules.hot_segments import hot_object, hot_object_io
from awrdiff.analysis.verdict.rules.new_gone_and_slower_statements import statement_name
from awrdiff.analysis.verdict.statement_changes import OF_SIDE, most_of, sessions_in_samples
from awrdiff.analysis.verdict.thresholds import OF_CHANGE

_LIST = "top_db_objects"
_EVENTS = 3  # of an object, that are told
NO_OBJECTS = Unknown("Top DB Objects (ASH)")


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
    if not any(map(has_objects, facts.sides)):
        return NO_OBJECTS
    answers = [s for a in (hot_object(facts), hot_object_io(facts)) for s in (a if isinstance(a, tuple) else (a,))]
    listed_objects = {s.subject.key for s in answers if isinstance(s, Observation) and s.subject is not None}
    observed: dict[str, Observation] = {}
    for side in reversed(facts.sides):
        # 30 % of the samples or more, largest first.
        but = listed_objects | observed.keys()
        least = OF_SIDE * (side.active_sessions or 0.0)
        objects = [o for o in sampled_objects(side).values() if o.name not in but and o.sessions.low >= least > 0]
        for each in sorted(objects, key=lambda o: -o.share):
            observed[each.name] = _object_observation(facts, each, side)
    return tuple(observed.values()) or QUIET


def _object_observation(facts: Facts, each: SampledObject, side: Side) -> Observation:
    title, subject = each.title(of_first=side is not facts.sides[-1]), Subject("object", each.name)
    if not isinstance(facts, FactsOfTwo):
        return Observation(title, f"{sentence(each.text)}.", (each.evidence,), each.sessions, subject)
    which, other, name = ("First", facts.second, "Second") if side is facts.first else ("Second", facts.first, "First")
    listed = sampled_objects(other)
    beside = listed.get(each.name)
    least = most_of(other, 100 * min(o.share for o in listed.values())) if listed else None
    there = beside.sessions if beside is not None else Range(0.0, least) if least is not None else None
    text = f"In {which} {each.text}. {name}: "
    if beside is not None:
        text += f"about {number(beside.sessions.middle)} active sessions, {percent(beside.share)} of the samples."
    elif there is not None:
        text += f"not among its sampled objects, hence under {number(there.high)} active sessions."
    else:
        text += "no sampled objects are printed."
    sessions = Sessions(there, each.sessions) if which == "Second" else Sessions(each.sessions, there)
    return Observation(title, text, (each.evidence,), sessions, subject)


def has_objects(side: Side) -> bool:
    return side.has(_LIST)


def sampled_objects(side: Side) -> dict[str, SampledObject]:
    by_name: dict[str, list[PrintedRow]] = {}
    for row in printed_rows(side.report.section(_LIST)):
        name = row.text("object").partition(" (")[0]
        if "." in name and "**" not in name:
            by_name.setdefault(name, []).append(row)
    objects = {}
    for name, rows in by_name.items():
        pct = max((v.number for r in rows if (v := r.number("pct_activity")) is not None), default=0.0)
        events = [(r.text("event"), v.number / 100) for r in rows if (v := r.number("pct_event"))]
        events.sort(key=lambda event_share: -event_share[1])
        evidence = rows[0].evidence(name, "pct_activity")
        objects[name] = SampledObject(name, pct / 100, sessions_in_samples(side, pct), tuple(events), evidence)
    return objects


MOST = 3  # statements of a side
NOT_PRINTED = Unknown("Top SQL with Top Events (ASH) and ADDM's advice")


class UntimedStatement(Struct, frozen=True):
    """Statement without elapsed time. `sessions`: approximate, by samples or ADDM."""

    sql_id: str
    sessions: Range
    share: float  # 0..1
    of: str  # what, and by what
    evidence: Evidence
    statement: Statement | None = None
    of_ash: bool = False  # named by an ASH report, which times no statement

    @property
    def plans(self) -> str:
        plan_hashes = self.statement.plan_hashes if self.statement is not None and self.of_ash else ()
        return f"Plan {', '.join(plan_hashes)}." if plan_hashes else ""

    @property
    def waits(self) -> str:
        """`Sampled in row locks (13 % of the samples).`"""
        largest = list(self.statement.waits.items())[:2] if self.statement is not None else []
        shares = [f"{percent(pct / 100)}{' of the samples' * (n == 0)}" for n, (_, pct) in enumerate(largest)]
        events = [f"{event} ({share})" for (event, _), share in zip(largest, shares, strict=True)]
        return f"Sampled in {listing(events)}." if events else ""

    @property
    def untimed(self) -> str:
        if self.of_ash:
            return "Samples time no execution."
        runs = self.statement.executions if self.statement is not None else None
        ran = f"{several(runs.number, 'execution', 'executions')}; how" if runs else "How often it ran and how"
        return f"{ran} long it took is not printed."

    @property
    def size(self) -> str:
        return f"about {finding_sizes.sessions_text(self.sessions.middle)}, {percent(self.share)} of {self.of}"

    @property
    def who(self) -> str:
        return statement_name(self.statement) if self.statement is not None else self.sql_id

    @property
    def title(self) -> str:
        much = "most" if self.share >= 0.5 else "much"
        if self.of_ash:
            return f"A statement has {much} of the samples: {self.sql_id}."
        return f"A statement that is not in Top SQL takes {much} of DB time: {self.sql_id}."


def sampled_statements(facts: Facts) -> RuleResult:
    """Statements that samples or ADDM's advice give {OF_CHANGE:%} of a side's DB time, and no table a time."""
    listed: dict[str, tuple[Side, UntimedStatement]] = {}
    for side in reversed(facts.sides):
        for each in untimed_statements(side):
            listed.setdefault(each.sql_id, (side, each))
    statements = [each for _, each in listed.values()]
    largest: dict[str, UntimedStatement] = {}
    for statement in sorted(statements, key=lambda u: -u.sessions.middle):
        largest.setdefault(statement.untimed, statement)
    lacks = [statement.untimed if largest[statement.untimed] is statement else "" for statement in statements]
    observed = (_observation(facts, *of, lack) for of, lack in zip(listed.values(), lacks, strict=True))
    return tuple(observed) or (QUIET if any(map(is_printed, facts.sides)) else NOT_PRINTED)


def _text(statement: UntimedStatement, size: str, lack: str) -> str:
    size = sentence(size) if statement.who == statement.sql_id else f"{statement.who}: {size}"
    return " ".join(part for part in (size, statement.waits, statement.plans, lack) if part)


def _observation(facts: Facts, side: Side, statement: UntimedStatement, lack: str) -> Observation:
    subject = Subject("sql", statement.sql_id)
    if not isinstance(facts, FactsOfTwo):
        text = _text(statement, f"{statement.size}.", lack)
        return Observation(statement.title, text, (statement.evidence,), statement.sessions, subject)
    is_first = side is facts.first
    other = facts.second if is_first else facts.first
    there, beside = _other_side(other, _on_other_side(facts, statement, is_first=is_first), statement.sql_id)
    size = f"in {'First' if is_first else 'Second'} {statement.size}. {'Second' if is_first else 'First'}: {beside}."
    sessions = Sessions(statement.sessions, there) if is_first else Sessions(there, statement.sessions)
    are_both_ash = facts.first.report.kind == facts.second.report.kind == "ash"
    tone = (
        finding_sizes.tone(sessions) if are_both_ash else "neutral"
    )  # what samples and SQL tables have apart is no change
    return Observation(statement.title, _text(statement, size, lack), (statement.evidence,), sessions, subject, tone)


def _on_other_side(facts: FactsOfTwo, statement: UntimedStatement, *, is_first: bool) -> Statement | None:
    """Statspack numbers statements otherwise: by id or text."""
    for pair in facts.statements:
        own, other = (pair.first, pair.second) if is_first else (pair.second, pair.first)
        if own is not None and statement.sql_id in own.all_ids:
            return other
    listed = (facts.second if is_first else facts.first).statements
    return next((s for key, s in listed.items() if key.sql_id == statement.sql_id), None)


def _other_side(side: Side, statement: Statement | None, sql_id: str) -> tuple[Range | None, str]:
    timed = side.sessions(statement.elapsed) if statement is not None else None
    if statement is not None and timed is not None:
        alias = "" if sql_id in statement.all_ids else f" under the name {statement.key.sql_id}"
        return timed, f"{finding_sizes.sessions_text(timed.middle)}, as its SQL tables time it{alias}"
    if statement is not None and statement.sampled is not None and side.active_sessions:
        sessions = sessions_in_samples(side, statement.sampled)
        return sessions, f"about {finding_sizes.sessions_text(sessions.middle)}, by samples"
    least = side.least_sampled_sql
    if least is None:
        return None, "no table names it"
    most = most_of(side, least)
    return Range(0.0, most), f"no table names it, by its samples under {number(most)} active sessions"


def is_printed(side: Side) -> bool:
    return side.has(SAMPLED[0]) or (side.has(addm.ADVICE) and side.report.kind != "addm")


def untimed_statements(side: Side) -> list[UntimedStatement]:
    if not side.active_sessions:
        return []
    statements = sorted((*_by_samples(side), *_by_advice(side)), key=lambda u: -u.sessions.middle)
    return [u for u in statements if u.sessions.low >= OF_CHANGE * side.active_sessions][:MOST]


def _by_samples(side: Side) -> Iterator[UntimedStatement]:
    rows: dict[str, Evidence] = {}
    for row in printed_rows(side.report.section(SAMPLED[0])):
        if sql_id := row.text("sql_id"):
            rows.setdefault(sql_id, row.evidence(sql_id, "pct_activity"))
    of, ash = "the samples (ASH)", side.report.kind == "ash"
    for key, statement in side.statements.items():
        if statement.elapsed is None and statement.sampled and key.sql_id in rows:
            sessions, share = sessions_in_samples(side, statement.sampled), statement.sampled / 100
            yield UntimedStatement(key.sql_id, sessions, share, of, rows[key.sql_id], statement, ash)


def _by_advice(side: Side) -> Iterator[UntimedStatement]:
    """Only analyses of the whole window count."""
    if not addm.is_whole(side) or side.report.kind == "addm":
        return
    timed = {k.sql_id for k, s in side.statements.items() if s.elapsed is not None or s.sampled is not None}
    for sql_id, sessions in addm.statements_named(side):
        row = addm.advice_row(side, sql_id)
        if sql_id not in timed and row is not None and side.active_sessions:
            share, of = min(sessions / side.active_sessions, 1.0), "DB time, as ADDM promises of tuning it"
            yield UntimedStatement(sql_id, Range(sessions, sessions), share, of, row)
