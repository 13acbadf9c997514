"""The blows of the chaos test, each at a process or service that a running awrdiff stands on."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.server import Server, descendants, is_running
from tests.harness.services import Postgres, Redis
from tests.robustness.chaos_load import Ledger
from tests.robustness.power import Disk

BACK_S = 60  # within which the site must answer again


def belonging_to(server: Server) -> list[int]:
    """Every process that was started with this server's folder, whoever its parent is by now."""
    mark = f"AWRDIFF_VAR={server.var}\0".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes() + b"\0" and is_running(int(entry.name)):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@dataclass
class Blows:
    """Deals them by lot, in rounds in which each kind comes once; `dealt` counts by kind."""

    server: Server
    ledger: Ledger
    chance: random.Random
    redis: Redis | None = None
    postgres: Postgres | None = None
    disk: Disk | None = None  # its power is cut, then, and nothing else done
    dealt: Counter[str] = field(default_factory=Counter)
    gone: int = 0  # times bin/serve ended by itself
    _round: list[str] = field(default_factory=list)

    def kinds(self) -> dict[str, Callable[[], None]]:
        if self.disk:
            return {"power cut": lambda: self._power(self.disk)}
        kinds = {
            "kill -9 of the worker": lambda: self._kill(self._workers()[:1]),
            "kill -9 of a worker's child": lambda: self._kill(self._one(self._workers()[1:])),
            "kill -9 in the web server": lambda: self._kill(self._one(self._web())),
            "kill -9 of the sweeper": lambda: self._kill(self.server.children("sweeper")[:1]),
            "kill -9 of bin/serve": lambda: self._restart(signal.SIGKILL),
            "restart of bin/serve": lambda: self._restart(signal.SIGTERM),
            "worker held for some seconds": self._hold,
            "broker away and back empty": self._broker,
        }
        if self.postgres:
            kinds["PostgreSQL restarted"] = self._database
        return kinds

    def deal(self) -> str:
        """One blow, and the wait until the site answers again. Its kind."""
        if not self._round:
            self._round = list(self.kinds())
            self.chance.shuffle(self._round)
        kind = self._round.pop()
        self._revive_if_gone()
        self.kinds()[kind]()
        self.dealt[kind] += 1
        self._wait()
        return kind

    def _one(self, pids: list[int]) -> list[int]:
        return [self.chance.choice(pids)] if pids else []

    def _workers(self) -> list[int]:
        return self._targets(lambda: self.server.children("worker"))

    def _web(self) -> list[int]:
        return self._targets(lambda: self.server.children("web server"))

    def _targets(self, look: Callable[[], list[int]], seconds: float = 10) -> list[int]:
        """What there is to hit, once it has been started again."""
        deadline = time.monotonic() + seconds
        while not (pids := look()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return pids

    def _kill(self, pids: list[int], number: int = signal.SIGKILL) -> None:
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def _hold(self) -> None:
        pids = self._workers()
        self._kill(pids, signal.SIGSTOP)
        threading.Timer(self.chance.uniform(1, 4), self._kill, (pids, signal.SIGCONT)).start()

    def _restart(self, number: int) -> None:
        assert self.server.process is not None
        self.server.process.send_signal(number)
        self.server.process.wait(timeout=60)
        self.start_again()

    def start_again(self) -> None:
        """What the last one started may still be on its way out."""
        deadline = time.monotonic() + BACK_S
        while time.monotonic() < deadline:
            with suppress(RuntimeError):
                return self.server.start()
            time.sleep(0.5)
        return self.server.start()

    def _power(self, disk: Disk) -> None:
        assert self.server.process is not None
        self.ledger.database_away = time.monotonic()
        pids = belonging_to(self.server)
        if self.postgres:
            pids += [self.postgres.postmaster, *descendants(self.postgres.postmaster)]
        disk.cut(pids)
        self.server.process.wait()
        if self.postgres:
            self.postgres.recover()
        self.start_again()
        self.ledger.database_away = time.monotonic()

    def _broker(self) -> None:
        away_s = self.chance.uniform(0.3, 2)
        if self.redis:
            self.redis.stop()
            time.sleep(away_s)
            self.redis.start()
        else:
            self._files_away(away_s)

    def _files_away(self, seconds: float) -> None:
        """The broker's folder cannot be used for a while, and what was in it is lost."""
        messages = self.server.var / "broker" / "messages"
        lost = messages.with_name("lost")
        messages.rename(lost)
        messages.write_text("not a folder")
        time.sleep(seconds)
        messages.unlink()
        messages.mkdir(mode=0o700)
        shutil.rmtree(lost, ignore_errors=True)

    def _database(self) -> None:
        assert self.postgres is not None
        self.ledger.database_away = time.monotonic()
        self.postgres.restart()
        self.ledger.database_away = time.monotonic()

    def _revive_if_gone(self) -> None:
        if self.server.process is None or self.server.process.poll() is not None:
            self.gone += 1
            self.ledger.wrong.append(f"bin/serve ended by itself: {self.server.output()[-300:]}")
            self.start_again()

    def _wait(self) -> None:
        started = time.monotonic()
        while not answers(self.server):
            if time.monotonic() - started > BACK_S:
                self.ledger.wrong.append(f"no answer within {BACK_S} s")
                return
            self._revive_if_gone()
            time.sleep(0.1)


class Watch(threading.Thread):
    """Asks without a pause whether the site answers, also while a blow is dealt and what it hit is started again."""

    def __init__(self, is_answering: Callable[[], bool]) -> None:
        super().__init__(daemon=True)
        self.is_answering = is_answering
        self.ended = threading.Event()
        self.longest_away_s = 0.0  # from one answer to the next

    def run(self) -> None:
        last = time.monotonic()
        while not self.ended.wait(0.05):
            if self.is_answering():
                now = time.monotonic()
                self.longest_away_s, last = max(self.longest_away_s, now - last), now


def answers(server: Server) -> bool:
    try:
        with urllib.request.urlopen(f"{server.url}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.HTTPError):
        return False
