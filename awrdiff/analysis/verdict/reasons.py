"""What may be a reason for some time: only what can hold enough of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from awrdiff.analysis.model.comparison import Evidence
from awrdiff.analysis.words import number

_ENOUGH, _LEAST = 0.5, 0.1  # of the time it is offered for


@dataclass(frozen=True, slots=True)
class Reason:
    """What a report prints that may be why, and where.

    `most_s`: seconds of sessions that it can hold at most; None = it bounds none, as a limit of CPUs does.
    """

    text: str
    evidence: Evidence
    most_s: float | None = None


def offered(reasons: Iterable[Reason], for_s: float, elapsed_s: float) -> tuple[Reason, ...]:
    """The reasons for `for_s` seconds of sessions within `elapsed_s`.

    Less than half of it says how much it can hold; less than a tenth is no reason.
    """
    found = (_sized(r, for_s, elapsed_s) for r in reasons)
    return tuple(r for r in found if r is not None)


def _sized(reason: Reason, for_s: float, elapsed_s: float) -> Reason | None:
    if reason.most_s is None or reason.most_s >= _ENOUGH * for_s:
        return reason
    if reason.most_s < _LEAST * for_s:
        return None
    most, whole = number(reason.most_s / elapsed_s), number(for_s / elapsed_s)
    return Reason(f"{reason.text}, at most {most} of the {whole} sessions", reason.evidence, reason.most_s)
