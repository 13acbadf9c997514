"""Causes share one budget, LFS − LFPW: what is measured is claimed first, and no two causes claim the same part.

What the log writer's own stages measure claims before the rest; within both the order of the rules is the order of the
claims (see single.RULES): the standby, polls, then what the histograms match, then what a model says, and last a busy
host, which may claim only what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from awrdiff.analysis.model.commits import Cause
from awrdiff.analysis.model.evidence import Estimate


def shared(causes: Sequence[Cause], whole_s: float) -> tuple[list[Cause], float]:
    """The causes with their claims cut to what earlier ones left, and what is left after all; per commit wait."""
    left = max(whole_s, 0.0)
    out = []
    for cause in causes:
        if cause.explains_s is not None and cause.part_of == "difference":
            claim = _within(cause.explains_s, left)
            left -= claim.value
            cause = replace(cause, explains_s=claim)  # noqa: PLW2901
        elif cause.explains_s is not None and cause.part_of == "wait":  # may be longer than LFS − LFPW
            left = max(left - cause.explains_s.value, 0.0)
        out.append(cause)
    return out, left


def _within(claim: Estimate, left: float) -> Estimate:
    low, value, high = (min(max(s, 0.0), left) for s in (claim.low, claim.value, claim.high))
    return Estimate(low, value, high)


__all__ = ["shared"]
