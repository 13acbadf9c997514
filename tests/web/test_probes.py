"""A worker gives a sign of life for what it takes from the broker, and ends where it takes nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from celery.signals import task_received
from celery.worker import state as worker_state

from awrdiff.processing import worker_watchdog
from awrdiff.processing.heartbeats import EVERY_S, SILENT_AFTER_S


class Worker:
    """The loop of a worker: `run` lets seconds pass."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.sent, self.beats, self.ends = 0.0, [], [], []
        self.is_busy, self.takes, self.has_broker = False, True, True
        self.probes = worker_watchdog.Probes("probe-a", lambda: self.is_busy, lambda: self.now)
        monkeypatch.setattr(worker_watchdog, "_own", [self.probes])
        monkeypatch.setattr(worker_watchdog, "beat_once", lambda part: self.beats.append((part, self.now)))
        monkeypatch.setattr(worker_watchdog, "end", lambda: self.ends.append(self.now))
        monkeypatch.setattr(worker_watchdog, "send", self.send)

    def send(self, task, _pk, *, queue) -> bool:
        if not self.has_broker:
            return False
        self.sent.append((queue, self.now))
        self.message = SimpleNamespace(name=task.name)
        return True

    def run(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.message = None
            self.probes.turn()
            if self.message and self.takes:
                task_received.send(sender=None, request=self.message)
            self.now += EVERY_S


@pytest.fixture
def worker(monkeypatch) -> Worker:
    return Worker(monkeypatch)


def test_each_answered_probe_is_a_sign_of_life(worker):
    worker.run(30)
    assert worker.sent == [("probe-a", at) for at in (0, 10, 20)]
    assert worker.beats == [("worker", at) for at in (0, 10, 20)]


def test_a_worker_that_takes_nothing_gives_none_and_ends(worker):
    worker.takes = False
    worker.run(SILENT_AFTER_S)
    assert (worker.beats, worker.ends) == ([], [])
    assert [at for _, at in worker.sent] == [0, 20, 40]  # the broker may have lost the first
    worker.run(EVERY_S)
    assert worker.ends == [SILENT_AFTER_S]


def test_a_lost_probe_ends_nobody(worker):
    worker.takes = False
    worker.run(20)
    worker.takes = True
    worker.run(200)
    assert worker.ends == []
    assert len(worker.beats) == 20


def test_a_busy_worker_is_alive_and_is_waited_for_anew_afterwards(worker):
    worker.takes = False
    worker.run(50)
    worker.is_busy = True
    worker.run(300)
    assert (len(worker.beats), worker.ends) == (30, [])
    worker.is_busy = False
    worker.run(SILENT_AFTER_S)
    assert worker.ends == []
    worker.run(EVERY_S)
    assert len(worker.ends) == 1


def test_a_broker_that_is_away_is_waited_for(worker):
    worker.has_broker = False
    worker.run(600)
    assert (worker.beats, worker.ends) == ([], [])
    worker.has_broker, worker.takes = True, False
    worker.run(50)
    worker.has_broker = False
    worker.run(100)
    assert worker.ends == []


def test_other_messages_are_no_answer(worker):
    task_received.send(sender=None, request=SimpleNamespace(name="reports.read"))
    assert worker.beats == []


def test_its_end_is_by_a_status_that_systemd_starts_again(monkeypatch):
    monkeypatch.setattr(worker_state, "should_stop", None)
    alarms = []
    monkeypatch.setattr(worker_watchdog, "end_in_time", lambda: alarms.append(True))
    worker_watchdog.end()
    assert worker_state.should_stop == 1
    assert alarms == [True]
