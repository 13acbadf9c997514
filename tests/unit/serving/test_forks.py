"""A fork of bin/serve has of its parent what it is handed, and nothing else; and it does not outlive it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from awrdiff.serving import forks
from tests.harness.server import ROOT, command_line, is_running, until


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as read, os.fdopen(writing, "wb") as write:
        yield read, write.fileno()


@pytest.fixture
def say(pipe) -> Callable[[Callable[[], object]], bytes]:
    """What a fork says that does this, to its end."""
    read, write = pipe

    def output(work: Callable[[], object]) -> bytes:
        forks.start("one", work, says=write).join()
        return os.read(read.fileno(), 1 << 16)

    return output


def test_what_it_says_comes_out_whole_by_python_and_by_the_system(say):
    def work() -> None:
        print("“out”")
        sys.stderr.write("err\n")
        os.write(1, b"1\n")
        os.write(2, b"2\n")

    assert sorted(say(work).decode().split()) == ["1", "2", "err", "“out”"]


def test_it_has_the_files_it_is_handed_and_no_other(say, pipe, tmp_path):
    with (tmp_path / "lock").open("w") as held, (tmp_path / "for it").open("w") as handed:
        work = lambda: print(json.dumps([str(p.readlink()) for p in Path("/proc/self/fd").iterdir() if p.exists()]))  # noqa: E731
        forks.start("one", work, says=pipe[1], handed_on=[handed.fileno()]).join()
        open_files = json.loads(os.read(pipe[0].fileno(), 1 << 16))
        assert handed.name in open_files
        assert held.name not in open_files
        assert {name.split(":")[0] for name in open_files} - {handed.name} == {os.devnull, "pipe"}


@pytest.mark.parametrize(
    ("end", "status"),
    [(None, 0), (SystemExit(3), 3), (SystemExit("a sentence"), 1), (ValueError("a fault"), 1)],
)
def test_its_status_is_that_of_a_program(pipe, end, status):
    def work() -> None:
        if end is not None:
            raise end

    process = forks.start("one", work, says=pipe[1])
    process.join()
    assert process.exitcode == status
    if end is not None and status == 1:
        assert str(end).encode() in os.read(pipe[0].fileno(), 1 << 16)


def test_one_that_is_run_tells_its_status_too():
    assert forks.run("one", lambda: sys.exit(4)) == 4
    assert forks.run("one", lambda: os.kill(os.getpid(), signal.SIGKILL)) == -signal.SIGKILL


def test_what_is_raised_while_it_runs_ends_it():
    def stop(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            forks.run("one", lambda: time.sleep(60))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - began < 30


def test_once_it_is_started_it_has_its_name_and_a_session_of_its_own_and_dies_before_its_parent():
    process = forks.start("one", lambda: time.sleep(60))
    assert command_line(process.pid).startswith("awrdiff: one")
    assert os.getsid(process.pid) == process.pid
    spared, taken = (int(Path(f"/proc/{one}/oom_score_adj").read_text()) for one in (os.getpid(), process.pid))
    assert spared < taken or spared == 1000
    process.kill()
    process.join()


@pytest.mark.parametrize("number", forks.STOP_SIGNALS)
def test_signals_mean_to_it_what_they_mean_to_a_new_program(number):
    """Not what its parent does about them; and what was held back while it began comes through."""
    before = {one: signal.signal(one, lambda *_: None) for one in forks.STOP_SIGNALS}
    try:
        process = forks.start("one", lambda: time.sleep(60))
        os.kill(process.pid, number)
        process.join()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    assert process.exitcode == -number
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & set(forks.STOP_SIGNALS)


def test_it_ends_with_its_parent(tmp_path):
    """A program that is killed, and the fork that it had started."""
    told = tmp_path / "pid"
    program = f"""
import pathlib, time
from awrdiff.serving import forks
process = forks.start("one", lambda: time.sleep(60))
pathlib.Path({str(told)!r}).write_text(f"{{process.pid}}.")
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) as parent:
        until(lambda: told.exists() and told.read_text().endswith("."), 30)
        pid = int(told.read_text().rstrip("."))
        assert is_running(pid)
        parent.kill()
    until(lambda: not is_running(pid), 20)


def test_what_is_loaded_is_enough_for_a_page_and_may_be_forked(tmp_path):
    """Nothing of awrdiff is loaded after the fork; no thread and no connection is there before."""
    program = """
import gc, os, sys, threading
from awrdiff.serving import forks
forks.load()
from django.db import connections
assert not any(one.connection for one in connections.all(initialized_only=True))
assert threading.active_count() == 1, threading.enumerate()
assert gc.isenabled() and gc.get_freeze_count() > 100_000, gc.get_freeze_count()
before = set(sys.modules)
from django.core.wsgi import get_wsgi_application
from django.test import RequestFactory
status = []
request = RequestFactory().get("/healthz").environ
get_wsgi_application()(request, lambda said, headers: status.append(said)).close()
assert status[0].startswith("200"), status
import celery.apps.worker, celery.bin.worker, celery.concurrency.prefork
more = {name for name in set(sys.modules) - before if name.startswith(("awrdiff", "parsers", "celery"))}
print(sorted(more))
"""
    env = {k: v for k, v in os.environ.items() if not k.startswith("AWRDIFF_") and k != "DJANGO_SETTINGS_MODULE"}
    env |= {"DJANGO_SETTINGS_MODULE": "awrdiff.settings", "AWRDIFF_VAR": str(tmp_path), "AWRDIFF_SECRET_KEY": "k" * 50}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
