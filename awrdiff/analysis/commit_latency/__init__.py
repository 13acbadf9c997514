"""What a commit costs beyond the redo write: log file sync minus log file parallel write, with its bounds."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.commit_latency.change import change_between
from awrdiff.analysis.commit_latency.figures import LEAST_SHARE, figures_of
from awrdiff.analysis.commit_latency.inputs import LFS
from awrdiff.analysis.model import CommitFigures, CommitLatency
from awrdiff.analysis.side import Side


def commit_latency(sides: Sequence[Side]) -> CommitLatency:
    """Figures of every report; the change is that from the first to the last."""
    reports = tuple(figures_of(s) for s in sides)
    change = change_between(reports[0], reports[-1]) if len(reports) > 1 else {}
    return CommitLatency(reports, change, material=_material(sides, reports))


def _material(sides: Sequence[Side], reports: Sequence[CommitFigures]) -> bool:
    """Commits matter in the last report; or they did in the first, and the time spent on them moved by as much
    as would matter: a share that shrinks because everything else grew is no news about commits."""
    if reports[-1].material:
        return True
    if not reports[0].material:
        return False
    spent = [s.per_second(e.total) if (e := s.foreground.get(LFS)) else 0.0 for s in (sides[0], sides[-1])]
    whole = max(s.active_sessions or 0.0 for s in (sides[0], sides[-1]))
    return abs((spent[1] or 0.0) - (spent[0] or 0.0)) >= LEAST_SHARE * whole


__all__ = ["commit_latency"]
