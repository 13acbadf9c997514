"""The web servers are killed while people write: what was sent again under its key is there, once."""

from __future__ import annotations

import os
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.harness.server import Client, Server
from tests.processes.files import two_reports

pytestmark = [pytest.mark.processes]
WRITERS, COMMENTS = 3, 9  # fewer than one person may write in a minute
MOST_S = 120


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "var", AWRDIFF_LOCAL_USER="True")
    made.start(120)
    yield made
    made.stop()


def write(server: Server, client: Client, url: str, number: int) -> None:
    """As the page does: the same key until it is answered."""
    for n in range(COMMENTS):
        fields = [("body", f"{number} {n}"), ("key", str(uuid.uuid4()))]
        began = time.monotonic()
        while True:
            with suppress(OSError, HTTPException):  # killed before the answer, or in the middle of it
                if client.post(url, fields).status in (200, 201):
                    break
            assert time.monotonic() < began + MOST_S, server.output()
            time.sleep(0.1)


def test_a_kill_loses_and_doubles_nothing(server: Server) -> None:
    client = server.client()
    ids = [client.upload(f"{n}.html", data).json["id"] for n, data in enumerate(two_reports())]
    comparison = client.compare(*ids)
    assert client.settled(comparison)["state"] == "ready"
    begun = client.post(f"{comparison}threads/", [("anchor", "summary"), ("body", "Well?")])
    assert begun.status == 201, begun.body
    url = begun.json["own_url"]
    writers = [threading.Thread(target=write, args=(server, server.client(), url, number)) for number in range(WRITERS)]
    for one in writers:
        one.start()
    kills = 0
    while any(one.is_alive() for one in writers) and kills < 3:
        time.sleep(0.4)
        for pid in server.children("web server"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                kills += 1
    for one in writers:
        one.join(MOST_S)
    assert kills
    said = sorted(one["body"] for one in server.client().get(url).json["said"])
    assert said == sorted(["Well?", *(f"{number} {n}" for number in range(WRITERS) for n in range(COMMENTS))])
