"""Causes on hosts with many CPUs: log parallelism (Doc ID 1980199.1) and NUMA. docs/commit-latency.md, section 5."""

from __future__ import annotations

import re
from collections import Counter
from math import ceil

from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import next_steps
from awrdiff.analysis.commit_latency.causes.rule_types import (
    NOT_IO_RATIO,
    Answer,
    Match,
    NotPrinted,
    PairFacts,
    ReportFacts,
)
from awrdiff.analysis.commit_latency.inputs_from_report import BLOCK_BYTES, LFPW, row
from awrdiff.analysis.figures_in_words import change, listing, number, seconds
from awrdiff.analysis.model.commit_latency import Confidence, Criterion
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from parsers.model import Value

PARAMETER = "_log_parallelism_max"
MANY_CPUS = 64
MANY_SOCKETS = 4
LFS_FACTOR = 1.5
SHARP = 2.0
STEADY = 0.10
STAYED_SHARE = 0.01  # of DB time, in buffer busy waits
STAYED = 0.5  # of First's rate
GONE = 0.1
LEAST_PRINTED_S = 0.001  # "only events with Total Wait Time (s) >= .001 are shown"
BUFFER_BUSY = "buffer busy waits"
RARE = 0.05  # of the samples of a window
MOST_ROWS = 4  # of the samples, and numbers told one by one
_REQUEST_BYTES = 1 << 20  # the largest I/O request of the log writer


def parallelism(f: ReportFacts) -> Answer:
    """avgL / avgW > 2, 64 CPUs or more, more I/O requests per write (P3 of LFPW) than its P1 files and P2 blocks need
    (one to each file and megabyte), `_log_parallelism_max` not set (Doc ID 1980199.1).
    """
    if f.ratio is None or f.ratio.value <= NOT_IO_RATIO or (f.side.cpus or 0) < MANY_CPUS:
        return None
    if f.parameter(PARAMETER):
        return None
    requests, split, rows = requests_of(f)
    if not rows:
        return NotPrinted("P3 of log file parallel write in the ASH section (the number of I/O requests)")
    if not split:
        return None
    text = (
        f"{f.not_io_text()} on {f.side.cpus} CPUs, and its writes are split into more requests than their files and "
        f"bytes need (P3: {numbers_of(requests)})."
    )
    return Match(text, "medium", (*f.lfs_rows, *rows), f.figures.naive_overhead_s, criteria=criteria(f))


def requests_of(f: ReportFacts) -> tuple[set[float], bool, tuple[Evidence, ...]]:
    """(P3 of LFPW, whether above P1 files × ⌈P2 blocks ÷ 1 MB⌉, rows)"""
    writes: list[tuple[float, float, float]] = []
    rows: list[Evidence] = []
    for section, record in printed_rows(f.side.report.section("top_event_parameters")):
        event, values = section.text(record, "event"), re.findall(r"\d+", section.text(record, "values"))
        if event.lower() == LFPW and len(values) == 3:
            writes.append((float(values[0]), float(values[1]), float(values[2])))
            rows.append(row("top_event_parameters", event, "values"))
    samples = Counter[float]()
    for sample in f.sampled:
        samples[sample.requests] += sample.count
    usual = [s for s in f.sampled if samples[s.requests] >= RARE * samples.total()]
    writes += [(s.files, s.blocks, s.requests) for s in usual]
    rows += [s.evidence for s in usual[:MOST_ROWS]]
    split = any(n > files * max(ceil(blocks * BLOCK_BYTES / _REQUEST_BYTES), 1) for files, blocks, n in writes)
    return {w[2] for w in writes}, split, tuple(dict.fromkeys(rows))


def numbers_of(requests: set[float]) -> str:
    texts = [number(r) for r in sorted(requests)]
    return listing(texts) if len(texts) <= MOST_ROWS else f"{texts[0]} to {texts[-1]}"


def criteria(f: ReportFacts) -> tuple[Criterion, ...]:
    requests, split, rows = requests_of(f)
    cpus, ratio = f.side.cpus, f.ratio
    value = f.parameter(PARAMETER)
    is_printed = value or f.side.lists_all("init_parameters")
    return (
        _criterion(
            "a commit waits more than twice as long as a redo write",
            f"{number(ratio.value)} times" if ratio is not None else "",
            holds=ratio.value > NOT_IO_RATIO if ratio is not None else None,
        ),
        _criterion(f"{MANY_CPUS} CPUs or more", str(cpus or ""), holds=cpus >= MANY_CPUS if cpus else None),
        _criterion(
            "P3 of log file parallel write above what its files and bytes need",
            numbers_of(requests) if requests else "",
            holds=split if rows else None,
        ),
        _criterion(f"{PARAMETER} not set", value or "", holds=not value if is_printed else None),
    )


def _criterion(what: str, text: str, *, holds: bool | None) -> Criterion:
    return Criterion(what, "not printed" if holds is None else "met" if holds else "not met", text)


def numa(pair: PairFacts) -> Answer:
    """Between two: LFS and `buffer busy waits` at least double, by more than rounding leaves open, while changes,
    commits and logical reads per second grow ≤ 10 %, 4 sockets or more (Doc IDs 2551169.1, 2319324.1).
    """
    first, second = pair.first.side, pair.second.side
    sockets, busy = _sockets(second), [s.foreground.get(BUFFER_BUSY) for s in (first, second)]
    if sockets is None or sockets < MANY_SOCKETS or (pair.factor or 0.0) < SHARP or busy[1] is None:
        return None
    total = busy[0].total if busy[0] is not None else _at_most(first)
    if total is None or not _work_is_steady(first, second):
        return None
    most, least = first.per_second(Value(total.high, 0)), second.per_second(Value(busy[1].total.low, 0))
    if most is None or least is None or least <= 0 or least < SHARP * most:
        return None
    rose = f"at most {seconds(total.high)} → {seconds(busy[1].total.number)}"
    if busy[0] and total.number > 0:
        rose = change(first.per_second(total) or 0.0, second.per_second(busy[1].total) or 0.0)
    text = (
        f"Commit waits and buffer busy waits both rose ({change(1.0, pair.factor or 1.0)} and {rose}) "
        f"without more work, on a host with {number(sockets)} sockets"
        f"{'; the host is not the one of First' if pair.other_host else ''}."
    )
    printed = second.value("os_statistics", "value", "NUM_CPU_SOCKETS") is not None
    socket_rows = (row("os_statistics", "NUM_CPU_SOCKETS", "value"),) if printed else ()  # else it is in the header
    rows = (*pair.rows, busy[1].evidence(), *socket_rows)
    return Match(text, "medium" if pair.other_host else "low", rows, pair.wait_s, "change")


def numa_fixed(pair: PairFacts) -> Answer:
    """Between two, the other way: LFS ÷ 1.5 or better and `buffer busy waits` at most a tenth of First's rate, where
    they were ≥ 1 % of its DB time, without less work, on 4 sockets or 64 CPUs.
    """
    first, second = pair.first.side, pair.second.side
    before, event = (s.foreground.get(BUFFER_BUSY) for s in (first, second))
    if before is None or (first.share_of_db_time(before.total) or 0.0) < STAYED_SHARE or pair.slower:
        return None
    if pair.times < LFS_FACTOR or not _is_large(second) or not _work_is_steady(second, first):
        return None
    total = event.total if event is not None else _at_most(second)
    rates = [first.per_second(before.total), second.per_second(total) if total is not None else None]
    if rates[0] is None or rates[1] is None or rates[1] > GONE * rates[0]:
        return None
    now = seconds(event.total.number) if event is not None else "none listed"
    text = (
        f"A commit waited {pair.waits_text} and buffer busy waits went from {seconds(before.total.number)} to {now} "
        "for as much work: as in the published case once kernel.numa_balancing was 0."
    )
    rows = (*pair.rows, before.evidence(), *((event.evidence(),) if event is not None else ()))
    return Match(text, "low", rows, pair.wait_s, "change")


def _is_large(side: Side) -> bool:
    return (side.cpus or 0) >= MANY_CPUS or (_sockets(side) or 0) >= MANY_SOCKETS


def _at_most(side: Side) -> Value | None:
    """Last of a top list, or 1 ms of a complete one."""
    if not side.foreground:
        return None
    most = min(e.total.high for e in side.foreground.values()) if side.foreground_is_partial else LEAST_PRINTED_S
    return Value(most / 2, most / 2)


def _sockets(side: Side) -> float | None:
    if side.report.host.sockets is not None:
        return float(side.report.host.sockets)
    printed = side.value("os_statistics", "value", "NUM_CPU_SOCKETS")
    return printed.number if printed else None


def _work_is_steady(first: Side, second: Side) -> bool:
    factors = []
    for name in ("db block changes", "user commits", "session logical reads"):
        a, b = first.per_second(first.statistic(name)), second.per_second(second.statistic(name))
        if a and b is not None:
            factors.append(b / a)
    return bool(factors) and max(factors) <= 1.0 + STEADY


def parallelism_changed(pair: PairFacts) -> Answer:
    """Between two: `_log_parallelism_max` differs, and LFS is longer or shorter by 10 % (low; medium from 1.5× on).
    That the one made the other stays to be shown. Where LFS fell and `buffer busy waits` stayed (half of First's or
    more, ≥ 1 % of DB time) on 64 CPUs or 4 sockets, `kernel.numa_balancing` is the next check.
    """
    sides = (pair.first, pair.second)
    if not all(f.parameter(PARAMETER) or f.side.lists_all("init_parameters") for f in sides):
        return None
    a, b = (f.parameter(PARAMETER) or "its default" for f in sides)
    if a == b or pair.times < 1.0 + STEADY:
        return None
    text = f"{PARAMETER} went from {a} to {b}, and a commit waited {pair.waits_text}."
    rows = (*pair.rows, row("init_parameters", PARAMETER, "begin_value"))
    confidence: Confidence = "medium" if pair.times >= LFS_FACTOR else "low"
    answer = Match(text, confidence, rows, pair.wait_s, "change", criteria=criteria(pair.worse))
    first, second = pair.first.side, pair.second.side
    before, busy = (s.foreground.get(BUFFER_BUSY) for s in (first, second))
    if pair.slower or busy is None or not _is_large(second):
        return answer
    rates = first.per_second(before.total) if before is not None else None, second.per_second(busy.total) or 0.0
    if (second.share_of_db_time(busy.total) or 0.0) < STAYED_SHARE or rates[1] < STAYED * (rates[0] or 0.0):
        return answer
    text += f" {busy.name} stayed ({seconds(busy.total.number)}): the other half of the published case was NUMA."
    return replace(answer, text=text, evidence=(*rows, busy.evidence()), checks=(next_steps.NUMA,))


def split_under_load(pair: PairFacts) -> Answer:
    """Between a quiet and a loaded period, either way: LFS ≥ 1.5×, and in the period of the longer waits P3 of LFPW
    reaches higher and is above what its files and blocks need, on 64 CPUs or more with `_log_parallelism_max` not set.
    P3 as the ASH section of both reports, or samples attached (section 5), have it.
    """
    if pair.times < LFS_FACTOR or (pair.worse.side.cpus or 0) < MANY_CPUS:
        return None
    if any(f.parameter(PARAMETER) for f in (pair.first, pair.second)):
        return None
    sampled = [requests_of(f) for f in (pair.first, pair.second)]
    if not all(rows for _, _, rows in sampled):
        return NotPrinted(
            "P3 of log file parallel write in the ASH section or in samples attached (I/O requests), of both"
        )
    quiet, loaded = sampled if pair.slower else sampled[::-1]
    if not loaded[1] or max(loaded[0]) <= max(quiet[0]):
        return None
    course = " → ".join(numbers_of(requests) for requests, _, _ in sampled)
    text = (
        f"P3 of log file parallel write {course}, while a commit waited {pair.waits_text}: more load, more requests to "
        "a write."
    )
    rows = (*pair.rows, *(row for _, _, rows in sampled for row in rows))
    return Match(text, "medium", rows, pair.wait_s, "change", criteria=criteria(pair.worse))
