"""Two plans side by side, with costs per execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from awrdiff.analysis.plans import Plan, PlanFigure, Status, Step, StepPair, counts
from awrdiff.analysis.words import several
from awrdiff.web import format as fmt

_MARKS: dict[Status, str] = {"same": "", "changed": "≠", "gone": "−", "new": "+"}
_WORDS: dict[Status, str] = {
    "same": "the same",
    "changed": "changed",
    "gone": "only in the left plan",
    "new": "only in the right plan",
}
_DEEPEST = 40  # levels that are drawn


class StepCells(Struct, frozen=True):
    """One side's step; `indent` in levels, `changed`: fields that differ from the other side."""

    step: str
    indent: int
    operation: str
    object_name: str
    rows: str
    cost: str
    more: str
    changed: tuple[str, ...]


class PlanLine(Struct, frozen=True):
    """A line of both plans."""

    status: Status
    mark: str
    meaning: str
    first: StepCells | None
    second: StepCells | None


class PlansView(Struct, frozen=True):
    """`figures`: name, First, Second, the factor between them."""

    summary: str
    lines: tuple[PlanLine, ...]
    figures: tuple[tuple[str, str, str, str], ...]


def present(first: Plan, second: Plan, pairs: Sequence[StepPair]) -> PlansView:
    return PlansView(_summary(first, second, pairs), tuple(_lines(pairs)), tuple(_figures(first, second)))


def _summary(first: Plan, second: Plan, pairs: Sequence[StepPair]) -> str:
    number = counts(pairs)
    if number["same"] == len(pairs):
        again = "The same plan" if first.plan_hash == second.plan_hash else "Another plan hash, but the same steps"
        return f"{again}: {several(len(pairs), 'step', 'steps')}."
    parts = (f"{number[status]} {_WORDS[status]}" for status in number if number[status])
    return f"Of {several(len(pairs), 'step', 'steps')}: {', '.join(parts)}."


def _lines(pairs: Sequence[StepPair]) -> Iterator[PlanLine]:
    for pair in pairs:
        first, second = (_cells(step, pair.differs) if step else None for step in (pair.first, pair.second))
        yield PlanLine(pair.status, _MARKS[pair.status], _WORDS[pair.status], first, second)


def _cells(step: Step, differs: tuple[str, ...]) -> StepCells:
    rows = fmt.quantity(step.estimated_rows, "count", step.rows_half) if step.estimated_rows is not None else ""
    more = ", ".join(text for text in (step.time, f"partitions {step.partitions}" if step.partitions else "") if text)
    return StepCells(
        step.step, min(step.depth, _DEEPEST), step.operation, step.object_name, rows, step.cost, more, differs
    )


def _figures(first: Plan, second: Plan) -> Iterator[tuple[str, str, str, str]]:
    runs = [fmt.quantity(n, "count") if n is not None else fmt.NONE for n in (first.executions, second.executions)]
    yield "executions", runs[0], runs[1], ""
    second_figures = {figure.name: figure for figure in second.figures}
    for mine in first.figures:
        other = second_figures.get(mine.name, PlanFigure(mine.name, mine.unit, None))
        a, b = mine.per_execution, other.per_execution
        if a or b:
            factor = f"× {fmt.significant(b / a)}" if a and b and abs(a - b) > mine.half + other.half else ""
            yield mine.name, _text(mine), _text(other), factor


def _text(figure: PlanFigure) -> str:
    return (
        fmt.quantity(figure.per_execution, figure.unit, figure.half) if figure.per_execution is not None else fmt.NONE
    )
