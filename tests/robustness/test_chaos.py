"""A small part of the chaos test, with its own seed; `python -m tests.robustness.chaos` deals as many blows as wanted."""

from __future__ import annotations

import time
from itertools import pairwise
from types import SimpleNamespace

import pytest

from tests.harness import tools
from tests.harness.server import until
from tests.robustness import command
from tests.robustness.chaos_kills import Watch
from tests.robustness.chaos_load import Exports, Ledger
from tests.robustness.power import Disk


@pytest.mark.processes
def test_nothing_answered_is_lost_under_kills():
    """One blow of each kind."""
    load = ("--database", "sqlite", "--broker", "files", "--people", "3")
    status, said = command.run(400, "tests.robustness.chaos", "--kills", "8", "--seed", "4", "--every", "0.6", *load)
    assert status == 0, said[-8000:]
    assert "| **broken promises** | 0 |" in said


@pytest.mark.processes
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_nothing_answered_is_lost_when_power_is_cut(tmp_path, database):
    if reason := Disk.reason_against(tmp_path):
        pytest.skip(reason)
    if database == "postgres" and tools.postgres_bin() is None:
        pytest.skip("PostgreSQL is not installed")
    load = ("--database", database, "--broker", "files", "--people", "3")
    status, said = command.run(400, "tests.robustness.chaos", "--power", "--kills", "2", "--every", "1.5", *load)
    assert status == 0, said[-8000:]
    assert "| power cut | 2 |" in said
    assert "| **broken promises** | 0 |" in said


def answer(status: int, body: bytes = b"") -> SimpleNamespace:
    return SimpleNamespace(status=status, body=body)


def test_an_answer_of_5xx_is_a_broken_promise_unless_the_database_was_away():
    ledger = Ledger()
    assert not ledger.answered("page", answer(500), 200)
    ledger.database_away = time.monotonic()
    assert not ledger.answered("page", answer(500), 200)
    assert len(ledger.wrong) == 1
    assert ledger.counts["answered 500"] == 2


def test_an_export_that_differs_is_a_broken_promise():
    exports = Exports.__new__(Exports)
    exports._undisturbed = {("ab", "json"): b"{}"}
    assert exports.differs("ab", "json", answer(200, b"{}")) == ""
    assert "instead of 2" in exports.differs("ab", "json", answer(200, b"{ }"))
    assert "404" in exports.differs("ab", "json", answer(404, b"{}"))


def test_the_time_without_an_answer_begins_at_the_last_one():
    """Not when the blow has been dealt: its own restart is part of it. It ends with the next one."""
    began = time.monotonic()
    answered: list[float] = []

    def is_answering() -> bool:
        now = time.monotonic()
        if now > began + 0.5:
            answered.append(now)
        return now > began + 0.5

    watch = Watch(is_answering)
    watch.start()
    until(lambda: len(answered) > 5, 20)
    watch.ended.set()
    watch.join()
    pauses = [answered[0] - began, *(b - a for a, b in pairwise(answered))]
    assert watch.longest_away_s == pytest.approx(max(pauses), abs=0.1 * max(pauses))
