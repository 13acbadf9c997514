"""Recorded samples: redo writes (v$active_session_history as CSV), lgwr_sched.sh nanoseconds. docs/commit-latency.md,
section 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs_from_report import LFPW, row
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.lgwr_traces import SampledWrites, Scheduled
from awrdiff.analysis.report.printed_rows import printed_rows
from parsers.model import Report, Row, Section

SAMPLES, SCHEDULING = "lgwr_samples", "lgwr_scheduling"
LONGEST_GAP_S = 60.0  # between two counts of a process: beyond it the script stood still
MOST_KINDS = 100  # of writes of one size in one window: the most frequent


class Window(Struct, frozen=True):
    """Wall-clock time, as reports print snapshots."""

    begin: datetime
    end: datetime

    def holds(self, moment: datetime) -> bool:
        return self.begin <= moment < self.end


def sampled_of(trace: Report, at: int, windows: tuple[Window | None, Window | None]) -> Iterator[SampledWrites]:
    """`at`: index of the attached file."""
    counts: Counter[tuple[int, float, float, float]] = Counter()
    rows: dict[tuple[int, float, float, float], Evidence] = {}
    for section, record in printed_rows(trace.section(SAMPLES)):
        if section.text(record, "event").lower() != LFPW:
            continue
        values = [section.number(record, column) for column in ("p1", "p2", "p3")]
        moment = moment_of(section, record)
        files, blocks, requests = (v.number if v is not None else 0.0 for v in values)
        if requests <= 0 or moment is None:
            continue
        for report, window in enumerate(windows):
            if window is not None and window.holds(moment):
                kind = (report, files, blocks, requests)
                counts[kind] += 1
                rows.setdefault(kind, row(SAMPLES, section.key_of(record), "p3"))
    for report in range(len(windows)):
        own = Counter({kind: n for kind, n in counts.items() if kind[0] == report})
        for kind, count in own.most_common(MOST_KINDS):
            yield SampledWrites(at, *kind, count, rows[kind])


class _Count(NamedTuple):
    moment: datetime
    cpu_s: float
    waited_s: float
    runs: float
    evidence: Evidence


def scheduled_of(trace: Report, at: int, windows: tuple[Window | None, Window | None]) -> Iterator[Scheduled]:
    """`at`: index of the file. Empty for LGWR's trace."""
    processes = _counts(trace)
    for report, window in enumerate(windows):
        if window is not None:
            inside = [[c for c in counts if window.holds(c.moment)] for counts in processes.values()]
            sums = _within(inside, at, report)
            if sums is not None:
                yield sums


def _counts(trace: Report) -> dict[str, list[_Count]]:
    by_process: dict[str, list[_Count]] = {}
    for section, record in printed_rows(trace.section(SCHEDULING)):
        if (moment := moment_of(section, record)) is None:
            continue
        cpu, waited, runs = (section.number(record, c) for c in ("cpu_s", "waited_s", "runs"))
        if cpu is not None and waited is not None and runs is not None:
            evidence = row(SCHEDULING, section.key_of(record), "waited_s")
            counts = by_process.setdefault(section.text(record, "process"), [])
            counts.append(_Count(moment, cpu.number, waited.number, runs.number, evidence))
    return {process: sorted(counts, key=lambda c: c.moment) for process, counts in by_process.items()}


def _within(processes: list[list[_Count]], at: int, report: int) -> Scheduled | None:
    """A falling count means another process under the same number."""
    steps = [
        [
            (a, b)
            for a, b in pairwise(counts)
            if 0 < (b.moment - a.moment).total_seconds() <= LONGEST_GAP_S
            and all(now >= before for before, now in zip(a[1:4], b[1:4], strict=True))
        ]
        for counts in processes
    ]
    covered = max((sum((b.moment - a.moment).total_seconds() for a, b in of) for of in steps), default=0.0)
    every = [step for of in steps for step in of]
    if covered <= 0:
        return None
    return Scheduled(
        trace=at,
        report=report,
        covered_s=covered,
        cpu_s=sum(b.cpu_s - a.cpu_s for a, b in every),
        waited_s=sum(b.waited_s - a.waited_s for a, b in every),
        runs=sum(b.runs - a.runs for a, b in every),
        evidence=every[0][0].evidence,
    )


def moment_of(section: Section, record: Row) -> datetime | None:
    """None: no stamp before the line, or invalid."""
    try:
        return datetime.fromisoformat(section.text(record, "time")).replace(tzinfo=None)
    except ValueError:
        return None
