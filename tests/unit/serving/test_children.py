"""A child that keeps dying: later each time, its words once; and one that hangs."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from awrdiff.serving import supervisor
from awrdiff.serving.supervisor import Child
from tests.harness.server import until

SIGNAL = Child.signal


def dies(words: str = "boom at 12:30:01") -> Child:
    def work() -> None:
        print(words)
        sys.exit(3)

    return Child("sweeper", work)


def lives() -> None:
    print("here", flush=True)
    time.sleep(60)


def die(child: Child) -> float:
    """Start it, wait for its end; the pause before it starts again."""
    child.start()
    until(child.ended, 20)
    child.bury()
    assert child.starts_at is not None
    return round(child.starts_at - time.monotonic())


def test_it_starts_again_later_each_time_but_never_not_at_all(capfd):
    child = dies()
    assert [die(child) for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    said = capfd.readouterr().err
    assert said.count("boom") == 1
    assert said.count("The sweeper stopped (exit status 3) and is started again in") == 8
    child.started = time.monotonic() - supervisor.WELL_S
    child.bury()
    assert child.failures == 1


def test_other_last_words_are_shown_too(capfd):
    child = dies()
    die(child)
    child.work = dies("something else").work
    die(child)
    assert "something else" in capfd.readouterr().err


def test_what_a_child_says_once_it_lives_is_passed_on(capfd, monkeypatch):
    monkeypatch.setattr(supervisor, "STARTED_S", 0)
    child = Child("worker", lives, failures=1)
    child.start()
    until(lambda: child.listen() or b"here" in child.text, 20)
    child.signal(signal.SIGKILL, group=True)
    child.process.join()
    child.output.close()
    assert "here" in capfd.readouterr().err


@pytest.fixture
def alive():
    made = []

    def start(name: str) -> Child:
        child = Child(name, lives)
        child.start()
        made.append(child)
        until(lambda: child.listen() or b"here" in child.text, 20)  # it has a session of its own by then
        child.started -= supervisor.WELL_S
        return child

    yield start
    for child in made:
        child.signal(signal.SIGKILL, group=True)
        child.process.join()
        child.output.close()


def looked(monkeypatch, child: Child, found: dict | None, times: int) -> bool:
    """Whether the child is left alone by so many looks that found this; what is not dies."""
    sent = []
    monkeypatch.setattr(Child, "signal", lambda self, *which, **how: (sent.append(which), SIGNAL(self, *which, **how)))
    monkeypatch.setattr(supervisor, "readiness", lambda _url: found)
    watching = supervisor.Watch("http://127.0.0.1:1/")
    for _ in range(times):
        watching.next_look = 0
        watching.look([child])
    if sent:
        until(child.ended, 20)
    return not sent


def test_a_worker_that_hangs_is_ended(alive, monkeypatch):
    silent = {"database": "ok", "worker": "silent"}
    assert looked(monkeypatch, alive("worker"), silent, 2)
    assert not looked(monkeypatch, alive("worker"), silent, 3)


@pytest.mark.parametrize(
    "found", [{"database": "ok", "worker": "ok"}, {"database": "silent", "worker": "unknown"}, None]
)
def test_a_worker_is_not_blamed_for_others(alive, monkeypatch, found):
    assert looked(monkeypatch, alive("worker"), found, 10)


def test_a_young_worker_has_time(alive, monkeypatch):
    child = alive("worker")
    child.started = time.monotonic()
    assert looked(monkeypatch, child, {"database": "ok", "worker": "silent"}, 10)


def test_web_servers_that_do_not_answer_are_ended_after_a_while(alive, monkeypatch):
    assert looked(monkeypatch, alive("web server 1"), None, supervisor.ENOUGH_OF_A_WEB_SERVER - 1)
    assert not looked(monkeypatch, alive("web server 1"), None, supervisor.ENOUGH_OF_A_WEB_SERVER)
