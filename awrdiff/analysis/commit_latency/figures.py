"""One report's commit wait against its redo write. docs/commit-latency.md, section 2."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from awrdiff.analysis.commit_latency.commit_wait_breakdown import split_of
from awrdiff.analysis.commit_latency.committing_statements import committers_of
from awrdiff.analysis.commit_latency.data_guard import remote_write_of
from awrdiff.analysis.commit_latency.histograms import distribution_of, distribution_of_rows
from awrdiff.analysis.commit_latency.inputs_from_report import (
    LFPW,
    LFS,
    TOP_BACKGROUND,
    TOP_FOREGROUND,
    Inputs,
    inputs_of,
    row,
)
from awrdiff.analysis.commit_latency.interval_arithmetic import complement, estimate, minus, over, scaled, times, within
from awrdiff.analysis.commit_latency.log_writer import BUSY, TOTAL_TIME, elapsed_of, ledger_of, writers_of
from awrdiff.analysis.commit_latency.session_wake_up import LONG_S, Waits, polling_of, share_of, synch_time_s
from awrdiff.analysis.commit_latency.sla import commit_time
from awrdiff.analysis.commit_latency.stages import measured_stages, microseconds_of_broadcast
from awrdiff.analysis.commit_latency.tails import distance, tail_of, typical_overhead, waiter_weighted
from awrdiff.analysis.figures_in_words import percent, seconds
from awrdiff.analysis.model.commit_latency import CommitFigures, Distribution
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import TOP, Event, Side, narrow_total, once_per_side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.rows.align import CLUSTER
from parsers.model import Value

LEAST_SHARE = 0.01  # of DB time, from which on commits matter
AVERAGE_S = 0.010  # what a commit may take on average where nothing else is promised
P99_S = 0.100
_SYNCH_OFF = 0.10  # redo synch time against log file sync: beyond this it is said


# Figures that are a statistic ÷ another.
_RATIOS = {
    "synch_writes_per_write": ("redo synch writes", "redo writes"),
    "redo_per_write_bytes": ("redo size", "redo writes"),
    "wastage_share": ("redo wastage", "redo size"),
}
_RATIOS_OF_A_REPORT = {  # no instance of a global report has these
    "polling_share": ("redo synch poll writes", "redo synch writes"),
    "polls_per_poll_write": ("redo synch polls", "redo synch poll writes"),
    "broadcast_ack_s": ("redo write broadcast ack time", "redo write broadcast ack count"),
    "worker_share": ("redo writes adaptive worker", "redo writes"),
}


@once_per_side
def figures_of(side: Side) -> CommitFigures:
    inputs = inputs_of(side)
    figures = figures_from(inputs)
    lfs = distribution_of_rows(side.report, inputs.lfs, inputs.background_lfs)
    writes = distribution_of_rows(side.report, inputs.lfpw)
    stages = measured_stages(side, figures.wait_s, figures.lfpw_avg_s, _waits(inputs, lfs))
    weighted = waiter_weighted(writes, figures.lfpw_avg_s)
    ends = (side.report.period.begin.sessions, side.report.period.end.sessions)
    ratios = {
        name: over(*(_estimate(side.statistic(s)) for s in statistics))
        for name, statistics in _RATIOS_OF_A_REPORT.items()
    }
    if (each := ratios["broadcast_ack_s"]) is not None:
        ratios["broadcast_ack_s"] = scaled(each, microseconds_of_broadcast(side.report.release) / 1e6)
    without = [e.name for e, histogram in ((inputs.lfs, lfs), (inputs.lfpw, writes)) if e and histogram is None]
    denied = "its histogram cannot have the average that is printed"
    no_histograms = [f"{n} ({denied if distribution_of(side.report, n) else 'no histogram'})" for n in without]
    of_report = replace(
        figures,
        **ratios,
        measured_overhead_s=stages.processing_s,
        waiter_weighted_write_s=weighted,
        slow_writes_up_to_s=_slow_writes(weighted, figures),
        lfs_histogram=lfs,
        lfpw_histogram=writes,
        distance=distance(lfs, writes),
        remote=remote_write_of(side, inputs.statistics.get("redo writes"), inputs.lfpw, writes),
        stages=stages.stages,
        missing=(*inputs.missing, *stages.missing, *no_histograms),
        notes=(*_notes(side, inputs), *stages.notes),
        log_writer=ledger_of(side, inputs, stages.stages),
        tail=tail_of(
            lfs,
            writes,
            float(max((n for n in ends if n), default=0)) or None,
            side.elapsed.number if side.elapsed else None,
            (figures.lfs_total_s, figures.lfpw_total_s),
        ),
        typical_overhead_s=typical_overhead(lfs, writes),
        committers=committers_of(side),
    )
    return with_materiality(
        replace(of_report, polling=polling_of(of_report), split=split_of(of_report, share_of(of_report, inputs)))
    )


def with_materiality(f: CommitFigures) -> CommitFigures:
    """Adds reasons for which commits matter."""
    reasons = () if f.lfs_waits is None or f.has_few_waits else tuple(_reasons(f))
    return replace(f, material=bool(reasons), material_by=reasons)


def _reasons(f: CommitFigures) -> Iterator[str]:
    share, wait = f.lfs_db_time_share, f.lfs_avg_s
    if share is not None and share.value >= LEAST_SHARE:
        yield f"commit waits are {percent(share.value)} of {'call' if f.of_call_time else 'DB'} time"
    if wait is not None and wait.value > AVERAGE_S:
        yield f"a commit waits {seconds(wait.value)} on average"
    p99 = f.lfs_histogram.p99.low_s if f.lfs_histogram is not None else 0.0
    if f.lfs_histogram is not None and p99 >= P99_S:
        longer = next((1.0 - p.share.value for p in f.lfs_histogram.cdf if p.edge_s == p99), 1.0)
        yield f"{percent(longer)} of the commit waits take {seconds(p99)} or longer"
    busy = f.log_writer.busy if f.log_writer is not None else None
    if busy is not None and busy.value > BUSY:
        if busy.value > 1:  # workers, or several instances
            yield "redo writes were under way all the time, more than one at once"
        else:
            yield f"the log writer was busy {percent(busy.value)} of the time"


def figures_from(inputs: Inputs) -> CommitFigures:
    waits, total, lfs = _of_event(inputs.lfs)
    writes, write_total, write = _of_event(inputs.lfpw)
    background_waits, _, background_average = _of_event(inputs.background_lfs)
    overhead = minus(lfs, write) if lfs and write else None
    naive = times(overhead, waits) if overhead and waits else None
    ratio = over(write, lfs)
    db_time = _estimate(inputs.db_time)
    share = over(total, db_time) if db_time else _estimate(inputs.call_time_share)
    commits, statistics = _estimate(inputs.commits), {n: estimate(v) for n, v in inputs.statistics.items()}
    figures = CommitFigures(
        lfs_waits=waits,
        lfs_total_s=total,
        lfs_avg_s=lfs,
        lfpw_waits=writes,
        lfpw_total_s=write_total,
        lfpw_avg_s=write,
        naive_overhead_s=overhead,
        naive_share=complement(ratio) if ratio else None,
        naive_total_s=naive,
        naive_db_time_share=over(naive, db_time),
        lfs_db_time_share=share,
        background_lfs_waits=background_waits,
        background_lfs_avg_s=background_average,
        group_commit=over(waits, writes),
        commit_time_s=commit_time(lfs) if lfs else None,
        lfpw_at_most_s=inputs.lfpw_at_most_s,
        of_call_time=inputs.call_time_share is not None,
        missing=inputs.missing,
        evidence=inputs.evidence,
        commit_wait_ratio=over(statistics.get("redo synch writes"), commits),
        calls_per_commit=over(statistics.get("user calls"), commits) or _estimate(inputs.calls_per_transaction),
    )
    ratios = {name: over(statistics.get(a), statistics.get(b)) for name, (a, b) in _RATIOS.items()}
    return with_materiality(replace(figures, **ratios))


def _slow_writes(weighted: Estimate | None, figures: CommitFigures) -> Estimate | None:
    overhead, write = figures.naive_overhead_s, figures.lfpw_avg_s
    if weighted is None or overhead is None or write is None:
        return None
    if overhead.value <= 0:
        return Estimate(0.0, 0.0, max(overhead.high, 0.0))
    most = max(overhead.high, 0.0)
    low, value, high = (min(max(w - write.value, 0.0), most) for w in (weighted.low, weighted.value, weighted.high))
    value = min(value, overhead.value)
    return Estimate(min(low, value), value, max(high, value))


def _notes(side: Side, inputs: Inputs) -> Iterator[str]:
    if side.report.kind == "awr_global":
        yield "All instances together: every instance has its own log writer, so the averages mix them."
    if side.report.kind == "awr_pdb":
        yield "One container: the log writer serves the whole instance and is not in this report."
    if inputs.call_time_share is not None:
        yield "The share is that of total call time as printed: the report prints no DB time."
    if inputs.lfpw_at_most_s is not None:
        yield (
            "log file parallel write is not in the top list, so it took at most as long as the list's last entry: "
            f"{inputs.lfpw_at_most_s:,.0f} s."
        )
    # Within 3 % of the event rows mostly, far off in some reports; of background sessions alone it says nothing.
    synch, waited = synch_time_s(side), _all_waits(inputs) if inputs.lfs is not None else None
    if synch is not None and waited is not None and waited.number > 0:
        is_off = abs(synch.number / waited.number - 1.0) > _SYNCH_OFF
        if is_off and not waited.low <= synch.number <= waited.high:
            text = f"redo synch time says {seconds(synch.number)}, log file sync {seconds(waited.number)}"
            yield f"{text}: the statistic counts differently and is not used for the estimate."
    total, elapsed = side.statistic(TOTAL_TIME), elapsed_of(side)
    most = writers_of(side) * elapsed.high if elapsed is not None else 0.0
    if total is not None and 0 < most < total.low / 1e6:
        says = f"{TOTAL_TIME} says {seconds(total.number / 1e6)}, more than {seconds(most)} of the window can hold"
        yield f"{says}: not used."


def _all_waits(inputs: Inputs) -> Value | None:
    events = [e.total for e in (inputs.lfs, inputs.background_lfs) if e is not None]
    return Value(sum(t.number for t in events), sum(t.half for t in events)) if events else None


def _waits(inputs: Inputs, histogram: Distribution | None) -> Waits:
    total = _all_waits(inputs) if inputs.lfs is not None else None
    if histogram is None:
        return Waits(total)
    longest = None if histogram.open_ended else histogram.buckets[-1].high_s
    long = sum(b.waits.high for b in histogram.buckets if b.high_s is None or b.high_s > LONG_S)
    return Waits(total, longest, long)


def _of_event(event: Event | None) -> tuple[Estimate | None, Estimate | None, Estimate | None]:
    """Waits, total, average: 0 s in whole seconds is 0 to 0.5 s."""
    if event is None:
        return None, None, None
    average = event.average
    return _estimate(event.waits), within(estimate(event.total)), within(estimate(average)) if average else None


def _estimate(value: Value | None) -> Estimate | None:
    return estimate(value) if value else None


def instances_of(side: Side) -> tuple[CommitFigures, ...]:
    """Empty for a report of one instance."""
    waits, writes = _by_instance(side, TOP_FOREGROUND, LFS), _by_instance(side, TOP_BACKGROUND, LFPW)
    figures = []
    for number in sorted({*waits, *writes}):
        lfs, lfpw = waits.get(number), writes.get(number)
        lacking = [name for name, event in ((LFS, lfs), (LFPW, lfpw)) if event is None]
        missing = tuple(f"{name} (not in the top list of instance {number})" for name in lacking)
        evidence = tuple(row(e.section, (number, e.name), "total_wait_time_s") for e in (lfs, lfpw) if e is not None)
        of_instance = figures_from(Inputs(lfs, lfpw, missing, evidence))
        figures.append(replace(of_instance, whose=f"instance {number}"))
    return tuple(figures)


def _by_instance(side: Side, section_id: str, event: str) -> dict[str, Event]:
    out: dict[str, Event] = {}
    for section, record in (of for i in (section_id, TOP) for of in printed_rows(side.report.section(i))):
        number = section.text(record, "instance_number") if "instance_number" in section.index else ""
        name, waits = section.text(record, "event"), section.number(record, "waits")
        total = narrow_total(section.number(record, "total_wait_time_s"), section.number(record, "avg_wait_s"), waits)
        if name.lower() == event and number not in ("", CLUSTER) and total is not None:
            wait_class = "Commit" if event == LFS else "System I/O"
            out.setdefault(number, Event(name, section.id, waits, total, wait_class))
    return out
