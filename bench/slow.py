"""What slow clients do to everybody else: 40 of each sort at once against bin/serve, then /healthz and the home page.

Sorts: headers that arrive byte by byte, bodies that do (of whoever is signed in, and of strangers), answers that
nobody fetches, and connections that say nothing. Only 127.0.0.1, and for a bounded time.
"""

from __future__ import annotations

import selectors
import shutil
import socket
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.line import line
from fixtures.writer import big
from tests.harness.server import Client, Server

EACH = 40
TIMES = 30
GOAL_S = 1.0
DRIP_S = 0.1
BOUNDARY = "slow"


class Crowd:
    """`each` connections of one sort; `drip` sends the next few bytes on all of them."""

    def __init__(self, port: int, each: int, opening: Callable[[int], bytes], *, fetches: bool = True) -> None:
        self.sockets = []
        for number in range(each):
            made = socket.socket()
            if not fetches:
                made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            made.settimeout(5)
            made.connect(("127.0.0.1", port))
            made.sendall(opening(number))
            made.settimeout(0)
            self.sockets.append(made)

    def drip(self, data: bytes) -> None:
        for one in self.sockets:
            with suppress(OSError):
                one.send(data)

    def answered(self) -> int:
        """How many were given an answer, or cut off, by now."""
        with selectors.DefaultSelector() as selector:
            for one in self.sockets:
                selector.register(one, selectors.EVENT_READ)
            return len(selector.select(0))

    def close(self) -> None:
        for one in self.sockets:
            one.close()


def _headers(_number: int) -> bytes:
    return b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


def _idle(_number: int) -> bytes:
    return b""


def _body(cookies: str = "", token: str = "") -> Callable[[int], bytes]:
    head = "POST /reports/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\nAccept: application/json\r\n"
    head += f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nX-CSRFToken: {token}\r\n"
    head += f"Cookie: {cookies}\r\n\r\n--{BOUNDARY}\r\n"
    part = 'Content-Disposition: form-data; name="file"; filename="slow.html"\r\n\r\n'
    return lambda _number: (head + part).encode() + b"x" * 300_000


def _reader(path: str, cookies: str) -> Callable[[int], bytes]:
    return lambda _number: f"GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookies}\r\n\r\n".encode()


def crowds(server: Server, client: Client, each: int, export: str) -> dict[str, Callable[[], Crowd]]:
    cookies = "; ".join(f"{c.name}={c.value}" for c in client.cookies)
    token = next((c.value or "" for c in client.cookies if c.name.endswith("csrftoken")), "")
    return {
        "slow headers": lambda: Crowd(server.port, each, _headers),
        "slow bodies, signed in": lambda: Crowd(server.port, each, _body(cookies, token)),
        "slow bodies of strangers": lambda: Crowd(server.port, each, _body()),
        "slow readers of an export": lambda: Crowd(server.port, each, _reader(export, cookies), fetches=False),
        "idle connections": lambda: Crowd(server.port, each, _idle),
    }


def asked(url: str) -> float:
    """Seconds until `url` is answered with 200; a new connection each time."""
    began = time.perf_counter()
    with urllib.request.urlopen(url, timeout=30) as answer:
        answer.read()
    return time.perf_counter() - began


def measured(server: Server, all_of_them: list[Crowd], times: int) -> dict[str, list[float]]:
    """Seconds of each page while the crowds drip."""
    taken: dict[str, list[float]] = {"healthz": [], "": []}
    for _ in range(times):
        for crowd in all_of_them:
            crowd.drip(b"x")
        for path, seconds in taken.items():
            seconds.append(asked(f"{server.url}/{path}"))
        time.sleep(DRIP_S)
    return taken


@contextmanager
def started(each: int, make: dict[str, Callable[[], Crowd]], names: list[str]) -> Iterator[list[Crowd]]:
    made = [make[name]() for name in names]
    time.sleep(min(10, each / 4))  # the readers' exports are being made
    try:
        yield made
    finally:
        for crowd in made:
            crowd.close()


def large_export(client: Client, megabytes: float) -> str:
    """The path of a JSON export of a comparison of two reports of about that size."""
    data = [big(megabytes), big(megabytes * 1.05)]
    uploaded = [client.upload(f"{i}.html", one).json for i, one in enumerate(data)]
    path = client.compare(*(one["id"] for one in uploaded))
    work = client.settled(path, 180)
    if work["state"] != "ready":
        raise RuntimeError(work["error"])
    return f"{path}export.json"


def run() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Server(folder / "var")
    try:
        server.start(120)
        client = server.client()
        make = crowds(server, client, EACH, large_export(client, 2))
        for sort, names in {"nobody else": [], **{n: [n] for n in make}, "all of them": list(make)}.items():
            with started(EACH, make, names) as made:
                for path, taken in measured(server, made, TIMES).items():
                    yield from _lines(f"/{path} beside {EACH if names else 0} each: {sort}", taken)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _lines(name: str, taken: list[float]) -> Iterator[str]:
    yield line(f"{name}, median", statistics.median(taken), "s", baseline=GOAL_S)
    yield line(f"{name}, p95", statistics.quantiles(taken, n=20)[-1], "s", baseline=GOAL_S)
