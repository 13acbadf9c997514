"""Reading files that are made to take long: processor seconds per MB at 4 MB, and memory against the file's size.

Every shape of `fixtures/hostile` in a process of its own, which is ended after 10 s for each of its megabytes; last the
slowest and the greediest. The baseline of the seconds is what the aim of 10 s leaves for a megabyte.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Collection, Iterator

from bench.line import line
from fixtures.hostile import Shape, compound, shapes
from parsers import UnsupportedReport, open_reports, parse_report

SIZE = 4 << 20
AIM_S = 10.0
LIMIT_S = 40


def run() -> Iterator[str]:
    slowest, greediest = ("", 0.0), ("", 0.0)
    for shape in (*compound(), *shapes()):
        seconds, times = measured(shape)
        yield line(f"hostile {shape.name}", seconds, "s/MB", baseline=AIM_S / 4)
        yield line(f"hostile memory {shape.name}", times, "x size", baseline=16)
        slowest = max(slowest, (shape.name, seconds), key=lambda pair: pair[1])
        greediest = max(greediest, (shape.name, times), key=lambda pair: pair[1])
    yield line(f"hostile slowest: {slowest[0]}", slowest[1], "s/MB", baseline=AIM_S / 4)
    yield line(f"hostile greediest: {greediest[0]}", greediest[1], "x size", baseline=16)


def measured(shape: Shape, size: int = SIZE) -> tuple[float, float]:
    """Processor seconds per MB and the most memory as a multiple of the size; the limit where it takes longer."""
    end, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, json.dumps(_taken(shape, size)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(end) as pipe:
        printed = pipe.read()
    os.waitpid(child, 0)
    seconds, times = json.loads(printed) if printed else (LIMIT_S / (size / 1e6), 0.0)
    return seconds, times


def memory_of(names: Collection[str], size: int) -> dict[str, float]:
    """By name, the memory that reading these shapes takes as a multiple of their size; raises KeyError for others."""
    known = {shape.name: shape for shape in (*compound(), *shapes())}
    return {name: measured(known[name], size)[1] for name in names}


def _taken(shape: Shape, size: int) -> tuple[float, float]:
    data = shape.made(size)
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    for member in open_reports(data, "hostile"):
        try:
            parse_report(member.data)
        except UnsupportedReport:
            continue
    taken = time.process_time() - started
    held = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
    return taken / (len(data) / 1e6), held / len(data)
