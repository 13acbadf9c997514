"""Redo writes as v$active_session_history saw them, attached as CSV: into how many I/O requests they were split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from awrdiff.analysis.commit_latency.inputs import LFPW
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.model.traces import SampledWrites
from awrdiff.analysis.rows.align import anchor
from parsers.model import Report

SAMPLES = "lgwr_samples"
MOST_KINDS = 100  # of writes of one size in one window: the most frequent


class Holds(Protocol):
    """A window of wall-clock time."""

    def holds(self, moment: datetime) -> bool: ...


def sampled_of(trace: Report, at: int, windows: tuple[Holds | None, Holds | None]) -> Iterator[SampledWrites]:
    """`at`: the place of the file among those attached."""
    section = trace.section(SAMPLES)
    counts: Counter[tuple[int, float, float, float]] = Counter()
    rows: dict[tuple[int, float, float, float], Evidence] = {}
    for record in section.records if section is not None else ():
        if section is None or section.text(record, "event").lower() != LFPW:
            continue
        values = [section.number(record, column) for column in ("p1", "p2", "p3")]
        try:
            moment = datetime.fromisoformat(section.text(record, "time"))
        except ValueError:
            continue
        files, blocks, requests = (v.number if v is not None else 0.0 for v in values)
        if requests <= 0:
            continue
        for report, window in enumerate(windows):
            if window is not None and window.holds(moment):
                kind = (report, files, blocks, requests)
                counts[kind] += 1
                key = section.key_of(record)
                rows.setdefault(kind, Evidence(SAMPLES, " ".join(key), "p3", anchor(SAMPLES, *key)))
    for report in range(len(windows)):
        own = Counter({kind: n for kind, n in counts.items() if kind[0] == report})
        for kind, count in own.most_common(MOST_KINDS):
            yield SampledWrites(at, *kind, count, rows[kind])


__all__ = ["MOST_KINDS", "SAMPLES", "sampled_of"]
