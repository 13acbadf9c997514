"""Somebody's two files of about 1 MB in the browser, alone and while many are taken in: from click to summary.

How many of these were read meanwhile stands beside it, since an import that stands still keeps nobody waiting.
"""

from __future__ import annotations

import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench.click import from_click_to_summary
from bench.line import line
from fixtures.writer import big
from tests.harness import tools
from tests.harness.server import ROOT, Server

TIMES = 7
MOST_TIMES_ALONE = 2.0
FILES = 1000  # more than are read while somebody waits


def run() -> Iterator[str]:
    chromium = tools.chromium()
    if chromium is None:
        return
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var")
    importing = None
    try:
        server.start(120)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            alone = [from_click_to_summary(browser, server, folder, n)["summary"] for n in range(TIMES + 1)][1:]
            importing = _begin_import(server, folder / "many")
            began, before = time.perf_counter(), _read(server)
            beside = [
                from_click_to_summary(browser, server, folder, n)["summary"] for n in range(TIMES + 1, 2 * TIMES + 1)
            ]
            rate = (_read(server) - before - 2 * TIMES) / (time.perf_counter() - began)
            browser.close()
        single, meanwhile = statistics.median(alone), statistics.median(beside)
        yield line("click to summary, two 1 MB reports, alone", single, "s")
        yield line("the same while many are taken in", meanwhile, "s", baseline=MOST_TIMES_ALONE * single)
        yield line("times as long as alone", meanwhile / single, "x", baseline=MOST_TIMES_ALONE)
        yield line("reports of 1 MB read meanwhile", rate, "per s")
    finally:
        if importing is not None:
            importing.kill()
            importing.wait()
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _begin_import(server: Server, folder: Path) -> subprocess.Popen[bytes]:
    folder.mkdir()
    data = big(1)
    for number in range(FILES):
        (folder / f"{number:05}.html").write_bytes(data + b"<!-- %d -->" % number)
    command = [sys.executable, "manage.py", "import_reports", str(folder)]
    importing = subprocess.Popen(command, cwd=ROOT, env=server.env, stdout=subprocess.DEVNULL)
    before = _read(server)
    while _read(server) < before + 10:
        time.sleep(0.1)
    return importing


def _read(server: Server) -> int:
    """How many reports are read."""
    with closing(sqlite3.connect(server.var / "awrdiff.sqlite3")) as database:
        (count,) = database.execute("SELECT count(*) FROM reports_report WHERE state = 'ready'").fetchone()
    return int(count)
