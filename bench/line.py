"""One measurement as the line that bin/bench prints."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable


def line(name: str, value: float, unit: str, *, baseline: float | None = None, ratio: float | None = None) -> str:
    """`ratio` is value ÷ baseline unless it is given."""
    if ratio is None and baseline:
        ratio = value / baseline
    rounded = {"value": value, "baseline": baseline, "ratio": ratio}
    shown = {k: None if v is None else float(f"{v:.4g}") for k, v in rounded.items()}
    document = {"name": name, "value": shown["value"], "unit": unit, **{k: shown[k] for k in ("baseline", "ratio")}}
    return json.dumps(document)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def medians(
    first: Callable[[], object],
    second: Callable[[], object],
    times: int,
    *,
    before: Callable[[], object] | None = None,
) -> tuple[float, float]:
    """Median seconds of processor time of both, taken in turns so that a busy moment meets both.

    `before` is done before each turn.
    """
    pairs = []
    for _ in range(times):
        if before is not None:
            before()
        pairs.append((cpu_seconds(first), cpu_seconds(second)))
    return statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)
