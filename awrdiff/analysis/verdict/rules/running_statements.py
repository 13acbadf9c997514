"""Statements that ran through the whole window without ending: no list by executions names them.

Source: Oracle Database Reference, DBA_HIST_SQLSTAT: EXECUTIONS_DELTA.
"""

from __future__ import annotations

from msgspec.structs import replace

from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.statements import ELAPSED, Statement
from awrdiff.analysis.verdict.commonality import is_oracles_own
from awrdiff.analysis.verdict.facts import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules.dominant_statements import observation_of_one, told_statements
from awrdiff.analysis.verdict.rules.statements import observation_of

_WINDOW = 0.9  # of one session's window
_MOST = 3
_NOT_PRINTED = Unknown("SQL ordered by Elapsed Time, with executions")


def ran_through(side: Side, statement: Statement | None) -> bool:
    """No execution counted and a session's whole window of time; Oracle's own jobs excluded."""
    if statement is None or statement.elapsed is None or statement.executions is None or side.elapsed is None:
        return False
    took_all = statement.elapsed.number >= _WINDOW * side.elapsed.number
    return took_all and statement.executions.number == 0 and not is_oracles_own(statement)


def of_two(facts: FactsOfTwo) -> RuleResult:
    """A statement fills {_WINDOW:%} of a window on either side, in one session, and no execution of it is counted."""
    if not (facts.first.has(ELAPSED) and facts.second.has(ELAPSED)):
        return _NOT_PRINTED
    observed: list[Observation] = []
    for each in facts.statement_changes:
        sides = (("First", facts.first, each.pair.first), ("Second", facts.second, each.pair.second))
        names = [name for name, side, statement in sides if ran_through(side, statement)]
        if names:
            of = "both windows" if len(names) > 1 else f"{names[0]}'s window"
            title = f"A statement ran through all of {of}: {each.pair.sql_id}."
            observed.append(observation_of(facts, each, title, "neutral"))
    return tuple(observed[:_MOST]) or QUIET


def of_one(facts: FactsOfOne) -> RuleResult:
    """A statement fills {_WINDOW:%} of the window, in one session, and no execution of it is counted."""
    if not facts.side.has(ELAPSED):
        return _NOT_PRINTED
    running = [each for each in told_statements(facts) if ran_through(facts.side, each.pair.first)]
    titles = ((each, f"A statement ran through all of the window: {each.pair.sql_id}.") for each in running[:_MOST])
    return tuple(replace(observation_of_one(facts, each), title=title) for each, title in titles) or QUIET
