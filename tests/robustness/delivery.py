"""python -m tests.robustness.delivery [FILES]: the whole way of many reports, with the server killed twice on it.

A token is made; the files of the folder AWRDIFF_CORPUS (where it is set), then FILES built ones (3,000) are pushed by
`awrdiff push` while all of `bin/serve` is killed (-9) after a third and after two thirds. Then all of it is pushed again,
all is read, and two files are compared by script, which waits and ends with the status that their findings ask for.
Prints one JSON object a line, and ends with 1 where a file was lost or doubled, was not known the second time, was left
unread, or the comparison ended otherwise. Few files and the same kills are a test: tests/processes/test_push.py.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from parsers.command_line_inputs import files_in
from tests.harness.server import ROOT, Server, until
from tests.processes.files import two_reports
from tests.processes.test_push import kill, push, stored, token

FILES = 3000
READ_WITHIN_S = 1800
SAMPLED_EVERY_S = 0.5
_TICKS = os.sysconf("SC_CLK_TCK")


class Sample(NamedTuple):
    """How many reports were read, and the processor seconds of the worker that has started so often."""

    start: int
    read: int
    cpu_s: float


class Delivery:
    def __init__(self, folder: Path, count: int) -> None:
        self.server = Server(folder / "var")
        built, self.count = folder / "built", count
        # The built ones last: the last tenth that is read is of these alone.
        corpus = os.environ.get("AWRDIFF_CORPUS")
        self.folders = [*([Path(corpus).resolve()] if corpus else []), built]
        self.starts = 0
        self.samples: list[Sample] = []
        self.ended = threading.Event()
        _build(built, count)
        self.files = sum(len(files_in(one)) for one in self.folders)

    def run(self) -> list[str]:
        """What went wrong."""
        self._start()
        text = token(self.server, "read,upload,write")
        sampling = threading.Thread(target=self._sample, daemon=True)
        sampling.start()
        told = _timed("pushed while the server was killed twice", lambda: self._push_and_kill(text))
        again = _timed("pushed again", lambda: push(self.server, text, *self.folders))
        _timed("the rest read", lambda: until(lambda: not self._waiting(), READ_WITHIN_S))
        self.ended.set()
        sampling.join()
        compared = push(self.server, text, *_two(self.folders[-1].parent), "--compare", "--fail-on", "warning")
        ids = {words[0] for words in told}
        known = again.stdout.count(" known ")
        found = {"files": self.files, "told": len(told), "reports": len(ids), "stored": stored(self.server)}
        _say({**found, "known again": known, "new again": again.stdout.count(" new "), "compare": compared.returncode})
        _say({"cpu_s per report read, by tenths of them": self._by_tenths()})
        return [
            *(["not all of the built files were told of"] if len(told) < self.count else []),
            *(["unlike what is stored"] if len(told) > stored(self.server) else []),
            *(["reports lost or doubled"] if len(told) != len(ids) else []),
            *(["not known the second time"] if {line.split()[0] for line in again.stdout.splitlines()} != ids else []),
            *(["new the second time"] if " new " in again.stdout else []),
            *(["the comparison has findings and did not end with 1"] if compared.returncode != 1 else []),
        ]

    def _start(self) -> None:
        self.starts += 1
        self.server.start(300)

    def _push_and_kill(self, text: str) -> list[list[str]]:
        command = [sys.executable, "-m", "awrdiff.cli", "push", *map(str, self.folders), "--server", self.server.url]
        env = {**os.environ, "AWRDIFF_TOKEN": text, "PYTHONUNBUFFERED": "1"}
        told: list[list[str]] = []
        with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as pushing:
            assert pushing.stdout is not None
            for line in pushing.stdout:
                told.append(line.split())
                if len(told) in (self.files // 3, 2 * self.files // 3):
                    kill(self.server)
                    self._start()
        return told

    def _ask(self, where: str) -> int:
        with closing(sqlite3.connect(self.server.var / "awrdiff.sqlite3", timeout=60)) as database:
            (found,) = database.execute(f"SELECT count(*) FROM reports_report WHERE {where}").fetchone()
        return int(found)

    def _waiting(self) -> int:
        return self._ask("state IN ('pending', 'running')")

    def _sample(self) -> None:
        while not self.ended.wait(SAMPLED_EVERY_S):
            start = self.starts
            try:
                cpu_s = sum(_cpu_s(pid) for pid in self.server.children("awrdiff: worker"))
                read = self._ask("state IN ('ready', 'failed') AND NOT is_demo")
            except (AssertionError, OSError, sqlite3.Error):
                continue  # it is just being killed
            if start == self.starts:
                self.samples.append(Sample(start, read, cpu_s))

    def _by_tenths(self) -> list[float | None]:
        """None where the worker was killed meanwhile."""
        last = self.samples[-1].read
        found: list[float | None] = []
        for tenth in range(10):
            within = [s for s in self.samples if tenth * last / 10 <= s.read <= (tenth + 1) * last / 10]
            one_start = len({s.start for s in within}) == 1 and within[-1].read > within[0].read
            spent = within[-1].cpu_s - within[0].cpu_s if one_start else 0.0
            found.append(round(spent / (within[-1].read - within[0].read), 4) if one_start else None)
        return found


def _build(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    first, second = two_reports()
    for number in range(count):
        (folder / f"{number:05}.html").write_bytes((second if number % 2 else first) + b"<!-- %d -->" % number)


def _two(folder: Path) -> list[Path]:
    made = [folder / "before.html", folder / "after.html"]
    for path, data in zip(made, two_reports(), strict=True):
        path.write_bytes(data)
    return made


def _cpu_s(pid: int) -> float:
    """Of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(int(ticks) for ticks in fields[11:15]) / _TICKS


def _timed(name: str, work: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    made = work()
    _say({name: round(time.perf_counter() - began, 1), "unit": "s"})
    return made


def _say(found: dict[str, Any]) -> None:
    print(json.dumps(found), flush=True)


def main(count: int) -> None:
    with tempfile.TemporaryDirectory(prefix="awrdiff-delivery-") as folder:
        delivery = Delivery(Path(folder), count)
        try:
            wrong = delivery.run()
        finally:
            delivery.server.stop()
    if wrong:
        sys.exit(f"{'; '.join(wrong)}.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else FILES)
