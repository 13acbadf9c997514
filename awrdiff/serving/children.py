"""The processes of bin/serve: how each is started, heard, and started again when it dies."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from awrdiff.serving.say import warn

ROOT = Path(__file__).resolve().parents[2]  # of the packages: the checkout, or where the wheel is installed
MANAGE = (sys.executable, "-m", "awrdiff.manage")
SETTLED_S = 10  # having lived so long, what it says is no longer the same start failing again
WELL_S = 60  # having lived so long, it starts with the shortest pause again
LONGEST_PAUSE_S = 60
KEPT_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1
_CHANGING = re.compile(rb"0x[0-9a-f]+|[\d:.,-]+")  # times and ids; the rest of a message stays the same


@dataclass(slots=True, eq=False)
class Child:
    """One process; it gets its own session, so that all it starts can be ended with it."""

    name: str
    command: list[str]
    handed_on: tuple[int, ...] = ()  # file descriptors
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0  # deaths, none of them WELL_S after its start
    starts_at: float | None = None  # while it is dead
    heard: bytes = b""  # all it said since its start
    held: bytes = b""  # of that, what was not passed on yet
    last_words: bytes = b""  # of the one before

    def start(self) -> None:
        self.started, self.starts_at, self.heard = time.monotonic(), None, b""
        self.process = subprocess.Popen(  # noqa: S603 - our own commands
            self.command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            pass_fds=self.handed_on,
            start_new_session=True,
            preexec_fn=_die_with_parent,  # noqa: PLW1509 - this process has one thread
        )
        if self.process.stdout is not None:
            os.set_blocking(self.process.stdout.fileno(), False)

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.process.pid, number)

    def ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def age_s(self) -> float:
        return time.monotonic() - self.started

    def listen(self) -> None:
        """Pass on what it said. Started again after a death, that waits a little: it may only repeat itself."""
        said = self._read()
        self.heard = (self.heard + said)[-KEPT_BYTES:]
        self.held = (self.held + said)[-KEPT_BYTES:]
        if not self.failures or self.age_s() >= SETTLED_S:
            self._pass_on()

    def bury(self) -> None:
        """After its death: say when the next one starts, and its last words unless they are the same again."""
        self.listen()
        self.signal(signal.SIGKILL, group=True)  # what it may have left behind
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()
        words = _CHANGING.sub(b"", self.heard)
        if words != self.last_words:
            self._pass_on()
        self.held, self.last_words = b"", words
        self.failures = 1 if self.age_s() >= WELL_S else self.failures + 1
        pause = min(LONGEST_PAUSE_S, 1 << min(6, self.failures - 1))
        self.starts_at = time.monotonic() + pause
        warn(f"The {self.name} stopped ({self._how()}) and is started again in {pause} s.")

    def _read(self) -> bytes:
        said = b""
        if self.process is not None and self.process.stdout is not None and not self.process.stdout.closed:
            while more := self.process.stdout.read(KEPT_BYTES):
                said += more
        return said

    def _pass_on(self) -> None:
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.buffer.write(self.held)
            sys.stderr.flush()
        self.held = b""

    def _how(self) -> str:
        code = self.process.returncode if self.process else 0
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def web(number: int, socket: int) -> Child:
    command = [sys.executable, "-m", "awrdiff.serving.web", "--socket", str(socket)]
    return Child(f"web server {number}", command, (socket,))


def worker(processes: int) -> Child:
    # Celery warns of running as root, which in a container is usual.
    command = [sys.executable, "-W", "ignore::Warning:celery.platforms", "-m", "celery", "--quiet"]
    command += ["-A", "awrdiff.celery_app", "worker", "--concurrency", str(processes), "--loglevel", "WARNING"]
    return Child("worker", [*command, "--without-gossip", "--without-mingle", "--without-heartbeat"])


def sweeper() -> Child:
    return Child("sweeper", [*MANAGE, "sweep"])


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
