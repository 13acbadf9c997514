"""What fewer commits would save.

Elapsed time of the same work against its number of commits is close to a line: T(k) = a + c·k, where a is the work
and c what each commit adds. One report gives only a bound; two or more of the same work give a and c by least
squares. Source: docs/commit-latency.md, section 6.
"""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.commit_model import Fit, FitPoint, WhatIf
from awrdiff.analysis.evidence import Estimate
from awrdiff.analysis.side import Side

SAME_WORK = 0.10
PLATEAU = 0.05  # of the best time: from here on more batching hardly pays
_LEAST_SPREAD = 0.05  # of the number of commits, and of the elapsed time: else there is nothing to fit
_UNTOLD = "The reports do not print by what to tell whether they did the same work."
_MEASURES = ("db block changes", "redo entries", "execute count", "session logical reads")


def saved_at_least(lfs_total: Estimate, ratio: float) -> Estimate:
    """Seconds saved when commits fall to `ratio` (0..1) of their number: LFS total × (1 − ratio).

    The least that is saved: what a commit costs besides its wait (CPU, latches, redo) goes with it.
    """
    if not 0.0 <= ratio <= 1.0:
        raise ValueError("The commits that remain are a fraction of 1.")
    return Estimate(*(t * (1.0 - ratio) for t in (lfs_total.low, lfs_total.value, lfs_total.high)))


def fit(points: Sequence[tuple[float, float]]) -> Fit:
    """Least squares over (commits, elapsed seconds). Raises ValueError for fewer than two numbers of commits."""
    if len({k for k, _ in points}) < 2:
        raise ValueError("A line needs two different numbers of commits.")
    n = len(points)
    mean_k, mean_t = sum(k for k, _ in points) / n, sum(t for _, t in points) / n
    spread = sum((k - mean_k) ** 2 for k, _ in points)
    c = sum((k - mean_k) * (t - mean_t) for k, t in points) / spread
    a = mean_t - c * mean_k
    found = tuple(FitPoint(k, t, a + c * k) for k, t in points)
    worst = max(abs(p.error) for p in found)
    return Fit(a, c, found, worst, min(k for k, _ in points), max(k for k, _ in points))


def fit_batches(points: Sequence[tuple[float, float]]) -> Fit:
    """T(b) = a + c/b over (rows per commit, elapsed seconds): the commits of the same work are as 1/b."""
    return fit([(1.0 / b, t) for b, t in points])


def where_it_stops_paying(points: Sequence[tuple[float, float]]) -> float:
    """The smallest batch (rows per commit) whose elapsed time is within 5 % of the best."""
    best = min(t for _, t in points)
    return min(b for b, t in points if t <= best * (1.0 + PLATEAU))


def all_but_paid_off(line: Fit) -> float | None:
    """By the line, the number of commits from which on downwards all that is left to save is under 5 % of `a`."""
    return line.a_s * PLATEAU / line.c_s if line.a_s > 0 and line.c_s > 0 else None


def what_if(sides: Sequence[Side], lfs_totals: Sequence[Estimate | None]) -> WhatIf:
    """The bound of each report, and the fit over all where they did the same work."""
    commits = tuple(v.number if (v := s.statistic("user commits")) is not None else None for s in sides)
    why_not = _nothing_to_fit(sides, commits)
    if why_not:
        return WhatIf(tuple(lfs_totals), commits, None, why_not)
    points = [(k, s.elapsed.number) for k, s in zip(commits, sides, strict=True) if k is not None and s.elapsed]
    line, apart = fit(points), _work_apart(sides)
    if apart is None:
        return WhatIf(tuple(lfs_totals), commits, None, _UNTOLD, fit_if_same_work=line)
    return WhatIf(tuple(lfs_totals), commits, None if apart else line, apart)


def _nothing_to_fit(sides: Sequence[Side], commits: Sequence[float | None]) -> str:
    """Why there is nothing to fit a line to, whatever the work; empty where there is."""
    if len(sides) < 2:
        return "One report alone gives a bound: a line needs two or more of the same work."
    if any(k is None for k in commits) or any(s.elapsed is None for s in sides):
        return "A report prints no number of commits or no elapsed time."
    known = [k for k in commits if k is not None]
    if max(known) <= 0 or (max(known) - min(known)) / max(known) < _LEAST_SPREAD:
        return "The reports have about the same number of commits: there is nothing to fit a line to."
    times = [s.elapsed.number for s in sides if s.elapsed is not None]
    if (max(times) - min(times)) / max(times) < _LEAST_SPREAD:
        return "The reports cover windows of about the same length: a clock ended them, not the work."
    return ""


def _work_apart(sides: Sequence[Side]) -> str | None:
    """How the reports' work differs; empty where it does not, None where they print nothing to tell it by."""
    for name in _MEASURES:
        totals = [v.number for s in sides if (v := s.statistic(name)) is not None]
        if len(totals) == len(sides) and max(totals) > 0:
            apart = (max(totals) - min(totals)) / max(totals)
            return (
                "" if apart <= SAME_WORK else f"The reports did different work: {name} differ by {apart * 100:.0f} %."
            )
    return None


__all__ = ["all_but_paid_off", "fit", "fit_batches", "saved_at_least", "what_if", "where_it_stops_paying"]
