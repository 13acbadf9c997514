"""The command `awrdiff`: processor time of `compare --summary`, `parse` and `--version`, each a process of its own.

In turns with a Python that imports what all of them need, click and lxml: how fast the machine is, is in both.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.line import line
from fixtures.writer import big

SIZE_MB, TIMES = 0.8, 9
AIMS_MS = {"compare --summary": 250, "parse": 100, "--version": 60}
BARE = ("-c", "import click, lxml.etree")


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="awrdiff-bench-") as folder:
        files = [Path(folder) / name for name in ("first.html", "second.html")]
        for path, size_mb in zip(files, (SIZE_MB, SIZE_MB * 1.05), strict=True):
            path.write_bytes(big(size_mb))
        named = {"compare --summary": files, "parse": files[:1], "--version": []}
        for command, given in named.items():
            ours = ("-m", "awrdiff.cli", *command.split(), *map(str, given))
            took = [(cpu_ms(ours), cpu_ms(BARE)) for _ in range(TIMES + 1)][1:]  # the first one may compile
            median = statistics.median(a for a, _ in took)
            yield line(f"command {command}, files of {SIZE_MB} MB", median, "ms", baseline=AIMS_MS[command])
            yield line(f"command {command} against bare imports", statistics.median(a / b for a, b in took), "x")


def cpu_ms(arguments: Sequence[str], root: Path | None = None) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=root, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
