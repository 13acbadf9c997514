"""A busy afternoon on one server of the embedded default: readers who open a page every few seconds, writers who upload
and comment, and a process that is killed every minute. Nothing that was answered may be missing at the end.

`AWRDIFF_CROWD_MINUTES` says how long (10), 50 readers and 10 writers.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import statistics
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from bench.line import line
from fixtures.writer import big
from tests.harness.server import Client, Server
from tests.processes.files import two_reports

READERS, WRITERS = 50, 10
READS_EVERY_S, WRITES_EVERY_S, KILLS_EVERY_S = 5.0, 20.0, 60.0  # means of each person's pauses; kills are regular
KILLED = ("web server", "worker", "sweeper")
SETTLES_S = 300


@dataclass
class Seen:
    """What all of them met, under one lock: seconds by kind of page, what was not answered, and what was promised."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    taken_s: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    unanswered: int = 0
    refused: list[str] = field(default_factory=list)
    pages: list[tuple[str, str]] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)
    comments: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


class Person(threading.Thread, ABC):
    """Somebody with a browser of their own, who acts until `over`; what breaks off is tried again later."""

    def __init__(self, server: Server, seen: Seen, over: threading.Event, number: int, pause_s: float) -> None:
        super().__init__(daemon=True)
        self.server, self.seen, self.over = server, seen, over
        self.number, self.pause_s = number, pause_s
        self.random = random.Random(number)  # noqa: S311 - the same crowd every time

    def run(self) -> None:
        client: Client | None = None
        while not self.over.wait(self.random.expovariate(1 / self.pause_s)):
            try:
                client = client or self.server.client()
                self.act(client)
            except (OSError, ValueError, AssertionError):  # its connection went with a process
                with self.seen.lock:
                    self.seen.unanswered += 1
                client = None

    @abstractmethod
    def act(self, client: Client) -> None: ...


class Reader(Person):
    def act(self, client: Client) -> None:
        with self.seen.lock:
            kind, path = self.random.choice(self.seen.pages)
        start = time.perf_counter()
        answer = client.page(path)
        with self.seen.lock:
            self.seen.taken_s[kind].append(time.perf_counter() - start)
            if answer.status >= 400:
                self.seen.refused.append(f"{path} {answer.status}")


class Writer(Person):
    """Every third time a report of its own is uploaded, else something is said of the comparison."""

    turns = 0

    def act(self, client: Client) -> None:
        self.turns += 1
        with self.seen.lock:
            comparison = self.seen.pages[0][1]
        if self.turns % 3:
            comment = f"Writer {self.number}, turn {self.turns}."
            begun = client.post(f"{comparison}threads/", [("anchor", "summary"), ("body", comment)])
            self.kept("comments", begun.status, begun.json.get("own_url", ""), comment)
            return
        body = two_reports()[0] + f"<!-- {self.number} {self.turns} -->".encode()
        sent = client.upload(f"{self.number}-{self.turns}.html", body)
        self.kept("reports", sent.status, sent.json.get("url", ""))

    def kept(self, what: str, status: int, url: str, comment: str = "") -> None:
        with self.seen.lock:
            if status not in (200, 201):
                self.seen.refused.append(f"{what} {status}")
            elif comment:
                self.seen.comments[url].append(comment)
            else:
                self.seen.reports.append(url)


def run() -> Iterator[str]:
    minutes = float(os.environ.get("AWRDIFF_CROWD_MINUTES", "10"))
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var")
    server.start(120)
    try:
        yield from _afternoon(server, minutes * 60)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _afternoon(server: Server, lasts_s: float) -> Iterator[str]:
    seen, over = Seen(), threading.Event()
    seen.pages = _pages(server)
    before = _memory(server)
    crowd: list[Person] = [Reader(server, seen, over, n, READS_EVERY_S) for n in range(READERS)]
    crowd += [Writer(server, seen, over, 1000 + n, WRITES_EVERY_S) for n in range(WRITERS)]
    for one in crowd:
        one.start()
    kills, end = 0, time.monotonic() + lasts_s
    for part in cycle(KILLED):
        time.sleep(max(0.0, min(KILLS_EVERY_S, end - time.monotonic())))
        if time.monotonic() >= end:
            break
        kills += _kill(server, part)
    over.set()
    for one in crowd:
        one.join(120)
    for kind, taken in sorted(seen.taken_s.items()):
        yield line(f"crowd: {kind}, median of {len(taken)}", statistics.median(taken), "s")
        yield line(f"crowd: {kind}, 95th percentile", statistics.quantiles(taken, n=20)[-1], "s", baseline=1.0)
    yield line("crowd: processes killed", kills, "count")
    yield line("crowd: requests that broke off with them", seen.unanswered, "count")
    yield line("crowd: other refusals", len(seen.refused), "count", baseline=None)
    yield line(f"crowd: lost, of {len(seen.reports)} uploads answered", len(_unread(server, seen)), "count")
    comments = sum(map(len, seen.comments.values()))
    yield line(f"crowd: lost, of {comments} comments answered", _unsaid(server, seen), "count")
    yield line("crowd: faults in the log", len(server.faults()), "count")
    yield line("crowd: memory of all processes", _memory(server), "bytes", baseline=before)


def _pages(server: Server) -> list[tuple[str, str]]:
    """Kinds and addresses of what is read, the comparison first."""
    client = server.client()
    sent = [client.upload(name, data).json["url"] for name, data in zip(("a.html", "b.html"), _pair(), strict=True)]
    for path in sent:
        client.settled(path, 120)
    comparison = client.compare(*(path.split("/")[-2] for path in sent))
    client.settled(comparison, 120)
    pages = [("comparison", comparison), ("first page", "/"), ("report", sent[0]), ("databases", "/databases/")]
    pages += [("section", f"{comparison}sections/{one}/") for one in ("foreground_wait_events", "sql_by_elapsed_time")]
    return [*pages, ("commit latency", f"{comparison}commit/"), ("incidents", "/incidents/")]


def _pair() -> tuple[bytes, bytes]:
    whole = big(1)
    return whole, whole + b"<!-- second -->"


def _kill(server: Server, part: str) -> int:
    pids = [pid for pid in server.children(part) if pid != getattr(server.process, "pid", 0)]
    if not pids:
        return 0
    with suppress(ProcessLookupError):
        os.kill(pids[-1], signal.SIGKILL)
    return 1


def _unread(server: Server, seen: Seen) -> list[str]:
    client, end = server.client(), time.monotonic() + SETTLES_S
    waiting = list(seen.reports)
    while waiting and time.monotonic() < end:
        waiting = [url for url in waiting if client.get(url).json.get("state") != "ready"]
        time.sleep(1 if waiting else 0)
    return waiting


def _unsaid(server: Server, seen: Seen) -> int:
    client = server.client()
    shown = {url: client.page(url).body.decode() for url in seen.comments}
    return sum(text not in shown[url] for url, texts in seen.comments.items() for text in texts)


def _memory(server: Server) -> int:
    """Bytes, what processes share counted once."""
    total = 0
    for pid in (getattr(server.process, "pid", 0), *server.children("")):
        with suppress(OSError):
            for row in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if row.startswith("Pss:"):
                    total += int(row.split()[1]) * 1024
    return total
