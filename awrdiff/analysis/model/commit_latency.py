"""Results of commit latency analysis, as pure data.

Times in seconds, sizes in bytes, shares 0..1. None = the report lacks an input.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.model.lgwr_traces import CommitEvents

StageId = Literal["worker", "gather", "schedule", "issue", "io", "post_io", "broadcast", "posting", "queue", "wake_up"]
SplitId = Literal[
    "write", "log_writer", "remote", "post_io", "broadcast", "posting", "wake_up", "queue", "open"
]  # fmt: skip
LEAST_WAITS = 100  # commit waits: fewer have no average
Per = Literal["write", "commit wait", "synch write"]
Confidence = Literal["proven", "high", "medium", "low", "note"]
PartOf = Literal["difference", "write", "change", "wait"]
LgwrUse = Literal[
    "io", "processing", "worker", "post_io", "broadcast", "remote", "redo_copy", "ordering", "write_size", "headers",
    "served",
    "latch", "idle", "other",
]  # fmt: skip
Shape = Literal["same", "longer", "shorter", "wider", "unresolved"]


class Stage(Struct, frozen=True):
    """Step of a commit; `seconds`: average `per` write or wait.

    `inside`: stages that include this one. `bounds_only`: only low and high are known.
    """

    id: StageId
    label: str
    seconds: Estimate
    per: Per
    evidence: tuple[Evidence, ...]
    inside: tuple[StageId, ...] = ()
    bounds_only: bool = False
    note: str = ""


class Bucket(Struct, frozen=True):
    """Waits from `low_s` to below `high_s`; None = open-ended. `column`: of the section."""

    low_s: float
    high_s: float | None
    waits: Estimate
    column: str = ""


class Between(Struct, frozen=True):
    """Percentile between bucket edges; None = beyond the last."""

    low_s: float
    high_s: float | None


class CdfPoint(Struct, frozen=True):
    """Share of the waits (0..1) below `edge_s`."""

    edge_s: float
    share: Estimate


class Distribution(Struct, frozen=True):
    """Stitched histogram of one event, foreground and background together.

    `mean_s` and `mean_square_s2` are None with waits in an open-ended bucket.
    """

    event: str
    waits: Estimate
    buckets: tuple[Bucket, ...]
    cdf: tuple[CdfPoint, ...]
    mean_s: Estimate | None
    mean_square_s2: Estimate | None
    p50: Between
    p95: Between
    p99: Between
    over_16ms: Estimate | None
    over_32ms: Estimate | None
    evidence: Evidence
    open_ended: bool = False


class ShapeDistance(Struct, frozen=True):
    """Distribution of commit waits relative to redo writes.

    `octaves`: area between cumulative curves, in doublings of time; `shift`: signed (positive: commits wait longer).
    `gap`: largest difference (0..1), at `gap_at_s`. `peaks_s`: buckets around 10, 20, 30 or 40 ms that only commit
    waits crowd in, a scheduler's clock.
    """

    shape: Shape
    octaves: float
    shift: float
    gap: float
    gap_at_s: float
    peaks_s: tuple[tuple[float, float], ...] = ()


class RemoteWrite(Struct, frozen=True):
    """Data Guard SYNC: `cost_s` per redo write, waiting for the standby beyond the local write.

    `destination`: its parameter, if printed; `certain`: that, or an event only SYNC has.
    """

    event: str
    avg_s: Estimate
    per_write: Estimate
    cost_s: Estimate
    from_histograms: bool
    evidence: tuple[Evidence, ...]
    destination: str = ""
    certain: bool = True


class LgwrLine(Struct, frozen=True):
    """Log writer time, total and per redo write; `inside`: stage including this event."""

    use: LgwrUse
    label: str
    seconds: Estimate
    waits: float | None
    per_write_s: float | None
    evidence: tuple[Evidence, ...]
    inside: StageId | None = None
    is_event: bool = False


class LgwrLedger(Struct, frozen=True):
    """`busy`: share of the interval (0..1) with a redo write; None = not printed."""

    busy: Estimate | None
    evidence: tuple[Evidence, ...]
    lines: tuple[LgwrLine, ...]


class Tail(Struct, frozen=True):
    """Commit waits and redo writes from `limit_s`: shares of time and number (0..1), and counts."""

    limit_s: float
    lfs_time: Estimate
    lfpw_time: Estimate
    writes: Estimate
    slow_writes: Estimate
    waits: Estimate
    waits_share: float
    waits_per_write: float
    evidence: tuple[Evidence, ...]


class CommitSplit(Struct, frozen=True):
    """Seconds of a commit wait, or its change, by part, adding up; empty = unknown."""

    parts: Mapping[SplitId, float] = field(default_factory=dict)


class Committer(Struct, frozen=True):
    """Statement executed about as often as commits: it may commit each time."""

    sql_id: str
    module: str
    executions: float
    per_commit: float
    text: str
    evidence: tuple[Evidence, ...]


class Polling(Struct, frozen=True):
    """Polling sessions: one sleep, and the commit wait with posting (None = write not printed)."""

    interval_s: Estimate
    posted_s: Estimate | None


class CommitFigures(Struct, frozen=True):
    """A report's log file sync (LFS) against log file parallel write (LFPW).

    None = the report lacks the input. `material`: commits matter here (at least 100 commit waits).
    `measured_overhead_s`: log writer's own processing per redo write, without queue. `typical_overhead_s`: bounds only.
    `whose`: instance of a global report. `lfpw_at_most_s`: maximum total of an LFPW below a top list. `of_call_time`:
    `lfs_db_time_share` is of call time (Statspack). `commit_time_s`: estimate (docs/commit-latency.md, section 7).
    """

    lfs_waits: Estimate | None = None
    lfs_total_s: Estimate | None = None
    lfs_avg_s: Estimate | None = None
    lfpw_waits: Estimate | None = None
    lfpw_total_s: Estimate | None = None
    lfpw_avg_s: Estimate | None = None
    naive_overhead_s: Estimate | None = None
    naive_share: Estimate | None = None
    naive_total_s: Estimate | None = None
    naive_db_time_share: Estimate | None = None
    lfs_db_time_share: Estimate | None = None
    background_lfs_waits: Estimate | None = None
    background_lfs_avg_s: Estimate | None = None
    measured_overhead_s: Estimate | None = None
    waiter_weighted_write_s: Estimate | None = None
    slow_writes_up_to_s: Estimate | None = None
    group_commit: Estimate | None = None
    synch_writes_per_write: Estimate | None = None
    commit_wait_ratio: Estimate | None = None
    calls_per_commit: Estimate | None = None
    redo_per_write_bytes: Estimate | None = None
    wastage_share: Estimate | None = None
    worker_share: Estimate | None = None
    polling_share: Estimate | None = None
    polls_per_poll_write: Estimate | None = None
    broadcast_ack_s: Estimate | None = None
    commit_time_s: Estimate | None = None
    lfpw_at_most_s: float | None = None
    typical_overhead_s: Estimate | None = None
    material: bool = False
    material_by: tuple[str, ...] = ()
    of_call_time: bool = False
    whose: str = ""
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    stages: tuple[Stage, ...] = ()
    remote: RemoteWrite | None = None
    lfs_histogram: Distribution | None = None
    lfpw_histogram: Distribution | None = None
    distance: ShapeDistance | None = None
    log_writer: LgwrLedger | None = None
    tail: Tail | None = None
    polling: Polling | None = None
    split: CommitSplit = field(default_factory=CommitSplit)
    committers: tuple[Committer, ...] = ()

    def stage(self, stage_id: StageId) -> Stage | None:
        return next((s for s in self.stages if s.id == stage_id), None)

    @property
    def has_few_waits(self) -> bool:
        """Too few for a meaningful average, or to be a cause."""
        return self.lfs_waits is not None and self.lfs_waits.value < LEAST_WAITS

    @property
    def wait_s(self) -> Estimate | None:
        """Average commit wait, if there are enough."""
        return None if self.has_few_waits else self.lfs_avg_s

    @property
    def joined_writes(self) -> bool:
        """True if commits waited less than a write and wake-up."""
        overhead = self.naive_overhead_s
        return (overhead is not None and overhead.value < 0) or self.longer_wake_up_s is not None

    @property
    def longer_wake_up_s(self) -> Estimate | None:
        """Wake-up longer than LFS − LFPW, which then is no upper bound.

        None: commits did not visibly join a write.
        """
        wake_up, overhead = self.stage("wake_up"), self.naive_overhead_s
        if wake_up is None or overhead is None or wake_up.seconds.low <= overhead.high:
            return None
        return wake_up.seconds


class Criterion(Struct, frozen=True):
    """Condition of a cause's published cases, compared with these figures."""

    what: str
    state: Literal["met", "not met", "not printed"]
    found: str = ""


class Cause(Struct, frozen=True):
    """Probable cause of slow commits; `reports`: where it shows (0 = first).

    `between`: only in the change. `explains_s`: seconds per commit wait, None if unknown; `part_of`: of LFS − LFPW
    ("difference", which bounds the sum), the write, the change, or the entire wait. `size`: in words, instead of
    seconds.
    """

    rule: str
    title: str
    confidence: Confidence
    text: str
    caveat: str
    checks: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    reports: tuple[int, ...] = (0,)
    between: bool = False
    explains_s: Estimate | None = None
    part_of: PartOf = "difference"
    criteria: tuple[Criterion, ...] = ()
    size: str = ""


class Unsettled(Struct, frozen=True):
    """Unchecked rule: missing input, and where to look."""

    rule: str
    title: str
    lacks: str
    checks: tuple[str, ...]
    reports: tuple[int, ...] = (0,)


class FitPoint(Struct, frozen=True):
    """Run of the same work: `commits` (any unit), elapsed and fitted time."""

    commits: float
    elapsed_s: float
    fitted_s: float

    @property
    def error(self) -> float:
        """Fitted against measured, as a fraction of the latter."""
        return self.fitted_s / self.elapsed_s - 1.0


class Fit(Struct, frozen=True):
    """T(k) = a + c·k by least squares over `points`; seconds."""

    a_s: float
    c_s: float
    points: tuple[FitPoint, ...]
    worst_error: float  # largest |error| of the points
    lowest: float  # the range of k it was fitted on
    highest: float

    def at(self, commits: float) -> float:
        return self.a_s + self.c_s * commits

    def extrapolates(self, commits: float) -> bool:
        return not self.lowest <= commits <= self.highest


class Plateau(Struct, frozen=True):
    """Point where fewer commits stop paying: most commits within 5 % of the best time.

    `change` and `best_change`: against the run with most commits (−0.457: 45.7 % less). `report`, `best_report`:
    indices.
    """

    report: int
    commits: float
    elapsed_s: float
    change: float
    best_report: int
    best_commits: float
    best_elapsed_s: float
    best_change: float


class WhatIf(Struct, frozen=True):
    """Fewer commits. `removable_s` per report: total LFS time, the upper bound.

    `fit` over reports of the same work with different commits, else `why_not`; `fit_if_same_work` if unchecked.
    `stops_paying`: with three or more. `without_s`: elapsed less LFS, for single-session reports. `elapsed_s`, `cpu_s`
    (DB CPU), `executions`, `transactions` (commits and rollbacks) per report.
    """

    removable_s: tuple[Estimate | None, ...] = ()
    commits: tuple[float | None, ...] = ()
    fit: Fit | None = None
    why_not: str = ""
    without_s: tuple[Estimate | None, ...] = ()
    stops_paying: Plateau | None = None
    fit_if_same_work: Fit | None = None
    elapsed_s: tuple[float | None, ...] = ()
    cpu_s: tuple[float | None, ...] = ()
    executions: tuple[float | None, ...] = ()
    transactions: tuple[float | None, ...] = ()


class CommitLatency(Struct, frozen=True):
    """`material`: commits matter in the last report, or the change.

    `instances`: per report, of a global (RAC) report.
    """

    reports: tuple[CommitFigures, ...]
    change: Mapping[str, Estimate | None] = field(default_factory=dict)
    causes: tuple[Cause, ...] = ()
    material: bool = False
    not_material: str = ""  # why no cause is ranked
    unsettled: tuple[Unsettled, ...] = ()
    what_if: WhatIf = field(default_factory=WhatIf)
    instances: tuple[tuple[CommitFigures, ...], ...] = ()
    events: CommitEvents | None = None
    split: CommitSplit = field(default_factory=CommitSplit)  # of the change
