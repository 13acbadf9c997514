"""bin/serve, or `awrdiff serve`: web servers, Celery worker and sweeper, started and stopped together; those that end
or hang (/readyz) are started again.

Imports little before its first line of output.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.context import ForkProcess
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from django.core.exceptions import ImproperlyConfigured

from awrdiff import paths, private_var_folder, server_env_variables
from awrdiff.accounts import local_user_token
from awrdiff.serving import address, first_owner, forks
from awrdiff.serving.console import fail, say, warn

STARTED_S = 10  # from this age on its output is no repeated failure to start
WELL_S = 60  # from this age on the pause before a restart is the shortest again
LONGEST_PAUSE_S = 60
KEPT_BYTES = 1 << 16
EVERY_S = 10
ENOUGH = 3  # looks in a row at a worker or sweeper
ENOUGH_OF_A_WEB_SERVER = 12  # it may only be busy
ANSWER_S = 5
_CHANGING = re.compile(rb"0x[0-9a-f]+|[\d:.,-]+")  # times and ids; the rest of a message stays the same


@dataclass(slots=True, eq=False)
class Child:
    """One process in its own session: its children end with it."""

    name: str
    work: Callable[[], object]
    handed_on: tuple[int, ...] = ()  # file descriptors
    process: ForkProcess | None = None
    output: BinaryIO | None = None  # reading end of a pipe
    started: float = 0.0
    failures: int = 0  # deaths, none of them WELL_S after its start
    starts_at: float | None = None  # while it is dead
    text: bytes = b""  # its output since its start
    pending: bytes = b""  # the part that was not passed on yet
    last_words: bytes = b""  # of the process before

    def start(self) -> None:
        self.started, self.starts_at, self.text = time.monotonic(), None, b""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        self.output = os.fdopen(reading, "rb", buffering=0)
        try:
            self.process = forks.start(self.name, self.work, says=writing, handed_on=self.handed_on)
        finally:
            os.close(writing)

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        if self.process is None or self.process.pid is None:
            return
        with suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.process.pid, number)

    def ended(self) -> bool:
        return self.process is None or self.process.exitcode is not None

    def age_s(self) -> float:
        return time.monotonic() - self.started

    def listen(self) -> None:
        """Passes output on; delayed after a death, as it may repeat."""
        more = b""
        if self.output is not None and not self.output.closed:
            while data := self.output.read(KEPT_BYTES):
                more += data
        self.text = (self.text + more)[-KEPT_BYTES:]
        self.pending = (self.pending + more)[-KEPT_BYTES:]
        if not self.failures or self.age_s() >= STARTED_S:
            self._pass_on()

    def bury(self) -> None:
        """Announces the restart, and last words unless repeated."""
        self.listen()
        self.signal(signal.SIGKILL, group=True)  # what it may have left behind
        if self.output is not None:
            self.output.close()
        words = _CHANGING.sub(b"", self.text)
        if words != self.last_words:
            self._pass_on()
        self.pending, self.last_words = b"", words
        self.failures = 1 if self.age_s() >= WELL_S else self.failures + 1
        pause = min(LONGEST_PAUSE_S, 1 << min(6, self.failures - 1))
        self.starts_at = time.monotonic() + pause
        code = self.process.exitcode or 0 if self.process else 0
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        warn(f"The {self.name} stopped ({how}) and is started again in {pause} s.")

    def _pass_on(self) -> None:
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.buffer.write(self.pending)
            sys.stderr.flush()
        self.pending = b""


class Watch:
    """Ends silent workers, sweepers and web servers; they restart."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}readyz"
        self.next_look = time.monotonic() + EVERY_S
        self.silent: Counter[str] = Counter()

    def look(self, children: Iterable[Child]) -> None:
        if time.monotonic() < self.next_look:
            return
        states = readiness(self.url)
        self.next_look = time.monotonic() + EVERY_S
        for child in children:
            if child.name.startswith("web server"):
                is_silent, enough = states is None, ENOUGH_OF_A_WEB_SERVER
            else:
                of_child = states.get(child.name) if states and states.get("database") == "ok" else ""
                is_silent, enough = of_child == "silent", ENOUGH
            is_silent = is_silent and not child.ended() and child.age_s() >= WELL_S
            self.silent[child.name] = self.silent[child.name] + 1 if is_silent else 0
            if self.silent[child.name] >= enough:
                self.silent[child.name] = 0
                warn(f"The {child.name} hangs: ending it.")
                child.signal(signal.SIGKILL, group=True)


def readiness(url: str) -> dict[str, str] | None:
    """Words of /readyz; None where nothing sensible answers."""
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_S) as answer:  # noqa: S310 - our own address
            body = answer.read()
    except urllib.error.HTTPError as error:
        with error:
            body = error.read()
    except OSError:
        return None
    try:
        states: dict[str, str] = json.loads(body)
    except ValueError:
        return None
    return states


def _serve_pages(listener: socket.socket) -> None:
    from awrdiff.serving.web import serve  # noqa: PLC0415 - loaded already, with Django

    serve(listener)


def _work(processes: int) -> None:
    from celery.__main__ import main  # noqa: PLC0415 - loaded already

    warnings.filterwarnings("ignore", module="celery.platforms")  # of running as root, in a container usual
    sys.argv = ["celery", "--quiet", "-A", "awrdiff.celery_app", "worker", "--concurrency", str(processes)]
    sys.argv += ["--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    main()


def _manage(*command: str) -> None:
    from awrdiff.django_command_line import run  # noqa: PLC0415 - loaded already, with Django

    run(["manage.py", *command])


def _run_command(*command: str) -> int:
    """Ctrl-C reaches only this process, which ends the command."""
    return forks.run(command[0], partial(_manage, *command))


PATIENCE_S = 60  # for the first answer
GRACE_S = 12  # from TERM to KILL
ROUND_S = 0.2


class Stop(BaseException):
    """Ctrl-C or TERM; a BaseException, so that no library swallows it."""


def main(*, team: bool = False) -> None:
    for number in forks.STOP_SIGNALS:
        signal.signal(number, _stop)
    try:
        if team:
            first_owner.everybody_signs_in()
        os.environ.setdefault("AWRDIFF_LOCAL_USER", "True")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
        os.environ.setdefault("CELERY_SKIP_CHECKS", "True")  # they would have each worker import every page
        os.environ.setdefault("NOSETPS", "True")  # the worker keeps the name that it is given here
        local = server_env_variables.LOCAL_USER.read(default=True)
        host, port = address.bind_address(local=local)
        if not local and not server_env_variables.ALLOWED_HOSTS.read() and not server_env_variables.DEBUG.read():
            fail("AWRDIFF_ALLOWED_HOSTS is empty: without the local user the server answers only to the names in it.")
        var = Path(server_env_variables.VAR.read() or paths.VAR).resolve()
        os.environ["AWRDIFF_VAR"] = str(var)  # for the children
        group = server_env_variables.VAR_GROUP.read()
        private_var_folder.keep_private(group=group)
        if mended := private_var_folder.make(var, group=group):
            say(f"Other users of this machine could read {mended} of the files and folders in {var}: closed to them.")
        with private_var_folder.only_one(var), address.listen(host, port) as listener:
            if not server_env_variables.SECRET_KEY.read() and not (var / "secret_key").exists():
                private_var_folder.write_whole(var / "secret_key", secrets.token_urlsafe(50))
            say("Preparing the database and the pages …")
            forks.load()
            if status := _run_command("prepare"):
                sys.exit(status)
            url = address.public_address(host, port, local=local)
            lines = [
                f"awrdiff is at {url}  (Ctrl-C stops it)",
                *(local_user_token.announcement(var, url) if local else []),
            ]
            if team and not _run_command("first_owner", url.partition(",")[0]):
                lines += first_owner.announcement(var)
            numbers = range(1, server_env_variables.WEB_PROCESSES.read() + 1)
            serve_pages, handed_on = partial(_serve_pages, listener), (listener.fileno(),)
            children = [Child(f"web server {number}", serve_pages, handed_on) for number in numbers]
            children.append(
                Child("worker", partial(_work, server_env_variables.WORKERS.read() + 1))
            )  # CELERY_WORKER_CONCURRENCY
            children.append(Child("sweeper", partial(_manage, "sweep")))
            _run(children, address.own_url(host, port), lines)
    except Stop as stop:  # before it was up
        sys.exit(128 + stop.args[0])
    except (ImproperlyConfigured, private_var_folder.FolderTrouble) as trouble:
        fail(str(trouble))


def _run(children: list[Child], own_url: str, lines: list[str]) -> None:
    try:
        say("Starting the web server and the workers …")
        for child in children:
            child.start()
        _wait_until_it_answers(children, own_url)
        for line in lines:
            say(line)
        watch = Watch(own_url)
        while True:
            time.sleep(ROUND_S)
            for child in children:
                _revive(child)
            watch.look(children)
    except Stop:
        pass
    finally:
        _stop_all(children)


def _wait_until_it_answers(children: list[Child], own_url: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for child in children:
            child.listen()
        if children[0].ended():
            fail("the web server stopped; its message is above.")
        try:
            with urllib.request.urlopen(f"{own_url}healthz", timeout=2):  # noqa: S310 - our own address
                return
        except urllib.error.HTTPError as error:
            error.close()
            return  # it answers, and says itself what is wrong
        except OSError:
            time.sleep(0.05)
    fail(f"no answer at {own_url} within {PATIENCE_S} s.")


def _revive(child: Child) -> None:
    child.listen()
    if not child.ended():
        return
    if child.starts_at is None:
        child.bury()
        if child.name == "worker" and not server_env_variables.REDIS_URL.read():
            # It was the only worker: what it had begun is free at once, not only when its lease ends.
            _run_command("sweep", "--once", "--no-worker-runs")
    elif time.monotonic() >= child.starts_at:
        child.start()


def _stop_all(children: list[Child]) -> None:
    for number in forks.STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    for child in children:
        child.signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline and not all(child.ended() for child in children):
        for child in children:
            child.listen()
        time.sleep(0.05)
    for child in children:
        child.signal(signal.SIGKILL, group=True)
        if child.process is not None:
            child.process.join()
        child.listen()


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stop(number)
