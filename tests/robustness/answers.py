"""A client that takes nothing on trust: each answer is looked through for what must never be in one."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from tempfile import TemporaryFile
from typing import Any, NoReturn

from django.core.signals import got_request_exception
from django.test import Client

from tests.fuzz import Memory

csv.field_size_limit(1 << 24)  # a report's text may be longer than what the csv module expects

JSON = {"HTTP_ACCEPT": "application/json"}
HTMX = {"HTTP_HX_REQUEST": "true"}
_RAW = re.compile(rb'(?<!\\)<(?:k7|script>alert|img src=x)|"&gt;&lt;k7')  # Markdown's backslash takes the sense off
_FORMULA = ("=", "+", "@", "\t", "\r")


class Wrong(AssertionError):
    """An answer that is ours to mend; the words say which address and what."""


def _refuse_constant(name: str) -> NoReturn:
    raise Wrong(f"{name} in JSON")


def read_json(body: bytes) -> Any:
    """The document; raises Wrong for what is none, and for NaN and infinities, which are none either."""
    try:
        return json.loads(body, parse_constant=_refuse_constant)
    except ValueError as error:
        raise Wrong(f"no JSON: {error}") from error


class Meter:
    """Processor time of the slowest request, with the processes it waited for, and memory of the greediest."""

    def __init__(self) -> None:
        self._memory = Memory()
        self.slowest_s, self.most_bytes = 0.0, 0

    def reset(self) -> None:
        self.slowest_s, self.most_bytes = 0.0, 0

    @contextmanager
    def one(self) -> Iterator[None]:
        held, started = self._memory.reset(), cpu_s()
        yield
        self.slowest_s = max(self.slowest_s, cpu_s() - started)
        self.most_bytes = max(self.most_bytes, self._memory.read() - held)


def cpu_s() -> float:
    """Of this process and those it started and waited for."""
    return sum(os.times()[:4])


class Visitor:
    """Asks as a signed-in member does; `wrong` collects what no answer may be, `asked` counts."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.meter = Meter()
        self.client.raise_request_exception = False
        self.wrong: list[str] = []
        self.asked = 0
        self._raised: list[str] = []
        got_request_exception.connect(self._raise, weak=False)

    def _raise(self, **_kwargs: Any) -> None:
        error = sys.exc_info()[1]
        ours = [
            f for f in traceback.extract_tb(error.__traceback__ if error else None) if "site-packages" not in f.filename
        ]
        where = f"{ours[-1].filename.rsplit('/awrdiff/')[-1]}:{ours[-1].lineno}" if ours else "?"
        self._raised.append(f"{type(error).__name__} at {where}: {str(error)[:200]}")

    def get(self, path: str, *also: int, **headers: Any) -> bytes:
        """The body of an answer that is 200 (or one of `also`)."""
        return self.send("get", path, None, 200, *also, **headers)

    def json(self, path: str, *also: int) -> Any:
        return read_json(self.get(path, *also, **JSON))

    def post(self, path: str, data: dict[str, Any], *statuses: int) -> Any:
        """What a script is answered: a document, or None where the answer has no body."""
        body = self.send("post", path, data, *statuses, **JSON)
        return read_json(body) if body else None

    def send(self, method: str, path: str, data: Any, *statuses: int, **headers: Any) -> bytes:
        self.asked += 1
        with self.meter.one(), TemporaryFile() as file:
            response = getattr(self.client, method)(path, data, **headers)
            file.writelines(response if response.streaming else [response.content])  # what is sent is not held
            response.close()
            file.flush()
            sent = os.dup(file.fileno())
        with os.fdopen(sent, "rb") as again:
            again.seek(0)
            body = again.read()
        self._look(f"{method} {path[:200]}", response, body, statuses)
        self.status = response.status_code
        return body

    def _look(self, what: str, response: Any, body: bytes, statuses: tuple[int, ...]) -> None:
        if response.status_code not in statuses:
            said = self._raised.pop() if self._raised else body[:200].decode(errors="replace")
            self.wrong.append(f"{what}: {response.status_code} {said}")
        try:
            look_through(response.headers.get("Content-Type", ""), body)
        except Wrong as wrong:
            self.wrong.append(f"{what}: {wrong}")


def look_through(kind: str, body: bytes) -> None:
    """Raises Wrong where a script of a report's would run, JSON is none, or a spreadsheet would reckon."""
    if kind.startswith("application/json"):
        read_json(body)
    elif kind.startswith(("text/html", "text/markdown")):
        if raw := _RAW.search(body):
            raise Wrong(f"markup of a report as it is: {body[max(0, raw.start() - 80) : raw.end() + 40]!r}")
    elif kind.startswith("text/csv"):
        for line in csv.reader(StringIO(body.decode())):
            reckoned = [cell for cell in line if cell.startswith(_FORMULA)]
            if reckoned:
                raise Wrong(f"a cell that a spreadsheet reckons: {reckoned[0][:80]!r}")
