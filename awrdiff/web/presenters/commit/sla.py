"""A commit-time SLA as the reader typed it, against the commit waits of each report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_latency.sla import against_sla, commit_time
from awrdiff.analysis.model.commits import CommitFigures
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.web.presenters.commit.typed import positive
from awrdiff.web.presenters.commit.words import Shown, SideLabel, figure, range_of, seconds, share


@dataclass(frozen=True, slots=True)
class SlaLine:
    side: SideLabel
    wait: Shown
    time: str
    verdict: str
    cls: str
    text: str
    used: str


@dataclass(frozen=True, slots=True)
class SlaView:
    given: str  # as typed
    problem: str
    lines: tuple[SlaLine, ...]


CLASSES = {"breached": "crit", "probably breached": "warn", "within": "ok"}


def present(given: str, reports: Sequence[CommitFigures], sides: Sequence[SideLabel]) -> SlaView:
    """`given`: milliseconds as the reader typed them; empty: commit times alone."""
    limit_s, problem = _limit(given)
    lines = [
        _sla_line(side, f, f.lfs_avg_s, limit_s)
        for side, f in zip(sides, reports, strict=True)
        if f.lfs_avg_s is not None
    ]
    return SlaView(given, problem, tuple(lines))


def _limit(given: str) -> tuple[float | None, str]:
    if not given:
        return None, ""
    milliseconds = positive(given, most=1e7)
    return (milliseconds / 1e3, "") if milliseconds else (None, "Give the SLA as a positive number of milliseconds.")


def _sla_line(side: SideLabel, f: CommitFigures, wait: Estimate, limit_s: float | None) -> SlaLine:
    time = commit_time(wait)
    spread = f"{seconds(time.low)} … {seconds(time.high)}"
    shown = figure(wait, seconds)
    if limit_s is None or wait.value <= 0:
        return SlaLine(side, shown, spread, "", "", "", "")
    found = against_sla(wait, limit_s, f.lfs_histogram)
    return SlaLine(side, shown, spread, found.verdict, CLASSES[found.verdict], found.text, range_of(found.used, share))
