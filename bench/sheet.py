"""What a reader of a comparison waits for: a section's rows, a histogram, what Find lists, the panel of a thing; how
far the page jumps under the wheel, and what its first view weighs.

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

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from bench import acts
from bench.line import line
from tests.harness import tools
from tests.harness.server import Server, descendants

TIMES, PAGES = 20, 100
CASES = Path(__file__).resolve().parents[1] / "fixtures" / "cases" / "invented"
PAIR = (CASES / "before.html", CASES / "after.html")
WINDOW: ViewportSize = {"width": 1280, "height": 900}
WORDS = ("log file", "db file", "direct", "sql", "cpu", "redo", "buffer", "index", "physical", "logical")
SECTION_MS = KEYSTROKE_MS = PANEL_MS = 100
HISTOGRAM_MS = 200
SHIFT, FIRST_VIEW, LONG_TASK_MS = 0.05, 60_000, 200
Act = Callable[[], float]


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
            yield from _measured(browser, server, server.url + made)
            browser.close()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _measured(browser: Browser, server: Server, url: str) -> Iterator[str]:
    yield from _first_view(browser, url)
    clock = _Clock(browser, server)
    yield from clock.pages(url.removeprefix(server.url))
    page = browser.new_page(viewport=WINDOW)
    page.goto(url, wait_until="networkidle")
    folded = page.evaluate(acts.FOLDED)[:TIMES]
    yield from clock.lines("section click to rows", SECTION_MS, (partial(_section, page, i) for i in folded))
    things = page.evaluate(acts.THINGS)[:TIMES]
    yield from clock.lines("Enter to panel", PANEL_MS, (partial(_panel, page, h) for h in things))
    yield from clock.lines("letter in Find to what is found", KEYSTROKE_MS, (partial(_key, page, k) for k in _keys()))
    page.close()
    page = browser.new_page(viewport=WINDOW)
    anew = partial(page.goto, url, wait_until="networkidle")
    opened = (partial(_histogram, page) for _ in range(TIMES // 4))
    yield from clock.lines("click to a histogram", HISTOGRAM_MS, opened, before=anew)
    events = page.evaluate(acts.EVENTS)[:TIMES]
    yield from clock.lines("another event's histogram", HISTOGRAM_MS, (partial(_event, page, e) for e in events))
    page.close()
    yield from _wheel(browser, url)


def _keys() -> list[str]:
    """What the box holds after each keystroke: words, letter by letter."""
    return [word[: n + 1] for word in WORDS for n in range(min(4, len(word)))]


def _section(page: Page, section: str) -> float:
    return float(page.evaluate(acts.SECTION, section))


def _panel(page: Page, href: str) -> float:
    took = float(page.evaluate(acts.PANEL, href))
    page.keyboard.press("Escape")
    return took


def _key(page: Page, text: str) -> float:
    return float(page.evaluate(acts.KEY, text))


def _histogram(page: Page) -> float:
    return float(page.evaluate(acts.HISTOGRAM))


def _event(page: Page, row: str) -> float:
    return float(page.evaluate(acts.EVENT, row))


def _wheel(browser: Browser, url: str) -> Iterator[str]:
    """A turn of the wheel after the other, to the end of the page."""
    page = browser.new_page(viewport=WINDOW)
    page.add_init_script(acts.SHIFTS + acts.LONG_TASKS)
    page.goto(url, wait_until="networkidle")
    page.mouse.move(700, 500)
    turns = 0
    while turns < 400 and not page.evaluate(acts.AT_END):
        page.mouse.wheel(0, 400)
        page.wait_for_timeout(50)
        turns += 1
    page.wait_for_load_state("networkidle")
    yield line("layout shift over a wheel to the end", page.evaluate("window.shifted"), "score", baseline=SHIFT)
    longest = page.evaluate("window.longest")  # 0 where none took 50 ms
    yield line("longest task from the address to the wheel's end", longest, "ms", baseline=LONG_TASK_MS)
    page.close()


def _first_view(browser: Browser, url: str) -> Iterator[str]:
    """With an empty cache, as they are sent: the page itself, and everything until it is loaded."""
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    session = context.new_cdp_session(page)
    kinds: dict[str, str] = {}
    sent: dict[str, float] = {}
    session.on("Network.responseReceived", lambda e: kinds.update({e["requestId"]: e["type"]}))
    session.on("Network.loadingFinished", lambda e: sent.update({e["requestId"]: e["encodedDataLength"]}))
    session.send("Network.enable")
    page.goto(url, wait_until="load")
    held = dict(sent)
    document = sum(n for i, n in held.items() if kinds.get(i) == "Document")
    yield line("first view: HTML as it is sent", document, "bytes", baseline=FIRST_VIEW)
    yield line("first view: with styles and scripts, nothing cached", sum(held.values()), "bytes")
    context.close()


class _Clock:
    def __init__(self, browser: Browser, server: Server) -> None:
        self._session, self._server = browser.new_browser_cdp_session(), server

    def lines(
        self, name: str, goal_ms: float, doings: Iterator[Act], *, before: Callable[[], object] | None = None
    ) -> Iterator[str]:
        """`before` is done before each, and not counted."""
        taken, page, server = [], 0.0, 0.0
        for doing in doings:
            if before is not None:
                before()
            page, server = page - self._page_s(), server - self._server_s()
            taken.append(doing())
            page, server = page + self._page_s(), server + self._server_s()
        if not taken:
            return
        yield line(f"{name}: wall clock, median", statistics.median(taken), "ms", baseline=goal_ms)
        yield line(f"{name}: processor time of the page", page / len(taken) * 1000, "ms")
        yield line(f"{name}: processor time of the server", server / len(taken) * 1000, "ms")

    def pages(self, path: str) -> Iterator[str]:
        """Made anew each time, by a server that has its templates by then."""
        client = self._server.client()
        client.page(path)
        began = self._server_s()
        for _ in range(PAGES):
            client.page(path)
        yield line("pages of a comparison per second and core", PAGES / (self._server_s() - began), "pages/s")

    def _page_s(self) -> float:
        processes = self._session.send("SystemInfo.getProcessInfo")["processInfo"]
        return float(sum(one["cpuTime"] for one in processes if one["type"] == "renderer"))

    def _server_s(self) -> float:
        return sum(map(_cpu_s, descendants(self._server.process.pid if self._server.process else 0)))


def _cpu_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
