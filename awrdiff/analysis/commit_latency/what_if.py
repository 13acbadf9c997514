"""Savings of fewer commits: a bound, or T(k) = a + c·k from several. docs/commit-latency.md, section 6."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import linear_regression

from msgspec.structs import replace

from awrdiff.analysis.commit_latency.intervals import estimate, minus, scaled
from awrdiff.analysis.model.commit_latency import Fit, FitPoint, Plateau, WhatIf
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.analysis.report.side import Side
from parsers.model import Value

SAME_WORK = 0.10
PLATEAU = 0.05  # of the best time: from here on more batching hardly pays
_LEAST_SPREAD = 0.05  # of the number of commits: else there is nothing to fit
_SAME_WINDOW = 0.02  # windows as equal as this were cut by the clock, not by the end of the work
_ONE_SESSION = (0.9, 1.02)  # DB time ÷ elapsed time: then a wait of the session is a wait of the run
_UNTOLD = "The reports do not print by what to tell whether they did the same work."
_MEASURES = ("db block changes", "redo entries", "execute count", "session logical reads")


def saved_at_least(lfs_total: Estimate, ratio: float) -> Estimate:
    """Seconds, at least: CPU, latches and redo go too; ValueError outside 0..1."""
    if not 0.0 <= ratio <= 1.0:
        raise ValueError("The commits that remain are a fraction of 1.")
    return scaled(lfs_total, 1.0 - ratio)


def fit(points: Sequence[tuple[float, float]]) -> Fit:
    """(commits, elapsed seconds); ValueError under two numbers of commits."""
    if len({k for k, _ in points}) < 2:
        raise ValueError("A line needs two different numbers of commits.")
    c, a = linear_regression(*zip(*points, strict=True))
    fit_points = tuple(FitPoint(k, t, a + c * k) for k, t in points)
    worst = max(abs(p.error) for p in fit_points)
    return Fit(a, c, fit_points, worst, min(k for k, _ in points), max(k for k, _ in points))


def all_but_paid_off(line: Fit) -> float | None:
    """Commits below which under 5 % of `a` remains."""
    return line.a_s * PLATEAU / line.c_s if line.a_s > 0 and line.c_s > 0 else None


def what_if(sides: Sequence[Side], lfs_totals: Sequence[Estimate | None]) -> WhatIf:
    inputs = WhatIf(
        removable_s=tuple(lfs_totals),
        commits=_numbers(s.statistic("user commits") for s in sides),
        without_s=tuple(without_lfs(s, total) for s, total in zip(sides, lfs_totals, strict=True)),
        elapsed_s=_numbers(s.elapsed for s in sides),
        cpu_s=_numbers(s.db_cpu for s in sides),
        executions=_numbers(s.statistic("execute count") for s in sides),
        transactions=tuple(s.transactions for s in sides),
    )
    why_not = _nothing_to_fit(sides, inputs.commits)
    if why_not:
        return replace(inputs, why_not=why_not)
    points = [(k, t) for k, t in zip(inputs.commits, inputs.elapsed_s, strict=True) if k is not None and t is not None]
    line, apart = fit(points), _work_apart(sides)
    if apart is None:
        return replace(inputs, why_not=_UNTOLD, fit_if_same_work=line)
    if apart:
        return replace(inputs, why_not=apart)
    return replace(inputs, fit=line, stops_paying=plateau(points))


def _numbers(values: Iterable[Value | None]) -> tuple[float | None, ...]:
    return tuple(v.number if v is not None else None for v in values)


def plateau(points: Sequence[tuple[float, float]]) -> Plateau | None:
    """None for two runs, or none within 5 %."""
    places = range(len(points))
    best = min(places, key=lambda i: points[i][1])
    near = max((i for i in places if points[i][1] <= points[best][1] * (1.0 + PLATEAU)), key=lambda i: points[i][0])
    base = points[max(places, key=lambda i: points[i][0])][1]
    if len(points) < 3 or near == best or base <= 0:
        return None
    (near_k, near_t), (best_k, best_t) = points[near], points[best]
    return Plateau(near, near_k, near_t, near_t / base - 1.0, best, best_k, best_t, best_t / base - 1.0)


def without_lfs(side: Side, lfs_total: Estimate | None) -> Estimate | None:
    """None with more than one session."""
    elapsed, sessions = side.elapsed, side.active_sessions
    if elapsed is None or lfs_total is None or sessions is None:
        return None
    if not _ONE_SESSION[0] <= sessions <= _ONE_SESSION[1]:
        return None
    return minus(estimate(elapsed), lfs_total)


def _nothing_to_fit(sides: Sequence[Side], commits: Sequence[float | None]) -> str:
    if len(sides) < 2:
        return "One report alone gives a bound: a line needs two or more of the same work."
    if any(k is None for k in commits) or any(s.elapsed is None for s in sides):
        return "Not every report prints both its number of commits and its elapsed time."
    printed_commits = [k for k in commits if k is not None]
    if (
        max(printed_commits) <= 0
        or (max(printed_commits) - min(printed_commits)) / max(printed_commits) < _LEAST_SPREAD
    ):
        return "The reports have about the same number of commits: there is nothing to fit a line to."
    windows = [s.elapsed.number for s in sides if s.elapsed is not None]
    if (max(windows) - min(windows)) / max(windows) < _SAME_WINDOW:
        return "The windows are equally long: they end by the clock, and do not tell how long the work took."
    return ""


def _work_apart(sides: Sequence[Side]) -> str | None:
    """ "" where none, None where nothing printed tells."""
    for name in _MEASURES:
        totals = [v.number for s in sides if (v := s.statistic(name)) is not None]
        if len(totals) == len(sides) and max(totals) > 0:
            apart = (max(totals) - min(totals)) / max(totals)
            return (
                "" if apart <= SAME_WORK else f"The reports did different work: {name} differ by {apart * 100:.0f} %."
            )
    return None
