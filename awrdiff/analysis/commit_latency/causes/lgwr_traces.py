"""LGWR traces: a switch proves a suspected cause, slow writes are evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import next_steps
from awrdiff.analysis.commit_latency.causes.log_writer_cpu import QUEUED, STALLED
from awrdiff.analysis.commit_latency.causes.rule_types import Answer, Match, PairFacts, ReportFacts, Rule, Step
from awrdiff.analysis.commit_latency.lgwr_trace_events import SIDES, window_named, windows_of
from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds, several
from awrdiff.analysis.model.commit_latency import Confidence
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.model.lgwr_traces import CommitEvents, Place, Scheduled, SlowWrites, Switch

SEVERAL = 3  # switches of the log writers in one window
LEAST_COVERED_S = 30.0  # of the window
MUCH_QUEUED = 0.10  # of a commit wait: waiting for a CPU, per redo write
LITTLE_QUEUED = 0.02
PLACES: dict[Place, str] = {
    "first": "in First's window",
    "second": "in Second's window",
    "both": "in both windows",
    "between": "between the two windows",
    "outside": "outside both windows",
    "unplaced": "not placed",
}
_IN: tuple[frozenset[Place], frozenset[Place]] = (frozenset({"first", "both"}), frozenset({"second", "both"}))


class RunQueueWait(Struct, frozen=True):
    """`per_write_s`: waiting for a CPU, at the average rate."""

    record: Scheduled
    per_write_s: float
    of_wait: float  # of the average commit wait (0..1); more where the minutes recorded are not like the window

    @property
    def representative(self) -> bool:
        return self.of_wait <= 1.0

    @property
    def text(self) -> str:
        busy = percent(self.record.cpu_s / self.record.covered_s)
        text = (
            f"Recorded over {seconds(self.record.covered_s)} of the window: the log writers ran {busy} of the time and "
            f"waited for a CPU {seconds(self.per_write_s)} per redo write"
        )
        if self.representative:
            return f"{text}, {percent(self.of_wait)} of a commit wait."
        return f"{text}. That is longer than a commit waited: those minutes are not representative of the window."


class TraceFacts(Struct, frozen=True):
    """One or two reports with their trace events."""

    reports: tuple[ReportFacts, ...]
    events: CommitEvents

    @property
    def alone(self) -> bool:
        return len(self.reports) == 1

    @property
    def later(self) -> int:
        """0 = First or only."""
        first, last = self.reports[0].side.report, self.reports[-1].side.report
        return 0 if self.alone else windows_of(first, last).later

    def window(self, report: int) -> str:
        return window_named(report, alone=self.alone)

    def tells_of(self, trace: int, *reports: int) -> bool:
        return all(self.events.traces[trace].is_of(r) is not False for r in reports)

    @property
    def switches(self) -> list[Switch]:
        """Between the windows, or in the later one."""
        later = self.later
        return [
            s
            for s in self.events.switches
            if (s.place == "between" and self.tells_of(s.trace, 0, 1))
            or (s.place in _IN[later] and self.tells_of(s.trace, later))
        ]

    def run_queue_wait(self, report: int) -> RunQueueWait | None:
        """Longest record; None where short or incomplete."""
        facts = self.reports[report]
        own = [s for s in self.events.scheduled if s.report == report and self.tells_of(s.trace, report)]
        best = max(own, key=lambda r: r.covered_s, default=None)
        rate = facts.side.per_second(facts.inputs.statistics.get("redo writes"))
        rate = facts.per_second(facts.figures.lfpw_waits) if rate is None else rate
        wait = facts.figures.lfs_avg_s
        if best is None or best.covered_s < LEAST_COVERED_S or not rate or wait is None or wait.value <= 0:
            return None
        each = best.waited_s / (best.covered_s * rate)
        return RunQueueWait(best, each, each / wait.value)

    @property
    def run_queue_waits(self) -> list[RunQueueWait]:
        return [s for at in range(len(self.reports)) if (s := self.run_queue_wait(at)) is not None]

    def within(self, writes: Sequence[SlowWrites], report: int) -> list[SlowWrites]:
        return [s for s in writes if s.place in _IN[report] and self.tells_of(s.trace, report)]


def with_traces(cause: Match, traces: TraceFacts) -> Match:
    if cause.rule in ("adaptive-switch", "storage-slowed"):
        return _with_switches(cause, traces)
    reports = list(dict.fromkeys(min(at, 1) for at in cause.reports))  # the last of several reports is the second here
    if cause.rule == "rac-broadcast":
        broadcasts = [s for report in reports for s in traces.within(traces.events.broadcasts_by_place, report)]
        if not broadcasts:
            return cause
        count, longest = sum(s.count for s in broadcasts), max(s.longest.elapsed_s for s in broadcasts)
        text = f"The log writer's trace warns of {count:,} slow broadcasts of commits, the longest {seconds(longest)}."
        rows = [s.longest.evidence for s in broadcasts]
        return _adding(cause, text, rows, without=(next_steps.TRACE_BROADCAST,), confidence="high")
    if cause.rule == "lgwr-cpu":
        return _with_record(cause, traces, reports)
    if cause.rule == "io-bound":
        text, rows = _slow_writes(traces, reports, alone=False)
        return _adding(cause, text, rows) if text else cause
    return cause


def _with_record(cause: Match, traces: TraceFacts, reports: Sequence[int]) -> Match:
    """Proven from a tenth of a wait, denied up to a fiftieth."""
    wait = next((s for at in sorted(reports, reverse=True) if (s := traces.run_queue_wait(at)) is not None), None)
    if wait is None:
        return cause
    if len(reports) > 1 and not traces.alone:
        cause = replace(cause, text=f"{cause.text} {SIDES[wait.record.report]}:")
    text, rows, cleared = wait.text, (wait.record.evidence,), (next_steps.RUN_QUEUE, next_steps.RECORD_CPU)
    if wait.of_wait >= MUCH_QUEUED and wait.representative:
        claim = cause.explains_s
        if claim is not None and claim.value > wait.per_write_s:  # claims stay within the budget
            claim = Estimate(0.0, wait.per_write_s, claim.high)
        return _adding(cause, text, rows, without=cleared, confidence="proven", explains_s=claim)
    if wait.of_wait > LITTLE_QUEUED:
        return _adding(cause, text, rows)
    text += " While it was recorded no queue for a CPU held it up; paging and steal are not in such a record."
    weak = cause.confidence == "low" and len(set(cause.reports)) == 1  # what stages measure stays
    confidence: Confidence = "note" if weak else cause.confidence
    title = STALLED if cause.title == QUEUED else cause.title
    return _adding(cause, text, rows, without=cleared, title=title, confidence=confidence)


def off_cpu(traces: TraceFacts) -> Answer:
    """With a record of the log writers' scheduling (section 5), and `lgwr-cpu` did not fire: waiting for a CPU takes ≥
    10 % of avgL per redo write.
    """
    queued = [s for s in traces.run_queue_waits if s.of_wait >= MUCH_QUEUED]
    if not queued:
        return None
    confidence: Confidence = "high" if any(s.representative for s in queued) else "low"
    return replace(_records(traces, queued, confidence), weighs_s=queued[-1].per_write_s)


def on_cpu(traces: TraceFacts) -> Answer:
    """A note, with such a record and without `lgwr-cpu`: waiting for a CPU takes ≤ 2 % of avgL per redo write in every
    window that is recorded. It clears the queue for a CPU and nothing else.
    """
    every = traces.run_queue_waits
    if not every or any(s.of_wait > LITTLE_QUEUED for s in every):
        return None
    return _records(traces, every, "note")


def _records(traces: TraceFacts, waits: Sequence[RunQueueWait], confidence: Confidence) -> Match:
    texts = [f"{'' if traces.alone else f'{SIDES[s.record.report]}: '}{s.text}" for s in waits]
    return Match(" ".join(texts), confidence, tuple(s.record.evidence for s in waits))


def _with_switches(cause: Match, traces: TraceFacts) -> Match:
    """A file without a switch disproves nothing: another LGWR may have it."""
    switches = traces.switches
    if not switches:
        if not all(_covers(traces, report) for report in (0, 1)):
            return cause
        doubted = cause.rule == "adaptive-switch" and cause.confidence == "medium"  # nothing but its figures says so
        text = "The trace covers both windows and shows no switch in the later one or between the two."
        return _adding(cause, text, confidence="low" if doubted else cause.confidence)
    matching = _matching(traces, switches)
    if not matching:
        text = f"{switches_text(switches)} The share of polling moved the other way, so it proves nothing."
        return _adding(cause, text, _rows(switches))
    if not any(traces.events.traces[s.trace].is_of(traces.later) for s in matching):
        text = (
            f"{switches_text(matching)} It does not name the instance it is of, so it supports this and proves nothing."
        )
        return _adding(cause, text, _rows(matching))
    return _adding(
        cause,
        switches_text(matching),
        _rows(matching),
        without=(next_steps.TRACE_SWITCH,),
        title="Commits switched between polling and post/wait.",
        confidence="proven",
        caveat="The trace proves the switch; that it changed how long commits wait rests on the figures.",
    )


def _adding(
    cause: Match, addition: str, rows: Sequence[Evidence] = (), *, without: tuple[str, ...] = (), **other: Any
) -> Match:
    return replace(
        cause,
        text=f"{cause.text} {addition}",
        evidence=tuple(dict.fromkeys((*cause.evidence, *rows))),
        checks=tuple(c for c in cause.checks if c not in without),
        **other,
    )


def _matching(traces: TraceFacts, switches: list[Switch]) -> list[Switch]:
    pair = PairFacts(traces.reports[0], traces.reports[-1])
    if pair.poll_shares is None or not pair.polling_moved:
        return switches
    polls_more = (pair.poll_shares[1] > pair.poll_shares[0]) == (traces.later == 1)  # as time goes
    return [s for s in switches if s.mode.startswith("poll") == polls_more]


def switches_text(switches: Sequence[Switch], *, alone: bool = False) -> str:
    """`The log writer's trace: switched to post/wait at … (…).`"""
    first = switches[0]
    rate = first.redo_synch_writes_per_s
    at = f", at {number(rate)} redo synch writes per second" if rate is not None else ""
    texts = (
        f"The log writer's trace: switched to {first.mode} at {first.moment[:19].replace('T', ' ')} "
        f"({'in the window' if alone else PLACES[first.place]}{at})"
    )
    more = len(switches) - 1
    return f"{texts}{f', and {more:,} more' if more else ''}."


def _rows(switches: Sequence[Switch]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(s.evidence for s in switches[:3]))


def _covers(traces: TraceFacts, report: int) -> bool:
    files = enumerate(traces.events.traces)
    return any(f.covers(report) and traces.tells_of(at, report) for at, f in files)


def _slow_writes(traces: TraceFacts, reports: Sequence[int], *, alone: bool) -> tuple[str, list[Evidence]]:
    """`alone`: with their sum, and nothing of windows without a warning."""
    texts: list[str] = []
    rows: list[Evidence] = []
    for report in reports:
        writes, window = traces.within(traces.events.slow_by_place, report), traces.window(report)
        if writes:
            warned = several(sum(s.count for s in writes), "slow write", "slow writes")
            longest = seconds(max(s.longest.elapsed_s for s in writes))
            texts.append(f"The log writer's trace warns of {warned} in {window}, the longest {longest}.")
            rows += [s.longest.evidence for s in writes]
            if alone and (total := traces.reports[report].figures.lfpw_total_s):
                took = seconds(sum(s.total_s for s in writes))
                texts.append(f"They took {took} in all, beside {seconds(total.value)} of log file parallel write.")
        elif not alone and _covers(traces, report):
            texts.append(
                f"The trace covers {window} and warns of no write in it: none took longer than the 500 ms it warns "
                "from by default."
            )
    return " ".join(texts), rows


def trace_switch(traces: TraceFacts) -> Answer:
    """A note, with a trace: a switch in the later window or between the two, where the figures do not look as after
    one.
    """
    switches = traces.switches
    if not switches:
        return None
    rows = tuple(dict.fromkeys(row for f in traces.reports for row in f.lfs_rows))
    if traces.alone:
        text = f"{switches_text(switches, alone=True)} The window's averages mix the time before it and after."
    else:
        text = f"{switches_text(switches)} {_figures_text(traces.reports)}"
    return Match(text, "note", (*_rows(switches), *rows))


def _figures_text(reports: Sequence[ReportFacts]) -> str:
    a, b = reports[0].figures, reports[-1].figures
    parts = []
    if a.wait_s is not None and b.wait_s is not None:
        parts.append(f"commits waited {seconds(a.wait_s.value)} → {seconds(b.wait_s.value)}")
    if a.lfpw_avg_s is not None and b.lfpw_avg_s is not None:
        parts.append(f"a redo write took {seconds(a.lfpw_avg_s.value)} → {seconds(b.lfpw_avg_s.value)}")
    rates = [f.per_second(f.figures.lfpw_waits) for f in (reports[0], reports[-1])]
    if rates[0] is not None and rates[1] is not None:
        parts.append(f"redo writes per second {change(rates[0], rates[1])}")
    if not parts:
        return "The reports print neither commit waits nor redo writes to set beside it."
    return f"In the figures {listing(parts)}: not what a switch brings when it matters."


def scalable_writer(traces: TraceFacts) -> Answer:
    """*Proven*, with a trace: three switches between one log writer and its workers in the later window, and avgL /
    avgW > 2. The published case set one log writer alone.
    """
    facts = traces.reports[traces.later]
    swaps = [s for s in traces.events.worker_switches if s.place in _IN[traces.later]]
    swaps = [s for s in swaps if traces.tells_of(s.trace, traces.later)]
    if len(swaps) < SEVERAL or not facts.is_mostly_not_io:
        return None
    first, taken_up = swaps[0], sum(s.mode == "enabled" for s in swaps)
    text = (
        f"The log writer's trace: workers taken up {taken_up} times and given up {len(swaps) - taken_up} times in "
        f"{traces.window(traces.later)}, first at {first.moment[:19].replace('T', ' ')}"
        f"{f' ({first.figures})' if first.figures else ''}. {facts.not_io_text()}."
    )
    rows = (*dict.fromkeys(s.evidence for s in swaps[:3]), *facts.lfs_rows)
    return Match(text, "proven", rows, weighs_s=facts.difference_s, size=f"{len(swaps)} switches")


def slow_writes(traces: TraceFacts) -> Answer:
    """A note, with a trace: it warns of slow writes in a window, and `io-bound` did not fire."""
    text, rows = _slow_writes(traces, range(len(traces.reports)), alone=True)
    return Match(text, "note", tuple(rows)) if text else None


RULES: tuple[Rule[TraceFacts], ...] = (
    Rule(
        "switch-traced",
        "The log writer's trace shows a switch between polling and post/wait.",
        trace_switch,
        "It switches by itself as the load changes; most switches are harmless.",
        (next_steps.PARAMETER_ADAPTIVE,),
        instead_of="adaptive-switch",
    ),
    Rule(
        "scalable-log-writer",
        "The log writer keeps switching between one writer and several.",
        scalable_writer,
        "The switches are certain; that they make commits wait is as in the published case, which ran one writer.",
        (next_steps.PARAMETER_WORKERS, next_steps.ASH_LGWR),
        Step.SWITCH,
    ),
    Rule(
        "slow-writes",
        "Single redo writes took very long.",
        slow_writes,
        "The trace warns of the time of the whole redo write, CPU and scheduling included, not of the I/O alone; and "
        "only above 500 ms by default.",
        (next_steps.STORAGE, next_steps.RUN_QUEUE),
        instead_of="io-bound",
    ),
    Rule(
        "lgwr-off-cpu",
        "The log writer waited for a CPU, as recorded.",
        off_cpu,
        "Of the time that was recorded, set against the window's average rate of redo writes.",
        (next_steps.PRIORITY, next_steps.RUN_QUEUE),
        Step.MEASURED,
        instead_of="lgwr-cpu",
    ),
    Rule(
        "lgwr-on-cpu",
        "The log writer had its CPU, as recorded.",
        on_cpu,
        "It clears the queue for a CPU, of the minutes recorded and of that report; paging and, in a guest, steal are "
        "in no such record.",
        (),
        instead_of="lgwr-cpu",
    ),
)
