"""Upload to comparison with real processes, and what kill -9 and a lost broker do to it: nothing is lost.

Every test runs on both stacks; see conftest.py.
"""

from __future__ import annotations

import os
import signal
import time

import pytest

from tests.harness.server import Client, until
from tests.processes.conftest import Stack
from tests.processes.files import big_report, two_reports

pytestmark = [pytest.mark.processes]


@pytest.fixture
def client(stack: Stack) -> Client:
    return stack.server.client()


def upload(client: Client, name: str, data: bytes) -> dict:
    answer = client.upload(name, data)
    assert answer.status == 201, answer.body
    return answer.json


def test_two_reports_become_a_comparison(client):
    uploaded = [upload(client, f"{i}.html", data) for i, data in enumerate(two_reports())]
    path = client.compare(*(u["id"] for u in uploaded))
    done = client.settled(path)
    assert done["state"] == "ready", done
    section = client.get(f"{path}sections/foreground_wait_events/").json
    assert section["rows"]
    assert client.page(path).status == 200


def test_what_is_no_report_fails_with_a_sentence(client):
    made = upload(client, "page.html", b"<html><body><h1>Hello</h1><table><tr><td>1</td></tr></table></body></html>")
    done = client.settled(made["url"])
    assert done["state"] == "failed"
    assert done["error"]
    good = upload(client, "good.html", two_reports()[0])
    compared = client.settled(client.compare(made["id"], good["id"]))
    assert compared["state"] == "failed"
    assert "page.html" in compared["error"]
    assert [r["state"] for r in compared["reports"]] == ["failed", "ready"]


def test_a_killed_worker_loses_nothing(stack, client):
    made = upload(client, "big.html", big_report("killed worker"))
    until(lambda: client.get(made["url"]).json["state"] == "running", 20)
    for pid in reversed(stack.server.children("worker")):
        os.kill(pid, signal.SIGKILL)
    assert client.get(made["url"]).json["state"] in ("running", "pending")
    assert client.settled(made["url"], 60)["state"] == "ready"


def test_a_killed_task_process_loses_nothing(stack, client):
    made = upload(client, "big.html", big_report("killed process"))
    until(lambda: client.get(made["url"]).json["state"] == "running", 20)
    _, *pool = stack.server.children("worker")
    for pid in pool:
        os.kill(pid, signal.SIGKILL)
    assert client.settled(made["url"], 60)["state"] == "ready"


def test_a_broker_that_is_away_and_comes_back_empty_loses_nothing(stack, client):
    stack.stop_broker()
    try:
        made = [upload(client, f"{i}-away.html", data) for i, data in enumerate(two_reports())]
        path = client.compare(*(m["id"] for m in made))
        assert client.get(path).json["state"] == "pending"
        assert client.page(path).status == 200
    finally:
        stack.start_broker()
    assert client.settled(path, 60)["state"] == "ready"


def test_a_worker_proves_that_it_takes_messages_before_and_after_its_broker_was_away(stack, client):
    """No worker is killed: the one there was takes messages again, or ends and another does."""

    def is_heard() -> bool:
        with_figures = client.get("/readyz").json
        return with_figures["worker"] == "ok" and with_figures["figures"]["worker_age_s"] < 15

    until(is_heard, 60)
    for away_s in (1, 12):
        stack.stop_broker()
        time.sleep(away_s)
        stack.start_broker()
        until(is_heard, 120, what=stack.server.output)
        made = upload(client, "a.html", two_reports()[0] + b"<!-- away for %d s -->" % away_s)
        assert client.settled(made["url"])["state"] == "ready"


def test_many_uploads_at_once(stack):
    from concurrent.futures import ThreadPoolExecutor

    first, second = two_reports()

    def one(i: int) -> str:
        client = stack.server.client()
        made = [upload(client, f"{i}-{j}.html", data + b"<!-- %d -->" % i) for j, data in enumerate((first, second))]
        return client.settled(client.compare(*(m["id"] for m in made)), 90)["state"]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(8))) == ["ready"] * 8


def test_a_file_over_the_limit_is_answered_not_cut_off(stack, client):
    answer = client.upload("huge.html", b"x" * (66 * 1024 * 1024))
    assert answer.status == 413
    assert "larger than 64 MiB" in answer.json["error"]
    assert not list((stack.server.var / "uploads").glob("*"))
