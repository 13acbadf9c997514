"""Reading reports whole (every table, every number) against bare tree building by lxml on the same bytes.

Each twice: not seen before, as the first report of a process, with the parsers' memos empty; and seen again, with them
full. All real HTML reports are also read one after the other, with the memos empty before the first: as a worker reads
users' files, which it has not seen before, with the labels of others in mind.
First how many figures are read in a second of processor time, and last against lxml with a process for each, in which
neither finds the memory that the other has left.
Also: text reports against HTML per byte, a large report against a small one, and the memory that a large one takes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from bench.line import cpu_seconds, line, medians, seconds
from bench.memos import forget
from fixtures.writer import big
from parsers import Report, UnsupportedReport, parse_report
from parsers.model import Value

TIMES = 7
LARGE, SMALL = 60, 10  # MB
WHEN = {False: "not seen before", True: "seen again"}
_PEAK = """
import sys
from pathlib import Path
from parsers import parse_report
def most():  # what the process held at the most so far, as Linux counts it
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(k for k in lines if k.startswith("VmHWM")).split()[1]) * 1024
data = sys.stdin.buffer.read()
before = most()
report = parse_report(data)
print(most() - before)
"""


# The least of five: what else the machine does only adds to it.
_ALONE = """
import sys, time
from lxml import etree
from parsers import parse_report
from bench.reading import _bare, _walk
data, ours = sys.stdin.buffer.read(), sys.argv[1] == "ours"
took = []
for _ in range(5):
    begun = time.process_time()
    _walk(parse_report(data)) if ours else _bare(data)
    took.append(time.process_time() - begun)
print(min(took))
"""


def run() -> Iterator[str]:
    html, text = _corpus(".htm"), _corpus(".txt")
    yield from _figures([data for _, data in html] or [big(1)])
    for seen in (False, True):
        totals = [0.0, 0.0]
        for name, data in html:
            ours, bare = _measure(data, TIMES, seen=seen)
            totals[0] += ours
            totals[1] += bare
            yield line(f"read {name}, {WHEN[seen]}", ours * 1000, "ms", baseline=bare * 1000)
        if html:
            yield line(f"read corpus, {WHEN[seen]}", totals[0] * 1000, "ms", baseline=totals[1] * 1000)
    if html:
        ours, bare = medians(
            lambda: [_walk(parse_report(data)) for _, data in html],
            lambda: [len(_bare(data)) for _, data in html],
            TIMES,
            before=forget,
        )
        yield line("read corpus one after the other, not seen before", ours * 1000, "ms", baseline=bare * 1000)
    if html and text:
        a, b = (_per_byte([data for _, data in files]) for files in (text, html))
        yield line("read text per byte, against HTML", a * 1e9, "ns", baseline=b * 1e9)
    took = {}
    for megabytes in (1, SMALL, LARGE):
        data, times = big(megabytes), 5 if megabytes < LARGE else 3
        for seen in (False, True):
            took[megabytes], bare = _measure(data, times, seen=seen)
            yield line(f"read built {megabytes} MB, {WHEN[seen]}", took[megabytes] * 1000, "ms", baseline=bare * 1000)
    yield line(f"read {LARGE} MB against {SMALL} MB", took[LARGE] * 1000, "ms", baseline=took[SMALL] * 1000)
    for name, data in html or [("built 1 MB", big(1))]:
        ours, bare = (_alone(data, who) for who in ("ours", "lxml"))
        yield line(f"read {name}, least of five, a process each", ours * 1000, "ms", baseline=bare * 1000)
    data = big(LARGE)
    yield line(f"memory of reading {LARGE} MB", _peak(data), "bytes", baseline=len(data))


def _figures(files: Sequence[bytes]) -> Iterator[str]:
    """Every file not seen before."""
    forget()
    figures: list[int] = []
    took = cpu_seconds(lambda: figures.extend(_numbers(parse_report(data)) for data in files))
    yield line("figures read per second of processor time", sum(figures) / took, "figures/s")


def _numbers(report: Report) -> int:
    return sum(isinstance(cell, Value) for s in report.sections for row in s.records for cell in row.cells)


def _alone(data: bytes, who: str) -> float:
    done = subprocess.run([sys.executable, "-c", _ALONE, who], input=data, capture_output=True, check=True)
    return float(done.stdout)


def _corpus(suffix: str) -> list[tuple[str, bytes]]:
    """The reports of the folder that AWRDIFF_CORPUS names whose names end so."""
    folder = os.environ.get("AWRDIFF_CORPUS")
    files = sorted(p for p in Path(folder).iterdir() if p.suffix.lower().startswith(suffix)) if folder else []
    reports = [(path.name, path.read_bytes()) for path in files]
    return [(name, data) for name, data in reports if _is_read(data)]


def _is_read(data: bytes) -> bool:
    try:
        parse_report(data)
    except UnsupportedReport:
        return False
    return True


def _per_byte(files: list[bytes]) -> float:
    """Seconds per byte, the median of several readings of all the files."""
    took = [seconds(lambda: [_walk(parse_report(data)) for data in files]) for _ in range(TIMES)]
    return statistics.median(took) / sum(map(len, files))


def _peak(data: bytes) -> int:
    """Bytes of memory that reading adds to a process of its own, at the most."""
    done = subprocess.run([sys.executable, "-c", _PEAK], input=data, capture_output=True, check=True)
    return int(done.stdout)


def _measure(data: bytes, times: int, *, seen: bool) -> tuple[float, float]:
    before = None if seen else forget
    return medians(lambda: _walk(parse_report(data)), lambda: _bare(data), times, before=before)


def _walk(report: Report) -> int:
    """Touch every cell, so that nothing is left to be converted later."""
    return sum(len([cell for cell in row.cells if cell is not None]) for s in report.sections for row in s.records)


def _bare(data: bytes) -> etree._Element:
    return etree.fromstring(data, etree.HTMLParser(huge_tree=True))
