"""Plans of a statement side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from msgspec import Struct

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.figures_in_words import several
from awrdiff.analysis.plans import SECTIONS, Plan, PlanFigure, Status, Step, StepPair, align, counts, plans_of
from awrdiff.comparisons import baseline_reports
from awrdiff.comparisons.report_pairs import places_of_pair
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.web import query_options
from awrdiff.web import value_formatting as fmt
from awrdiff.web.content_negotiation import cached_response, wants_json
from awrdiff.web.presenters.page.titles import comparison_title
from awrdiff.web.views.errors import answer
from awrdiff.web.views.visit import Visit, comparison_visit

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


NOT_READY = "The comparison is not finished yet: look at its plans once it is."
NO_SUCH_PLAN = "Neither report prints this plan."


class PrintedPlan(msgspec.Struct, frozen=True):
    """A plan and its report: 0 is First, 1 is Second."""

    report: int
    plan: Plan


class PlanComparison(msgspec.Struct, frozen=True):
    """Page and JSON. `plans`: all choices, First's before Second's; empty if neither report prints plan steps."""

    first: PrintedPlan | None = None
    second: PrintedPlan | None = None
    steps: tuple[StepPair, ...] = ()
    plans: tuple[PrintedPlan, ...] = ()


@require_safe
def plans(request: HttpRequest, **place: Any) -> HttpResponse:
    """The steps of two plans, aligned. `first` and `second`: plan hashes; `pair`."""
    visit = comparison_visit(request, **place)
    return plans_of_pair(visit)


def plans_of_pair(visit: Visit) -> HttpResponse:
    if not visit.comparison.is_ready:
        return answer(visit.request, 409, NOT_READY)
    return cached_response(visit.request, visit.version, lambda: _answer(visit))


def _answer(visit: Visit) -> HttpResponse:
    request, comparison = visit.request, visit.comparison
    plan_comparison = _plan_comparison(visit)
    if wants_json(request):
        return JsonResponse(msgspec.to_builtins(plan_comparison))
    view: dict[str, Any] | None = None
    if plan_comparison.first and plan_comparison.second:
        first, second, steps = plan_comparison.first.plan, plan_comparison.second.plan, plan_comparison.steps
        figures = list(_figures(first, second))
        view = {"summary": _summary(first, second, steps), "lines": list(_lines(steps)), "figures": figures}
    context = {
        "access": visit.access,
        "shown": plan_comparison,
        "v": view,
        "pair": query_options.same_pair(request) and visit.pair,
        "page_url": visit.url + query_options.same_pair(request),
        "title": comparison_title(comparison, placed_reports_of(comparison), visit.pair),
    }
    return render(request, "entities/plans.html", context)


def _plan_comparison(visit: Visit) -> PlanComparison:
    """By default each report's plan with most time."""
    request, places = visit.request, baseline_reports.compared_places(visit.comparison)
    pair = [places[at] for at in places_of_pair(visit.pair, len(places))]
    reports = baseline_reports.reports_with(pair, SECTIONS)
    sides = [PrintedPlan(at, plan) for at, report in enumerate(reports) for plan in plans_of(report)]
    if not sides:
        return PlanComparison()
    first = _plan_of_hash(request.GET.get("first"), sides) or sides[0]
    second = _plan_of_hash(request.GET.get("second"), sides[::-1]) or _other(first, sides)
    return PlanComparison(first, second, align(first.plan.steps, second.plan.steps), tuple(sides))


def _plan_of_hash(plan_hash: str | None, sides: list[PrintedPlan]) -> PrintedPlan | None:
    if not plan_hash:
        return None
    side = next((side for side in sides if side.plan.plan_hash == plan_hash), None)
    if side is None:
        raise NotFound(NO_SUCH_PLAN)
    return side


def _other(first: PrintedPlan, sides: list[PrintedPlan]) -> PrintedPlan:
    candidates = [side for side in sides if side.report != first.report] or [
        side for side in sides if side is not first
    ]
    return candidates[0] if candidates else first
