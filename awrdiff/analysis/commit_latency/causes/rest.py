"""What is left where the difference is large and the causes found account for less than half of it."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.causes import host
from awrdiff.analysis.commit_latency.causes.cpu import starvation_by_stages
from awrdiff.analysis.commit_latency.causes.facts import Answer, Match, ReportFacts, Step, row
from awrdiff.analysis.commit_latency.causes.log_writer_stages import stage_rows, unclaimed_stages, wake_up
from awrdiff.analysis.commit_latency.probable import MUCH
from awrdiff.analysis.commit_latency.stages import PROCESSING
from awrdiff.analysis.model.commits import LgwrLine, Stage
from awrdiff.analysis.model.evidence import Estimate, Evidence
from awrdiff.analysis.words import listing, number, percent, seconds

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
    if measured is not None and measured.value >= HALF * f.difference_s > 0 and starvation_by_stages(f) is None:
        stages, took = unclaimed_stages(f, PROCESSING)
        if took.value >= MUCH * f.difference_s:
            return _processing(f, stages, took)
    if measured is None and _writes_cannot(f):
        sure = (f.sharers or 0.0) >= MANY_SHARERS
        text = f"{f.not_io_text()}.{_herd(f)}{_beside(f)}"
        step = Step.OTHER if sure else Step.LEFTOVER
        return Match(text, "high" if sure else "medium", _rows(f), f.unexplained, title=PROCESSED, step=step)
    text = f"{f.not_io_text()}.{_measured_text(f)}{_herd(f)}{_beside(f)}"
    return Match(text, "medium", _rows(f), f.unexplained, title=OPEN)


def _processing(f: ReportFacts, stages: list[Stage], left: Estimate) -> Match:
    """With what other causes claim of it told, and `left` claimed."""
    measured = f.figures.measured_overhead_s or left
    largest = max(stages, key=lambda s: s.seconds.value)
    share = percent(min(measured.value / f.difference_s, 1.0))
    text = (
        f"{f.not_io_text()}. The log writer's own processing takes {seconds(measured.value)} per write, {share} of "
        f"the difference, most of it in {largest.label} ({seconds(largest.seconds.value)}).{_herd(f)}{_beside(f)}"
    )
    return Match(
        text, "high", (*_rows(f), *stage_rows(stages)), left, title=PROCESSED, measured=True, step=Step.MEASURED
    )


def _writes_cannot(f: ReportFacts) -> bool:
    """Without stages: the write under way and one's own are together under half of a wait, and slow ones are too few.

    Where LFPW is below the end of the top list, ten sessions would have to share each write.
    """
    if f.figures.lfpw_avg_s is None:
        return (f.sharers or 0.0) >= MANY_SHARERS
    slow = f.figures.slow_writes_up_to_s
    could_be_slow = slow is not None and slow.high >= HALF * f.difference_s
    return f.ratio is not None and f.ratio.value > TWO_WRITES and not could_be_slow and f.figures.tail is None


def _measured_text(f: ReportFacts) -> str:
    """Why it is not called processing, and the queue that is left."""
    measured, queue = f.figures.measured_overhead_s, f.figures.stage("queue")
    if measured is None:
        return ""
    said = (
        f" The log writer's own processing is {seconds(measured.value)} of the {seconds(f.difference_s)} between them"
    )
    woken = wake_up(f)
    taken = woken.explains_s.value if isinstance(woken, Match) and woken.explains_s is not None else 0.0
    if queue is not None and queue.seconds.value > taken:
        said += f"; {seconds(queue.seconds.value - taken)} is queueing beyond one whole redo write"
    return f"{said}."


def _herd(f: ReportFacts) -> str:
    """Twenty sessions or more posted by one write, or more than there are CPUs for them to go on with."""
    shared, cpus = f.figures.group_commit, f.side.cpus
    if shared is None or (shared.value < HERD and (not cpus or shared.value <= cpus)):
        return ""
    if not cpus or shared.value <= cpus:
        return f" Each write ends {number(shared.value)} commit waits: as many sessions are posted one after another."
    what = "the one CPU" if cpus == 1 else f"the {cpus} CPUs"
    return f" Each write ends {number(shared.value)} commit waits, more than {what} can go on with at once."


def _beside(f: ReportFacts) -> str:
    """Other rows of the log writer and of the host that may have to do with it; else that there are none."""
    hints = [f"{line.label} {seconds(line.seconds.value)}" for line in _hints(f)[:4]]
    hints += [s.text for s in host.memory(f.side)]
    if not hints:
        return " No other row of the log writer or of the host that is printed says why."
    return f" Printed beside it: {listing(hints)}."


def _hints(f: ReportFacts) -> list[LgwrLine]:
    """The log writer's events besides its writes, of some size against the difference."""
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
    return (*rows, *(s.evidence for s in host.memory(f.side)))


__all__ = ["OPEN", "PROCESSED", "not_redo_io"]
