"""Stages of a commit by the log writer's clocks (12.1 on): differences of cumulative microseconds per write.

docs/commit-latency.md, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from awrdiff.analysis.commit_latency.figure_catalogue import stage_of
from awrdiff.analysis.commit_latency.inputs_from_report import statistic_row
from awrdiff.analysis.commit_latency.interval_arithmetic import estimate, exactly, minus, scaled, total
from awrdiff.analysis.commit_latency.session_wake_up import StageTimes, Waits, wake_up_of
from awrdiff.analysis.figures_in_words import number, percent, seconds
from awrdiff.analysis.model.commit_latency import Stage, StageId
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.names.oracle_releases import release_numbers
from awrdiff.analysis.report.figures_by_name import Side

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
_CHAIN: tuple[tuple[StageId, str], ...] = (  # stages by the moment that ends them
    ("worker", "worker"),
    ("gather", "gather"),
    ("schedule", "schedule"),
    ("issue", "issue"),
    ("io", "finish"),
    ("post_io", "written"),
)
PROCESSING: tuple[StageId, ...] = ("worker", "gather", "schedule", "issue", "posting")
MANY_TIMES = 10.0  # from here on a factor is said instead of a share
_EXCESS = 0.10  # the I/O stage against LFPW, and the queue against LFS: beyond this it is said


def microseconds_of_broadcast(release: str | None) -> float:
    """Microseconds from 11.2 on, centiseconds before."""
    numbers = release_numbers(release)
    return 1.0 if not numbers or numbers >= (11, 2) else 1e4


def measured_stages(side: Side, lfs_avg: Estimate | None, lfpw_avg: Estimate | None, waits: Waits) -> StageTimes:
    """All printed; averages in seconds."""
    printed = side.statistic("redo writes")
    writes = printed.number if printed is not None else 0.0
    totals = {k: v.number for k, name in _MOMENTS.items() if (v := side.statistic(name)) is not None}
    # seconds since the redo write began, on average; none to 11.2
    is_timed = writes > 0 and {"gather", "schedule", "finish", "written", "total"} <= totals.keys()
    moments = {k: n / writes / 1e6 for k, n in totals.items()} if is_timed else {}
    stages: list[Stage] = []
    before = ""
    for stage, moment in _CHAIN:
        if moment in moments:
            rows = tuple(statistic_row(_MOMENTS[m]) for m in (moment, before) if m)
            stages.append(stage_of(stage, exactly(moments[moment] - moments.get(before, 0.0)), rows))
            before = moment
    broadcast = _broadcast(side, writes) if writes > 0 else None
    stages += [broadcast] if broadcast else []
    if moments:
        whole, written_row = (statistic_row(_MOMENTS[k]) for k in ("total", "written"))
        # less acknowledgements; overlapping ones (12.1, global) leave a range
        after = moments["total"] - moments["written"]
        posting = minus(exactly(after), broadcast.seconds if broadcast else exactly(0.0))
        if posting.low < 0 < after:
            posting = Estimate(0.0, max(posting.value, 0.0), after)
        stages.append(stage_of("posting", posting, (whole, written_row)))
        if lfs_avg is not None:
            stages.append(stage_of("queue", minus(lfs_avg, exactly(moments["total"])), (whole,), "commit wait"))
    woken = wake_up_of(side, waits)
    stages += woken.stages
    missing = [] if moments else ["stages of a redo write (statistics of 12.1 and later)"]
    durations = [s.seconds for s in stages if s.id in PROCESSING]
    return StageTimes(
        tuple(stages),
        (*_notes({s.id: s.seconds.value for s in stages}, lfs_avg, lfpw_avg), *woken.notes),
        (*missing, *woken.missing),
        total(durations) if any(s.id == "gather" for s in stages) else None,
    )


def _broadcast(side: Side, writes: float) -> Stage | None:
    total = side.statistic(BROADCAST)
    if total is None:
        return None
    factor = microseconds_of_broadcast(side.report.release) / 1e6 / writes
    value = scaled(estimate(total), factor)
    if factor * writes > 1e-6:  # centiseconds, rounded or cut: half of one either way
        value = Estimate(max(value.low - factor / 2, 0.0), value.value, value.high + factor / 2)
    return stage_of("broadcast", value, (statistic_row(BROADCAST),))


def _notes(stages: Mapping[StageId, float], lfs_avg: Estimate | None, lfpw_avg: Estimate | None) -> Iterator[str]:
    io, queue = stages.get("io"), stages.get("queue")
    if io is not None and lfpw_avg is not None and lfpw_avg.value > 0 and not lfpw_avg.low <= io <= lfpw_avg.high:
        off = io / lfpw_avg.value - 1.0
        says = f"The log writer's own timing of the write, {seconds(io)}, is"
        event, around = "log file parallel write says", "time around the I/O itself, such as the workers'."
        if off >= MANY_TIMES - 1:
            yield f"{says} {number(off + 1)} times what {event}: {around}"
        elif off > _EXCESS:
            yield f"{says} {percent(off)} more than {event}: {around}"
        elif off < -_EXCESS:
            yield f"{says} {percent(-off)} less than {event}: the two do not count the same writes."
    if queue is not None and lfs_avg is not None and 0 < _EXCESS * lfs_avg.value < -queue:
        share = -queue / lfs_avg.value
        part = f" ({percent(share)} of a wait)" if share <= 1 else ""
        yield (
            f"Commits waited {seconds(-queue)} less than one whole redo write takes on average{part}: sessions joined "
            "writes already under way, or the long writes were not those that sessions waited for. The stages then add "
            "up to more than the wait."
        )
