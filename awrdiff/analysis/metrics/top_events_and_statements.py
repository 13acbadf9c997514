"""Largest events and statements of a report, by time."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.sql_statements import Statement
from awrdiff.analysis.rows.deltas import rate
from parsers.model import Value

MOST = 20


class LargestEvent(Struct, frozen=True):
    """An event that sessions waited for."""

    name: str
    wait_class: str | None
    sessions: Value
    waits_per_s: Value | None
    average_s: Value | None


class LargestStatement(Struct, frozen=True):
    """Printed figures; per execution None without executions.

    `plans`: most sampled first; rarely printed.
    """

    sql_id: str
    pdb: str
    sessions: Value
    executions_per_s: Value | None
    elapsed_per_exec_s: Value | None
    cpu_per_exec_s: Value | None
    gets_per_exec: Value | None
    reads_per_exec: Value | None
    rows_per_exec: Value | None
    plans: tuple[str, ...]


def largest_events(side: Side) -> tuple[LargestEvent, ...]:
    """Empty without a printed elapsed time."""
    elapsed = side.elapsed
    if elapsed is None:
        return ()
    ranked = sorted(side.foreground.values(), key=lambda e: (-e.total.number, e.name))[:MOST]
    return tuple(
        LargestEvent(
            e.name,
            e.wait_class,
            rate(e.total, elapsed),
            rate(e.waits, elapsed) if e.waits is not None else None,
            e.average,
        )
        for e in ranked
        if e.total.number > 0
    )


def largest_statements(side: Side) -> tuple[LargestStatement, ...]:
    """Statements by elapsed time; PL/SQL includes its SQL."""
    elapsed = side.elapsed
    if elapsed is None:
        return ()
    timed = [(s, s.elapsed) for s in side.statements.values() if s.elapsed is not None and s.elapsed.number > 0]
    timed.sort(key=lambda timed_statement: (-timed_statement[1].number, timed_statement[0].key))
    return tuple(_statement(s, rate(took, elapsed), lambda v: rate(v, elapsed)) for s, took in timed[:MOST])


def _statement(statement: Statement, sessions: Value, per_second: Callable[[Value], Value]) -> LargestStatement:
    runs = statement.executions
    return LargestStatement(
        sql_id=statement.key.sql_id,
        pdb=statement.key.pdb,
        sessions=sessions,
        executions_per_s=per_second(runs) if runs is not None else None,
        elapsed_per_exec_s=statement.per_execution("elapsed_time_s"),
        cpu_per_exec_s=statement.per_execution("cpu_time_s"),
        gets_per_exec=statement.per_execution("buffer_gets"),
        reads_per_exec=statement.per_execution("physical_reads"),
        rows_per_exec=statement.per_execution("rows_processed"),
        plans=statement.plan_hashes,
    )
