"""Log parallelism: redo writes that are split over many log buffers, by the criteria of the published cases.

Doc ID 1980199.1; docs/commit-latency.md, section 5.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import ceil

from awrdiff.analysis.commit_latency.causes.facts import Answer, Match, NotPrinted, ReportFacts, row
from awrdiff.analysis.model.commits import Criterion
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.model.traces import SampledWrites
from awrdiff.analysis.words import listing, number

PARAMETER = "_log_parallelism_max"
MANY_CPUS = 64
RARE = 0.05  # of the samples of a window
MOST_ROWS = 4  # of the samples, and numbers told one by one
RATIO = 2.0
_BLOCK_BYTES = 512  # of a redo log, on most platforms
_REQUEST_BYTES = 1 << 20  # the largest I/O request of the log writer


def parallelism(f: ReportFacts) -> Answer:
    """avgL / avgW > 2, 64 CPUs or more, more I/O requests per write (P3 of LFPW) than its P1 files and P2 blocks need
    (one to each file and megabyte), `_log_parallelism_max` not set (Doc ID 1980199.1).
    """
    if f.ratio is None or f.ratio.value <= RATIO or (f.side.cpus or 0) < MANY_CPUS:
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
    """P3 of LFPW as the report's ASH section and the samples attached have it; whether one is above P1 files × ⌈P2
    blocks ÷ 1 MB⌉, which is what a write needs."""
    section = f.side.report.section("top_event_parameters")
    requests: set[float] = set()
    split = False
    rows: list[Evidence] = []
    for record in section.records if section is not None else ():
        if section is not None and section.text(record, "event").lower() == "log file parallel write":
            values = [float(v) for v in re.findall(r"\d+", section.text(record, "values"))]
            if len(values) == 3:
                requests.add(values[2])
                split = split or _is_split(*values)
                rows.append(row("top_event_parameters", section.text(record, "event"), "values"))
    usual = _usual(f.sampled)
    requests.update(s.requests for s in usual)
    split = split or any(_is_split(s.files, s.blocks, s.requests) for s in usual)
    rows += [s.evidence for s in usual[:MOST_ROWS]]
    return requests, split, tuple(dict.fromkeys(rows))


def _usual(sampled: Sequence[SampledWrites]) -> list[SampledWrites]:
    """Without numbers of requests that hardly a sample has: one write among thousands shows no more load."""
    samples = Counter[float]()
    for one in sampled:
        samples[one.requests] += one.count
    return [s for s in sampled if samples[s.requests] >= RARE * samples.total()]


def numbers_of(requests: set[float]) -> str:
    """`1, 2 and 4`; of many, from the least to the most."""
    found = [number(r) for r in sorted(requests)]
    return listing(found) if len(found) <= MOST_ROWS else f"{found[0]} to {found[-1]}"


def _is_split(files: float, blocks: float, requests: float) -> bool:
    return requests > files * max(ceil(blocks * _BLOCK_BYTES / _REQUEST_BYTES), 1)


def criteria(f: ReportFacts) -> tuple[Criterion, ...]:
    """Each as it stands in this report: met, not met, or not printed."""
    requests, split, rows = requests_of(f)
    cpus, ratio = f.side.cpus, f.ratio
    value = f.parameter(PARAMETER)
    known = value or f.side.lists_all("init_parameters")
    return (
        _criterion(
            "a commit waits more than twice as long as a redo write",
            f"{number(ratio.value)} times" if ratio is not None else "",
            holds=ratio.value > RATIO if ratio is not None else None,
        ),
        _criterion(f"{MANY_CPUS} CPUs or more", str(cpus or ""), holds=cpus >= MANY_CPUS if cpus else None),
        _criterion(
            "P3 of log file parallel write above what its files and bytes need",
            numbers_of(requests) if requests else "",
            holds=split if rows else None,
        ),
        _criterion(f"{PARAMETER} not set", value or "", holds=not value if known else None),
    )


def _criterion(what: str, found: str, *, holds: bool | None) -> Criterion:
    return Criterion(what, "not printed" if holds is None else "met" if holds else "not met", found)


__all__ = ["PARAMETER", "criteria", "numbers_of", "parallelism", "requests_of"]
