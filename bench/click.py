"""From choosing two files of about 1 MB to the visible summary: embedded default, real processes, real Chromium.

The page itself takes the times, by one clock through all its documents: what waits for it from outside looks again only
every half second.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bench.line import line
from bench.worker_rate import cpu_s
from fixtures.writer import big
from tests.harness import tools
from tests.harness.server import Server

TIMES = 5
GOAL_S, GOAL_CPU_S = 1.5, 0.6
SETTLES_S = 1.0  # what the page asks for once it is there, and what follows up
# In every document before its own scripts: when files were chosen, kept for the documents after it, and when the
# summary was first in a frame that is drawn.
WATCH = """
(() => {
  const now = () => performance.timeOrigin + performance.now();
  addEventListener("change", () => sessionStorage.setItem("chosen", now()), true);
  const seen = () => {
    if (!document.querySelector(".verdict")?.getClientRects().length) return;
    watching.disconnect();
    requestAnimationFrame(() => (window.summarySeen = now()));
  };
  const watching = new MutationObserver(seen);
  watching.observe(document, { childList: true, subtree: true, attributes: true });
})();
"""
TAKEN = """async () => {
  while (!window.summarySeen) await new Promise(requestAnimationFrame);
  const chosen = Number(sessionStorage.getItem("chosen"));
  return { summary: (summarySeen - chosen) / 1000, asked: (performance.timeOrigin - chosen) / 1000 };
}"""


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
            taken = [from_click_to_summary(browser, server, folder, i) for i in range(TIMES + 1)]
            del taken[0]  # it warms up
            browser.close()
        summary, asked, cpu = ([one[of] for one in taken] for of in ("summary", "asked", "cpu"))
        yield line("click to summary, two 1 MB reports", statistics.median(summary), "s", baseline=GOAL_S)
        yield line("click to summary, slowest", max(summary), "s", baseline=GOAL_S)
        yield line("click to when its page is asked for", statistics.median(asked), "s")
        yield line("CPU of a click, web servers and worker", statistics.median(cpu), "s", baseline=GOAL_CPU_S)
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


def from_click_to_summary(browser: Browser, server: Server, folder: Path, i: int) -> dict[str, float]:
    """Seconds from the choice of files to the summary, and to when the page that has it was asked for; `cpu`: seconds
    that the server's processes spent, and what they had ended.
    """
    files = []
    for j, data in enumerate((big(1), big(1.05))):
        path = folder / f"run{i}-{j}.html"
        path.write_bytes(data + f"<!-- {i} -->".encode())  # other bytes each time: the same ones are read only once
        files.append(str(path))
    page = browser.new_page()
    page.add_init_script(WATCH)
    page.goto(server.url + "/", wait_until="networkidle")
    before = cpu_s(server.process.pid if server.process else None)
    page.set_input_files("#files", files)
    page.wait_for_selector(".verdict", state="visible", timeout=60_000)
    taken: dict[str, float] = page.evaluate(TAKEN)
    time.sleep(SETTLES_S)
    taken["cpu"] = cpu_s(server.process.pid if server.process else None) - before
    page.close()
    return taken
