"""Every figure of a commit and stage of a redo write, once for page, exports and docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import asdict

from awrdiff.analysis.commit_latency.inputs_from_report import LFPW, LFS
from awrdiff.analysis.commit_latency.interval_arithmetic import difference, over
from awrdiff.analysis.figures_in_words import between, number, percent, seconds, size
from awrdiff.analysis.model.commit_latency import CommitFigures, Per, Stage, StageId
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from parsers.model import Better

Unit = Literal["count", "s", "share", "ratio", "bytes"]


class Figure(Struct, frozen=True):
    """`name`: field of CommitFigures, dotted if nested. `bounds_only`: no best value. `differs`, `grows`: difference,
    ratio shown.
    """

    name: str
    label: str
    unit: Unit
    derived: str
    rows: tuple[str, ...]
    hint: str = ""
    better: Better = "neither"
    bounds_only: bool = False
    differs: bool = False
    grows: bool = False


class StageKind(Struct, frozen=True):
    """`short`: name in a bar. `derived`: the log writer's moments around it."""

    id: StageId
    label: str
    short: str
    derived: str


FIGURES: tuple[Figure, ...] = (
    Figure("lfs_waits", "commit waits", "count", "as printed", (LFS,),
           "waits for log file sync, foreground sessions only", differs=True, grows=True),
    Figure("lfs_total_s", "time in log file sync", "s", "printed total within waits × printed average", (LFS,),
           "all sessions together", "lower", differs=True, grows=True),
    Figure("lfs_avg_s", "commit wait: log file sync", "s", "time ÷ waits", (LFS,), "average", "lower",
           differs=True, grows=True),
    Figure("lfs_db_time_share", "share of DB time", "share", "time in log file sync ÷ DB time", (LFS, "DB time"), "",
           "lower", differs=True),
    Figure("lfpw_waits", "redo writes", "count", "as printed", (LFPW,), "waits for log file parallel write",
           grows=True),
    Figure("lfpw_total_s", "time in log file parallel write", "s", "printed total within waits × printed average",
           (LFPW,), "", "lower"),
    Figure("lfpw_avg_s", "redo write: log file parallel write", "s", "time ÷ waits", (LFPW,), "average", "lower",
           differs=True, grows=True),
    Figure("naive_overhead_s", "LFS − LFPW, naive", "s", "average LFS − average LFPW", (LFS, LFPW),
           "per commit wait: an upper estimate of what is not I/O", "lower", differs=True),
    Figure("naive_share", "outside the redo write, of a wait", "share", "1 − LFPW ÷ LFS", (LFS, LFPW),
           "1 − LFPW ÷ LFS, an upper estimate", "lower", differs=True),
    Figure("naive_total_s", "outside the redo write, in total", "s", "waits × (LFS − LFPW)", (LFS, LFPW),
           "waits × (LFS − LFPW)", "lower", differs=True),
    Figure("naive_db_time_share", "outside the redo write, of DB time", "share", "waits × (LFS − LFPW) ÷ DB time",
           (LFS, LFPW, "DB time"), "", "lower", differs=True),
    Figure("measured_overhead_s", "measured processing", "s", "worker + gather + schedule + issue + posting",
           ("redo write … time", "redo writes"), "worker to issue, and posting; without the queue", "lower",
           differs=True),
    Figure("typical_overhead_s", "a usual commit beside a usual write", "s", "median LFS − median LFPW",
           ("histograms of both",), "from the medians: what a few slow ones do to the averages is not in it", "lower",
           bounds_only=True),
    Figure("waiter_weighted_write_s", "a write as its waiters meet it", "s", "E[w²] ÷ E[w]", ("histogram of LFPW",),
           "E[w²] ÷ E[w] of the write histogram: slow writes weigh by their length; bounds a factor 4 apart", "lower",
           differs=True),
    Figure("slow_writes_up_to_s", "of it slow writes, up to", "s", "E[w²] ÷ E[w] − LFPW, at most LFS − LFPW",
           ("histogram of LFPW",), "writes that many sessions waited for; an indicator, not a bound", "lower",
           bounds_only=True),
    Figure("group_commit", "commit waits per redo write", "ratio", "waits of LFS ÷ waits of LFPW", (LFS, LFPW),
           "group commit: how many waits one write ended", differs=True),
    Figure("synch_writes_per_write", "synch writes per redo write", "ratio", "redo synch writes ÷ redo writes",
           ("redo synch writes", "redo writes"), "the same from the statistics: redo synch writes ÷ redo writes"),
    Figure("commit_wait_ratio", "synch writes per commit", "ratio",
           "redo synch writes ÷ (user commits + transaction rollbacks)",
           ("redo synch writes", "user commits", "transaction rollbacks"),
           "below 1: PL/SQL or NOWAIT commits that do not wait; above 1: other syncs such as DDL, sequences, AQ"),
    Figure("calls_per_commit", "user calls per commit", "ratio", "user calls ÷ (user commits + transaction rollbacks)",
           ("user calls", "user commits", "transaction rollbacks"),
           "a select costs parse + execute + fetches; commit, rollback and DML cost two calls: "
           "ten calls are a handful of statements", differs=True),
    Figure("redo_per_write_bytes", "redo per write", "bytes", "redo size ÷ redo writes", ("redo size", "redo writes"),
           "small writes: little was waiting when LGWR wrote", differs=True, grows=True),
    Figure("wastage_share", "redo wastage", "share", "redo wastage ÷ redo size", ("redo wastage", "redo size"),
           "the unused rest of the last block of each write", "lower"),
    Figure("worker_share", "redo writes by workers", "share", "redo writes adaptive worker ÷ redo writes",
           ("redo writes adaptive worker", "redo writes"), "several log writer workers write side by side"),
    Figure("polling_share", "synch writes that polled", "share", "redo synch poll writes ÷ redo synch writes",
           ("redo synch poll writes", "redo synch writes"),
           "redo synch poll writes ÷ redo synch writes: the session looked by itself instead of being posted",
           differs=True),
    Figure("polls_per_poll_write", "polls per polled write", "ratio", "redo synch polls ÷ redo synch poll writes",
           ("redo synch polls", "redo synch poll writes"), "how often such a session looked"),
    Figure("polling.interval_s", "one sleep between polls", "s", "LFS ÷ polls per wait, where at least half polled",
           (LFS, "redo synch polls", "redo synch poll writes"), "LFS ÷ polls per wait, where most poll"),
    Figure("polling.posted_s", "a commit wait if it were posted", "s",
           "one whole redo write; at least LFS less one sleep", (LFS, "redo write total time", LFPW),
           "one whole redo write, and no more than one sleep less than now", "lower"),
    Figure("broadcast_ack_s", "broadcast acknowledgement", "s",
           "redo write broadcast ack time ÷ redo write broadcast ack count",
           ("redo write broadcast ack time", "redo write broadcast ack count"),
           "RAC: the other instances' answer to a commit, per acknowledgement", "lower"),
    Figure("background_lfs_waits", "commit waits of background sessions", "count", "as printed",
           ("log file sync (background)",), "kept apart: the figures above are of foreground sessions"),
    Figure("background_lfs_avg_s", "their average", "s", "time ÷ waits", ("log file sync (background)",), "", "lower"),
    Figure("commit_time_s", "commit time", "s", "LFS ÷ 0.87 … LFS ÷ 0.73", (LFS,),
           "from published experiments: a commit takes longer than its wait", "lower"),
)  # fmt: skip
STAGES: tuple[StageKind, ...] = (
    StageKind("worker", "handing over to a log writer worker", "worker", "redo write worker delay (usec)"),
    StageKind("gather", "gathering the redo", "gather", "gather − worker"),
    StageKind("schedule", "scheduling the write", "schedule", "schedule − gather"),
    StageKind("issue", "issuing the write", "issue", "issue − schedule"),
    StageKind("io", "the write itself", "I/O", "finish − (issue or schedule)"),
    StageKind("post_io", "after the write", "after the write", "time (usec) − finish"),
    StageKind("broadcast", "commit broadcast to the other instances", "broadcast", "redo write broadcast ack time"),
    StageKind("posting", "posting the waiting sessions", "posting", "total − time (usec) − broadcast"),
    StageKind("queue", "queueing: the wait beyond one whole redo write", "queue", "average LFS − total"),
    StageKind("wake_up", "waking up after the post", "wake-up", "redo synch time overhead (usec)"),
)
_BY_NAME: Mapping[str, Figure] = {f.name: f for f in FIGURES}
_STAGE: Mapping[StageId, StageKind] = {s.id: s for s in STAGES}
_SHOW: Mapping[Unit, Callable[[float], str]] = {
    "count": number, "ratio": number, "s": seconds, "share": percent, "bytes": partial(size, digits=4),
}  # fmt: skip


def figures(*names: str) -> tuple[Figure, ...]:
    """In the order of `names`. KeyError for unknown ones."""
    return tuple(_BY_NAME[n] for n in names)


def stage_kind(stage: StageId) -> StageKind:
    return _STAGE[stage]


def stage_of(
    stage: StageId, took: Estimate, rows: tuple[Evidence, ...], per: Per = "write", *, bounds_only: bool = False
) -> Stage:
    """A wake-up lies inside queue and posting."""
    inside: tuple[StageId, ...] = ("queue", "posting") if stage == "wake_up" else ()
    note = "from the counts by duration" if bounds_only else ""
    return Stage(stage, _STAGE[stage].label, took, per, rows, inside, bounds_only, note)


def value_of(name: str, of: CommitFigures) -> Estimate | None:
    at: object = of
    for part in name.split("."):
        at = getattr(at, part) if at is not None else None
    return at if isinstance(at, Estimate) else None


def label_of(figure: Figure, reports: tuple[CommitFigures, ...]) -> str:
    """Statspack's share is of call time."""
    if figure.name == "lfs_db_time_share" and any(f.of_call_time for f in reports):
        return "share of call time"
    return figure.label


def text_of(figure: Figure, estimate: Estimate) -> str:
    """Both bounds where only they are known."""
    show = _SHOW[figure.unit]
    if figure.bounds_only:
        return between(estimate.low, estimate.high, show)
    if figure.unit == "s" and estimate.value == 0 < estimate.high:
        return f"under {show(estimate.high)}"
    return show(estimate.value)


def as_dict() -> dict[str, Any]:
    fields = ("label", "unit", "derived", "rows", "better")
    return {
        "figures": {f.name: {k: v for k, v in asdict(f).items() if k in fields} for f in FIGURES},
        "stages": {s.id: {"label": s.label, "derived": s.derived} for s in STAGES},
    }


def as_table() -> str:
    lines = ["| figure | name | unit | how it is derived | rows |", "|---|---|---|---|---|"]
    lines += [
        f"| {f.label} | `{f.name}` | {f.unit} | {f.derived} | {', '.join(f'`{r}`' for r in f.rows)} |" for f in FIGURES
    ]
    return "\n".join(lines)


def change_between(first: CommitFigures, second: CommitFigures) -> Mapping[str, Estimate | None]:
    """Second − first; second ÷ first with `_ratio`."""
    change: dict[str, Estimate | None] = {}
    for figure in FIGURES:
        a, b = value_of(figure.name, first), value_of(figure.name, second)
        if figure.differs:
            change[figure.name] = difference(a, b)
        if figure.grows:
            change[f"{figure.name}_ratio"] = over(b, a)
    return change
