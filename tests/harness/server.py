"""bin/serve's processes for tests, and a small script-like client."""

from __future__ import annotations

import http.cookiejar
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from awrdiff.accounts import loopback_peer_user
from tests.harness import prepared
from tests.harness.services import free_port

ROOT = Path(__file__).resolve().parents[2]
BUSY = 4  # factor on all waits


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: Any

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Keeps cookies and sends the CSRF token, as the contract for scripts has it."""

    def __init__(self, base: str, *, json_wanted: bool = True) -> None:
        self.base = base
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.accept = "application/json" if json_wanted else "text/html"

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        sent = {"Accept": self.accept, **{k.replace("_", "-"): v for k, v in headers.items()}}
        token = next((c.value for c in self.cookies if c.name.endswith("csrftoken")), None)
        if token and method != "GET":
            sent["X-CSRFToken"] = token
        request = urllib.request.Request(self.base + path, data=body, method=method, headers=sent)
        try:
            with self.opener.open(request, timeout=60) as response:
                return Answer(response.status, response.read(), response.headers)
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read(), error.headers)

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, None, **headers)

    def page(self, path: str) -> Answer:
        """As a browser asks; also fetches the CSRF cookie."""
        return self.get(path, Accept="text/html")

    def post(self, path: str, fields: list[tuple[str, str]]) -> Answer:
        return self.request("POST", path, urllib.parse.urlencode(fields).encode())

    def upload(self, name: str, data: bytes) -> Answer:
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{boundary}--\r\n".encode()
        return self.request("POST", "/reports/", body, Content_Type=f"multipart/form-data; boundary={boundary}")

    def compare(self, *report_ids: str) -> str:
        """The path of a new comparison of these reports."""
        answer = self.post("/comparisons/", [("report", pk) for pk in report_ids])
        assert answer.status == 201, answer.body
        url: str = answer.json["url"]
        return url

    def settled(self, path: str, seconds: float = 60) -> dict[str, Any]:
        """JSON at `path` once its state is ready or failed."""
        document: dict[str, Any] = {}

        def is_settled() -> bool:
            document.update(self.get(path).json)
            return document["state"] in ("ready", "failed")

        until(is_settled, seconds, what=lambda: f"{path}: {document}", again_s=0.2)
        return document


def until(
    condition: Callable[[], bool], seconds: float, what: Callable[[], str] = lambda: "", again_s: float = 0.05
) -> None:
    """Poll every `again_s`, which leaves the server the processor; waits BUSY times `seconds` at most."""
    deadline = time.monotonic() + BUSY * seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {BUSY * seconds} s: {what()}")
        time.sleep(again_s)


_FAULT = re.compile(r"^.*Internal Server Error: .*\nTraceback.*\n(?:[ \t].*\n|\n)*.*", re.M)


class Server:
    """`python -m awrdiff.serve` on a folder and port of its own; `fresh` lets it do all of its first start itself."""

    def __init__(self, var: Path, *arguments: str, fresh: bool = False, **env: str) -> None:
        self.var = var
        self.arguments = arguments
        self.fresh = fresh
        self.root = ROOT  # the checkout it runs
        self.port = free_port()
        clean = prepared.without_settings(os.environ)
        self.env = {**clean, "PORT": str(self.port), "AWRDIFF_VAR": str(var), "PYTHONUNBUFFERED": "1", **env}
        self.process: subprocess.Popen[bytes] | None = None
        self.log = var / "serve.log"  # of every start
        self._log_start = 0

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self, seconds: float = 60) -> None:
        self.prepare()
        with self.log.open("ab") as log:
            self._log_start = log.tell()
            self.process = subprocess.Popen(
                [sys.executable, "-m", "awrdiff.serve", *self.arguments],
                cwd=self.root,
                env=self.env,
                stdout=log,
                stderr=log,
            )
        try:
            until(self._announced, seconds, what=self.output)
        except TimeoutError:
            self.stop()  # or it would be in the way of all the tests after this one
            raise

    def prepare(self) -> None:
        self.var.mkdir(parents=True, exist_ok=True)
        if not self.fresh:
            prepared.put_into(self.var, self.env)

    def _announced(self) -> bool:
        if self.process is not None and self.process.poll() is not None:
            raise RuntimeError(f"the server stopped: {self.output()}")
        return "awrdiff is at" in self.output()

    def output(self) -> str:
        """Output since the last start."""
        return self.log.read_bytes()[self._log_start :].decode(errors="replace") if self.log.exists() else ""

    def faults(self) -> list[str]:
        """Tracebacks of requests that failed, from every start."""
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return _FAULT.findall(text)

    def database(self, statement: str) -> list[Any]:
        """Rows of a statement on its SQLite database, committed."""
        with closing(sqlite3.connect(self.var / "awrdiff.sqlite3", timeout=20)) as connection, connection:
            return connection.execute(statement).fetchall()

    def client(self) -> Client:
        """Client of whoever runs the server; as `nobody`, whom the system cannot tell from strangers, it uses the
        token.
        """
        client = Client(self.url)
        has_token = not loopback_peer_user.system_tells() and (self.var / "local_address").is_file()
        client.page(self.token_path() if has_token else "/")
        return client

    def token_path(self) -> str:
        """Path and query of the file's address: /?token=…"""
        return "/" + (self.var / "local_address").read_text().strip().rpartition("/")[2]

    def children(self, words: str) -> list[int]:
        """Ids of the server's processes whose command line holds `words`, parents first."""
        assert self.process is not None
        return [pid for pid in descendants(self.process.pid) if words in command_line(pid)]

    def stop(self) -> None:
        if self.process is None:
            return
        pids = descendants(self.process.pid)
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=BUSY * 40)
        self.process = None
        until(
            lambda: not any(map(is_running, pids)), 5, what=lambda: f"left behind: {[p for p in pids if is_running(p)]}"
        )


def descendants(pid: int) -> list[int]:
    pids = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            direct = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in direct:
            pids += [child, *descendants(child)]
    return pids


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
