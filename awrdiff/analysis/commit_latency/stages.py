"""Stages of a commit by the log writer's clocks (12.1 on): differences of cumulative microseconds per write.

docs/commit-latency.md, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping

from awrdiff.analysis.commit_latency.catalogue import stage_of
from awrdiff.analysis.commit_latency.inputs import statistic_row
from awrdiff.analysis.commit_latency.intervals import estimate, exactly, minus, scaled, total
from awrdiff.analysis.commit_latency.wake_up import StageTimes, Waits, wake_up_of
from awrdiff.analysis.model.commit_latency import Stage, StageId
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.analysis.names.releases import release_numbers
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.words import number, percent, seconds

BROADCAST = "redo write broadcast ack time"
WORKER = "redo write worker delay (usec)"
_MOMENTS = {
    "worker": WORKER,
    "gather": "redo write gather time",
    "schedule": "redo write schedule time",
    "issue": "redo write issue time",
    "finish": "redo write finish time",
    "written": "redo write time (usec)",
    "total": "redo write total time",
}
PROCESSING: tuple[StageId, ...] = ("worker", "gather", "schedule", "issue", "posting")
MANY_TIMES = 10.0  # from here on a factor is said instead of a share
_EXCESS = 0.10  # the I/O stage against LFPW, and the queue against LFS: beyond this it is said


def microseconds_of_broadcast(release: str | None) -> float:
    """Microseconds from 11.2 on, centiseconds before."""
    numbers = release_numbers(release)
    return 1.0 if not numbers or numbers >= (11, 2) else 1e4


def measured_stages(side: Side, lfs_avg: Estimate | None, lfpw_avg: Estimate | None, waits: Waits) -> StageTimes:
    """All printed; averages in seconds."""
    writes = side.statistic("redo writes")
    moments = _moments(side, writes.number) if writes is not None and writes.number > 0 else {}
    stages = _of_write(moments) if moments else []
    broadcast = _broadcast(side, writes.number) if writes is not None and writes.number > 0 else None
    stages += [broadcast] if broadcast else []
    stages += _after(moments, broadcast, lfs_avg)
    woken = wake_up_of(side, waits)
    stages += woken.stages
    notes = [*_io_notes(stages, lfpw_avg), *_queue_notes(stages, lfs_avg), *woken.notes]
    missing = [] if moments else ["stages of a redo write (statistics of 12.1 and later)"]
    durations = [s.seconds for s in stages if s.id in PROCESSING]
    processing_s = total(durations) if any(s.id == "gather" for s in stages) else None
    return StageTimes(tuple(stages), tuple(notes), (*missing, *woken.missing), processing_s)


def _moments(side: Side, writes: float) -> dict[str, float]:
    """Seconds since the redo write began, on average; empty to 11.2."""
    moments = {k: v.number for k, name in _MOMENTS.items() if (v := side.statistic(name)) is not None}
    if not {"gather", "schedule", "finish", "written", "total"} <= moments.keys():
        return {}
    return {k: n / writes / 1e6 for k, n in moments.items()}


def _of_write(m: Mapping[str, float]) -> list[Stage]:
    """Gathering includes unprinted worker delay; without issue the write begins when scheduled."""
    out: list[Stage] = []
    worker = m.get("worker", 0.0)
    if "worker" in m:
        out.append(_stage("worker", worker, "worker"))
    out.append(_stage("gather", m["gather"] - worker, "gather", *(["worker"] if "worker" in m else [])))
    out.append(_stage("schedule", m["schedule"] - m["gather"], "schedule", "gather"))
    begun = "issue" if "issue" in m else "schedule"
    if begun == "issue":
        out.append(_stage("issue", m["issue"] - m["schedule"], "issue", "schedule"))
    out.append(_stage("io", m["finish"] - m[begun], "finish", begun))
    out.append(_stage("post_io", m["written"] - m["finish"], "written", "finish"))
    return out


def _stage(stage: StageId, value: float, *moments: str) -> Stage:
    return stage_of(stage, exactly(value), tuple(statistic_row(_MOMENTS[m]) for m in moments))


def _broadcast(side: Side, writes: float) -> Stage | None:
    total = side.statistic(BROADCAST)
    if total is None:
        return None
    factor = microseconds_of_broadcast(side.report.release) / 1e6 / writes
    value = scaled(estimate(total), factor)
    if factor * writes > 1e-6:  # centiseconds, rounded or cut: half of one either way
        value = Estimate(max(value.low - factor / 2, 0.0), value.value, value.high + factor / 2)
    return stage_of("broadcast", value, (statistic_row(BROADCAST),))


def _after(m: Mapping[str, float], broadcast: Stage | None, lfs_avg: Estimate | None) -> list[Stage]:
    if not m:
        return []
    whole, written_row = (statistic_row(_MOMENTS[k]) for k in ("total", "written"))
    out = [stage_of("posting", _posting(m["total"] - m["written"], broadcast), (whole, written_row))]
    if lfs_avg is not None:
        out.append(stage_of("queue", minus(lfs_avg, exactly(m["total"])), (whole,), "commit wait"))
    return out


def _posting(after: float, broadcast: Stage | None) -> Estimate:
    """Less acknowledgements; overlapping ones (12.1, global) leave a range."""
    acks = broadcast.seconds if broadcast else exactly(0.0)
    remainder = minus(exactly(after), acks)
    return remainder if remainder.low >= 0 or after <= 0 else Estimate(0.0, max(remainder.value, 0.0), after)


def _io_notes(stages: list[Stage], lfpw_avg: Estimate | None) -> list[str]:
    io = next((s.seconds.value for s in stages if s.id == "io"), None)
    if io is None or lfpw_avg is None or lfpw_avg.value <= 0:
        return []
    off = io / lfpw_avg.value - 1.0
    if abs(off) <= _EXCESS or lfpw_avg.low <= io <= lfpw_avg.high:
        return []
    text = f"The log writer's own timing of the write, {seconds(io)}, is "
    if off >= MANY_TIMES - 1:
        text += f"{number(off + 1)} times what log file parallel write says"
        return [f"{text}: time around the I/O itself, such as the workers'."]
    text += f"{percent(abs(off))} "
    if off > 0:
        return [f"{text}more than log file parallel write says: time around the I/O itself, such as the workers'."]
    return [f"{text}less than log file parallel write says: the two do not count the same writes."]


def _queue_notes(stages: list[Stage], lfs_avg: Estimate | None) -> list[str]:
    queue = next((s.seconds.value for s in stages if s.id == "queue"), None)
    if queue is None or lfs_avg is None or lfs_avg.value <= 0 or queue >= -_EXCESS * lfs_avg.value:
        return []
    share = -queue / lfs_avg.value
    part = f" ({percent(share)} of a wait)" if share <= 1 else ""
    return [
        f"Commits waited {seconds(-queue)} less than one whole redo write takes on average{part}: sessions joined "
        "writes already under way, or the long writes were not those that sessions waited for. The stages then add up "
        "to more than the wait."
    ]
