"""Three exports at once of a comparison of 24 reports of 2.4 MB: what the web process takes, what others wait."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from bench.line import line
from fixtures.writer import big
from tests.harness.server import Client, Server

REPORTS, SIZE_MB, AT_ONCE = 24, 2.4, 3
MOST_BYTES = 120_000_000


def run() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var", AWRDIFF_TASK_TIME_LIMIT_S="900")
    try:
        server.start(120)
        client = server.client()
        path = _compared(client)
        web = server.children("gunicorn") or server.children("waitress")
        yield from _measured(client, path, web)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _compared(client: Client) -> str:
    """The path of the comparison, once it is ready."""
    data = big(SIZE_MB)
    files = [data + f"<!-- {i} -->".encode() for i in range(REPORTS)]
    ids = [client.upload(f"{i}.html", one).json["id"] for i, one in enumerate(files)]
    for one in ids:
        client.settled(f"/reports/{one}/", 900)
    path = client.compare(*ids)
    if client.settled(path, 900)["state"] != "ready":
        raise RuntimeError("the comparison failed")
    return path


def _measured(client: Client, path: str, web: list[int]) -> Iterator[str]:
    client.page(path)
    quiet = [_taken(client, path) for _ in range(20)]
    before = _memory(web, "VmRSS")
    sizes: list[int] = []
    exports = [threading.Thread(target=_fetch, args=(client, f"{path}export.json", sizes)) for _ in range(AT_ONCE)]
    for export in exports:
        export.start()
    began = time.perf_counter()
    busy = []
    while any(export.is_alive() for export in exports):
        busy.append(_taken(client, path))
        time.sleep(0.05)
    yield line("three exports at once: seconds", time.perf_counter() - began, "s")
    yield line("three exports at once: size of each", statistics.mean(sizes), "bytes")
    yield line("three exports at once: memory", _memory(web, "VmHWM") - before, "bytes", baseline=MOST_BYTES)
    yield line("page while they run, 95th percentile", _p95(busy) * 1000, "ms", baseline=_p95(quiet) * 1000)


def _fetch(client: Client, path: str, sizes: list[int]) -> None:
    with client.opener.open(client.base + path, timeout=900) as answer:
        sizes.append(sum(len(chunk) for chunk in iter(lambda: answer.read(1 << 16), b"")))


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
