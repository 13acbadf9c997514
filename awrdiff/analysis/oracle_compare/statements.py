"""Statements of one period of Oracle's compare report: what they took in all, of what it prints per execution.

It prints each statement's share of DB time, its executions and what one took, in tenths of a percent and in whole
milliseconds: together they give totals, as narrow as both allow. Buffer gets are left as printed: 11.2.0.3 prints 0.0
gets of executions that computed for 200 ms.
"""

from __future__ import annotations

import re
from dataclasses import replace

from awrdiff.analysis.oracle_compare.figures import PERIODS
from parsers.model import Column, Row, Section, Value

_OF_ALL = "sql_by_elapsed_time"
_TOTALS = (
    ("elapsed_time_s", "Elapsed Time (s)", "s", "elapsed_per_exec_s"),
    ("cpu_time_s", "CPU Time (s)", "s", "cpu_per_exec_s"),
    ("user_io_wait_time_s", "User I/O Time (s)", "s", "user_io_per_exec_s"),
    ("physical_reads", "Physical Reads", "count", "reads_per_exec"),
    ("rows_processed", "Rows Processed", "count", "rows_per_exec"),
)
_CAPTURED = re.compile(
    r"Captured (SQL|PL/SQL) Elapsed Time as a % of DB time\s+First:\s*([\d.,]+)\s*%,\s*Second:\s*([\d.,]+)\s*%",
    re.IGNORECASE,
)


def with_totals(section: Section, period: str, db_time: Value | None) -> Section:
    """A period's list of statements with their totals; `db_time`: seconds, of the period."""
    if not section.id.startswith("sql_by_") or "executions" not in section.index:
        return section
    made = [t for t in _TOTALS if t[0] not in section.index and t[3] in section.index]
    columns = tuple(Column(name, label, unit, "neither", measure="total") for name, label, unit, _ in made)
    records = []
    for record in section.records:
        cells = [_total(section, record, each) for _, _, _, each in made]
        share = section.number(record, "pct_total") if section.id == _OF_ALL else None
        if made and made[0][0] == "elapsed_time_s" and share is not None and db_time is not None:
            cells[0] = _both(_product(share, db_time, 0.01), cells[0])
        records.append(Row((*record.cells, *cells), *record[1:]))
    notes = (*section.notes, *(n for note in section.notes for n in _captured_note(note, period)))
    return replace(section, columns=(*section.columns, *columns), records=tuple(records), notes=notes)


def _total(section: Section, record: Row, each: str) -> Value | None:
    one, runs = section.number(record, each), section.number(record, "executions")
    return _product(one, runs) if one is not None and runs is not None else None


def _product(a: Value, b: Value, factor: float = 1.0) -> Value:
    low, high = max(a.low, 0.0) * max(b.low, 0.0) * factor, a.high * b.high * factor
    return Value((low + high) / 2, (high - low) / 2)


def _both(of_share: Value, of_executions: Value | None) -> Value:
    """What both allow; the share where they do not meet."""
    if of_executions is None:
        return of_share
    low, high = max(of_share.low, of_executions.low), min(of_share.high, of_executions.high)
    return Value((low + high) / 2, (high - low) / 2) if low <= high else of_share


def _captured_note(note: str, period: str) -> list[str]:
    """As a report of one period says it."""
    found = _CAPTURED.search(note)
    share = found[2 + PERIODS.index(period)] if found else ""
    return [f"Captured {found[1]} account for {share}% of Total DB Time"] if found else []


__all__ = ["with_totals"]
