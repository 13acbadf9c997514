"""Comparing built reports of 1 to 32 MB: processor seconds of each size, and how often as long twice the size takes.

Times are the least of several: on a shared machine the others only add to them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

from awrdiff.analysis.compare import compare_reports
from bench.line import cpu_seconds, line
from fixtures.writer import big
from parsers import parse_report

SIZES_MB = (1, 2, 4, 8, 16, 32)
TIMES = 3
AIM_AT_16_MB_S = 1.6
AIM_PER_DOUBLING = 2.3


def run() -> Iterator[str]:
    before = None
    for size_mb in SIZES_MB:
        took = least_seconds(size_mb)
        yield line(f"comparing two reports of {size_mb} MB", took, "s", baseline=AIM_AT_16_MB_S * size_mb / 16)
        if before is not None:
            growth = took / before
            yield line(f"comparing {size_mb} MB against {size_mb // 2} MB", growth, "x", baseline=AIM_PER_DOUBLING)
        before = took


def least_seconds(size_mb: float) -> float:
    """Of processor time, of a report of that size against one a twentieth larger."""
    first, second = parse_report(big(size_mb)), parse_report(big(size_mb * 1.05))
    gc.collect()
    gc.disable()  # as in the process that a worker computes in
    try:
        return min(cpu_seconds(lambda: compare_reports(first, second)) for _ in range(TIMES))
    finally:
        gc.enable()
