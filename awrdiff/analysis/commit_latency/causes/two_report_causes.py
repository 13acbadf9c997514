"""Causes that only a change between two reports can show."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.causes import log_parallelism_and_numa, next_steps
from awrdiff.analysis.commit_latency.causes.log_parallelism_and_numa import LFS_FACTOR, STEADY
from awrdiff.analysis.commit_latency.causes.redo_writes import (
    SATURATED_PCT,
    SLOW_WRITE_S,
    enough_writes,
    with_busy_host,
)
from awrdiff.analysis.commit_latency.causes.rule_types import (
    Answer,
    Match,
    NotPrinted,
    PairFacts,
    ReportFacts,
    Rule,
    Step,
    average_text,
)
from awrdiff.analysis.commit_latency.commit_wait_breakdown import FLOOR
from awrdiff.analysis.commit_latency.committing_statements import nowait_of, share_of
from awrdiff.analysis.commit_latency.figure_catalogue import value_of
from awrdiff.analysis.commit_latency.inputs_from_report import ACTIVITY, statistic_row
from awrdiff.analysis.commit_latency.interval_arithmetic import difference, factor, within
from awrdiff.analysis.figures_in_words import change, listing, percent, seconds
from awrdiff.analysis.model.commit_latency import CommitFigures
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.report.printed_rows import printed_rows

WRITES_FACTOR = 0.7
WRITE_TIME_FACTOR = 1.2
READS = "db file sequential read"
LEAST_READS = 1_000
HALF = 0.5  # of the longer commit wait
LARGE_BYTES = 128 * 1024.0  # of a write, on both sides: from here on its time is that of its bytes
_MEGABYTE = float(1 << 20)


def adaptive_switch(pair: PairFacts) -> Answer:
    """Between two, either way: LFS ≥ 1.5×, LFPW per second ≤ 0.7×, avgW ≥ 1.2×, bytes per write up, **and** the polling
    share moved by 20 points (*high*) or a trace shows the switch in time (*proven*, section 5). Where no row says how
    many polled: *medium* if the writes do not carry the change (`storage-slowed`), *low* if a trace covers both windows
    without a switch. Not with `_use_adaptive_log_file_sync=FALSE`.
    """
    if not may_switch(pair) or not _looks_like_a_switch(pair):
        return None
    if pair.switch_traced or pair.polling_moved:
        return _switch(pair)
    if pair.poll_shares is not None or _processing_grew_more(pair):
        return None
    if pair.other_host or _writes_carry(pair):
        return NotPrinted("redo synch poll writes, or a trace of the log writer")
    return _switch(pair)


def may_switch(pair: PairFacts) -> bool:
    settings = [f.parameter("_use_adaptive_log_file_sync") or "" for f in (pair.first, pair.second)]
    return all(s.upper() != "FALSE" for s in settings)


def storage_slowed(pair: PairFacts) -> Answer:
    """Between two, either way: LFS ≥ 1.5× and avgW ≥ 1.2× (by its bytes where both sides average ≥ 128 KB per write),
    with as many writes or fewer, **and** the writes carry it: twice the change of avgW is at least half of that of
    avgL; or avgW ≥ 20 ms, ≥ 1.5×, and Second has a matched tail. Beside a switch that is seen the write alone must be
    half of the change: larger writes take longer by themselves. Not where the log writer's measured processing grew by
    more than the write. `db file sequential read` says whether data files went along; a host ≥ 90 % busy without stages
    may hold lost CPU. Where the figures fit a switch as well and no row says how many polled, that is the less likely.
    """
    if not _writes_slowed(pair) or not _writes_carry(pair) or _processing_grew_more(pair):
        return None
    switched = _looks_like_a_switch(pair)
    is_switch = switched and (pair.switch_traced or pair.polling_moved) and may_switch(pair)
    if is_switch and pair.write_s is not None and pair.write_s.value < HALF * pair.change_s:
        return None  # larger writes of a switch take longer by themselves
    course = "slower" if pair.slower else "faster"
    if switched:
        course += ", and fewer of them carry more" if pair.slower else "; there are more of them, and each carries less"
    text = f"{listing(_course(pair))}: the redo writes became {course}."
    each = [seconds(s * _MEGABYTE) for f in (pair.first, pair.second) if (s := _s_per_byte(f.figures)) is not None]
    if len(each) > 1:
        text += f" They are large: by their bytes it is {each[0]} → {each[1]} for each MB."
    shares = pair.poll_shares
    if switched and shares is None and may_switch(pair) and not pair.switch_traced:
        text += " Less likely: sessions changed between polling and being posted; no row says how many polled."
    elif switched and shares is not None and not pair.polling_moved:
        text += f" The share that polled did not move ({percent(shares[0])} → {percent(shares[1])})."
    reads, read_rows = _reads_beside(pair)
    text += reads
    rows = [*pair.rows, *_printed(pair, "redo size", "redo writes"), *_grown_size(pair)[1], *read_rows]
    claim = pair.wait_s
    if claim is not None and pair.write_s is not None:
        most = max(min(claim.high, 2 * pair.write_s.high), 0.0)
        cut = within(pair.write_s, 0.0, most)
        claim = Estimate(cut.low, cut.value, most)
    title = "" if pair.slower else "The redo storage became faster."
    if pair.other_host:
        title = f"The redo storage of Second is {'slower' if pair.slower else 'faster'} than that of First."
    match = Match(text, "medium", tuple(rows), claim, "change", title=title)
    if (pair.better.side.host_busy_pct or 0.0) >= SATURATED_PCT:
        return match
    return with_busy_host(pair.worse, match, whose="Second's" if pair.slower else "First's")


def _reads_beside(pair: PairFacts) -> tuple[str, tuple[Evidence, ...]]:
    events = [f.side.foreground.get(READS) for f in (pair.first, pair.second)]
    averages = [e.average for e in events if e is not None and e.waits is not None and e.waits.number >= LEAST_READS]
    if len(averages) < 2 or averages[0] is None or averages[1] is None or pair.other_host:
        return "", ()
    a, b = averages[0].number, averages[1].number
    times = (b / a if pair.slower else a / b) if a > 0 and b > 0 else WRITE_TIME_FACTOR
    if a <= 0 or b <= 0 or 1.0 + STEADY <= times < WRITE_TIME_FACTOR:
        return "", ()
    course = f"({READS} {seconds(a)} → {seconds(b)})"
    rows = tuple(e.evidence("avg_wait_s") for e in events if e is not None)
    if times < 1.0 + STEADY:
        return f" Reads of data files did not go along {course}: look at the devices of the redo logs first.", rows
    return f" Reads of data files went along {course}: look at what they share with the redo logs first.", rows


def _writes_slowed(pair: PairFacts) -> bool:
    per_byte = [_s_per_byte(f.figures) for f in (pair.better, pair.worse)]
    write = per_byte[1] / per_byte[0] if per_byte[0] and per_byte[1] else pair.write_factor
    slowed = pair.times >= LFS_FACTOR and write is not None and write >= WRITE_TIME_FACTOR
    return slowed and all(enough_writes(f) for f in (pair.better, pair.worse))


def _s_per_byte(figures: CommitFigures) -> float | None:
    write, each = figures.lfpw_avg_s, figures.redo_per_write_bytes
    return write.value / each.value if write is not None and each is not None and each.value >= LARGE_BYTES else None


def _writes_carry(pair: PairFacts) -> bool:
    b = pair.worse.figures
    if pair.wait_s is None or pair.write_s is None or b.lfpw_avg_s is None:
        return False
    if 2 * pair.write_s.value >= HALF * pair.change_s:
        return True
    grown = pair.write_factor or 0.0
    return pair.slower and b.tail is not None and b.lfpw_avg_s.value >= SLOW_WRITE_S and grown >= LFS_FACTOR


def _processing_grew_more(pair: PairFacts) -> bool:
    own = difference(pair.better.figures.measured_overhead_s, pair.worse.figures.measured_overhead_s)
    return own is not None and pair.write_s is not None and own.value > pair.write_s.value


def _looks_like_a_switch(pair: PairFacts) -> bool:
    write, writes = pair.write_factor, _rate_factor(pair.better, pair.worse, "lfpw_waits")
    size = factor(pair.better.figures.redo_per_write_bytes, pair.worse.figures.redo_per_write_bytes)
    if write is None or writes is None or (size is not None and size <= 1.0):
        return False
    return pair.times >= LFS_FACTOR and writes <= WRITES_FACTOR and write >= WRITE_TIME_FACTOR


def _switch(pair: PairFacts) -> Match | None:
    shares, parts = pair.poll_shares, _course(pair)
    if shares is not None:
        parts.append(f"polling {percent(shares[0])} → {percent(shares[1])} of the synch writes")
    way = "worse" if pair.slower else "better"
    text = f"{listing(parts)}: as when sessions change between polling and being posted (for the {way})."
    rows = [*pair.rows, *_printed(pair, "redo size", "redo writes"), *_grown_size(pair)[1]]
    if shares is None and not pair.switch_traced:
        text += " The writes alone carry too little of it; no row says how many polled."
    if pair.polling_moved:
        rows.append(statistic_row("redo synch poll writes"))
    claim, write = pair.wait_s, pair.write_s
    if claim is not None and write is not None:  # beside the writes
        of = 2.0 if 2 * write.value >= HALF * claim.value else 1.0
        ends = ((claim.low, write.high), (claim.value, write.value), (claim.high, write.low))
        claim = Estimate(*(max(w - of * max(o, 0.0), 0.0) for w, o in ends))
    if claim is None or claim.value < FLOOR * pair.change_s:
        return None
    return Match(text, "high" if pair.polling_moved else "medium", tuple(rows), claim, "change")


def _course(pair: PairFacts) -> list[str]:
    a, b = pair.first.figures, pair.second.figures
    rate = [f.per_second(f.figures.lfpw_waits) or 0.0 for f in (pair.first, pair.second)]
    parts = [
        f"Commits waited {pair.waits_text}",
        f"redo writes per second {change(*rate)}",
        f"each {average_text(a.lfpw_avg_s)} → {average_text(b.lfpw_avg_s)}",
    ]
    if a.redo_per_write_bytes and b.redo_per_write_bytes:
        parts.append(f"bytes per write {change(a.redo_per_write_bytes.value, b.redo_per_write_bytes.value)}")
    return [*parts, *_grown_size(pair)[0]]


def _grown_size(pair: PairFacts) -> tuple[list[str], list[Evidence]]:
    rates = []
    for side in (pair.first.side, pair.second.side):
        names = [section.text(record, "statistic") for section, record in printed_rows(side.report.section(ACTIVITY))]
        sized = [n for n in names if n.startswith("redo write size count (") and n.endswith(")")]
        rates.append({n: rate for n in sized if (rate := side.per_second(side.statistic(n))) is not None})
    grown = {n: rates[1][n] - rates[0][n] for n in rates[0] if n in rates[1]}
    name = max(grown, key=lambda n: grown[n], default=None)
    if name is None or grown[name] <= 0:
        return [], []
    size = name.split("(")[1].rstrip(")").strip()
    size = "larger than all others" if size == "inf" else f"of up to {size}"
    return [f"writes {size} per second {change(rates[0][name], rates[1][name])}"], [statistic_row(name)]


def _printed(pair: PairFacts, *names: str) -> list[Evidence]:
    statistics = {*pair.first.inputs.statistics, *pair.second.inputs.statistics}
    return [statistic_row(n) for n in names if n in statistics]


def proportional(pair: PairFacts) -> Answer:
    """Between two: LFS time per second rose as commits per second did, each wait as long as before (both ± 10 %)."""
    a, b = pair.first, pair.second
    time = _rate_factor(a, b, "lfs_total_s")
    latency = pair.factor
    commits = [f.side.per_second(f.inputs.statistics.get("user commits")) for f in (a, b)]
    if time is None or latency is None or not commits[0] or commits[1] is None:
        return None
    rate = commits[1] / commits[0]
    if time < 1.0 + STEADY or abs(latency - 1.0) > STEADY or abs(time / rate - 1.0) > STEADY:
        return None
    text = (
        f"Time in log file sync per second {change(1.0, time)}, commits per second {change(1.0, rate)}, and each wait "
        f"about as long as before ({pair.waits_text})."
    )
    waited = b.figures.lfs_avg_s.value if b.figures.lfs_avg_s is not None else 0.0
    size = f"commits per second {change(1.0, rate)}"
    return Match(text, "high", (*pair.rows, statistic_row("user commits")), weighs_s=waited, size=size)


def durability_changed(pair: PairFacts) -> Answer:
    """Between two, whether or not commit waits matter: commits of one do not wait (`commit-nowait`)."""
    before, after = (nowait_of(f.side) for f in (pair.first, pair.second))
    setting = before or after
    if setting is None or (before is not None and after is not None):
        return None
    shares = [share_of(f.side) for f in (pair.first, pair.second)]
    course = " → ".join(percent(s) if s is not None else "(not printed)" for s in shares)
    way = "no longer wait" if after is not None else "wait again"
    size = f"NOWAIT {course} of the commits"
    text = f"Commits of Second {way} as those of First: {size} ({setting.text})."
    step = Step.DURABILITY if after is not None else Step.OTHER
    return Match(text, "high", setting.evidence, size=size, step=step)


def _rate_factor(first: ReportFacts, second: ReportFacts, figure: str) -> float | None:
    before, after = (f.per_second(value_of(figure, f.figures)) for f in (first, second))
    return after / before if before and after is not None else None


DURABILITY: Rule[PairFacts] = Rule(
    "commit-nowait-changed",
    "Whether commits wait for their redo changed between the two.",
    durability_changed,
    "How long commits waited in the two compares nothing: those that do not wait are in neither figure.",
    (next_steps.COMMIT_SETTINGS,),
)
RULES: tuple[Rule[PairFacts], ...] = (
    Rule(
        "adaptive-switch",
        "Commits seem to have switched between polling and post/wait.",
        adaptive_switch,
        "The figures fit such a switch; the log writer's trace proves it or not.",
        (next_steps.TRACE_SWITCH, next_steps.PARAMETER_ADAPTIVE),
        Step.SWITCH,
    ),
    Rule(
        "storage-slowed",
        "The redo storage slowed.",
        storage_slowed,
        "The log writer times its writes itself: where it waits for a CPU, that is counted as writing.",
        (next_steps.STORAGE, next_steps.TRACE_SWITCH),
        Step.STORAGE,
    ),
    Rule(
        "log-parallelism-changed",
        "Commits changed together with the parallelism of the log.",
        log_parallelism_and_numa.parallelism_changed,
        "Published on hosts with many CPUs; whatever else changed between the two may have done it. A hidden "
        "parameter: ask Oracle Support first.",
        (next_steps.PARAMETER_PARALLELISM, next_steps.ASH_P3),
        Step.SWITCH,
    ),
    Rule(
        "log-parallelism-load",
        "Under load redo writes are split over more log buffers.",
        log_parallelism_and_numa.split_under_load,
        "What was sampled of the two periods; published on hosts with many CPUs.",
        (next_steps.PARAMETER_PARALLELISM, next_steps.ASH_P3),
        Step.SWITCH,
    ),
    Rule(
        "numa",
        "Memory access across sockets (NUMA) may have become slow.",
        log_parallelism_and_numa.numa,
        "A pattern of one published case; any change of platform can show it.",
        (next_steps.NUMA,),
    ),
    Rule(
        "numa-fixed",
        "Memory access across sockets (NUMA) seems to have been put right.",
        log_parallelism_and_numa.numa_fixed,
        "A pattern of one published case; any change of platform can show it.",
        (next_steps.NUMA,),
    ),
    Rule(
        "proportional",
        "More commits, not slower ones: no regression.",
        proportional,
        "It holds for the average wait; a longer tail does not show in it.",
        ("The histograms of both reports: whether the tail grew",),
        Step.LOAD,
    ),
)
