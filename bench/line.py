"""One measurement as the line that bin/bench prints."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lxml import etree

SECONDS_IN = {"s": 1.0, "ms": 1e-3, "ns": 1e-9}


def line(name: str, value: float, unit: str, *, baseline: float | None = None, ratio: float | None = None) -> str:
    """`ratio` is value ÷ baseline unless it is given; `machine`, of times, value ÷ that of this machine's own work."""
    if ratio is None and baseline:
        ratio = value / baseline
    of_machine = value * SECONDS_IN[unit] / own_work_s() if unit in SECONDS_IN else None
    figures = {"baseline": baseline, "ratio": ratio, "machine": of_machine}
    shown = {k: None if v is None else float(f"{v:.4g}") for k, v in {"value": value, **figures}.items()}
    return json.dumps({"name": name, "value": shown.pop("value"), "unit": unit, **shown})


@lru_cache(maxsize=1)
def own_work_s() -> float:
    """As `measured_own_work_s`, once in a run."""
    return measured_own_work_s()


def measured_own_work_s() -> float:
    """Processor time of the same work on whatever machine this is, plain Python and lxml's tree of a page of 0.8 MB:
    another machine's figures are compared with these by what they are times it."""
    return statistics.median(cpu_seconds(_own_work) for _ in range(7))


def _own_work() -> int:
    rows = [{"event": f"wait {i % 97}", "waits": i * 37 % 1001, "time_s": i / 7} for i in range(20_000)]
    read: list[dict[str, Any]] = json.loads(json.dumps(rows))
    ordered = sorted(read, key=lambda row: (row["event"], -row["time_s"]))
    lines = "".join(f"<tr><td>{row['event']}<td>{row['waits']}<td>{row['time_s']:.9f}</tr>" for row in ordered)
    return len(etree.fromstring(f"<table>{lines}</table>", etree.HTMLParser(huge_tree=True)))


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
