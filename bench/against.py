"""bin/bench against REF [MEASURE…]: this tree and that of a commit, in turns in one run, as a table.

Each measure has a process of its own (bench/measured.py). All are milliseconds of processor time but where a unit is
named; the machine's own work stands above the table: figures of another machine are these times its own work by this
one's. Both trees get the same files, and run with the packages that are installed here.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.command import cpu_ms
from bench.line import measured_own_work_s
from bench.many_sections import of_many_sections
from bench.measured import Figures
from bench.worker_rate import cpu_s
from fixtures.writer import big
from tests.harness.prepared import without_settings
from tests.harness.server import ROOT, Client, Server, descendants, until

ROUNDS, FEWER = 5, {"served": 3, "lists": 3}
CLICKS = 4
# The first makes the database of the others.
MEASURES = ("served", "reading", "command", "page", "exports", "importing", "lists")


@dataclass
class Tree:
    root: Path
    var: Path  # of its first start, copied for what needs a database
    taken: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def measured(self, name: str, files: Sequence[Path]) -> Figures:
        with TemporaryDirectory(prefix="awrdiff-bench-") as folder:
            if self.var.exists():
                shutil.copytree(self.var, folder, dirs_exist_ok=True)
            env = {**without_settings(os.environ), "PYTHONPATH": str(self.root), "PYTHONWARNINGS": "ignore"}
            env |= {"AWRDIFF_VAR": folder, "AWRDIFF_LOCAL_USER": "True"}
            command = [sys.executable, "-P", f"{ROOT}/bench/measured.py", name, *map(str, files)]
            done = subprocess.run(command, cwd=self.root, env=env, stdout=subprocess.PIPE, check=True)
        figures: Figures = json.loads(done.stdout.splitlines()[-1])
        return figures

    def served(self, files: Sequence[Path]) -> Figures:
        """First start until all is quiet, demos and all; then somebody's two files, to the page."""
        with TemporaryDirectory(prefix="awrdiff-bench-") as folder:
            server = Server(Path(folder), fresh=True)
            server.root = self.root
            server.start(120)
            pid = server.process.pid if server.process else 0
            try:
                until(lambda: _idle_ms(pid) < 100, 120)
                start, client = 1000 * cpu_s(pid), server.client()
                clicks = [_click_ms(pid, client, files, mark) for mark in range(CLICKS)][1:]
                memory = sum(map(_memory_mb, (pid, *descendants(pid))))
            finally:
                server.stop()
            if not self.var.exists():
                shutil.copytree(folder, self.var, ignore=shutil.ignore_patterns("*.sock"))
        return {"first start": start, "click": statistics.median(clicks), "all processes, MB": memory}


def _idle_ms(pid: int) -> float:
    """In a second."""
    before = cpu_s(pid)
    time.sleep(1)
    return 1000 * (cpu_s(pid) - before)


def _click_ms(pid: int, client: Client, files: Sequence[Path], mark: int) -> float:
    idle = _idle_ms(pid)
    before, began = cpu_s(pid), time.perf_counter()
    sent = [client.upload(path.name, path.read_bytes() + b"<!-- %d -->" % mark).json["id"] for path in files]
    path = client.compare(*sent)
    client.settled(path)
    client.page(path)
    return 1000 * (cpu_s(pid) - before) - idle * (time.perf_counter() - began)


def _memory_mb(pid: int) -> float:
    """Shared pages are divided by those who share them; a process that has ended has none."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(one.split()[1]) for one in lines if one.startswith("Pss:")) / 1024


def _files(folder: Path) -> dict[str, list[Path]]:
    """Built ones by what they are for, and the corpus where there is one."""
    built = {"small": [big(0.03), big(0.032)], "0.8 MB": [big(0.8), big(0.84)]}
    built["sections"] = [of_many_sections(size) for size in (1, 1.05)]
    files = {name: [folder / f"{name}-{n}.html" for n in range(2)] for name in built}
    for name, contents in built.items():
        for path, data in zip(files[name], contents, strict=True):
            path.write_bytes(data)
    corpus = os.environ.get("AWRDIFF_CORPUS")
    real = sorted(path for path in Path(corpus).iterdir() if path.suffix.startswith(".htm")) if corpus else []
    return {**files, "corpus": real or files["sections"]}


def _measure(tree: Tree, name: str, files: dict[str, list[Path]]) -> Figures:
    if name == "served":
        return tree.served(files["sections"])
    if name == "reading":
        return {**tree.measured(name, files["corpus"]), **tree.measured("lxml", files["corpus"])}
    if name == "command":
        ours = ("-m", "awrdiff.cli", "compare", "--summary")
        return {
            f"--summary, {size}": cpu_ms((*ours, *map(str, files[size])), tree.root) for size in ("small", "0.8 MB")
        }
    return tree.measured(name, files["sections"])


def run(ref: str, *wanted: str) -> Iterator[str]:
    with TemporaryDirectory(prefix="awrdiff-bench-") as name:
        folder, own, loads = Path(name), list[float](), [os.getloadavg()[0]]
        (folder / "tree").mkdir()
        packed = subprocess.run(["git", "archive", ref], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=folder / "tree", input=packed, check=True)
        trees = [Tree(folder / "tree", folder / "var"), Tree(ROOT, folder / "own")]
        for tree in trees:
            subprocess.run([sys.executable, "-m", "compileall", "-q", "awrdiff", "parsers"], cwd=tree.root, check=True)
        files = _files(folder)
        for measure in [one for one in MEASURES if not wanted or one in ("served", *wanted)]:
            for number in range(FEWER.get(measure, ROUNDS)):
                for tree in trees[:: 1 if number % 2 else -1]:
                    for figure, value in _measure(tree, measure, files).items():
                        tree.taken[f"{measure}: {figure}"].append(value)
                own.append(1000 * measured_own_work_s())
            loads.append(os.getloadavg()[0])
            print(f"against: {measure} measured, load {loads[-1]:.1f}", file=sys.stderr, flush=True)
        yield f"The machine's own work: {statistics.median(own):.1f} ms; load {min(loads):.1f} to {max(loads):.1f};"
        yield f"medians of {ROUNDS}, of {' and '.join(FEWER)} {FEWER['lists']}.\n"
        yield from table(ref, *(tree.taken for tree in trees))


def table(ref: str, before: dict[str, list[float]], after: dict[str, list[float]]) -> Iterator[str]:
    """Medians of both, and of each turn's ratio: a busy moment meets both of a turn."""
    rows = {name: (values, after[name]) for name, values in before.items()}
    if bare := rows.pop("reading: lxml", None):
        lxml = statistics.median([*bare[0], *bare[1]])
        first, second = ([value / lxml for value in values] for values in rows["reading: all files"])
        rows["reading: times lxml"] = (first, second)
    yield f"| measure | {ref} | here | here ÷ {ref} |"
    yield "|---|---:|---:|---:|"
    for name, (first, second) in rows.items():
        ratio = statistics.median(b / a for a, b in zip(first, second, strict=True))
        yield f"| {name} | {statistics.median(first):.4g} | {statistics.median(second):.4g} | {ratio:.2f} |"
