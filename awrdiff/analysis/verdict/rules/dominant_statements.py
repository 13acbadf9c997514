"""Statements with much of DB time or of all block reads, changed or not, or running through the whole window.

Source: Oracle Database Performance Tuning Guide, SQL ordered by Gets and Reads; Reference, DBA_HIST_SQLSTAT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import listing, number, percent, seconds, several
from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.sql_statements import ELAPSED, Statement
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfOne, FactsOfTwo, rate_of, row
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.io import is_read
from awrdiff.analysis.verdict.rules.new_gone_and_slower_statements import (
    block_and_its_sql,
    observation_of,
    row_of,
    statement_name,
    statements_of_kind,
    who_runs,
)
from awrdiff.analysis.verdict.same_workload_check import is_oracles_own
from awrdiff.analysis.verdict.statement_changes import StatementChange, statement_sessions, without_wrappers
from awrdiff.analysis.verdict.thresholds import OF_CHANGE

_MOST = 3  # statements
_WEIGHED = 200  # each against each: more do not have 15 % of DB time in any database
_WORK = (("buffer_gets", "gets"), ("physical_reads", "reads"), ("rows_processed", "rows"))
_PARTS = (
    ("cpu_time_s", "on CPU"),
    ("user_io_wait_time_s", "in I/O"),
    ("cluster_wait_time_s", "in cluster waits"),
    ("application_wait_time_s", "in application waits (locks)"),
    ("concurrency_wait_time_s", "in concurrency waits"),
)
_WORTH = 0.10  # of a statement's time: smaller parts are left out


def dominant_of_two(facts: FactsOfTwo) -> RuleResult:
    """A statement that is {OF_SIDE:%} of a side's DB time and whose time moved by less than a quarter."""

    def dominant(of: FactsOfTwo, each: StatementChange) -> Observation:
        return observation_of(of, each, f"{who_runs(each.pair)} takes much of DB time: {each.pair.sql_id}.", "neutral")

    return statements_of_kind(facts, "dominant", dominant)


def dominant_of_one(facts: FactsOfOne) -> RuleResult:
    """The {_MOST} largest statements of {OF_CHANGE:%} of DB time or more, joined over every SQL table."""
    side = facts.side
    if not side.has(ELAPSED):
        return Unknown("SQL ordered by Elapsed Time")
    if facts.sessions is None:
        return Unknown("DB time")
    return tuple(observation_of_one(facts, each) for each in statements_that_matter(facts)[:_MOST]) or QUIET


def statements_that_matter(facts: FactsOfOne) -> list[StatementChange]:
    """Largest first, against a report in which nothing ran."""
    whole = facts.sessions or 0.0
    return [m for m in statements_without_wrappers(facts) if m.sessions.level >= OF_CHANGE * whole > 0]


def statements_without_wrappers(facts: FactsOfOne) -> list[StatementChange]:
    return list(without_wrappers(statements_by_size(facts)[:_WEIGHED]))


def statements_by_size(facts: FactsOfOne) -> list[StatementChange]:
    whole = facts.sessions or 0.0
    changes = []
    for pair in facts.statements:
        sessions = statement_sessions(facts.side, pair.first)
        if pair.first is not None and pair.first.elapsed is not None and sessions is not None:
            changes.append(StatementChange(pair, Sessions(sessions, None), whole, whole))
    changes.sort(key=lambda m: -m.sessions.level)
    return changes


def observation_of_one(facts: FactsOfOne, each: StatementChange) -> Observation:
    statement, sessions = each.pair.statement, each.sessions.first
    share = each.sessions.level / (facts.sessions or 1.0)
    size = f"{number(each.sessions.level)} active sessions, {percent(share)} of DB time."
    around = block_and_its_sql({"first": facts.side}, facts.statements, each.pair)
    text = " ".join([f"{statement_name(statement)}: {size}", _runs(statement), *around])
    much = "most of" if share >= 0.5 else "much of" if share >= OF_CHANGE else percent(share) + " of"
    title = f"{who_runs(each.pair)} takes {much} DB time: {statement.key.sql_id}."
    return Observation(title, text, tuple(_rows(statement)), sessions, Subject("sql", statement.key.sql_id))


def _runs(statement: Statement) -> str:
    parts = []
    runs, each = statement.executions, statement.per_execution("elapsed_time_s")
    if runs is not None and runs.number > 0:
        parts.append(several(runs.number, "execution", "executions"))
        parts += [f"{seconds(each.number)} each"] if each is not None and runs.number > 1 else []
        work = [(v, name) for f, name in _WORK if (v := statement.per_execution(f)) is not None and v.number >= 1]
        work_texts = [several(round(v.number, 1), name[:-1], name) for v, name in work]
        parts += [f"{listing(work_texts)} per execution"] if work_texts else []
    elif runs is not None:
        parts.append("no execution is counted inside the window")
    whole_s = statement.elapsed.number if statement.elapsed is not None else 0.0
    spent = [(v.number, where) for f, where in _PARTS if (v := statement.value(f)) is not None and whole_s > 0]
    shares = [f"{percent(min(s / whole_s, 1.0))} {where}" for s, where in spent if s / whole_s >= _WORTH]
    sampled = [f"{e} ({percent(p / 100)} of the samples)" for e, p in list(statement.waits.items())[:2] if p >= 1]
    parts += [listing(shares)] if shares else []
    parts += [f"sampled in {listing(sampled)}"] if sampled else []
    whole_text = "; ".join(parts)
    return f"{whole_text[:1].upper()}{whole_text[1:]}." if parts else ""


def _rows(statement: Statement) -> Iterator[Evidence]:
    tables: set[tuple[str, str | None]] = set()
    for name in ("elapsed_time_s", "executions", "buffer_gets", "physical_reads"):
        figure = statement.figures.get(name)
        pointer = figure.evidence() if figure is not None else None
        if pointer is not None and (pointer.section, pointer.row_id) not in tables:
            tables.add((pointer.section, pointer.row_id))
            yield pointer


_WINDOW = 0.9  # of one session's window
_MOST_RUNNING = 3
_NO_EXECUTIONS = Unknown("SQL ordered by Elapsed Time, with executions")


def ran_through(side: Side, statement: Statement | None) -> bool:
    """A session's whole window, no execution counted; not Oracle's."""
    if statement is None or statement.elapsed is None or statement.executions is None or side.elapsed is None:
        return False
    took_all = statement.elapsed.number >= _WINDOW * side.elapsed.number
    return took_all and statement.executions.number == 0 and not is_oracles_own(statement)


def running_of_two(facts: FactsOfTwo) -> RuleResult:
    """A statement fills {_WINDOW:%} of a window on either side, in one session, and no execution of it is counted."""
    if not (facts.first.has(ELAPSED) and facts.second.has(ELAPSED)):
        return _NO_EXECUTIONS
    observed: list[Observation] = []
    for each in facts.statement_changes:
        sides = (("First", facts.first, each.pair.first), ("Second", facts.second, each.pair.second))
        names = [name for name, side, statement in sides if ran_through(side, statement)]
        if names:
            of = "both windows" if len(names) > 1 else f"{names[0]}'s window"
            title = f"A statement ran through all of {of}: {each.pair.sql_id}."
            observed.append(observation_of(facts, each, title, "neutral"))
    return tuple(observed[:_MOST_RUNNING]) or QUIET


def running_of_one(facts: FactsOfOne) -> RuleResult:
    """A statement fills {_WINDOW:%} of the window, in one session, and no execution of it is counted."""
    if not facts.side.has(ELAPSED):
        return _NO_EXECUTIONS
    running = [each for each in statements_without_wrappers(facts) if ran_through(facts.side, each.pair.first)]
    title = "A statement ran through all of the window"
    observed = ((observation_of_one(facts, each), each.pair.sql_id) for each in running[:_MOST_RUNNING])
    return tuple(replace(of, title=f"{title}: {sql_id}.") for of, sql_id in observed) or QUIET


_MUCH = 0.30  # of all reads: at most three statements can be as much
_FELT = 1 / 3  # of DB time, of the CPU or of the waits that the reads cost
_OWN = 0.10  # of that CPU or those waits: a statement with less of it is not why
_TOO_MUCH = 1.05  # of all reads: what ran before the window is counted with it when it ends


class ReadKind(Struct, frozen=True):
    """Blocks from the cache or files: figure, total, cost (a statement's time that goes with them)."""

    label: str
    figure: str
    statistic: str
    load: tuple[str, ...]  # its names in the load profile
    cost: str
    cost_of_statement: str
    cost_of_all: str
    sessions: Callable[[Side], float | None]  # that all of them cost
    explains: tuple[str, ...]


KINDS = (
    ReadKind(
        "logical reads",
        "buffer_gets",
        "session logical reads",
        ("Logical read (blocks)", "Logical reads"),
        "cpu_time_s",
        "CPU",
        "DB CPU",
        lambda side: side.per_second(side.db_cpu),
        ("host-cpu-saturated", "cpu-time", "db-cpu", "gets-per-execution"),
    ),
    ReadKind(
        "physical reads",
        "physical_reads",
        "physical reads",
        ("Physical read (blocks)", "Physical reads"),
        "user_io_wait_time_s",
        "waits for I/O",
        "waits for reads",
        lambda side: finding_sizes.middle(finding_sizes.waits(side, is_read)),
        ("physical-reads", "read-latency", "read-tail"),
    ),
)
_NOT_PRINTED = Unknown("SQL ordered by Gets or Reads; session logical reads, physical reads")


class Reader(Struct, frozen=True):
    """`share`: of all reads (0..1). `sessions`: its CPU or waits."""

    kind: ReadKind
    statement: Statement
    share: float
    sessions: Range | None
    denied: str


def reader_of(side: Side, kind: ReadKind, statements: Iterable[Statement]) -> Reader | None:
    """None where reads are too few or cost little."""
    whole, spent = _all_reads(side, kind), kind.sessions(side)
    if not whole or spent is None or spent < _FELT * (side.active_sessions or 0.0) or spent <= 0:
        return None
    much = [s for s in statements if _reads(side, kind, s) >= _MUCH * whole]
    if not much:
        return None
    most = max(much, key=lambda s: (not s.is_plsql, _reads(side, kind, s)))  # a block reads by its SQL
    share = _reads(side, kind, most) / whole
    own = side.sessions(most.value(kind.cost))
    denied = ""
    if share > _TOO_MUCH:
        denied = f"{kind.statistic}: fewer than those of {most.key.sql_id}"
    elif own is not None and own.high < _OWN * spent:
        denied = f"{most.key.sql_id}: {percent(own.middle / spent)} of {kind.cost_of_all}"
    return Reader(kind, most, share, own, denied)


def _reads(side: Side, kind: ReadKind, statement: Statement) -> float:
    return side.per_second(statement.value(kind.figure)) or 0.0


def _all_reads(side: Side, kind: ReadKind) -> float | None:
    return rate_of(side, kind.statistic, *kind.load)


def readers(facts: Facts) -> RuleResult:
    """One statement does {_MUCH:%} of a side's reads, logical or physical, that cost {_FELT:%} of its DB time."""
    if not all(side.has(ELAPSED) and any(_all_reads(side, kind) for kind in KINDS) for side in facts.sides):
        return _NOT_PRINTED
    by_kind: list[tuple[Side, Reader]] = []
    for kind in KINDS:
        for side in reversed(facts.sides):
            own = "first" if side is facts.sides[0] else "second"
            listed = [s for pair in facts.statements if (s := getattr(pair, own)) is not None]
            if (reader := reader_of(side, kind, listed)) is not None:
                by_kind.append((side, reader))
                break
    dominant = {m.pair.statement.key for m in statements_that_matter(facts)} if isinstance(facts, FactsOfOne) else set()
    answers = (_reader(facts, side, r) for side, r in by_kind if not r.denied and r.statement.key not in dominant)
    return tuple(answers) or next((Contradicted(reader.denied) for _, reader in by_kind if reader.denied), QUIET)


def _reader(facts: Facts, side: Side, each: Reader) -> Observation:
    kind, statement, sessions = each.kind, each.statement, finding_sizes.of_sides([each.sessions])
    text = f"{statement_name(statement)}: {percent(min(each.share, 1.0))} of the {kind.label}"
    text += " (its SQL's among them)" if statement.is_plsql else ""
    evidence, is_last = statement.figures[kind.figure].evidence(), side is facts.sides[-1]
    pair = next(p for p in facts.statements if statement in (p.first, p.second))
    if isinstance(facts, FactsOfTwo):
        evidence = row_of(facts, statement.figures[kind.figure])
        other, beside = (facts.first, pair.first) if is_last else (facts.second, pair.second)
        whole = _all_reads(other, kind)
        share = _reads(other, kind, beside) / whole if beside and beside.value(kind.figure) and whole else None
        share_beside = ""
        if share is not None and share <= _TOO_MUCH:
            share_beside = f", {percent(min(share, 1.0))} in {'First' if is_last else 'Second'}"
        text += f" in {'Second' if is_last else 'First'}{share_beside}"
        own = [
            s.sessions(p.value(kind.cost) if p else None)
            for s, p in zip(facts.sides, (pair.first, pair.second), strict=True)
        ]
        sessions = Sessions(*own) if each.sessions is not None else None
    its = "its" if statement.is_plsql else "its own"
    text += f"; {its} {kind.cost_of_statement}: {finding_sizes.text(sessions)}." if sessions is not None else "."
    rows = (evidence, row("instance_activity", kind.statistic, "total"))
    what, much = "PL/SQL block" if statement.is_plsql else "statement", "most" if each.share >= 0.5 else "much"
    of = f"{kind.label}{'' if is_last else ' in First'}: {statement.key.sql_id}."
    title = f"One {what} {'does' if is_last else 'did'} {much} of the {of}"
    explains = kind.explains if isinstance(facts, FactsOfTwo) else ()
    return Observation(title, text, rows, sessions, Subject("sql", pair.statement.key.sql_id), explains=explains)
