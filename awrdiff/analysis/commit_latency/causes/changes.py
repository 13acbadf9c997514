"""Causes that only the change between two reports can show."""

from __future__ import annotations

from dataclasses import dataclass, replace

from awrdiff.analysis.commit_latency.causes import checks
from awrdiff.analysis.commit_latency.causes.facts import Answer, Match, NotPrinted, ReportFacts, Rule, Step, row
from awrdiff.analysis.commit_latency.causes.parallelism import PARAMETER as _PARALLELISM
from awrdiff.analysis.commit_latency.causes.parallelism import criteria, numbers_of, requests_of
from awrdiff.analysis.commit_latency.causes.writes import SLOW_WRITE_S, enough_writes
from awrdiff.analysis.commit_latency.durability import nowait_of, share_of
from awrdiff.analysis.commit_latency.inputs import statistic_row
from awrdiff.analysis.commit_latency.split import FLOOR
from awrdiff.analysis.model.commits import CommitFigures, Confidence
from awrdiff.analysis.model.evidence import Estimate, Evidence
from awrdiff.analysis.report.side import Event, Side, is_same_host
from awrdiff.analysis.words import change, listing, number, percent, seconds
from parsers.model import Value

LFS_FACTOR = 1.5
WRITES_FACTOR = 0.7
WRITE_TIME_FACTOR = 1.2
POLL_MOVED = 0.2
SHARP = 2.0
STEADY = 0.10
MANY_SOCKETS = 4
MANY_CPUS = 64
STAYED_SHARE = 0.01  # of DB time, in buffer busy waits
LEAST_PRINTED_S = 0.001  # "only events with Total Wait Time (s) >= .001 are shown"
BUFFER_BUSY = "buffer busy waits"
GONE = 0.1  # of First's rate
HALF = 0.5  # of the longer commit wait
LARGE_BYTES = 128 * 1024.0  # of a write, on both sides: from here on its time is that of its bytes
_MEGABYTE = float(1 << 20)


@dataclass(frozen=True, slots=True)
class PairFacts:
    first: ReportFacts
    second: ReportFacts
    switch_traced: bool = False  # a log writer's trace shows one in time

    @property
    def change_s(self) -> float:
        """Of the average commit wait; 0 where one of the two is not known."""
        found = _difference(self.first.figures.lfs_avg_s, self.second.figures.lfs_avg_s)
        return found.value if found is not None else 0.0

    @property
    def rows(self) -> tuple[Evidence, ...]:
        return tuple(dict.fromkeys((*self.first.lfs_rows, *self.second.lfs_rows)))


def adaptive_switch(pair: PairFacts) -> Answer:
    """Between two, either way: LFS ≥ 1.5×, LFPW per second ≤ 0.7×, avgW ≥ 1.2×, bytes per write up, **and** the polling
    share moved by 20 points (*high*) or a trace shows the switch in time (*proven*, section 5). Where no row says how
    many polled: *medium* if the writes do not carry the change (`storage-slowed`), *low* if a trace covers both windows
    without a switch. Not with `_use_adaptive_log_file_sync=FALSE`.
    """
    if not may_switch(pair):
        return None
    moved = poll_share_moved(pair.first.figures, pair.second.figures)
    is_turned = pair.switch_traced or (moved is not None and abs(moved[1] - moved[0]) >= POLL_MOVED)
    for worse, better, slower in ((pair.second, pair.first, True), (pair.first, pair.second, False)):
        if not _looks_like_a_switch(better, worse):
            continue
        if is_turned:
            return _switch(pair, better, worse, slower=slower)
        if moved is None:
            return _likely_switch(pair, better, worse, slower=slower)
    return None


def _likely_switch(pair: PairFacts, better: ReportFacts, worse: ReportFacts, *, slower: bool) -> Answer:
    """Where no row says how many polled: not of two hosts, nor where longer writes carry the change, nor where larger
    ones are what piled up behind the log writer's own processing."""
    if _processing_grew_more(better.figures, worse.figures):
        return None
    moved_host = is_same_host(pair.first.side.report.host.name, pair.second.side.report.host.name) is False
    if moved_host or _writes_carry(better, worse, has_tail=slower):
        return NotPrinted("redo synch poll writes, or a trace of the log writer")
    return _switch(pair, better, worse, slower=slower)


def may_switch(pair: PairFacts) -> bool:
    settings = [f.parameter("_use_adaptive_log_file_sync") or "" for f in (pair.first, pair.second)]
    return all(s.upper() != "FALSE" for s in settings)


def storage_slowed(pair: PairFacts) -> Answer:
    """Between two, either way: LFS ≥ 1.5× and avgW ≥ 1.2× (by its bytes where both sides average ≥ 128 KB per write),
    with as many writes or fewer, **and** the writes carry it: twice the change of avgW is at least half of that of
    avgL; or avgW ≥ 20 ms, ≥ 1.5×, and Second has a matched tail. Beside a switch that is seen the write alone must be
    half of the change: larger writes take longer by themselves. Not where the log writer's measured processing grew by
    more than the write. Where the figures fit a switch as well and no row says how many polled, that is named as the
    less likely.
    """
    moved = poll_share_moved(pair.first.figures, pair.second.figures)
    for worse, better, slower in ((pair.second, pair.first, True), (pair.first, pair.second, False)):
        if not _writes_slowed(better, worse) or not _writes_carry(better, worse, has_tail=slower):
            continue
        switched = _looks_like_a_switch(better, worse)
        turned = pair.switch_traced or (moved is not None and abs(moved[1] - moved[0]) >= POLL_MOVED)
        write = _difference(better.figures.lfpw_avg_s, worse.figures.lfpw_avg_s)
        by_switch = switched and turned and may_switch(pair) and write is not None
        if by_switch and write is not None and write.value < HALF * abs(pair.change_s):
            return None  # larger writes of a switch take longer by themselves
        if _processing_grew_more(better.figures, worse.figures):
            return None
        open_ = switched and moved is None and may_switch(pair) and not pair.switch_traced
        return _slowdown(pair, better, worse, slower=slower, fewer=switched, open_=open_)
    return None


def _slowdown(
    pair: PairFacts, better: ReportFacts, worse: ReportFacts, *, slower: bool, fewer: bool, open_: bool
) -> Match:
    course = "slower" if slower else "faster"
    if fewer:
        course += ", and fewer of them carry more" if slower else "; there are more of them, and each carries less"
    text = f"{listing(_course(pair))}: the redo writes became {course}."
    per_byte = [_s_per_byte(f.figures) for f in (pair.first, pair.second)]
    if per_byte[0] is not None and per_byte[1] is not None:
        each = [seconds(s * _MEGABYTE) for s in per_byte if s is not None]
        text += f" They are large: by their bytes it is {each[0]} → {each[1]} for each MB."
    moved = poll_share_moved(pair.first.figures, pair.second.figures)
    if open_:
        text += " Less likely: sessions changed between polling and being posted; no row says how many polled."
    elif fewer and moved is not None and abs(moved[1] - moved[0]) < POLL_MOVED:
        text += f" The share that polled did not move ({percent(moved[0])} → {percent(moved[1])})."
    rows = [*pair.rows, *_printed(pair, "redo size", "redo writes"), *_grown_size(pair)[1]]
    found = _by_writes(better.figures, worse.figures)
    return Match(text, "medium", tuple(rows), found, "change", title=_storage_title(pair, slower=slower))


def _writes_slowed(better: ReportFacts, worse: ReportFacts) -> bool:
    """While commits wait longer. Large writes are compared by their bytes; what a small one costs is no matter of
    its bytes."""
    a, b = better.figures, worse.figures
    lfs, write = _factor(a.lfs_avg_s, b.lfs_avg_s), _factor(a.lfpw_avg_s, b.lfpw_avg_s)
    per_byte = [_s_per_byte(f) for f in (a, b)]
    if per_byte[0] and per_byte[1]:
        write = per_byte[1] / per_byte[0]
    slowed = lfs is not None and write is not None and lfs >= LFS_FACTOR and write >= WRITE_TIME_FACTOR
    return slowed and all(enough_writes(f) for f in (better, worse))


def _s_per_byte(figures: CommitFigures) -> float | None:
    """Of writes that are large on average; None of small ones."""
    write, each = figures.lfpw_avg_s, figures.redo_per_write_bytes
    return write.value / each.value if write is not None and each is not None and each.value >= LARGE_BYTES else None


def _writes_carry(better: ReportFacts, worse: ReportFacts, *, has_tail: bool) -> bool:
    """Whether longer writes can be half of the longer wait (one's own and the one under way); or they are far too
    long, by more than half, and the long waits of Second are as long as its slow writes."""
    a, b = better.figures, worse.figures
    waits, write = _difference(a.lfs_avg_s, b.lfs_avg_s), _difference(a.lfpw_avg_s, b.lfpw_avg_s)
    if waits is None or write is None or b.lfpw_avg_s is None:
        return False
    if 2 * write.value >= HALF * waits.value:
        return True
    grown = _factor(a.lfpw_avg_s, b.lfpw_avg_s) or 0.0
    return has_tail and b.tail is not None and b.lfpw_avg_s.value >= SLOW_WRITE_S and grown >= LFS_FACTOR


def _storage_title(pair: PairFacts, *, slower: bool) -> str:
    """Of two hosts, none became anything."""
    way = "slower" if slower else "faster"
    if is_same_host(pair.first.side.report.host.name, pair.second.side.report.host.name) is False:
        return f"The redo storage of Second is {way} than that of First."
    return "" if slower else "The redo storage became faster."


def _processing_grew_more(better: CommitFigures, worse: CommitFigures) -> bool:
    """The log writer's own processing grew by more than the write: then larger writes are what piled up meanwhile."""
    own = _difference(better.measured_overhead_s, worse.measured_overhead_s)
    write = _difference(better.lfpw_avg_s, worse.lfpw_avg_s)
    return own is not None and write is not None and own.value > write.value


def _by_writes(better: CommitFigures, worse: CommitFigures) -> Estimate | None:
    """What longer writes make of the change: one's own, and at most the one under way as well."""
    waits, write = _difference(better.lfs_avg_s, worse.lfs_avg_s), _difference(better.lfpw_avg_s, worse.lfpw_avg_s)
    if waits is None or write is None:
        return waits
    most = max(min(waits.high, 2 * write.high), 0.0)
    return Estimate(min(max(write.low, 0.0), most), min(max(write.value, 0.0), most), most)


def _looks_like_a_switch(better: ReportFacts, worse: ReportFacts) -> bool:
    a, b = better.figures, worse.figures
    lfs, write = _factor(a.lfs_avg_s, b.lfs_avg_s), _factor(a.lfpw_avg_s, b.lfpw_avg_s)
    writes = _rate_factor(better.side, worse.side, a.lfpw_waits, b.lfpw_waits)
    size = _factor(a.redo_per_write_bytes, b.redo_per_write_bytes)
    if lfs is None or write is None or writes is None:
        return False
    grown = size is None or size > 1.0
    return lfs >= LFS_FACTOR and writes <= WRITES_FACTOR and write >= WRITE_TIME_FACTOR and grown


def _beside_the_writes(better: CommitFigures, worse: CommitFigures) -> Estimate | None:
    """The change of the commit wait without that of the write: what a switch can claim; without the write under way as
    well where the writes carry the change."""
    waits, write = _difference(better.lfs_avg_s, worse.lfs_avg_s), _difference(better.lfpw_avg_s, worse.lfpw_avg_s)
    if waits is None or write is None:
        return waits
    times_ = 2.0 if 2 * write.value >= HALF * waits.value else 1.0
    left = [
        max(w - times_ * max(o, 0.0), 0.0)
        for w, o in ((waits.low, write.high), (waits.value, write.value), (waits.high, write.low))
    ]
    return Estimate(*left)


def _switch(pair: PairFacts, better: ReportFacts, worse: ReportFacts, *, slower: bool) -> Match | None:
    moved = poll_share_moved(pair.first.figures, pair.second.figures)
    parts = _course(pair)
    if moved is not None:
        parts.append(f"polling {percent(moved[0])} → {percent(moved[1])} of the synch writes")
    way = "worse" if slower else "better"
    text = f"{listing(parts)}: as when sessions change between polling and being posted (for the {way})."
    rows = [*pair.rows, *_printed(pair, "redo size", "redo writes"), *_grown_size(pair)[1]]
    certain = moved is not None and abs(moved[1] - moved[0]) >= POLL_MOVED
    if moved is None and not pair.switch_traced:
        text += " The writes alone carry too little of it; no row says how many polled."
    if certain:
        rows.append(statistic_row("redo synch poll writes"))
    difference = _beside_the_writes(better.figures, worse.figures)
    if difference is None or difference.value < FLOOR * abs(pair.change_s):
        return None
    return Match(text, "high" if certain else "medium", tuple(rows), difference, "change")


def _course(pair: PairFacts) -> list[str]:
    """The wait, the writes and their size, from First to Second."""
    a, b = pair.first.figures, pair.second.figures
    rate = [f.side.per_second(_value(f.figures.lfpw_waits)) or 0.0 for f in (pair.first, pair.second)]
    parts = [
        f"Commits waited {_of(a.lfs_avg_s)} → {_of(b.lfs_avg_s)}",
        f"redo writes per second {change(*rate)}",
        f"each {_of(a.lfpw_avg_s)} → {_of(b.lfpw_avg_s)}",
    ]
    if a.redo_per_write_bytes and b.redo_per_write_bytes:
        parts.append(f"bytes per write {change(a.redo_per_write_bytes.value, b.redo_per_write_bytes.value)}")
    return [*parts, *_grown_size(pair)[0]]


def _grown_size(pair: PairFacts) -> tuple[list[str], list[Evidence]]:
    """Which bucket of `redo write size count` took on the most writes per second."""
    rates = [write_sizes(f.side) for f in (pair.first, pair.second)]
    grown = {n: rates[1][n] - rates[0][n] for n in rates[0] if n in rates[1]}
    name = max(grown, key=lambda n: grown[n], default=None)
    if name is None or grown[name] <= 0:
        return [], []
    size = name.split("(")[1].rstrip(")").strip()
    size = "larger than all others" if size == "inf" else f"of up to {size}"
    return [f"writes {size} per second {change(rates[0][name], rates[1][name])}"], [statistic_row(name)]


def write_sizes(side: Side) -> dict[str, float]:
    """Redo writes per second by the printed names of their size buckets."""
    section = side.report.section("instance_activity")
    names = [section.text(r, "statistic") for r in section.records] if section is not None else []
    sized = [n for n in names if n.startswith("redo write size count (") and n.endswith(")")]
    return {n: rate for n in sized if (rate := side.per_second(side.statistic(n))) is not None}


def _printed(pair: PairFacts, *names: str) -> list[Evidence]:
    """Statistics as far as either report prints them."""
    known = {*pair.first.inputs.statistics, *pair.second.inputs.statistics}
    return [statistic_row(n) for n in names if n in known]


def poll_share_moved(a: CommitFigures, b: CommitFigures) -> tuple[float, float] | None:
    """The share of synch writes that polled, in both (0..1)."""
    if a.polling_share is None or b.polling_share is None:
        return None
    return a.polling_share.value, b.polling_share.value


def numa(pair: PairFacts) -> Answer:
    """Between two: LFS and `buffer busy waits` at least double, by more than rounding leaves open, while changes,
    commits and logical reads per second grow ≤ 10 %, 4 sockets or more (Doc IDs 2551169.1, 2319324.1).
    """
    first, second = pair.first.side, pair.second.side
    sockets = _sockets(second)
    lfs = _factor(pair.first.figures.lfs_avg_s, pair.second.figures.lfs_avg_s)
    busy = [s.foreground.get("buffer busy waits") for s in (first, second)]
    if sockets is None or sockets < MANY_SOCKETS or lfs is None or busy[1] is None:
        return None
    total = busy[0].total if busy[0] is not None else _at_most(first)
    if total is None:
        return None
    before, after = first.per_second(total), second.per_second(busy[1].total)
    grown = _rose_sharply(total, busy[1].total, first, second)
    if lfs < SHARP or not grown or not _work_is_steady(first, second):
        return None
    rose = (
        change(before or 0.0, after or 0.0)
        if busy[0]
        else f"at most {seconds(total.high)} → {seconds(busy[1].total.number)}"
    )
    moved = is_same_host(first.report.host.name, second.report.host.name) is False
    text = (
        f"Commit waits and buffer busy waits both rose ({change(1.0, lfs)} and {rose}) "
        f"without more work, on a host with {number(sockets)} sockets"
        f"{'; the host is not the one of First' if moved else ''}."
    )
    printed = second.value("os_statistics", "value", "NUM_CPU_SOCKETS") is not None
    counted = (row("os_statistics", "NUM_CPU_SOCKETS", "value"),) if printed else ()  # else it is in the header
    rows = (*pair.rows, busy[1].evidence(), *counted)
    found = _difference(pair.first.figures.lfs_avg_s, pair.second.figures.lfs_avg_s)
    return Match(text, "medium" if moved else "low", rows, found, "change")


def numa_fixed(pair: PairFacts) -> Answer:
    """Between two, the other way: LFS ÷ 1.5 or better and `buffer busy waits` at most a tenth of First's rate, where
    they were ≥ 1 % of its DB time, without less work, on 4 sockets or 64 CPUs.
    """
    first, second = pair.first.side, pair.second.side
    lfs, before = (
        _factor(pair.second.figures.lfs_avg_s, pair.first.figures.lfs_avg_s),
        first.foreground.get(BUFFER_BUSY),
    )
    is_large = (_sockets(second) or 0) >= MANY_SOCKETS or (second.cpus or 0) >= MANY_CPUS
    if lfs is None or lfs < LFS_FACTOR or before is None or not is_large or not _work_is_steady(second, first):
        return None
    if (first.share_of_db_time(before.total) or 0.0) < STAYED_SHARE:
        return None
    event = second.foreground.get(BUFFER_BUSY)
    total = event.total if event is not None else _at_most(second)
    rates = [first.per_second(before.total), second.per_second(total) if total is not None else None]
    if rates[0] is None or rates[1] is None or rates[1] > GONE * rates[0]:
        return None
    waits = f"{_of(pair.first.figures.lfs_avg_s)} → {_of(pair.second.figures.lfs_avg_s)}"
    now = seconds(event.total.number) if event is not None else "none listed"
    text = (
        f"A commit waited {waits} and buffer busy waits went from {seconds(before.total.number)} to {now} for as much "
        "work: as in the published case once kernel.numa_balancing was 0."
    )
    rows = (*pair.rows, before.evidence(), *((event.evidence(),) if event is not None else ()))
    found = _difference(pair.second.figures.lfs_avg_s, pair.first.figures.lfs_avg_s)
    return Match(text, "low", rows, found, "change")


def _at_most(side: Side) -> Value | None:
    """How long an event waited that the foreground list does not print: as long as the shortest of a top list, or the
    1 ms that a whole list begins at; from nothing on."""
    if not side.foreground:
        return None
    most = min(e.total.high for e in side.foreground.values()) if side.foreground_is_partial else LEAST_PRINTED_S
    return Value(most / 2, most / 2)


def _rose_sharply(before: Value, after: Value, first: Side, second: Side) -> bool:
    """Its time per second at least doubled, and is more than what its rounding leaves open: 0 s and 0 s are nothing."""
    most, least = first.per_second(Value(before.high, 0)), second.per_second(Value(after.low, 0))
    return most is not None and least is not None and least > 0 and least >= SHARP * most


def _sockets(side: Side) -> float | None:
    if side.report.host.sockets is not None:
        return float(side.report.host.sockets)
    printed = side.value("os_statistics", "value", "NUM_CPU_SOCKETS")
    return printed.number if printed else None


def _work_is_steady(first: Side, second: Side) -> bool:
    """Changes, commits and logical reads per second grew by at most a tenth, as far as both print them."""
    found = []
    for name in ("db block changes", "user commits", "session logical reads"):
        a, b = first.per_second(first.statistic(name)), second.per_second(second.statistic(name))
        if a and b is not None:
            found.append(b / a)
    return bool(found) and max(found) <= 1.0 + STEADY


def parallelism_changed(pair: PairFacts) -> Answer:
    """Between two: `_log_parallelism_max` differs, and LFS is longer or shorter by 10 % (low; medium from 1.5× on).
    That the one made the other stays to be shown. Where LFS fell and `buffer busy waits` stayed (half of First's or
    more, ≥ 1 % of DB time) on 64 CPUs or 4 sockets, `kernel.numa_balancing` is the next check.
    """
    if not all(f.parameter(_PARALLELISM) or f.side.lists_all("init_parameters") for f in (pair.first, pair.second)):
        return None
    a, b = (f.parameter(_PARALLELISM) or "its default" for f in (pair.first, pair.second))
    lfs = _factor(pair.first.figures.lfs_avg_s, pair.second.figures.lfs_avg_s)
    if a == b or lfs is None or 1.0 / (1.0 + STEADY) < lfs < 1.0 + STEADY:
        return None
    much = not 1.0 / LFS_FACTOR < lfs < LFS_FACTOR
    waits = f"{_of(pair.first.figures.lfs_avg_s)} → {_of(pair.second.figures.lfs_avg_s)}"
    text = f"{_PARALLELISM} went from {a} to {b}, and a commit waited {waits}."
    rows = (*pair.rows, row("init_parameters", _PARALLELISM, "begin_value"))
    better, worse = (pair.second, pair.first) if lfs < 1 else (pair.first, pair.second)
    found = _difference(better.figures.lfs_avg_s, worse.figures.lfs_avg_s)
    confidence: Confidence = "medium" if much else "low"
    answer = Match(text, confidence, rows, found, "change", criteria=criteria(worse))
    left = _buffer_busy_left(pair) if lfs < 1 else None
    if left is None:
        return answer
    text += f" {left.name} stayed ({seconds(left.total.number)}): the other half of the published case was NUMA."
    return replace(answer, text=text, evidence=(*rows, left.evidence()), checks=(checks.NUMA,))


def split_under_load(pair: PairFacts) -> Answer:
    """Between a quiet and a loaded period, either way: LFS ≥ 1.5×, and in the period of the longer waits P3 of LFPW
    reaches higher and is above what its files and blocks need, on 64 CPUs or more with `_log_parallelism_max` not set.
    P3 as the ASH section of both reports, or samples attached (section 5), have it.
    """
    lfs = _factor(pair.first.figures.lfs_avg_s, pair.second.figures.lfs_avg_s)
    if lfs is None or 1.0 / LFS_FACTOR < lfs < LFS_FACTOR:
        return None
    quiet, loaded = (pair.first, pair.second) if lfs > 1 else (pair.second, pair.first)
    if (loaded.side.cpus or 0) < MANY_CPUS or any(f.parameter(_PARALLELISM) for f in (quiet, loaded)):
        return None
    sampled = [requests_of(f) for f in (pair.first, pair.second)]
    if not all(rows for _, _, rows in sampled):
        return NotPrinted(
            "P3 of log file parallel write in the ASH section or in samples attached (I/O requests), of both"
        )
    before, after = sampled if lfs > 1 else sampled[::-1]
    if not after[1] or max(after[0]) <= max(before[0]):
        return None
    course = " → ".join(numbers_of(requests) for requests, _, _ in sampled)
    waits = f"{_of(pair.first.figures.lfs_avg_s)} → {_of(pair.second.figures.lfs_avg_s)}"
    text = (
        f"P3 of log file parallel write {course}, while a commit waited {waits}: more load, more requests to a write."
    )
    found = _difference(quiet.figures.lfs_avg_s, loaded.figures.lfs_avg_s)
    rows = (*pair.rows, *(row for _, _, rows in sampled for row in rows))
    return Match(text, "medium", rows, found, "change", criteria=criteria(loaded))


def _buffer_busy_left(pair: PairFacts) -> Event | None:
    """Buffer busy waits that did not go with the commit waits, on a host large enough for NUMA to matter."""
    first, second = pair.first.side, pair.second.side
    if (second.cpus or 0) < MANY_CPUS and (_sockets(second) or 0) < MANY_SOCKETS:
        return None
    before, after = (s.foreground.get("buffer busy waits") for s in (first, second))
    if after is None or (second.share_of_db_time(after.total) or 0.0) < STAYED_SHARE:
        return None
    rates = [s.per_second(e.total) if e is not None else None for s, e in ((first, before), (second, after))]
    return after if rates[0] is None or (rates[1] or 0.0) >= HALF * rates[0] else None


def proportional(pair: PairFacts) -> Answer:
    """Between two: LFS time per second rose as commits per second did, each wait as long as before (both ± 10 %)."""
    a, b = pair.first, pair.second
    time = _rate_factor(a.side, b.side, a.figures.lfs_total_s, b.figures.lfs_total_s)
    latency = _factor(a.figures.lfs_avg_s, b.figures.lfs_avg_s)
    commits = [f.side.per_second(f.inputs.statistics.get("user commits")) for f in (a, b)]
    if time is None or latency is None or not commits[0] or commits[1] is None:
        return None
    rate = commits[1] / commits[0]
    if time < 1.0 + STEADY or abs(latency - 1.0) > STEADY or abs(time / rate - 1.0) > STEADY:
        return None
    text = (
        f"Time in log file sync per second {change(1.0, time)}, commits per second {change(1.0, rate)}, and each wait "
        f"about as long as before ({_of(a.figures.lfs_avg_s)} → {_of(b.figures.lfs_avg_s)})."
    )
    waited = b.figures.lfs_avg_s.value if b.figures.lfs_avg_s is not None else None
    size = f"commits per second {change(1.0, rate)}"
    return Match(text, "high", (*pair.rows, statistic_row("user commits")), weighs_s=waited, size=size)


def durability_changed(pair: PairFacts) -> Answer:
    """Between two, whether or not commit waits matter: commits of one do not wait (`commit-nowait`)."""
    before, after = (nowait_of(f.side) for f in (pair.first, pair.second))
    asked = before or after
    if asked is None or (before is not None and after is not None):
        return None
    shares = [share_of(f.side) for f in (pair.first, pair.second)]
    course = " → ".join(percent(s) if s is not None else "(not printed)" for s in shares)
    way = "no longer wait" if after is not None else "wait again"
    size = f"NOWAIT {course} of the commits"
    text = f"Commits of Second {way} as those of First: {size} ({asked.text})."
    step = Step.DURABILITY if after is not None else Step.OTHER
    return Match(text, "high", asked.evidence, size=size, step=step)


def _of(average: Estimate | None) -> str:
    return seconds(average.value) if average is not None else "?"


def _value(estimate: Estimate | None) -> Value | None:
    return Value(estimate.value, (estimate.high - estimate.low) / 2) if estimate is not None else None


def _factor(a: Estimate | None, b: Estimate | None) -> float | None:
    return b.value / a.value if a is not None and b is not None and a.value > 0 else None


def _rate_factor(first: Side, second: Side, a: Estimate | None, b: Estimate | None) -> float | None:
    """Second's rate ÷ First's, by each side's own elapsed time."""
    before, after = first.per_second(_value(a)), second.per_second(_value(b))
    return after / before if before and after is not None else None


def _difference(a: Estimate | None, b: Estimate | None) -> Estimate | None:
    return Estimate(b.low - a.high, b.value - a.value, b.high - a.low) if a is not None and b is not None else None


DURABILITY: Rule[PairFacts] = Rule(
    "commit-nowait-changed",
    "Whether commits wait for their redo changed between the two.",
    durability_changed,
    "How long commits waited in the two compares nothing: those that do not wait are in neither figure.",
    (checks.COMMIT_SETTINGS,),
)
RULES: tuple[Rule[PairFacts], ...] = (
    Rule(
        "adaptive-switch",
        "Commits seem to have switched between polling and post/wait.",
        adaptive_switch,
        "The figures fit such a switch; the log writer's trace proves it or not.",
        (checks.TRACE_SWITCH, checks.PARAMETER_ADAPTIVE),
        Step.SWITCH,
    ),
    Rule(
        "storage-slowed",
        "The redo storage slowed.",
        storage_slowed,
        "The log writer times its writes itself: where it waits for a CPU, that is counted as writing.",
        (checks.STORAGE, checks.TRACE_SWITCH),
        Step.STORAGE,
    ),
    Rule(
        "log-parallelism-changed",
        "Commits changed together with the parallelism of the log.",
        parallelism_changed,
        "Published on hosts with many CPUs; whatever else changed between the two may have done it. A hidden "
        "parameter: ask Oracle Support first.",
        (checks.PARAMETER_PARALLELISM, checks.ASH_P3),
        Step.SWITCH,
    ),
    Rule(
        "log-parallelism-load",
        "Under load redo writes are split over more log buffers.",
        split_under_load,
        "What was sampled of the two periods; published on hosts with many CPUs.",
        (checks.PARAMETER_PARALLELISM, checks.ASH_P3),
        Step.SWITCH,
    ),
    Rule(
        "numa",
        "Memory access across sockets (NUMA) may have become slow.",
        numa,
        "A pattern of one published case; any change of platform can show it.",
        (checks.NUMA,),
    ),
    Rule(
        "numa-fixed",
        "Memory access across sockets (NUMA) seems to have been put right.",
        numa_fixed,
        "A pattern of one published case; any change of platform can show it.",
        (checks.NUMA,),
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
