"""Ranked list of what got worse and better, one row per subject.

CPU, events and the rest add up to DB time; a size is the least that the digits allow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import change, number, percent, seconds
from awrdiff.analysis.model.commit_latency import LEAST_WAITS
from awrdiff.analysis.model.comparison import Consumer, Finding, Range, Sessions, Subject
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.ranked_changes import Connected, Mover, Ranked, Setting
from awrdiff.analysis.names.wait_events import SHARED_POOL, subject_of
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.rac_cluster_figures import where_printed
from awrdiff.analysis.report.segments import Segments
from awrdiff.analysis.rows.align import common_key
from awrdiff.analysis.rows.materiality import STEPS, Yardstick
from awrdiff.analysis.rows.statement_matching import StatementPair
from awrdiff.analysis.verdict.active_sessions_attribution import CPU, CPU_ROW, main_way
from awrdiff.analysis.verdict.rule_inputs import FactsOfTwo, row
from awrdiff.analysis.verdict.rules import cold_start_and_parameters, finding_sizes, new_gone_and_slower_statements
from awrdiff.analysis.verdict.rules.hot_segments import (
    CONTENTION,
    SegmentWaits,
    reads_and_writes,
    segment_row,
    word_of,
)
from awrdiff.analysis.verdict.rules.storage import average_text
from awrdiff.analysis.verdict.statement_changes import StatementChange, uncaptured_text

MOST = 4  # of one row
_LEAST_SAMPLED = 1.0  # percent of DB time
_ON_CPU = "cpu + wait for cpu"
MEASURED = "measured by"
_BACK = {MEASURED: "measured by it"}  # what the other of the two has to do with the first, where that is not the same
Link = tuple[Subject, Subject, str, float]  # two subjects, by what, and how much of it


def connect(facts: FactsOfTwo, rows: Sequence[Mover], findings: Sequence[Finding]) -> Iterator[Mover]:
    links: dict[Subject, list[tuple[float, Connected]]] = defaultdict(list)
    for subject, other, text, size in _links(facts, rows, findings):
        links[subject].append((size, Connected(other, text)))
        links[other].append((size, Connected(subject, _BACK.get(text, text))))
    for mover in rows:
        largest = sorted(links.get(mover.subject, ()), key=lambda link: -link[0])[:MOST]
        yield replace(mover, connected=tuple(c for _, c in largest))


def _links(facts: FactsOfTwo, rows: Sequence[Mover], findings: Sequence[Finding]) -> Iterator[Link]:
    by_id = {p.sql_id: p for p in facts.statements}
    statements = [(m.subject, by_id[m.subject.key]) for m in rows if m.subject.kind == "sql" and m.subject.key in by_id]
    events = {m.subject.key.lower(): m.subject for m in rows if m.subject.kind == "event"}
    if any(m.subject == CPU_SUBJECT for m in rows):
        events[_ON_CPU] = CPU_SUBJECT
    yield from _links_of_samples(statements, events)
    for mover in (m for m in rows if m.subject.kind == "object"):
        word = word_of(mover.subject.key)
        for subject, pair in statements:
            if word.search(pair.statement.text):
                yield subject, mover.subject, "its text names the object", 0.5
        keys = dict.fromkeys(e.key.lower() for at in mover.findings for e in findings[at].evidence)
        for event in (events[k] for k in keys if k in events):
            yield mover.subject, event, MEASURED, abs(mover.change)
    waits = [m for m in rows if m.subject.kind == "event" and subject_of(m.subject.key) == SHARED_POOL]
    for mover in (m for m in rows if m.subject == Subject("work", "parsing")):
        for wait in (m for m in waits if m.change * mover.change > 0):
            yield mover.subject, wait.subject, "a wait of the shared pool and library cache", abs(wait.change)


def _links_of_samples(
    statements: Iterable[tuple[Subject, StatementPair]], events: dict[str, Subject]
) -> Iterator[Link]:
    for subject, pair in statements:
        for name, statement in (("Second", pair.second), ("First", pair.first)):
            waits = {e: s for e, s in statement.waits.items() if s >= _LEAST_SAMPLED} if statement is not None else {}
            for event, share in waits.items():
                if event.lower() in events:
                    yield subject, events[event.lower()], f"{percent(share / 100)} of {name}'s samples", share
            if waits:
                break


LEAST = STEPS[1]  # percent of DB time: what is smaller is in no list, whatever the reader chooses
MOST_SETTINGS = 40
_PRINTABLE = 0.001  # sessions: a bound below it is told as this
_OPEN = 0.05  # of the change: what the print leaves open of it by more is said
PER_WAIT = " per wait"
CPU_SUBJECT = Subject("cpu", CPU)
REST_SUBJECT = Subject("other", "unaccounted")
# Findings about no part of the change: the whole, a moment of it, or what others said.
_NOT_RANKED = frozenset({"load", "activity over time", "gets per execution", "time of day", "ADDM", "startup"})
# Conditions, or the same time again: no statement, object, module, user or blocker.
_NOT_RANKED |= {"host", "throughput", "instances", "execution", "reads", "writes"}
# A finding's subject that is another row's.
_SAME = {
    ("cpu", "queue"): REST_SUBJECT,
    ("host", "CPU"): CPU_SUBJECT,
    ("work", "logon"): Subject("work", "logons"),
    ("work", "hard parse"): Subject("work", "parsing"),
}
# About single-block reads alone: they stand in the row of the event, as reads of other kinds may have gone another way.
_OF_AN_EVENT = frozenset({"read-latency", "read-tail"})
_EVENTS_OF = {("other", "log switches"): "log file switch", ("cpu", "resource manager"): "resmgr:cpu quantum"}


def rank_movers(facts: FactsOfTwo, findings: Sequence[Finding], yardstick: Yardstick) -> Ranked | None:
    """None if not weighable; empty where both are nearly idle."""
    a = facts.attribution
    if a is None or yardstick.sessions is None:
        return None
    candidates: list[Mover] = []
    if not facts.idle:
        # a side without a list by elapsed time gives no bound
        bounded = [m for m in facts.statement_changes if m.sessions.first is not None and m.sessions.second is not None]
        movers = [*_parts(facts), *(_statement(facts, m) for m in bounded if m.sessions.change)]
        movers += moved_objects(facts)
        about = [_subjects(f, movers) for f in findings]
        movers += _extras(findings, about, {m.subject for m in movers})
        by_subject: dict[Subject, list[int]] = defaultdict(list)
        for i, of in enumerate(about):
            for subject in dict.fromkeys(of):
                by_subject[subject].append(i)
        candidates = [replace(m, findings=tuple(by_subject.get(m.subject, ()))) for m in movers]
    large = [m for m in candidates if yardstick.percent(m.change) >= LEAST]
    large.sort(key=lambda m: (-abs(m.change), m.view != "part", m.subject.key))
    if facts.unrelated:
        large = [replace(m, tone="neutral") for m in large]
    reports = (facts.first.report, facts.second.report)
    large = [replace(m, evidence=where_printed(m.evidence, *reports)) if m.evidence else m for m in large]
    rows = tuple(connect(facts, large, findings))
    settings = tuple(
        Setting(name, before, now, row(cold_start_and_parameters.SECTION, name, "begin_value"))
        for name, before, now in cold_start_and_parameters.changed_parameters(facts)[:MOST_SETTINGS]
    )
    return Ranked(a.first_per_s, a.second_per_s, yardstick.sessions, rows, settings)


def _subjects(finding: Finding, rows: Iterable[Mover]) -> tuple[Subject, ...]:
    subject = finding.subject
    if subject is None:
        return ()
    subject = _SAME.get((subject.kind, subject.key), subject)
    events = [m for m in rows if m.subject.kind == "event"]
    if (begins := _EVENTS_OF.get((subject.kind, subject.key))) is not None:
        subjects = [m.subject for m in events if m.subject.key.lower().startswith(begins)]
        return tuple(subjects) or (subject,)
    if subject.kind != "event" and finding.rule not in _OF_AN_EVENT:
        return (subject,)
    cited = {(e.section, e.row_id) for e in finding.evidence}
    return tuple(m.subject for m in events if m.evidence and (m.evidence.section, m.evidence.row_id) in cited)


# The parts of DB time


def _parts(facts: FactsOfTwo) -> Iterator[Mover]:
    a = facts.attribution
    unlisted = finding_sizes.most_unlisted(facts.first), finding_sizes.most_unlisted(facts.second)
    for part in a.parts if a is not None else ():
        if part.key == CPU:
            sessions = finding_sizes.sessions_in(facts, lambda s: s.db_cpu)
        else:
            events = [s.foreground.get(part.key.lower()) for s in facts.sides]
            first, second = (
                side.sessions(event.total) if event is not None else rest
                for side, event, rest in zip(facts.sides, events, unlisted, strict=True)
            )
            sessions = Sessions(first, second)
        if sessions.change * part.diff_per_s > 0:
            subject, evidence = CPU_SUBJECT, CPU_ROW
            if part.key != CPU:
                subject = Subject("event", part.key)
                evidence = Evidence(part.section, part.key, "total_wait_time_s", part.row_id)
            tone, how = finding_sizes.tone(sessions), _how(facts, part)
            yield Mover(subject, "part", sessions, part.diff_per_s, tone, part.wait_class or "", how, evidence=evidence)
    missing = facts.unaccounted
    if missing is not None and a is not None:
        sides = (missing.first * a.first_per_s, missing.second * a.second_per_s)
        sessions = Sessions(*(Range(size, size) for size in sides))
        if sessions.change:
            evidence, tone = row("time_model", "DB time", "time_s"), finding_sizes.tone(sessions)
            yield Mover(REST_SUBJECT, "part", sessions, sessions.change, tone, evidence=evidence)


def _how(facts: FactsOfTwo, part: Consumer) -> str:
    if part.key == CPU:
        return ""
    for name, rate, side in (("First", part.first_per_s, facts.first), ("Second", part.second_per_s, facts.second)):
        if rate is None:
            return f"not in {name}'s top list" if side.foreground_is_partial else f"none listed in {name}"
    events = [side.foreground.get(part.key.lower()) for side in facts.sides]
    averages = [average_text(event) for event in events if event is not None and event.average is not None]
    if len(averages) < len(events):
        return ""
    for name, event in zip(("First", "Second"), events, strict=True):
        waits = event.waits if event is not None and part.key.lower() == "log file sync" else None
        if waits is not None and waits.number < LEAST_WAITS:
            return f"{name} has {number(waits.number)} such wait{'s' * (waits.number != 1)}"
    average = f"{averages[0]} → {averages[1]}{PER_WAIT}"
    a, b = (event.average if event is not None else None for event in events)
    if a is not None and b is not None and not a.number * b.number and a.low <= b.high and b.low <= a.high:
        return average
    way = main_way(part.by_count_per_s or 0.0, part.by_latency_per_s or 0.0)
    more, longer = ("more", "longer") if part.diff_per_s > 0 else ("fewer", "shorter")
    how = {"latency": f"{longer} waits:", "count": f"{more} waits;", "both": f"{more} and {longer} waits:"}
    return f"{how[way]} {average}"


# The same time seen another way


def _statement(facts: FactsOfTwo, each: StatementChange) -> Mover:
    statement = each.pair.statement
    block = "PL/SQL: its time includes that of the SQL it runs" if each.pair.is_plsql else ""
    return Mover(
        Subject("sql", statement.key.sql_id),
        "again",
        each.sessions,
        each.sessions.change,
        finding_sizes.tone(each.sessions),
        new_gone_and_slower_statements.statement_name(statement),
        "; ".join(part for part in (_runs(facts, each), block) if part),
        next(iter(new_gone_and_slower_statements.evidence(facts, each.pair)), None),
    )


def _runs(facts: FactsOfTwo, each: StatementChange) -> str:
    pair = each.pair
    for name, statement, lacking in (("First", pair.first, facts.first), ("Second", pair.second, facts.second)):
        if statement is None:
            return "; ".join(filter(None, (f"not in {name}'s top SQL", _unlisted(lacking))))
    listed = [s for s in (pair.first, pair.second) if s is not None]
    before, now = (s.key.sql_id for s in listed)
    parts = [] if before == now else [f"{before} in First"]
    rates = [side.per_second(s.executions) for side, s in zip(facts.sides, listed, strict=True)]
    if each.each is not None and rates[0] is not None and rates[1] is not None:
        parts.append(f"{seconds(each.each[0].number)} → {seconds(each.each[1].number)} per execution")
        parts.append(f"executions per second {change(rates[0], rates[1])}")
    return "; ".join(parts)


def _unlisted(side: Side) -> str:
    rest = uncaptured_text(side)
    return f"{rest}, bounded by its samples" if rest and side.least_sampled_sql is not None else rest


def _extras(findings: Sequence[Finding], about: Sequence[tuple[Subject, ...]], listed: set[Subject]) -> Iterator[Mover]:
    by_subject: dict[Subject, list[tuple[Finding, Sessions]]] = defaultdict(list)
    for finding, subjects in zip(findings, about, strict=True):
        size = finding.sessions
        if size is None or size.first is None or size.second is None:
            continue
        for subject in subjects:
            if subject.key not in _NOT_RANKED and subject.kind != "event" and subject not in listed:
                by_subject[subject].append((finding, size))
    for subject, sized in by_subject.items():
        finding, sessions = max(sized, key=lambda pair: (pair[1].level, abs(pair[1].change)))
        if sessions.change:
            evidence = next((e for e in finding.evidence if e.row_id), None)
            how = "not in Top SQL" if finding.rule == "sql-sampled" else ""
            tone = finding_sizes.tone(sessions)
            yield Mover(subject, "again", sessions, sessions.change, tone, how=how, evidence=evidence)


def label(subject: Subject) -> str:
    return _LABELS.get((subject.kind, subject.key), subject.key)


_LABELS = {
    ("cpu", CPU): "CPU",
    ("other", "unaccounted"): "Unaccounted-for time",
    ("cpu", "resource manager"): "Held back by the resource manager",
    ("work", "parsing"): "Parsing",
    ("work", "execution"): "Executing SQL",
    ("work", "logons"): "Logons",
    ("storage", "reads"): "Waits for reads",
    ("storage", "writes"): "Waits for writes",
    ("storage", "temporary segments"): "Reads and writes of temporary segments",
    ("memory", "host"): "Memory of the host",
    ("other", "log switches"): "Log switches",
}
KINDS = {
    "event": "wait",
    "sql": "statement",
    "object": "object",
    "cpu": "CPU",
    "work": "work",
    "storage": "storage",
    "parameter": "parameter",
    "host": "host",
    "memory": "memory",
    "commit": "commit",
    "other": "time",
}


def bounds(side: Range | None) -> str:
    """Active sessions; at most, where the print leaves it open."""
    if side is None:
        return "not known"
    if side.low <= 0 < side.high:
        return f"≤ {number(side.high)}" if side.high >= _PRINTABLE else f"under {_PRINTABLE}"
    if side.low >= _PRINTABLE and side.is_open:
        return f"{number(side.low)} … {number(side.high)}"
    middle = side.middle
    return number(middle) if middle >= _PRINTABLE or not middle else f"under {_PRINTABLE}"


def change_text(mover: Mover) -> str:
    """`+2.0`, or `at least +2.0` where open."""
    sides = (mover.sessions.first, mover.sessions.second)
    open_ = sum(side.high - side.low for side in sides if side is not None)
    size = f"{'+' if mover.change > 0 else '−'}{number(abs(mover.change))}"
    return f"at least {size}" if open_ > _OPEN * abs(mover.change) and mover.view == "again" else size


def moved_objects(facts: FactsOfTwo) -> Iterable[Mover]:
    """Each object by the contention that moved it most."""
    largest: dict[str, Mover] = {}
    for contention in (*CONTENTION, *reads_and_writes(*facts.sides)):
        sides = SegmentWaits(facts.first, contention), SegmentWaits(facts.second, contention)
        first, second = (side.objects for side in sides)
        key = common_key(*(s.section(contention.counter.section) for s in facts.sides))
        for name in {**second, **first}:
            sessions = Sessions(*(side.sessions_on(name) for side in sides))
            current = largest.get(name)
            if sessions.first is None or sessions.second is None or not sessions.change:
                continue
            if current is not None and abs(sessions.change) <= abs(current.change):
                continue
            side, rows = (facts.second, second[name]) if name in second else (facts.first, first[name])
            how = f"its share of {contention.what}: {_share(first.get(name))} → {_share(second.get(name))}"
            row = segment_row(side, contention, rows, key)
            tone, subject = finding_sizes.tone(sessions), Subject("object", name)
            largest[name] = Mover(subject, "again", sessions, sessions.change, tone, how=how, evidence=row)
    return largest.values()


def _share(side: Segments | None) -> str:
    if side is None:
        return "not listed"
    return percent(side.share) if side.share > 0 or not side.at_most else f"at most {percent(side.at_most)}"
