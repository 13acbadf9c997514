"""Execution plans: printed plans, and the alignment of two.

Best global match (Needleman and Wunsch, 1970): operation and object, object, operation at one depth; order is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from parsers.model import Report, Row, Section, Value

STEPS, STATISTICS, PLANS = "sql_execution_plan", "sql_plan_statistics", "sql_plans"
SECTIONS = (STEPS, STATISTICS, PLANS)
MOST_STEPS = 600  # of a plan that are aligned: 360,000 cells, 0.3 s
# Statistics of a plan worth a line, in the order of the page; AWR SQL report, "Stat Name".
FIGURES = (
    "Elapsed Time (ms)",
    "CPU Time (ms)",
    "User I/O Wait Time (ms)",
    "Cluster Wait Time (ms)",
    "Application Wait Time (ms)",
    "Concurrency Wait Time (ms)",
    "Buffer Gets",
    "Disk Reads",
    "Rows",
)
_SAME, _SAME_OBJECT, _SAME_KIND, _SAME_DEPTH = 8, 4, 2, 1

Status = Literal["same", "changed", "gone", "new"]


class Step(Struct, frozen=True):
    """Line of a plan, as printed.

    `estimated_rows`: the optimizer's, `rows_half` half its last digit.
    """

    step: str
    depth: int
    operation: str
    object_name: str
    estimated_rows: float | None = None
    rows_half: float = 0.0
    cost: str = ""
    time: str = ""
    partitions: str = ""


class PlanFigure(Struct, frozen=True):
    """Statistic per execution: seconds or count; None: none began."""

    name: str
    unit: Literal["s", "count"]
    per_execution: float | None
    half: float = 0.0


class Plan(Struct, frozen=True):
    """Plan of one report; `elapsed_s`: of all its executions."""

    plan_hash: str
    steps: tuple[Step, ...]
    elapsed_s: float | None
    executions: float | None
    figures: tuple[PlanFigure, ...]


class StepPair(Struct, frozen=True):
    """Aligned line; changed estimates alone are `same`.

    `differs`: operation, object, rows, cost, time, partitions.
    """

    status: Status
    first: Step | None
    second: Step | None
    differs: tuple[str, ...] = ()


def plans_of(report: Report) -> tuple[Plan, ...]:
    """Plans with printed steps, longest first."""
    steps = report.by_id.get(STEPS)
    if steps is None:
        return ()
    hashes = dict.fromkeys(steps.text(row, "plan_hash") for row in steps.records)
    plans = [_plan(report, steps, plan_hash) for plan_hash in hashes]
    return tuple(sorted(plans, key=lambda plan: -(plan.elapsed_s or 0.0)))


def align(first: Sequence[Step], second: Sequence[Step]) -> tuple[StepPair, ...]:
    """Lines of both, from at most `MOST_STEPS` of each."""
    first, second = first[:MOST_STEPS], second[:MOST_STEPS]
    return tuple(_pair(a, b) for a, b in _matched(first, second))


def _plan(report: Report, steps: Section, plan_hash: str) -> Plan:
    totals = _totals(report.by_id.get(STATISTICS), plan_hash)
    executions = totals.get("Executions")
    listed = report.by_id.get(PLANS)
    row = next((r for r in listed.records if listed.text(r, "plan_hash") == plan_hash), None) if listed else None
    elapsed = listed.number(row, "elapsed_time_s") if listed and row else None
    if executions is None and listed and row:
        executions = listed.number(row, "executions")
    if elapsed is None and (total := totals.get("Elapsed Time (ms)")) is not None:
        elapsed = Value(total.number / 1000, total.half / 1000)
    return Plan(
        plan_hash,
        tuple(_step(steps, r) for r in steps.records if steps.text(r, "plan_hash") == plan_hash),
        elapsed.number if elapsed else None,
        executions.number if executions else None,
        tuple(_figure(name, totals.get(name), executions) for name in FIGURES if name in totals),
    )


def _totals(statistics: Section | None, plan_hash: str) -> dict[str, Value | None]:
    if statistics is None:
        return {}
    own = (row for row in statistics.records if statistics.text(row, "plan_hash") == plan_hash)
    return {statistics.text(row, "statistic"): statistics.number(row, "total") for row in own}


def _figure(name: str, total: Value | None, executions: Value | None) -> PlanFigure:
    """Oracle counts executions begun in the interval."""
    unit: Literal["s", "count"] = "s" if name.endswith("(ms)") else "count"
    label = name.removesuffix(" (ms)").lower().replace("cpu", "CPU").replace("i/o", "I/O")
    if total is None or executions is None or executions.number <= 0:
        return PlanFigure(label, unit, None)
    scale = (0.001 if unit == "s" else 1.0) / executions.number
    return PlanFigure(label, unit, total.number * scale, total.half * scale)


def _step(steps: Section, row: Row) -> Step:
    depth, rows = steps.number(row, "depth"), steps.number(row, "estimated_rows")
    ends = [text for name in ("partition_start", "partition_stop") if (text := steps.text(row, name))]
    return Step(
        steps.text(row, "step"),
        int(depth.number) if depth else 0,
        steps.text(row, "operation"),
        steps.text(row, "object_name"),
        rows.number if rows else None,
        rows.half if rows else 0.0,
        steps.text(row, "cost"),
        steps.text(row, "time"),
        "–".join(ends),
    )


def _matched(first: Sequence[Step], second: Sequence[Step]) -> Iterator[tuple[Step | None, Step | None]]:
    best = _scores(first, second)
    i = j = 0
    while i < len(first) or j < len(second):
        has_first = i < len(first)
        right = j < len(second)
        weight = _weight(first[i], second[j]) if has_first and right else 0
        if weight and best[i][j] == best[i + 1][j + 1] + weight:
            yield first[i], second[j]
            i, j = i + 1, j + 1
        elif has_first and (not right or best[i][j] == best[i + 1][j]):
            yield first[i], None
            i += 1
        else:
            yield None, second[j]
            j += 1


def _scores(first: Sequence[Step], second: Sequence[Step]) -> list[list[int]]:
    best = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        row, below = best[i], best[i + 1]
        for j in range(len(second) - 1, -1, -1):
            weight = _weight(first[i], second[j])
            row[j] = max(below[j], row[j + 1], below[j + 1] + weight if weight else 0)
    return best


def _weight(a: Step, b: Step) -> int:
    """0 for two steps that are no pair."""
    level = _SAME_DEPTH if a.depth == b.depth else 0
    if a.object_name == b.object_name:
        if a.operation == b.operation:
            return _SAME + level
        if a.object_name:
            return _SAME_OBJECT + level
    if level and a.object_name and b.object_name and _kind(a) == _kind(b):
        return _SAME_KIND
    return 0


def _kind(step: Step) -> str:
    return step.operation.partition(" ")[0]


def _pair(a: Step | None, b: Step | None) -> StepPair:
    if a is None:
        return StepPair("new", None, b)
    if b is None:
        return StepPair("gone", a, None)
    texts = (
        ("operation", a.operation, b.operation),
        ("object", a.object_name, b.object_name),
        ("cost", a.cost, b.cost),
        ("time", a.time, b.time),
        ("partitions", a.partitions, b.partitions),
    )
    differs = [name for name, mine, other in texts if mine != other]
    if not _rows_agree(a, b):
        differs.append("rows")
    status: Status = "changed" if {"operation", "object"} & set(differs) else "same"
    return StepPair(status, a, b, tuple(differs))


def _rows_agree(a: Step, b: Step) -> bool:
    if a.estimated_rows is None or b.estimated_rows is None:
        return a.estimated_rows is b.estimated_rows
    return abs(a.estimated_rows - b.estimated_rows) <= a.rows_half + b.rows_half


def counts(pairs: Iterable[StepPair]) -> dict[Status, int]:
    """Number of lines by status, in the order of a summary."""
    number: dict[Status, int] = {"changed": 0, "gone": 0, "new": 0, "same": 0}
    for pair in pairs:
        number[pair.status] += 1
    return number
