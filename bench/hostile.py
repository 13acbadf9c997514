"""Reading files that are made to take long: processor seconds per MB at 4 MB, and memory against the file's size.

Every shape of `fixtures/hostile` is made in one process and read in another, which is ended after 10 s for each of its
megabytes; last the slowest and the greediest. The baseline of the seconds is what the aim of 10 s leaves for each.
Memory is what reading adds at the most to that of a process that has loaded what any report needs, as workers have.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, BinaryIO

from bench.line import line
from fixtures.hostile import Shape, compound, shapes
from parsers import UnsupportedReport, import_warm_up, open_reports, parse_report

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
    with tempfile.TemporaryFile() as file:
        _in_child(lambda: _write(shape.make(size), file))  # what making took is not to be had again by reading
        printed = _in_child(lambda: _taken(file))
        length = os.fstat(file.fileno()).st_size
    seconds, held = printed or (LIMIT_S, 0)
    return seconds / (length / 1e6), held / length


def memory_of(names: Collection[str], size: int) -> dict[str, float]:
    """By name, the memory that reading these shapes takes as a multiple of their size; raises KeyError for others."""
    known = {shape.name: shape for shape in (*compound(), *shapes())}
    return {name: measured(known[name], size)[1] for name in names}


def _write(data: bytes, file: BinaryIO) -> None:
    file.write(data)
    file.flush()


def _in_child(work: Callable[[], object]) -> Any:
    """What `work` gives in a process of its own, None where that was ended; it has to be fit for JSON."""
    end, write = os.pipe()
    child = os.fork()
    if not child:
        os.write(write, json.dumps(work()).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(end) as pipe:
        printed = pipe.read()
    os.waitpid(child, 0)
    return json.loads(printed) if printed else None


def _taken(file: BinaryIO) -> tuple[float, int]:
    """Processor seconds that reading takes, and bytes beside those of the file itself."""
    import_warm_up.load()
    file.seek(0)
    data = file.read()
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    for member in open_reports(data, "hostile"):
        try:
            parse_report(member.data)
        except UnsupportedReport:
            continue
    taken = time.process_time() - started
    return taken, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10
