"""What a reader of a comparison waits for: a section's rows, the panel of a thing.

Embedded default, real processes, real Chromium; beside the wall clock the processor time of the page and of the server,
which other work on the machine leaves as it is."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bench.line import line
from tests.harness import tools
from tests.harness.server import Server, descendants

TIMES = 20
CASES = Path(__file__).resolve().parents[1] / "fixtures" / "cases" / "invented"
PAIR = (CASES / "before.html", CASES / "after.html")
SHOWN = """(act, target) => new Promise((done) => {
  const began = performance.now();
  const seen = (event) => {
    if (!event.target.closest(target)) return;
    document.removeEventListener("htmx:afterSettle", seen);
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  };
  document.addEventListener("htmx:afterSettle", seen);
  act();
})"""
SECTION = f"""(id) => ({SHOWN})(() => document.querySelector(`#${{id}} .fold`).click(), `#${{id}}`)"""
PANEL = f"""(href) => ({SHOWN})(
  () => [...document.querySelectorAll("a.to")].find((a) => a.href === href).click(), "#panel")"""
FOLDED = "[...document.querySelectorAll('.sec.folded')].map((s) => s.id)"
THINGS = (
    "[...new Set([...document.querySelectorAll('a.to')].map((a) => a.href))].filter((h) => h.includes('/entities/'))"
)


def run() -> Iterator[str]:
    chromium = tools.chromium()
    if chromium is None:
        return
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var")
    try:
        server.start(120)
        client = server.client()
        made = client.compare(*(client.upload(path.name, path.read_bytes()).json["id"] for path in PAIR))
        client.settled(made, 120)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            yield from _measured(browser, server, made)
            browser.close()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _measured(browser: Browser, server: Server, made: str) -> Iterator[str]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(server.url + made, wait_until="networkidle")
    clock = _Clock(browser, server)
    folded = page.evaluate(FOLDED)[:TIMES]
    yield from clock.lines("section click to rows", 100, (partial(_section, page, i) for i in folded))
    things = page.evaluate(THINGS)[:TIMES]
    yield from clock.lines("click to panel", 100, (partial(_panel, page, h) for h in things))


def _section(page: Page, section: str) -> float:
    took: float = page.evaluate(SECTION, section)
    return took


def _panel(page: Page, href: str) -> float:
    took: float = page.evaluate(PANEL, href)
    page.keyboard.press("Escape")
    return took


class _Clock:
    def __init__(self, browser: Browser, server: Server) -> None:
        self._session, self._server = browser.new_browser_cdp_session(), server

    def lines(self, name: str, goal_ms: float, doings: Iterator[Callable[[], float]]) -> Iterator[str]:
        page, server = self._page_s(), self._server_s()
        taken = [doing() for doing in doings]
        if not taken:
            return
        yield line(f"{name}: wall clock, median", statistics.median(taken), "ms", baseline=goal_ms)
        yield line(f"{name}: processor time of the page", (self._page_s() - page) / len(taken) * 1000, "ms")
        yield line(f"{name}: processor time of the server", (self._server_s() - server) / len(taken) * 1000, "ms")

    def _page_s(self) -> float:
        found = self._session.send("SystemInfo.getProcessInfo")["processInfo"]
        return float(sum(one["cpuTime"] for one in found if one["type"] == "renderer"))

    def _server_s(self) -> float:
        return sum(map(_cpu_s, descendants(self._server.process.pid if self._server.process else 0)))


def _cpu_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
