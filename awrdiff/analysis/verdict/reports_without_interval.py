"""Verdict on reports that do not cover a whole interval, and which reports would show more."""

from __future__ import annotations

from collections.abc import Callable

from awrdiff.analysis.commit_latency import lgwr_trace_events
from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds, several, stretch
from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.report.ash_and_addm_load import active_sessions
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.kinds import KINDS, OF_AN_INTERVAL
from awrdiff.analysis.verdict.active_sessions_attribution import attribute
from awrdiff.analysis.verdict.db_time_contributors import composition
from awrdiff.analysis.verdict.findings import Outcome
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rules import addm, ash, awr_sql_report
from awrdiff.analysis.verdict.rules.ash_only_statements_and_objects import untimed_statements
from awrdiff.analysis.verdict.statement_changes import StatementChange

_MOST = 3
_WORTH = 0.10  # of the samples: what has less is not named in the verdict
_MORE = {
    "awr_sql": "What else ran then and what limited it, {awr} would show.",
    "ash": "How much work was done, how long a wait took and what the host did, {awr} would show.",
    "addm": "The waits, statements and load behind it, {awr} would show.",
    "awr_compare": "Open it as a comparison of its two periods.",
    "lgwr_trace": "What commits waited for then, {awr} beside it would show.",
}


def of_one(facts: FactsOfOne) -> str:
    side = facts.side
    own = _OWN.get(side.report.kind)
    text = own(facts) if own is not None else ""
    if not text:
        kind, sessions = KINDS.get(side.report.kind, side.report.kind), active_sessions(side)
        text = f"The report is about {kind}: it does not print load and waits of an interval, so its load is not "
        text += "weighed."
        text += f" Average active sessions, as printed: {number(sessions)}." if sessions is not None else ""
    return f"{text} {more_in(side)}".rstrip()


def more_in(*sides: Side) -> str:
    """Sentence per kind; "" for reports of an interval."""
    sentences: dict[str, str] = {}
    for report in (side.report for side in sides if side.report.kind in _MORE):
        begin, end = report.period.begin.id, report.period.end.id
        of = f"snapshots {begin} to {end}" if begin is not None and end is not None else "the same time"
        sentences.setdefault(report.kind, _MORE[report.kind].format(awr=f"an AWR report of {of}"))
    return " ".join(sentences.values())


def _statement_text(facts: FactsOfOne) -> str:
    side = facts.side
    statement = next(iter(awr_sql_report.of_sql_report(side)), None)
    if statement is None or statement.elapsed is None or side.db_time is None or side.elapsed is None:
        return ""
    took, whole = number(statement.elapsed.number / side.elapsed.number), number(facts.sessions or 0.0)
    share = f"{percent(statement.elapsed.number / side.db_time.number)} of DB time"
    of = f"{took} of {whole} active sessions over {stretch(side.elapsed.number)}"
    text = f"Statement {statement.key.sql_id} took {of}, {share}"
    each, runs = statement.per_execution("elapsed_time_s"), statement.executions
    if each is not None and runs is not None:
        text += f": {several(runs.number, 'execution', 'executions')} of {seconds(each.number)}"
    plans = statement.plan_hashes
    return f"{text} by {f'plan {plans[0]}' if len(plans) == 1 else f'{len(plans)} plans'}."


def _samples_text(facts: FactsOfOne) -> str:
    side = facts.side
    events = [p for p in ash.events_of(side).values() if p.share >= _WORTH][:_MOST]
    if facts.sessions is None or not events:
        return ""
    over = f" over {stretch(side.elapsed.number)}" if side.elapsed is not None else ""
    on = f" on {several(side.cpus, 'CPU', 'CPUs')}" if side.cpus else ""
    active = f"On average {several(facts.sessions, 'session was', 'sessions were')} active{over}{on}"
    text = f"{active}, as sampled: {listing([_part_text(p) for p in events])}."
    statements = untimed_statements(side)[:2]
    if statements:
        statement_texts = [f"{u.sql_id} has {percent(u.share)}" for u in statements]
        text += f" Of statements {listing(statement_texts)} of the samples."
    return text


def _part_text(part: ash.SampledPart) -> str:
    return f"{percent(part.share)} {'on CPU or waiting for it' if part.name == ash.CPU else f'in {part.name}'}"


def _addm_text(facts: FactsOfOne) -> str:
    side = facts.side
    impacts = list(addm.impacts_of(side).items())[:_MOST]
    if facts.sessions is None or not addm.is_printed(side):
        return ""
    idle = "The database is nearly idle: on" if facts.idle else "On"
    text = f"{idle} average {several(facts.sessions, 'session was', 'sessions were')} active"
    shares = [f"{percent(share)}{' of that' * (n == 0)} to {name}" for n, (name, (share, _)) in enumerate(impacts)]
    text += f": ADDM gives {listing(shares)}" if impacts else ": ADDM found nothing that takes much of it"
    statements = [sql_id for sql_id, _ in addm.statements_named(side)[:2]]
    text += f", and advises to tune {listing(statements)}." if statements else "."
    return f"{text} {addm.ruled_out(side)}".rstrip()


def _trace_text(facts: FactsOfOne) -> str:
    return lgwr_trace_events.overview_sentence(lgwr_trace_events.overview_of(facts.side.report))


_OWN: dict[str, Callable[[FactsOfOne], str]] = {
    "awr_sql": _statement_text,
    "ash": _samples_text,
    "addm": _addm_text,
    "lgwr_trace": _trace_text,
}


def of_two(facts: FactsOfTwo, outcome: Outcome[Finding]) -> str:
    """Verdict; of different kinds, what both say."""
    sides = facts.sides
    each = awr_sql_report.moved_statement(facts)
    kinds = {side.report.kind for side in sides}
    if each is not None:
        sentences = [_statement_moved(facts, each)]
    elif kinds in ({"ash"}, {"addm"}) and facts.sessions() is not None:
        sentences = [
            _sessions_moved(facts, outcome, "sampled" if kinds == {"ash"} else "by ADDM"),
            *_changes_of_findings(outcome),
        ]
    else:
        sentences = [_of_two(facts)]
    more = [s for s in sides if s.report.kind not in OF_AN_INTERVAL]
    return " ".join([s for s in (*sentences, more_in(*more)) if s])


def _sessions_moved(facts: FactsOfTwo, outcome: Outcome[Finding], how: str) -> str:
    a, b = (side.active_sessions or 0.0 for side in facts.sides)
    if facts.idle:
        return f"Both periods are nearly idle: {number(a)} and {number(b)} active sessions, {how}."
    change_text = change(a, b)
    verb = "are about the same" if change_text == "flat" else "rose" if b > a else "fell"
    if facts.different_databases:
        return f"Two databases: {number(a)} active sessions in First, {number(b)} in Second, {how}."
    by = "" if change_text == "flat" else f", {change_text}"
    causes = (f for f in outcome.findings if f.rule in _CAUSES and f.sessions is not None and f.sessions.change)
    title = next((f.title.rstrip(".") for f in causes), "")
    title = title if title.startswith("ADDM") else f"{title[:1].lower()}{title[1:]}"
    most_moved = f"; {title}" if title else ""
    return f"Average active sessions {verb}: {number(a)} → {number(b)}{by}, {how}{most_moved}."


_CAUSES = ("sampled-events", "sampled-cpu", "addm-change")
_MOVED_RULES = ("sampled-events", "sampled-cpu", "sampled-blocker", "sql-sampled", "object-sampled", "addm-change")


def _changes_of_findings(outcome: Outcome[Finding]) -> list[str]:
    first: dict[str, Finding] = {}
    for finding in outcome.findings:
        if finding.rule in _MOVED_RULES and finding.sessions is not None and finding.sessions.change:
            first.setdefault(finding.rule, finding)
    sentences = [f"{f.text.split('. ')[0].rstrip('.')}." for f in list(first.values())[:2]]
    return sentences or ["Nothing that both list changed by more than their figures leave open."]


def _of_two(facts: FactsOfTwo) -> str:
    first, second = (KINDS.get(s.report.kind, s.report.kind) for s in facts.sides)
    same = first == second
    about = f"Both reports are about {first}" if same else f"First is about {first}, Second about {second}"
    verdict = f"{about}: they do not print load and waits on both sides, so the two cannot be weighed as a whole."
    before, after = active_sessions(facts.first), active_sessions(facts.second)
    if sampled := _beside_samples(facts):
        return f"{sampled} {verdict}"
    more = _other_statements(facts)
    if not more and before is not None and after is not None:
        more = f"Average active sessions, as printed: {number(before)} in First, {number(after)} in Second."
    return f"{verdict} {more}".rstrip()


def _beside_samples(facts: FactsOfTwo) -> str:
    sides = {"First": facts.first, "Second": facts.second}
    whole = next((n for n, s in sides.items() if s.report.kind in OF_AN_INTERVAL), "")
    samples = next((n for n, s in sides.items() if s.report.kind == "ash"), "")
    if not whole or not samples or facts.sessions() is None:
        return ""
    active = {name: number(side.active_sessions or 0.0) for name, side in sides.items()}
    text = (
        f"{active[samples]} sessions were active in {samples}, as sampled, {active[whole]} in {whole}, by its DB time"
    )
    events = [_part_text(p) for p in ash.events_of(sides[samples]).values() if p.share >= _WORTH][:2]
    text += f"; of {samples}'s, {listing(events)}." if events else "."
    spent = composition(attribute(sides[whole], sides[whole]), f"{whole}'s DB time")
    return f"{text} {spent}".rstrip()


def _other_statements(facts: FactsOfTwo) -> str:
    ids = [[s.key.sql_id for s in awr_sql_report.of_sql_report(side)] for side in facts.sides]
    if ids[0] and ids[1]:
        return f"First's statement is {ids[0][0]}, Second's {ids[1][0]}: two statements, not one that changed."
    missing = [(i[0], name) for i, name in zip(ids, ("Second", "First"), strict=True) if i]
    return " ".join(f"Statement {sql_id} is in no SQL table of {name}." for sql_id, name in missing)


def _statement_moved(facts: FactsOfTwo, each: StatementChange) -> str:
    title, _ = awr_sql_report.headline(facts, each)
    text = f"{title}: {each.pair.sql_id}"
    if each.each is not None:
        a, b = each.each
        text += f", {seconds(a.number)} → {seconds(b.number)} ({change(a.number, b.number)})"
    elif each.pair.first is not None and each.pair.second is not None:
        spent = [s.elapsed for s in (each.pair.first, each.pair.second) if s.elapsed is not None]
        text += f", in all {seconds(spent[0].number)} → {seconds(spent[1].number)}" if len(spent) == 2 else ""
    plans = [s.plan_hashes[0] if s is not None and s.plan_hashes else "" for s in (each.pair.first, each.pair.second)]
    if all(plans):
        changed = f"another plan ({plans[0]} → {plans[1]})"
        text += f", by {f'the same plan ({plans[0]})' if plans[0] == plans[1] else changed}"
    first, second, shares = each.sessions.first, each.sessions.second, ""
    if first is not None and second is not None and each.first_whole > 0 and each.second_whole > 0:
        of = (percent(first.middle / each.first_whole), percent(second.middle / each.second_whole))
        took = f"{number(first.middle)} → {number(second.middle)} active sessions"
        shares = f"It took {took}, {of[0]} of First's DB time and {of[1]} of Second's."
    return f"{text}. {shares}"
