"""From the first report's commit waits to the second's: differences and ratios, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping

from awrdiff.analysis.commit_latency.catalogue import FIGURES, found
from awrdiff.analysis.commit_latency.intervals import minus, over
from awrdiff.analysis.model.comparison import CommitFigures, Estimate


def change_between(first: CommitFigures, second: CommitFigures) -> Mapping[str, Estimate | None]:
    """Second − first under the figure's own name; second ÷ first under its name with `_ratio`."""
    change: dict[str, Estimate | None] = {}
    for figure in FIGURES:
        a, b = found(figure.name, first), found(figure.name, second)
        if figure.differs:
            change[figure.name] = minus(b, a) if a and b else None
        if figure.grows:
            change[f"{figure.name}_ratio"] = over(b, a) if a and b else None
    return change
