"""A small archive of files that are slow to read: the site goes on answering, and each file gets its sentence."""

from __future__ import annotations

import io
import statistics
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness.server import Answer, Client, Server
from tests.robustness.takeover.make import ACCOUNTS, PASSWORD, cookie, manage, sign_in

pytestmark = [pytest.mark.processes, pytest.mark.alone]
MEMBERS, MEMBER_BYTES = 50, 60_000
PATIENCE_S = 120
MOST_S = (
    5  # far above an answer of an idle server: a thread that the archive holds is held for as long as it is dealt with
)
HEAD = "<html><head><title>AWR Report {}</title></head><body><h1>WORKLOAD REPOSITORY report for</h1>"


def hostile_zip() -> bytes:
    """About 26 kB; each member opens cells that it never closes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(MEMBERS):
            head = f"{HEAD.format(number)}<table><tr><td>x</td></tr>"
            archive.writestr(f"{number:02}.html", (head + "<td" * MEMBER_BYTES)[:MEMBER_BYTES])
    return packed.getvalue()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("door") / "var", **ACCOUNTS)
    made.prepare()
    manage(made, "add_user", "olivia", "--team", "Local", AWRDIFF_PASSWORD=PASSWORD)
    made.start()
    yield made
    made.stop()


class Sender(threading.Thread):
    """Uploads and waits until every report of the answer is settled."""

    def __init__(self, client: Client, data: bytes) -> None:
        super().__init__(daemon=True)
        self.client, self.data = client, data
        self.answer: Answer | None = None
        self.states: dict[str, dict[str, Any]] = {}

    def run(self) -> None:
        self.answer = self.client.upload("hostile.zip", self.data)
        deadline = time.monotonic() + PATIENCE_S
        waiting = list(self.answer.json.get("reports", ()))
        while waiting and time.monotonic() < deadline:
            for one in waiting:
                self.states[one["name"]] = self.client.get(one["url"]).json
            waiting = [k for k in waiting if self.states[k["name"]]["state"] not in ("ready", "failed")]
            time.sleep(0.5)


def took_s(client: Client, path: str) -> float:
    """Seconds until the answer; a page that does not come counts as a minute."""
    started = time.monotonic()
    try:
        assert client.page(path).status == 200
    except OSError:
        return 60.0
    return time.monotonic() - started


def test_the_site_answers_while_a_hostile_archive_is_dealt_with(server: Server):
    data = hostile_zip()
    assert len(data) < 30_000
    client = Client(server.url)
    sign_in(client)
    sender = Sender(client, data)
    visitor = Client(server.url)
    for one in client.cookies:
        visitor.cookies.set_cookie(one)
    assert cookie(visitor, "sessionid")
    sender.start()
    home, health = [], []
    deadline = time.monotonic() + PATIENCE_S
    while (sender.is_alive() or len(home) < 5) and time.monotonic() < deadline:
        home.append(took_s(visitor, "/"))
        health.append(took_s(visitor, "/healthz"))
        time.sleep(0.1)
    assert statistics.median(home) <= MOST_S, home
    assert statistics.median(health) <= MOST_S, health
    sender.join(timeout=PATIENCE_S)
    assert sender.answer is not None, "the upload was never answered"
    assert sender.answer.status == 201, sender.answer.body
    assert_each_has_its_sentence(sender)


def assert_each_has_its_sentence(sender: Sender) -> None:
    assert sender.answer is not None
    document = sender.answer.json
    said = {one["name"]: one["error"] for part in ("refused", "left_out") for one in document.get(part, ())}
    said |= {name: state["error"] for name, state in sender.states.items() if state["state"] == "failed"}
    read = {name for name, state in sender.states.items() if state["state"] == "ready"}
    names = {Path(name).name for name in (*said, *read)}
    assert names == {f"{number:02}.html" for number in range(MEMBERS)}
    assert all(str(sentence).endswith((".", ")")) for sentence in said.values()), said
    assert not [state for state in sender.states.values() if state.get("error_code") in ("gave-up", "too-long")]
