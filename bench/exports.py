"""Three exports at once of a comparison of 24 reports of 2.4 MB: what the web process takes, what others wait."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from bench.line import line
from tests.harness.server import ROOT, Client, Server

REPORTS, SIZE_MB, AT_ONCE = 24, 2.4, 3
READERS = 8  # at once, so that every thread of every process has made pages
LONGEST_S = 60  # after which the exports are cut off: what they take does not depend on how much of them is fetched
MOST_BYTES = 120_000_000


def run() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var", AWRDIFF_TASK_TIME_LIMIT_S="900")
    try:
        path = _stored(server)
        _say("starting the server")
        server.start(120)
        yield from _measured(server.client(), path, server.children("awrdiff.serving.web"))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _stored(server: Server) -> str:
    """The path of the comparison, ready before the server starts."""
    _say(f"storing a comparison of {REPORTS} reports of {SIZE_MB} MB")
    server.var.mkdir(parents=True)
    command = [sys.executable, "-m", "bench.stored", str(REPORTS), str(SIZE_MB)]
    done = subprocess.run(command, cwd=ROOT, env=server.env, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.split()[-1]


def _say(what: str) -> None:
    print(f"exports: {what} ...", file=sys.stderr, flush=True)


def _measured(client: Client, path: str, web: list[int]) -> Iterator[str]:
    _warm(client, path)
    quiet = [_taken(client, path) for _ in range(20)]
    before = _memory(web, "VmRSS")
    _say(f"{AT_ONCE} at once, and pages beside them")
    sizes: list[int] = []
    until = time.monotonic() + LONGEST_S
    asked = (client, f"{path}export.json", sizes, until)
    exports = [threading.Thread(target=_fetch, args=asked) for _ in range(AT_ONCE)]
    for export in exports:
        export.start()
    began = time.perf_counter()
    busy = []
    while any(export.is_alive() for export in exports):
        busy.append(_taken(client, path))
        time.sleep(0.05)
    yield line("three exports at once: seconds", time.perf_counter() - began, "s")
    yield line("three exports at once: fetched of each", statistics.mean(sizes), "bytes")
    yield line("three exports at once: memory", _memory(web, "VmHWM") - before, "bytes", baseline=MOST_BYTES)
    yield line("page while they run, 95th percentile", _p95(busy) * 1000, "ms", baseline=_p95(quiet) * 1000)


def _warm(client: Client, path: str) -> None:
    """What pages by themselves make of the processes is none of the exports' matter."""
    readers = [threading.Thread(target=lambda: [client.page(path) for _ in range(5)]) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()


def _fetch(client: Client, path: str, sizes: list[int], until: float) -> None:
    fetched = 0
    with client.opener.open(client.base + path, timeout=LONGEST_S) as answer:
        while time.monotonic() < until and (chunk := answer.read(1 << 16)):
            fetched += len(chunk)
    sizes.append(fetched)


def _taken(client: Client, path: str) -> float:
    began = time.perf_counter()
    client.page(path)
    return time.perf_counter() - began


def _p95(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.95)] if seconds else 0.0


def _memory(pids: list[int], name: str) -> int:
    """Of all these processes, in bytes: VmRSS what they hold, VmHWM the most they ever held."""
    total = 0
    for pid in pids:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        total += int(next(k for k in lines if k.startswith(name)).split()[1]) * 1024
    return total
