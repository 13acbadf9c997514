"""Statements that take much of DB time, changed or not.

Source: Oracle Database Reference, DBA_HIST_SQLSTAT; thresholds of statement_changes.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.model.comparison import Evidence, Sessions, Subject
from awrdiff.analysis.report.statements import ELAPSED, Statement
from awrdiff.analysis.verdict.facts import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules.statements import (
    block_and_its_sql,
    observation_of,
    statement_name,
    statements_of_kind,
    who_runs,
)
from awrdiff.analysis.verdict.statement_changes import StatementChange, statement_sessions, without_wrappers
from awrdiff.analysis.verdict.thresholds import OF_CHANGE
from awrdiff.analysis.words import listing, number, percent, seconds, several

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


def of_two(facts: FactsOfTwo) -> RuleResult:
    """A statement that is {OF_SIDE:%} of a side's DB time and whose time moved by less than a quarter."""
    return statements_of_kind(facts, "dominant", _dominant)


def of_one(facts: FactsOfOne) -> RuleResult:
    """The {_MOST} largest statements of {OF_CHANGE:%} of DB time or more, joined over every SQL table."""
    side = facts.side
    if not side.has(ELAPSED):
        return Unknown("SQL ordered by Elapsed Time")
    if facts.sessions is None:
        return Unknown("DB time")
    return tuple(observation_of_one(facts, each) for each in statements_that_matter(facts)[:_MOST]) or QUIET


def _dominant(facts: FactsOfTwo, each: StatementChange) -> Observation:
    return observation_of(facts, each, f"{who_runs(each.pair)} takes much of DB time: {each.pair.sql_id}.", "neutral")


def statements_that_matter(facts: FactsOfOne) -> list[StatementChange]:
    """Largest first, compared with a report in which nothing ran."""
    whole = facts.sessions or 0.0
    return [m for m in told_statements(facts) if m.sessions.level >= OF_CHANGE * whole > 0]


def told_statements(facts: FactsOfOne) -> list[StatementChange]:
    """Largest first, without blocks whose SQL is among them."""
    return list(without_wrappers(statements_by_size(facts)[:_WEIGHED]))


def statements_by_size(facts: FactsOfOne) -> list[StatementChange]:
    """Statements with an elapsed time, the largest first."""
    whole = facts.sessions or 0.0
    changes = []
    for pair in facts.statements:
        sessions = statement_sessions(facts.side, pair.first)
        if pair.first is not None and pair.first.elapsed is not None and sessions is not None:
            changes.append(StatementChange(pair, Sessions(sessions, None), whole, whole))
    changes.sort(key=lambda m: -m.sessions.level)
    return changes


def observation_of_one(facts: FactsOfOne, each: StatementChange) -> Observation:
    statement, sessions = each.pair.shown, each.sessions.first
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
        work = [(statement.per_execution(f), name) for f, name in _WORK]
        work_texts = [
            several(round(v.number, 1), name[:-1], name) for v, name in work if v is not None and v.number >= 1
        ]
        parts += [f"{listing(work_texts)} per execution"] if work_texts else []
    elif runs is not None:
        parts.append("no execution is counted inside the window")
    parts += _where(statement)
    said_of_all = "; ".join(parts)
    return f"{said_of_all[:1].upper()}{said_of_all[1:]}." if parts else ""


def _where(statement: Statement) -> list[str]:
    """Shares of its own time; ASH shares of DB time."""
    elapsed = statement.elapsed
    shares = [
        (v.number / elapsed.number, where)
        for f, where in _PARTS
        if elapsed is not None and elapsed.number > 0 and (v := statement.value(f)) is not None
    ]
    share_texts = [f"{percent(min(share, 1.0))} {where}" for share, where in shares if share >= _WORTH]
    clauses = [f"{listing(share_texts)}"] if share_texts else []
    sampled = [f"{e} ({percent(p / 100)} of the samples)" for e, p in list(statement.waits.items())[:2] if p >= 1]
    return clauses + ([f"sampled in {listing(sampled)}"] if sampled else [])


def _rows(statement: Statement) -> Iterator[Evidence]:
    tables: set[tuple[str, str | None]] = set()
    for name in ("elapsed_time_s", "executions", "buffer_gets", "physical_reads"):
        figure = statement.figures.get(name)
        pointer = figure.evidence() if figure is not None else None
        if pointer is not None and (pointer.section, pointer.row_id) not in tables:
            tables.add((pointer.section, pointer.row_id))
            yield pointer
