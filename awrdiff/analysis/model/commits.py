"""Results of the analysis of commit latency: figures, stages, distributions, causes, what-ifs. Pure data.

Times are seconds, sizes bytes, shares fractions of 1. None = the report lacks an input.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from awrdiff.analysis.model.evidence import Estimate, Evidence
from awrdiff.analysis.model.traces import CommitEvents

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
    """One step of a commit. `seconds` is the average `per` redo write, commit wait or synch write.

    `inside`: the stages whose time this one is part of, so that it must not be added to them.
    `bounds_only`: nothing but low and high is known; `value` merely lies between them.
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
    """Waits from `low_s` to below `high_s`; None = open-ended. `column` is the section's column it was printed in."""

    low_s: float
    high_s: float | None
    waits: Estimate
    column: str = ""


class Between(Struct, frozen=True):
    """A percentile: all that a histogram says of it is between which edges it lies; None = beyond the last."""

    low_s: float
    high_s: float | None


class CdfPoint(Struct, frozen=True):
    """The share of the waits (0..1) below `edge_s`."""

    edge_s: float
    share: Estimate


class Distribution(Struct, frozen=True):
    """The stitched histogram of one event: foreground and background waits together.

    `mean_s` and `mean_square_s2` are None where waits lie in an open-ended bucket.
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
    """Place of the distribution of commit waits against that of redo writes.

    `octaves`: the area between the two cumulative curves over log2 of time: by how many doublings the waits
    lie apart; `shift` is the same with its sign (positive: commits wait longer). `gap` is the largest
    difference of the two curves (0..1), at `gap_at_s`. `peaks_s`: edges of buckets around 10, 20, 30 or 40 ms
    that commit waits crowd in and redo writes do not: the clock of a scheduler.
    """

    shape: Shape
    octaves: float
    shift: float
    gap: float
    gap_at_s: float
    peaks_s: tuple[tuple[float, float], ...] = ()


class RemoteWrite(Struct, frozen=True):
    """Data Guard SYNC: the log writer also waits for the standby. `cost_s` is per redo write, beyond the local one.

    `destination`: the parameter that asks for it, as far as the report prints it; `certain`: that, or an event that
    only SYNC has.
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
    """Line of the log writer's time: a stage of its writes or an event of its, in all and per redo write.

    `inside`: the stage that this event's time is part of, where the stage is printed; it must not be added to it.
    """

    use: LgwrUse
    label: str
    seconds: Estimate
    waits: float | None
    per_write_s: float | None
    evidence: tuple[Evidence, ...]
    inside: StageId | None = None
    is_event: bool = False


class LgwrLedger(Struct, frozen=True):
    """`busy`: the share of the interval (0..1) in which a redo write was under way; None = not printed."""

    busy: Estimate | None
    evidence: tuple[Evidence, ...]
    lines: tuple[LgwrLine, ...]


class Tail(Struct, frozen=True):
    """Commit waits and redo writes of `limit_s` and longer: shares of all their time and number (0..1), and counts."""

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
    """Seconds of a commit wait, or of its change, by part; they add up to it. Empty = not to be split."""

    parts: Mapping[SplitId, float] = field(default_factory=dict)


class Committer(Struct, frozen=True):
    """A statement that runs about as often as there are commits: a place that may commit each time."""

    sql_id: str
    module: str
    executions: float
    per_commit: float
    text: str
    evidence: tuple[Evidence, ...]


class Polling(Struct, frozen=True):
    """Sessions poll: one sleep, and the commit wait that being posted would give (None = the write is not printed)."""

    interval_s: Estimate
    posted_s: Estimate | None


class CommitFigures(Struct, frozen=True):
    """One report's log file sync (LFS) against log file parallel write (LFPW); None = the report lacks the input.

    `material`: commits matter here, by what `material_by` says (at least 100 commit waits). `measured_overhead_s` is
    the log writer's own processing per redo write, without the queue. `typical_overhead_s` is nothing but bounds: its
    value is the middle between them. `whose` names the instance where a global report
    is read one by one. `lfpw_at_most_s`: where LFPW is below the end of a top list, the most its total can be.
    `of_call_time`: the report prints no DB time, `lfs_db_time_share` is its printed share of call time (Statspack).
    `commit_time_s` is an estimate from published experiments (see docs/commit-latency.md, section 7).
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
        """So few that their average says nothing of a commit, and they give no cause."""
        return self.lfs_waits is not None and self.lfs_waits.value < LEAST_WAITS

    @property
    def wait_s(self) -> Estimate | None:
        """The average commit wait, where there are enough of them."""
        return None if self.has_few_waits else self.lfs_avg_s

    @property
    def joined_writes(self) -> bool:
        """Says whether commits waited for less than a whole write and their wake-up."""
        overhead = self.naive_overhead_s
        return (overhead is not None and overhead.value < 0) or self.longer_wake_up_s is not None

    @property
    def longer_wake_up_s(self) -> Estimate | None:
        """The wake-up, where it alone outlasts LFS − LFPW: commits then waited for less than a whole write, and the
        difference is no upper estimate of what is not the write."""
        wake_up, overhead = self.stage("wake_up"), self.naive_overhead_s
        if wake_up is None or overhead is None or wake_up.seconds.low <= overhead.high:
            return None
        return wake_up.seconds


class Criterion(Struct, frozen=True):
    """One of the conditions that published cases of a cause had, and how these figures stand to it."""

    what: str
    state: Literal["met", "not met", "not printed"]
    found: str = ""


class Cause(Struct, frozen=True):
    """Probable cause of slow commits. `reports`: in which of the reports it shows (0 = first).

    `between`: it shows in the change from the first report to the last, not in one alone.
    `explains_s`: seconds per commit wait it can account for, where that can be told; `part_of` says of what: of
    LFS − LFPW ("difference": these never sum above it), of the write itself, of the change between the two reports, or
    of the whole commit wait. `size`: how large it is, in a few words, where such seconds are not what tells it.
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
    """A rule that could not be checked: what the report lacks, and where to look instead."""

    rule: str
    title: str
    lacks: str
    checks: tuple[str, ...]
    reports: tuple[int, ...] = (0,)


class FitPoint(Struct, frozen=True):
    """One run of the same work: `commits` (of any one unit), its elapsed time, and what the fit says of it."""

    commits: float
    elapsed_s: float
    fitted_s: float

    @property
    def error(self) -> float:
        """Fitted against measured, as a fraction of what was measured."""
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
    """Point where fewer commits stop paying: the run with the most commits within 5 % of the best time.

    `change` and `best_change` are against the time of the run with the most commits of all (−0.457: 45.7 % less).
    `report` and `best_report` are places among those compared.
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
    """Fewer commits. `removable_s` of each report: all the time spent in LFS, the most that the bound can reach.

    `fit` over all reports compared, where they did the same work at different numbers of commits; else `why_not`.
    Where the reports do not print by what to tell, `fit_if_same_work` is the line for a reader who knows that they
    did. `stops_paying` only where there are three or more. `without_s`: elapsed time less that spent in LFS, of reports
    of one session (their DB time is their elapsed time). `elapsed_s`, `cpu_s` (DB CPU), `executions` and
    `transactions` (commits and rollbacks, of the load profile where that is all) of each report, as far as printed.
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
    """`material`: commits matter in this comparison: in the last report, or by what changed since the first.

    `instances` holds, for each report, the figures of each instance of a global (RAC) report. `events` are those
    of the LGWR traces attached; None without a trace.
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
