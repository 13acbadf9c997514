"""The web server itself, in a thread, in front of an application that tells what it was given."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waitress import wasyncore

from awrdiff.serving import web
from awrdiff.serving.address import listen


def told(environ, start_response):
    """What reached the application, as JSON; below /big/N so many bytes, below /bare/N the status N and no length."""
    body = environ["wsgi.input"].read()
    path = environ["PATH_INFO"]
    if path.startswith("/bare/"):
        start_response(f"{path.rsplit('/', 1)[1]} Bare", [("ETag", '"a"')])
        return [b"x", b"y"] if path.endswith("200") else []
    if path.startswith("/big/"):
        said = b"x" * int(path.rsplit("/", 1)[1])
    else:
        kept = {k: v for k, v in environ.items() if isinstance(v, str | int) and k != "wsgi.errors"}
        said = json.dumps({"body": len(body), "environ": kept}).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(said)))])
    return [said]


class Line:
    """One connection, spoken to in bytes."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.file = self.socket.makefile("rb")

    def say(self, text: str | bytes) -> None:
        self.socket.sendall(text.encode() if isinstance(text, str) else text)

    def head(self) -> tuple[int, dict[str, str]]:
        status = int(self.file.readline().split()[1])
        headers = {}
        while line := self.file.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        return status, headers

    def answer(self) -> tuple[int, dict]:
        status, headers = self.head()
        return status, json.loads(self.file.read(int(headers["content-length"])))

    def is_closed(self) -> bool:
        """Also by a reset, as a server answers that closes before it has read all that was said."""
        try:
            return self.file.read(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.file.close()
        self.socket.close()


class Running:
    def __init__(self, application) -> None:
        listener = listen("127.0.0.1", 0)
        self.port = listener.getsockname()[1]
        self.server = web.make_server(application, listener)
        self.going = True
        self.thread = threading.Thread(target=self._loop)
        self.thread.start()

    def _loop(self) -> None:
        while self.going:
            wasyncore.loop(timeout=0.02, use_poll=True, map=self.server._map, count=1)

    def stop(self) -> None:
        self.going = False
        self.thread.join()
        self.server.task_dispatcher.shutdown()
        self.server.long_lane.shutdown()
        for channel in [*self.server._map.values()]:
            for request in filter(None, (getattr(channel, "request", None), *getattr(channel, "requests", ()))):
                request.close()  # a body that was still arriving lies in a file
        wasyncore.close_all(self.server._map)


@pytest.fixture
def small_limits(settings, tmp_path) -> Path:
    settings.AWRDIFF_UPLOAD_DIR = tmp_path / "uploads"
    settings.AWRDIFF_MAX_UPLOAD_MB = 1
    settings.AWRDIFF_SPOOL_MB = 4
    settings.AWRDIFF_WEB_PROCESSES = 2
    settings.AWRDIFF_WEB_THREADS = 4
    return tmp_path / "uploads"


@pytest.fixture
def running(small_limits, monkeypatch) -> Iterator[Running]:
    monkeypatch.setattr("tempfile.tempdir", None)
    made = Running(told)
    yield made
    made.stop()


@pytest.fixture
def connect(running) -> Iterator[Callable[[], Line]]:
    made: list[Line] = []

    def connected() -> Line:
        made.append(Line(running.port))
        return made[-1]

    yield connected
    for line in made:
        line.close()
