"""A dozen slow clients of each sort at once: the site answers everybody else. `bin/bench slow` measures with 40."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from bench import slow
from tests.harness.server import Server

pytestmark = [pytest.mark.processes]
EACH = 12
MOST_S = 10.0  # far above what is measured: a thread that a slow client holds is held for minutes


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    made = Server(tmp_path_factory.mktemp("slow"), AWRDIFF_WEB_PROCESSES="1", AWRDIFF_WEB_THREADS="4")
    made.start()
    yield made
    made.stop()


@pytest.mark.alone
def test_slow_clients_of_all_sorts_stop_nobody_else(server):
    client = server.client()
    make = slow.crowds(server, client, EACH, slow.large_export(client, 0.5))
    with slow.started(EACH, make, list(make)) as crowds:
        taken = slow.measured(server, crowds, 8)
        assert {path: statistics.median(times) < MOST_S for path, times in taken.items()} == {"healthz": True, "": True}
        assert all(not crowd.answered() for crowd in crowds[:3])  # they were there all the time


def test_a_body_too_large_is_refused_in_words_for_scripts_and_people(server):
    client = server.client()
    for accept, words in (("application/json", '"error"'), ("text/html", "<h1")):
        answer = client.request("POST", "/reports/", b"x" * (65 << 20), Accept=accept, Content_Type="text/plain")
        assert answer.status == 413
        assert "larger than 64 MiB" in answer.body.decode()
        assert words in answer.body.decode()


def test_a_kill_leaves_no_upload_behind(server):
    import os
    import signal

    client = server.client()
    cookies = "; ".join(f"{c.name}={c.value}" for c in client.cookies)
    crowd = slow.Crowd(server.port, 3, slow._body(cookies))
    left = Path(server.var, "uploads", "left.upload")
    left.write_bytes(b"of a process that was killed")
    os.utime(left, (0, 0))
    for pid in server.children("web server"):
        os.kill(pid, signal.SIGKILL)
    assert server.client().get("/healthz").status == 200
    crowd.close()
    assert list((server.var / "uploads").iterdir()) == []
