"""What the estimate is made from, with the printed resolution of each figure, and what a report lacks.

`log file sync` (LFS) is the foreground row: the one under background events counts other sessions and is kept
apart. `log file parallel write` (LFPW) is the log writer's own I/O, printed under background events; a report
with a single combined list (Statspack) has it in the top events.
"""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.model import Evidence
from awrdiff.analysis.side import BACKGROUND, FOREGROUND, TOP, Event, Side
from parsers.model import Value

LFS = "log file sync"
LFPW = "log file parallel write"


@dataclass(frozen=True, slots=True)
class Inputs:
    """Times in seconds; None = not printed."""

    lfs: Event | None
    lfpw: Event | None
    db_time: Value | None
    redo_writes: Value | None
    redo_size: Value | None
    user_calls: Value | None
    commits: Value | None
    missing: tuple[str, ...]
    evidence: tuple[Evidence, ...]


def inputs_of(side: Side) -> Inputs:
    lfs = side.foreground.get(LFS)
    lfpw = side.background.get(LFPW) or _from_combined_list(side)
    statistics = {
        n: side.statistic(n) for n in ("redo writes", "redo size", "user calls", "user commits", "user rollbacks")
    }
    commits = _sum(statistics["user commits"], statistics["user rollbacks"])
    missing = [*_missing_events(side, lfs, lfpw)]
    missing += [f"{n} (instance activity)" for n, v in statistics.items() if v is None]
    if side.db_time is None:
        missing.append("DB time (time model)")
    return Inputs(
        lfs=lfs,
        lfpw=lfpw,
        db_time=side.db_time,
        redo_writes=statistics["redo writes"],
        redo_size=statistics["redo size"],
        user_calls=statistics["user calls"],
        commits=commits,
        missing=tuple(missing),
        evidence=tuple(e.evidence(c) for e in (lfs, lfpw) if e for c in ("total_wait_time_s", "avg_wait_s")),
    )


def _from_combined_list(side: Side) -> Event | None:
    if side.has(BACKGROUND):
        return None
    return side.foreground.get(LFPW)


def _missing_events(side: Side, lfs: Event | None, lfpw: Event | None) -> list[str]:
    missing = []
    if lfs is None or lfs.waits is None:
        missing.append(_absent(side, LFS, FOREGROUND, "foreground wait events"))
    if lfpw is None or lfpw.waits is None:
        missing.append(_absent(side, LFPW, BACKGROUND, "background wait events"))
    return missing


def _absent(side: Side, event: str, section_id: str, title: str) -> str:
    if side.has(section_id):
        return f"{event} (not listed in {title})"
    if side.has(TOP):
        return f"{event} (not in the top list)"
    return f"{event} (the report prints no {title})"


def _sum(a: Value | None, b: Value | None) -> Value | None:
    if a is None:
        return None
    return a if b is None else Value(a.number + b.number, a.half + b.half)
