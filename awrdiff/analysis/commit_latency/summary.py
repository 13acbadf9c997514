"""Paragraph on the cost of commits: wait, write, rest, standby, share of DB time."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.commit_latency import commit_wait_breakdown
from awrdiff.analysis.commit_latency.causes.redo_writes import SLOW_WRITE_S
from awrdiff.analysis.commit_latency.log_writer import BUSY
from awrdiff.analysis.figures_in_words import (
    between,
    change,
    listing,
    number,
    percent,
    report_named,
    seconds,
    sentence,
    several,
    wait_text,
)
from awrdiff.analysis.model.commit_latency import CommitFigures, SplitId
from awrdiff.analysis.model.estimates_and_evidence import Estimate

LFS_LFPW = "log file sync minus log file parallel write (LFS − LFPW)"
_MOSTLY = 0.5  # of a commit wait, of what is not the write
_QUEUED: tuple[SplitId, ...] = ("queue", "open")
_OPEN = 0.1  # of a difference: more than the digits of a printed average leave open


def lead(reports: Sequence[CommitFigures]) -> str:
    waits, writes = [f.wait_s for f in reports], [f.lfpw_avg_s for f in reports]
    shares = _of_db_time(reports)
    if not any(waits):
        totals = [f.lfs_total_s for f in reports]
        if any(f.has_few_waits for f in reports):
            times = " → ".join(number(f.lfs_waits.value) if f.lfs_waits else "(not printed)" for f in reports)
            return f"Commits waited {times} times, too few for an average: {_course(totals)} in all.{shares}"
        who = "The report does not print" if len(reports) == 1 else "No report prints"
        text = f"{who} how long a commit waits on average (log file sync)"
        return f"{text}; in all commits waited {_course(totals)}.{shares}" if any(totals) else f"{text}."
    few = [
        f"({several(f.lfs_waits.value, 'time', 'times')}, too few for an average)"
        if f.has_few_waits and f.lfs_waits
        else "(not printed)"
        for f in reports
    ]
    text = f"A commit waits {_course(waits, few)}"
    instead = [
        f"(at most {f.lfpw_at_most_s:,.0f} s in all)" if f.lfpw_at_most_s is not None else "(not printed)"
        for f in reports
    ]
    has_writes = any(writes) or any(f.lfpw_at_most_s is not None for f in reports)
    text += f"; the redo write itself takes {_course(writes, instead)}." if has_writes else "."
    changed = (
        commit_wait_breakdown.sentence(commit_wait_breakdown.change_of(reports[0], reports[-1]))
        if _change(waits)
        else ""
    )
    return f"{text}{_outside_write(reports)}{changed}{_standby(reports)}{shares}"


def _change(estimates: Sequence[Estimate | None]) -> str:
    """`+50 %`; "" within what the digits leave open."""
    first, last = estimates[0], estimates[-1]
    if len(estimates) < 2 or first is None or last is None or (first.low <= last.high and last.low <= first.high):
        return ""
    course = change(first.value, last.value) if first.value > 0 else "flat"
    return course if course != "flat" else ""


def _of_db_time(reports: Sequence[CommitFigures]) -> str:
    shared = [f for f in reports if f.lfs_db_time_share]
    if not shared:
        return ""
    of = " → ".join(_share(f.lfs_db_time_share) for f in reports)
    parts = [
        f"{number(total.value)} of {number(total.value / share.value)} s"
        for f in reports
        if (share := f.lfs_db_time_share) is not None and share.value > 0 and not f.of_call_time
        if (total := f.lfs_total_s) is not None
    ]
    in_seconds = f" ({' → '.join(parts)})" if len(parts) == len(reports) else ""
    return f" Commit waits are {of} of {'call time' if all(f.of_call_time for f in shared) else 'DB time'}{in_seconds}."


def _share(part: Estimate | None) -> str:
    if part is None:
        return "(not printed)"
    most = percent(part.high)
    if part.value > 0 or part.high <= 0:
        return percent(part.value)
    return most if most.startswith("under") else f"at most {most}"


def _standby(reports: Sequence[CommitFigures]) -> str:
    costs = {place: _range(f.remote.cost_s) for place, f in enumerate(reports) if f.remote}
    if not costs:
        return ""
    some = [f"{cost} in {report_named(place, len(reports))}" for place, cost in costs.items()]
    adds = " → ".join(costs.values()) if len(costs) == len(reports) else listing(some)
    return f" To each write the standby (Data Guard SYNC) adds {adds}."


def _range(estimate: Estimate) -> str:
    return between(estimate.low, estimate.high, seconds)


def _course(estimates: Sequence[Estimate | None], instead: Sequence[str] = ()) -> str:
    missing = instead or ["(not printed)"] * len(estimates)
    text = " → ".join(wait_text(e) if e else substitute for e, substitute in zip(estimates, missing, strict=True))
    course = _change(estimates)
    return f"{text} ({course})" if course else text


def _outside_write(reports: Sequence[CommitFigures]) -> str:
    overheads = [f.naive_overhead_s if f.wait_s else None for f in reports]
    if not any(overheads) and not any(f.lfpw_at_most_s is not None and f.wait_s for f in reports):
        return ""
    if all(e is not None and e.high < 0 for e in overheads):
        less = " → ".join(_less(e) for e in overheads if e)
        joined = "commits joined writes under way, they waited less than an average write, by"
        return f" {sentence(LFS_LFPW)} is negative: {joined} {less}."
    bounded = any(f.lfpw_at_most_s is not None and f.naive_overhead_s is None for f in reports)
    text = f" Outside the redo write, {LFS_LFPW}: {' → '.join(_other(f) for f in reports)} of a wait"
    text += "." if bounded else f", an upper estimate{_queueing(reports)}."
    for place, f in enumerate(reports):
        if f.longer_wake_up_s is not None and f.wait_s is not None:
            where = f" of {report_named(place, len(reports))}" if len(reports) > 1 else ""
            text += f" The wake-up{where} alone took {_range(f.longer_wake_up_s)}: commits joined writes under way."
    return text


def _queueing(reports: Sequence[CommitFigures]) -> str:
    """Clause on writes so slow and frequent that a commit waits for those before its own."""
    places = [place for place, f in enumerate(reports) if _are_writes_slow(f)]
    if not places:
        return ""
    where = "" if len(places) == len(reports) else f" in {listing([report_named(p, len(reports)) for p in places])}"
    return f": most of it{where} is queueing behind earlier, slow writes"


def _are_writes_slow(f: CommitFigures) -> bool:
    busy = f.log_writer.busy if f.log_writer is not None else None
    is_long = f.naive_share is not None and f.naive_share.value > _MOSTLY and f.remote is None
    unmeasured = sum(f.split.parts.get(part, 0.0) for part in _QUEUED)
    is_queue = is_long and f.naive_overhead_s is not None and unmeasured >= _MOSTLY * f.naive_overhead_s.value
    is_slow = f.lfpw_avg_s is not None and f.lfpw_avg_s.value >= SLOW_WRITE_S
    return is_queue and is_slow and busy is not None and busy.value > BUSY


def _other(f: CommitFigures) -> str:
    if f.has_few_waits:
        return "(too few waits)"
    if f.naive_overhead_s is None or f.wait_s is None:
        most, total = f.lfpw_at_most_s, f.lfs_total_s
        if most is None or total is None or f.wait_s is None or not 0 <= most < total.value:
            return "(not printed)"
        return f"at least {percent(1 - most / total.value)} by all redo writes together"
    if f.naive_overhead_s.high < 0:
        return f"not to be told (commits waited {_less(f.naive_overhead_s)} less than a write)"
    if f.naive_overhead_s.value < 0:
        return "not to be told (commits waited about as long as a write)"
    share = f" ({percent(f.naive_share.value)})" if f.naive_share else ""
    return f"{seconds(f.naive_overhead_s.value)}{share}"


def _less(overhead: Estimate) -> str:
    is_open = overhead.high - overhead.low > -_OPEN * overhead.value
    return f"at least {seconds(-overhead.high)}" if is_open else seconds(-overhead.value)
