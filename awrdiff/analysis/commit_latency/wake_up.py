"""How long sessions took to go on after the log writer was done: `redo synch time overhead`.

The statistic in microseconds is garbage in many reports from 11.2.0.4 to 12.2 (hundreds of hours were seen). It is
part of `redo synch time`, so it is believed only where it does not exceed that. Else its count buckets give bounds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from awrdiff.analysis.commit_latency.inputs import ACTIVITY, statistic_row
from awrdiff.analysis.commit_latency.intervals import exactly
from awrdiff.analysis.model.commits import Stage
from awrdiff.analysis.model.evidence import Estimate, Evidence
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.words import seconds
from parsers.model import Value

OVERHEAD = "redo synch time overhead (usec)"
SYNCH_TIME = "redo synch time (usec)"
SYNCH_WRITES = "redo synch writes"
_COUNTS = "redo synch time overhead count ("
_LABEL = "waking up after the post"
# Milliseconds at which the buckets end, in numeric order (12.1 and later) and as 11.2.0.4 lists them.
_NUMERIC = (2.0, 8.0, 32.0, 128.0, None)
_ALPHABETIC = (128.0, 2.0, 32.0, 8.0, None)
_FIRST = {2.0: 0.0, 8.0: 2.0, 32.0: 8.0, 128.0: 32.0, None: 128.0}


@dataclass(frozen=True, slots=True)
class WakeUp:
    stage: Stage | None = None
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def wake_up_of(side: Side) -> WakeUp:
    """Average wake-up per synch write, or its bounds from the counts."""
    overhead, writes = side.statistic(OVERHEAD), side.statistic(SYNCH_WRITES)
    total = synch_time_s(side)
    if overhead is None or writes is None or writes.number <= 0:
        return WakeUp(missing=("redo synch time overhead (statistic of 11.2.0.4 and later)",))
    if total is not None and overhead.number / 1e6 <= total.high:
        value = overhead.number / 1e6 / writes.number
        rows = (statistic_row(OVERHEAD), statistic_row(SYNCH_WRITES))
        return WakeUp(Stage("wake_up", _LABEL, exactly(value), "synch write", rows, ("queue", "posting")))
    return _from_counts(side, overhead, total, writes.number)


def synch_time_s(side: Side) -> Value | None:
    """`redo synch time` in seconds: microseconds where printed so, else centiseconds."""
    fine = side.statistic(SYNCH_TIME)
    if fine is not None:
        return Value(fine.number / 1e6, fine.half / 1e6)
    coarse = side.statistic("redo synch time")
    return Value(coarse.number / 100, 0.005) if coarse is not None else None


def _from_counts(side: Side, overhead: Value, total: Value | None, writes: float) -> WakeUp:
    whole = f"{seconds(total.number)} of redo synch time" if total is not None else "an unknown redo synch time"
    note = f"redo synch time overhead says {seconds(overhead.number / 1e6)}, more than {whole} it is part of"
    counts, rows = overhead_counts(side)
    number = sum(n for _, n in counts)
    if number <= 0:
        return WakeUp(notes=(f"{note}: not believed.",), missing=("redo synch time overhead (not believable)",))
    # The garbage also lands in the open bucket: nothing is known of those but that they are part of the whole.
    low = sum(_FIRST[top] * n for top, n in counts if top is not None) / number / 1e3
    high = sum((top or 0.0) * n for top, n in counts) / number / 1e3
    if any(n > 0 for top, n in counts if top is None) or total is None:
        high = total.high / writes if total is not None else high
    elif total is not None:
        high = min(high, total.high / writes)
    low = min(low, high)
    stage = Stage(
        "wake_up",
        _LABEL,
        Estimate(low, (low + high) / 2, high),
        "synch write",
        rows,
        ("queue", "posting"),
        bounds_only=True,
        note="from the counts by duration",
    )
    return WakeUp(stage, (f"{note}: not believed; its counts by duration give bounds.",))


def overhead_counts(side: Side) -> tuple[list[tuple[float | None, float]], tuple[Evidence, ...]]:
    """(upper edge in ms, count) in numeric order; text reports cut the names, so that only their order tells."""
    section = side.report.section(ACTIVITY)
    found: list[tuple[str, float, Evidence]] = []
    if section is None:
        return [], ()
    for record in section.records:
        name, value = section.text(record, "statistic"), section.number(record, "total")
        if name.startswith(_COUNTS.rstrip("(").rstrip()) and value is not None:
            found.append((name, value.number, statistic_row(name)))
    edges = _edges([name for name, _, _ in found])
    pairs = [(edge, n) for edge, (_, n, _) in zip(edges, found, strict=True) if edge != 0]
    pairs.sort(key=lambda p: p[0] if p[0] is not None else 1e9)
    return pairs, tuple(dict.fromkeys(row for _, _, row in found))


def _edges(names: list[str]) -> list[float | None]:
    """The upper edge of each bucket by its name, or by its place where all names are cut alike; 0 = unknown."""
    read = [re.search(r"\((>=|<|\s*)\s*(\d+|inf)\s*(?:m|\))", n) for n in names]
    if all(read) and names:
        return [None if m and (m[2] == "inf" or m[1] == ">=") else float(m[2]) if m else 0.0 for m in read]
    if len(names) != len(_NUMERIC):
        return [0.0 for _ in names]
    alphabetic = any("<" in n or ">" in n for n in names)
    return list(_ALPHABETIC if alphabetic else _NUMERIC)


__all__ = ["OVERHEAD", "WakeUp", "overhead_counts", "synch_time_s", "wake_up_of"]
