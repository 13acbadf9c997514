"""From choosing two files of about 1 MB to the visible summary: embedded default, real processes, real Chromium."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bench.line import line
from fixtures.writer import big
from tests.harness import tools
from tests.harness.server import Server

TIMES = 5
GOAL_S = 1.5


def run() -> Iterator[str]:
    chromium = tools.chromium()
    if chromium is None:
        return
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var")
    try:
        yield from _starts(server)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            taken = [_once(browser, server.url, folder, i) for i in range(TIMES + 1)][1:]  # the first one warms up
            browser.close()
        yield line("click to summary, two 1 MB reports", statistics.median(taken), "s", baseline=GOAL_S)
        yield line("click to summary, slowest", max(taken), "s", baseline=GOAL_S)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _starts(server: Server) -> Iterator[str]:
    for name in ("first start of bin/serve", "second start of bin/serve"):
        if server.process is not None:
            server.stop()
        began = time.perf_counter()
        server.start(120)
        yield line(name, time.perf_counter() - began, "s", baseline=5.0)


def _once(browser: Browser, url: str, folder: Path, i: int) -> float:
    files = []
    for j, data in enumerate((big(1), big(1.05))):
        path = folder / f"run{i}-{j}.html"
        path.write_bytes(data + f"<!-- {i} -->".encode())  # other bytes each time: the same ones are read only once
        files.append(str(path))
    page = browser.new_page()
    page.goto(url + "/", wait_until="networkidle")
    began = time.perf_counter()
    page.set_input_files("input[type=file]", files)
    page.wait_for_selector(".verdict", state="visible", timeout=60_000)
    taken = time.perf_counter() - began
    page.close()
    return taken
