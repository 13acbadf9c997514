"""S3 store for tests (moto's server), and two sick ones: one hangs, one refuses everything."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from urllib.parse import urlsplit

import boto3

from tests.harness.services import free_port, wait_for_port

BUCKET = "reports"
SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"


class S3:
    """Keeps everything in memory: stopping it loses what was in it."""

    def __init__(self) -> None:
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for_port(self.port, 60)

    def make_bucket(self) -> None:
        boto3.client("s3", endpoint_url=self.url).create_bucket(Bucket=BUCKET)

    def names(self) -> list[str]:
        page = boto3.client("s3", endpoint_url=self.url).list_objects_v2(Bucket=BUCKET)
        return [entry["Key"] for entry in page.get("Contents", [])]

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def hanging() -> Iterator[tuple[str, list[socket.socket]]]:
    """Its address, and the connections it accepted: it answers none."""
    connections: list[socket.socket] = []
    door = socket.create_server(("127.0.0.1", 0))

    def take() -> None:
        with suppress(OSError):
            while True:
                connections.append(door.accept()[0])

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{door.getsockname()[1]}", connections
    door.shutdown(socket.SHUT_RDWR)
    door.close()
    for connection in connections:
        connection.close()
    thread.join(5)


@contextmanager
def through(url: str) -> Iterator[SimpleNamespace]:
    """Address of a proxy to a store, except for what `instead` answers: a function of method and path to a status or
    None. `slow_s`: delay of each answer; `drip_s`: of each byte.
    """
    state = SimpleNamespace(url="", instead=lambda _method, _path: None, slow_s=0.0, drip_s=0.0)
    store = urlsplit(url)

    class HandOn(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            time.sleep(state.slow_s)
            status = state.instead(self.command, self.path)
            if status:
                return self._answer(status, [], SLOW_DOWN if status == 503 else b"")
            connection = http.client.HTTPConnection(store.hostname or "", store.port, timeout=10)
            with closing(connection):
                connection.request(self.command, self.path, body, dict(self.headers.items()))
                answer = connection.getresponse()
                headers = [(n, v) for n, v in answer.getheaders() if n.lower() not in ("content-length", "connection")]
                length = answer.headers["Content-Length"] if self.command == "HEAD" else None
                return self._answer(answer.status, headers, answer.read(), length)

        do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815 - as its base calls them

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes, length: str | None = None) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", length or str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                for piece in [body[n : n + 1] for n in range(len(body))] if state.drip_s else [body]:
                    time.sleep(state.drip_s)
                    self.wfile.write(piece)

        def log_message(self, *_args: object) -> None:
            """Nowhere."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), HandOn)
    thread = threading.Thread(target=server.serve_forever, args=[0.05], daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    server.server_close()
    thread.join(5)


@contextmanager
def refusing(status: int) -> Iterator[str]:
    """Address of a server that answers every request with `status`."""

    class Refuse(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_PUT = do_POST = do_DELETE = do_GET  # noqa: N815 - as its base calls them

        def log_message(self, *_args: object) -> None:
            """Nowhere."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuse)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(5)
