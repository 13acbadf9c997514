"""Log writer off its CPU, by its own stages or weakly by the host."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.causes import host_cpu_and_memory, next_steps
from awrdiff.analysis.commit_latency.causes.log_writer_stages import stage_rows, unclaimed_stages
from awrdiff.analysis.commit_latency.causes.rule_types import Answer, Match, NotPrinted, ReportFacts, Step
from awrdiff.analysis.commit_latency.commit_wait_breakdown import FLOOR, MUCH
from awrdiff.analysis.commit_latency.inputs_from_report import row
from awrdiff.analysis.commit_latency.stages import PROCESSING
from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds
from awrdiff.analysis.model.commit_latency import CommitFigures, LgwrLine, Stage, StageId
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence

OFF_CPU_S = 50e-6  # of scheduling per write; 39 of 40 real reports print 16 µs or less
USUAL_S = 16e-6
ROSE = 5.0
LOST_CPU = 0.25  # of a write: its own length then says little of the storage
EXCESS = 0.10  # of LFPW: the I/O stage beyond it
STALLED, QUEUED = "The log writer was off its CPU or stalled.", "The log writer waited for a CPU."
_WEAK = "The log writer (or the sessions it wakes) may have waited for a CPU."
_QUEUE_CHECKS = (next_steps.RUN_QUEUE, next_steps.PRIORITY)
PRIORITIES = "_high_priority_processes"
_ON_CPU: tuple[StageId, ...] = ("gather", "schedule", "issue", "posting")


def lgwr_cpu(f: ReportFacts) -> Answer:
    """*High* by the log writer's own stages, whatever the host prints: schedule > 50 µs per write, or 5 times that of
    the other report and above 16 µs (39 of 40 real reports print 16 µs or less). Run queue, system time, swap, page-ins
    and a `_high_priority_processes` that is set without LGWR support it, and make its title and checks: short of
    memory, a queue for CPU, or neither. Its claim has the excess of the I/O stage over LFPW and the queue behind such
    writes. *Low* by the host alone (CPUs over 85 % busy, or load above their number; on Linux less the processes that
    wait for disks, which it counts too), avgL / avgW > 2, no Data Guard SYNC; with a usual schedule it can only be the
    sessions that are woken, and claims no more than the wake-up. `OS_CPU_WAIT_TIME` is not used: 4.1 times the busy
    time was seen at 16 % busy.
    """
    schedule = f.figures.stage("schedule")
    if schedule is not None and (late := _off_cpu(schedule, f.other)):
        return _by_stages(f, late)
    if not f.is_mostly_not_io or f.figures.remote is not None:
        return None
    if f.side.host_busy_pct is None and (host_cpu_and_memory.load_of(f.side) is None or f.side.cpus is None):
        return NotPrinted("how busy the host's CPUs were")
    signs = host_cpu_and_memory.cpu_queue(f.side)
    if not signs or (schedule is not None and "wake-up" in f.claims):
        return None
    rows = (*f.lfs_rows, *signs.values())
    text = f"{f.not_io_text()}, and {listing([*signs])}."
    if schedule is None:
        return Match(text, "low", rows, f.figures.naive_overhead_s, title=_WEAK, checks=_QUEUE_CHECKS)
    text += (
        f" The log writer itself had its CPU ({seconds(schedule.seconds.value)} to schedule a write), so it would be "
        "the sessions that it wakes."
    )
    woken = f.figures.stage("wake_up")
    claim = woken.seconds if woken is not None and not woken.bounds_only else None
    return Match(text, "low", (*rows, *schedule.evidence), claim, title=_WEAK, checks=_QUEUE_CHECKS)


def _off_cpu(schedule: Stage, other: CommitFigures | None) -> str:
    now = schedule.seconds.value
    text = f"From gathering the redo to scheduling the write the log writer took {seconds(now)} per write"
    if now > OFF_CPU_S:
        return f"{text}, where 16 µs is usual"
    before = other.stage("schedule") if other is not None else None
    if before is None or now <= USUAL_S or before.seconds.value <= 0 or now < ROSE * before.seconds.value:
        return ""
    return f"{text}, {change(before.seconds.value, now)} against the other report"


def _by_stages(f: ReportFacts, lost_text: str) -> Match:
    stages, lost = unclaimed_stages(f, _ON_CPU)
    queue, memory, virtual = (
        host_cpu_and_memory.cpu_queue(f.side),
        host_cpu_and_memory.memory(f.side),
        host_cpu_and_memory.virtual_cpus(f.side),
    )
    signs = {**queue, **host_cpu_and_memory.system_time(f.side), **memory, **virtual}
    names = f.parameter(PRIORITIES)
    if names is not None and "LGWR" not in names.upper():  # defaults differ by release: only a list that is set counts
        text = f"{PRIORITIES} is set to {names}, without LGWR" if names else f"{PRIORITIES} is set to none"
        signs[text] = row("init_parameters", PRIORITIES, "begin_value")
    support = f" Beside it, {listing([*signs])}." if signs else ""
    io, write, waiting = f.figures.stage("io"), f.figures.lfpw_avg_s, f.figures.stage("queue")
    excess = max(io.seconds.value - write.high, 0.0) if io is not None and write is not None else 0.0
    if write is not None and excess < EXCESS * write.value:
        excess = 0.0
    stalled = lost.value + excess
    whole = stalled + (write.value if write is not None else 0.0)
    behind = max(waiting.seconds.value, 0.0) * stalled / whole if waiting is not None and whole > 0 else 0.0
    parts = [f"the write itself took {seconds(excess)} longer than its I/O"] if excess else []
    if behind >= FLOOR * (stalled + behind) > 0:
        parts.append(f"{seconds(behind)} is the queue behind such writes")
    more = f" With it {listing(parts)}." if parts else ""
    claim = Estimate(lost.low, stalled + behind, lost.high + excess + behind)
    text = f"{lost_text}: it was off its CPU or stalled.{support}{more}"
    if writes_hold_lost_cpu(f):
        text += " The redo writes, which it times itself, may hold as much of it: they say little of the storage."
    busy, title = f.side.host_busy_pct, ""
    is_idle = busy is not None and busy < host_cpu_and_memory.IDLE_PCT
    next_checks: tuple[str, ...] = (next_steps.RUN_QUEUE, next_steps.MEMORY, next_steps.STOPPED)
    if memory:
        title, next_checks = (
            "The log writer was stalled on a host short of memory.",
            (next_steps.MEMORY, next_steps.STOPPED),
        )
    elif queue and not is_idle:
        title, next_checks = QUEUED, (next_steps.RUN_QUEUE, next_steps.PRIORITY)
    elif virtual or is_idle:
        next_checks = (next_steps.STEAL, next_steps.STOPPED) if virtual else (next_steps.STOPPED,)
    rows = (*stage_rows(stages), *signs.values(), *f.lfs_rows)
    return Match(text, "high", rows, claim, measured=True, step=Step.MEASURED, title=title, checks=next_checks)


def writes_hold_lost_cpu(f: ReportFacts) -> bool:
    """A quarter of a write or more, by scheduling."""
    schedule, write = f.figures.stage("schedule"), f.figures.lfpw_avg_s
    if schedule is None or write is None or not _off_cpu(schedule, f.other):
        return False
    return unclaimed_stages(f, _ON_CPU)[1].value >= LOST_CPU * write.value


PROCESSED = "Commits wait for the log writer's processing rather than the redo writes."
OPEN = "Commits wait for more than one redo write; the cause is open."
HALF = 0.5  # of LFS − LFPW
TWO_WRITES = 4.0  # LFS ÷ LFPW: the write under way and one's own, whole, are half of the wait
MANY_SHARERS = 10.0  # sessions to one redo write: hardly ever reached
HERD = 20.0  # sessions posted per write
LEAST_HINT = 0.01  # of LFS − LFPW
_TIME = "total_wait_time_s"


def not_redo_io(f: ReportFacts) -> Answer:
    """avgL / avgW > 2 (or all writes together under half of LFS), and the rules above account for less than half of the
    difference. *The log writer's processing* only where measured processing is at least half of it; or, without stages,
    where writes cannot explain it: avgL / avgW > 4 with no tail and slow writes too few, or ten sessions would have to
    share each unlisted write. Otherwise *more than one redo write; the cause is open*, with the log writer's other
    events and the host's memory beside it.
    """
    if not f.is_mostly_not_io:
        return None
    measured = f.figures.measured_overhead_s
    stalled = f.claims.get("lgwr-cpu")
    is_half = measured is not None and measured.value >= HALF * f.difference_s > 0
    if measured is not None and is_half and not (stalled is not None and stalled.measured):
        stages, unclaimed = unclaimed_stages(f, PROCESSING)
        if unclaimed.value >= MUCH * f.difference_s:
            largest = max(stages, key=lambda s: s.seconds.value)
            share = percent(min(measured.value / f.difference_s, 1.0))
            text = (
                f"{f.not_io_text()}. The log writer's own processing takes {seconds(measured.value)} per write, "
                f"{share} of the difference, most of it in {largest.label} ({seconds(largest.seconds.value)})."
                f"{_herd(f)}{_beside(f)}"
            )
            rows = (*_rows(f), *stage_rows(stages))
            return Match(text, "high", rows, unclaimed, title=PROCESSED, measured=True, step=Step.MEASURED)
    if measured is None and _writes_cannot(f):
        is_crowded = (f.sharers or 0.0) >= MANY_SHARERS
        text = f"{f.not_io_text()}.{_herd(f)}{_beside(f)}"
        step = Step.OTHER if is_crowded else Step.LEFTOVER
        return Match(text, "high" if is_crowded else "medium", _rows(f), f.unexplained, title=PROCESSED, step=step)
    text = f"{f.not_io_text()}."
    if measured is not None:
        took, queue = seconds(measured.value), f.figures.stage("queue")
        text += f" The log writer's own processing is {took} of the {seconds(f.difference_s)} between them"
        behind = queue.seconds.value - f.claimed_s("wake-up") if queue is not None else 0.0
        text += f"; {seconds(behind)} is queueing beyond one whole redo write." if behind > 0 else "."
    return Match(f"{text}{_herd(f)}{_beside(f)}", "medium", _rows(f), f.unexplained, title=OPEN)


def _writes_cannot(f: ReportFacts) -> bool:
    if f.figures.lfpw_avg_s is None:
        return (f.sharers or 0.0) >= MANY_SHARERS
    slow = f.figures.slow_writes_up_to_s
    could_be_slow = slow is not None and slow.high >= HALF * f.difference_s
    return f.ratio is not None and f.ratio.value > TWO_WRITES and not could_be_slow and f.figures.tail is None


def _herd(f: ReportFacts) -> str:
    shared, cpus = f.figures.group_commit, f.side.cpus
    if shared is not None and cpus and shared.value > cpus:
        what = "the one CPU" if cpus == 1 else f"the {cpus} CPUs"
        return f" Each write ends {number(shared.value)} commit waits, more than {what} can go on with at once."
    if shared is None or shared.value < HERD:
        return ""
    return f" Each write ends {number(shared.value)} commit waits: as many sessions are posted one after another."


def _beside(f: ReportFacts) -> str:
    hints = [f"{line.label} {seconds(line.seconds.value)}" for line in _hints(f)[:4]]
    hints += host_cpu_and_memory.memory(f.side)
    if not hints:
        return " No other row of the log writer or of the host that is printed says why."
    return f" Printed beside it: {listing(hints)}."


def _hints(f: ReportFacts) -> list[LgwrLine]:
    ledger, waits = f.figures.log_writer, f.figures.lfs_waits
    if ledger is None or waits is None:
        return []
    least = LEAST_HINT * f.difference_s * waits.value
    return [e for e in ledger.lines if e.is_event and e.use not in ("io", "served") and e.seconds.value >= least > 0]


def _rows(f: ReportFacts) -> tuple[Evidence, ...]:
    rows = [*f.lfs_rows]
    if f.io_at_most is not None and (section := f.side.report.section("top_timed_events")) is not None:
        timed = ((t.number, section.text(r, "event")) for r in section.records if (t := section.number(r, _TIME)))
        rows.append(row("top_timed_events", min(timed)[1], _TIME))
    rows += [e for line in _hints(f)[:4] for e in line.evidence]
    return (*rows, *host_cpu_and_memory.memory(f.side).values())
