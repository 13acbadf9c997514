"""The log writer's time by stages and events. docs/commit-latency.md, section 3.

Busy = `redo write total time` ÷ elapsed, before 12.1 LFPW ÷ elapsed.
"""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.commit_latency import data_guard
from awrdiff.analysis.commit_latency.inputs_from_report import LFPW, Inputs, statistic_row
from awrdiff.analysis.commit_latency.interval_arithmetic import estimate, exactly, over, times, within
from awrdiff.analysis.model.commit_latency import CommitFigures, LgwrLedger, LgwrLine, LgwrUse, Stage, StageId
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.report.figures_by_name import Event, Side

TOTAL_TIME = "redo write total time"
_WRITERS = 2.0  # log writer workers, from 12.1 on; what is asked of the storage at once before
BUSY = 0.6  # from here on most commits meet a write under way

_OF_STAGE: dict[StageId, LgwrUse] = {
    "worker": "worker",
    "gather": "processing",
    "schedule": "processing",
    "issue": "processing",
    "io": "io",
    "post_io": "post_io",
    "broadcast": "broadcast",
    "posting": "processing",
}
# By how the event's name begins; text reports cut names, and later releases add to them.
_OF_EVENT: tuple[tuple[str, LgwrUse], ...] = (
    ("log file parallel write", "io"),
    ("log file pmem persist write", "io"),
    ("log file single write", "headers"),
    ("lgwr wait for redo copy", "redo_copy"),
    ("lgwr worker group idle", "idle"),
    ("lgwr worker group ordering", "ordering"),
    ("lgwr any worker group", "ordering"),
    ("lgwr all worker groups", "ordering"),
    ("lgwr intra group", "ordering"),
    ("target log write size", "write_size"),
    *((name, "remote") for name in data_guard.EVENTS),
    ("wait for scn ack", "broadcast"),
    ("acks for commit broadcast", "broadcast"),
    ("gcs log flush sync", "served"),  # of LMS, which waits for the log writer as sessions do
    ("log write broadcast", "broadcast"),
    ("latch: redo writing", "latch"),
    ("lgwr", "other"),
    ("log writer", "other"),
)
# Where a stage is printed, these waits lie inside it; those for workers inside the first that can hold their time.
_INSIDE: dict[LgwrUse, tuple[StageId, ...]] = {
    "io": ("io",),
    "redo_copy": ("gather",),
    "ordering": ("worker", "gather", "io", "post_io"),
    "remote": ("post_io",),
    "broadcast": ("broadcast",),
}
_ROUNDED = 1.1  # an event may be so much longer than the stage that it is part of


def ledger_of(side: Side, inputs: Inputs, stages: Sequence[Stage]) -> LgwrLedger | None:
    """None where neither stages nor events are printed."""
    writes = inputs.statistics.get("redo writes")
    own = [s for s in stages if s.id in _OF_STAGE and s.per == "write"] if writes is not None else []
    stage_seconds = {s.id: s.seconds.high * writes.number for s in own if writes is not None}
    events = side.background or (side.foreground if LFPW in side.foreground else {})  # Statspack: one list
    uses = [(use, e) for name, e in events.items() if (use := use_of(name)) is not None and use != "idle"]
    uses.sort(key=lambda use_and_event: -use_and_event[1].total.number)
    of_stages = [
        LgwrLine(_OF_STAGE[s.id], s.label, times(s.seconds, estimate(writes)), None, s.seconds.value, s.evidence)
        for s in own
        if writes is not None
    ]
    lines = [*of_stages, *(_event_line(side, use, e, stage_seconds) for use, e in uses)]
    if not lines:
        return None
    busy, row = _busy(side, inputs)
    return LgwrLedger(busy=busy, evidence=(row,) if row is not None else (), lines=tuple(lines))


def _busy(side: Side, inputs: Inputs) -> tuple[Estimate | None, Evidence | None]:
    elapsed = elapsed_of(side)
    total = side.statistic(TOTAL_TIME)
    if elapsed is None:
        return None, None
    if total is not None:
        busy = over(times(estimate(total), exactly(1e-6)), elapsed)
        if busy is not None and busy.low <= writers_of(side):
            return busy, statistic_row(TOTAL_TIME)
    if inputs.lfpw is not None:
        busy = over(within(estimate(inputs.lfpw.total)), elapsed)
        if busy is not None and busy.low <= writers_of(side):
            return busy, inputs.lfpw.evidence()
    return None, None


def writers_of(side: Side) -> float:
    """Redo writes of one instance under way, at most."""
    text = side.text("init_parameters", "begin_value", "_max_outstanding_log_writes") or ""
    return max(float(text), _WRITERS) if text.isdigit() else _WRITERS


def elapsed_of(side: Side) -> Estimate | None:
    """Sum over log writers and a global report's instances."""
    if side.elapsed is None:
        return None
    writers = max(len(side.report.instances), 1) if side.report.kind == "awr_global" else 1
    return times(estimate(side.elapsed), exactly(float(writers)))


def use_of(event: str) -> LgwrUse | None:
    """None: no event of the log writer."""
    name = event.lower()
    return next((use for prefix, use in _OF_EVENT if name.startswith(prefix)), None)


def writes_queue(figures: CommitFigures) -> bool:
    """A write nearly always under way, or shared tails."""
    ledger = figures.log_writer
    is_busy = ledger is not None and ledger.busy is not None and ledger.busy.value > BUSY
    return is_busy or figures.tail is not None


def _event_line(side: Side, use: LgwrUse, event: Event, stages: dict[StageId, float]) -> LgwrLine:
    total = within(estimate(event.total))
    writes = side.statistic("redo writes")
    holds = (
        s for s in _INSIDE.get(use, ()) if s in stages and (use != "ordering" or stages[s] * _ROUNDED >= total.low)
    )
    return LgwrLine(
        use=use,
        label=event.name,
        seconds=total,
        waits=event.waits.number if event.waits is not None else None,
        per_write_s=total.value / writes.number if writes is not None and writes.number > 0 else None,
        evidence=(event.evidence(),),
        inside=next(holds, None),
        is_event=True,
    )
