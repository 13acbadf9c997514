"""bin/serve, or `awrdiff serve`: web servers, Celery worker and sweeper, started and stopped together.

Imports little before its first line of output.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

from django.core.exceptions import ImproperlyConfigured

from awrdiff import folder, paths, variables
from awrdiff.accounts import local_token
from awrdiff.serving import address, children, first_owner, forks
from awrdiff.serving.children import Child, Watch
from awrdiff.serving.console import fail, say

PATIENCE_S = 60  # for the first answer
GRACE_S = 12  # from TERM to KILL
ROUND_S = 0.2


class Stop(BaseException):
    """Ctrl-C or TERM; a BaseException, so that no library swallows it."""


def main(*, team: bool = False) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        _serve(team=team)
    except Stop as stop:  # before it was up
        sys.exit(128 + stop.args[0])
    except (ImproperlyConfigured, folder.FolderTrouble) as trouble:
        fail(str(trouble))


def _serve(*, team: bool) -> None:
    if team:
        first_owner.everybody_signs_in()
    os.environ.setdefault("AWRDIFF_LOCAL_USER", "True")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")
    os.environ.setdefault("CELERY_SKIP_CHECKS", "True")  # they would have each worker import every page
    os.environ.setdefault("NOSETPS", "True")  # the worker keeps the name that it is given here
    local = variables.LOCAL_USER.read(default=True)
    host, port = address.bind_address(local=local)
    _refuse_nameless(local=local)
    var = _own_folder()
    with folder.only_one(var), address.listen(host, port) as listener:
        if not variables.SECRET_KEY.read():
            folder.keep_secret_key(var)
        say("Preparing the database and the pages …")
        forks.load()
        status = _run_command("prepare")
        if status:
            sys.exit(status)
        url = address.public_address(host, port, local=local)
        lines = [f"awrdiff is at {url}  (Ctrl-C stops it)", *(local_token.announcement(var, url) if local else [])]
        if team and not _run_command("first_owner", url.partition(",")[0]):
            lines += first_owner.announcement(var)
        _run(_children(listener), address.own_url(host, port), lines)


def _refuse_nameless(*, local: bool) -> None:
    if not local and not variables.ALLOWED_HOSTS.read() and not variables.DEBUG.read():
        fail("AWRDIFF_ALLOWED_HOSTS is empty: without the local user the server answers only to the names in it.")


def _own_folder() -> Path:
    """Children get its absolute path."""
    var = Path(variables.VAR.read() or paths.VAR).resolve()
    os.environ["AWRDIFF_VAR"] = str(var)
    group = variables.VAR_GROUP.read()
    folder.keep_private(group=group)
    mended = folder.make(var, group=group)
    if mended:
        say(f"Other users of this machine could read {mended} of the files and folders in {var}: closed to them.")
    return var


def _children(listener: socket.socket) -> list[Child]:
    count = variables.WEB_PROCESSES.read()
    web = [children.web(number, listener) for number in range(1, count + 1)]
    worker = children.worker(variables.WORKERS.read() + 1)  # as `CELERY_WORKER_CONCURRENCY`
    return [*web, worker, children.sweeper()]


def _run(started: list[Child], own_url: str, lines: list[str]) -> None:
    try:
        say("Starting the web server and the workers …")
        for child in started:
            child.start()
        _wait_until_it_answers(started, own_url)
        for line in lines:
            say(line)
        watch = Watch(own_url)
        while True:
            time.sleep(ROUND_S)
            _revive(started)
            watch.look(started)
    except Stop:
        pass
    finally:
        _stop_all(started)


def _wait_until_it_answers(started: list[Child], own_url: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for child in started:
            child.listen()
        if started[0].ended():
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


def _run_command(*command: str) -> int:
    """Ctrl-C reaches only this process, which ends the command."""
    return forks.run(command[0], children.management_command(*command))


def _revive(started: list[Child]) -> None:
    for child in started:
        child.listen()
        if not child.ended():
            continue
        if child.starts_at is None:
            child.bury()
            _clean_up_after(child)
        elif time.monotonic() >= child.starts_at:
            child.start()


def _clean_up_after(child: Child) -> None:
    if child.name == "worker" and not variables.REDIS_URL.read():
        # It was the only worker: what it had begun is free at once, not only when its lease ends.
        _run_command("sweep", "--once", "--no-worker-runs")


def _stop_all(started: list[Child]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for child in started:
        child.signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline and not all(child.ended() for child in started):
        for child in started:
            child.listen()
        time.sleep(0.05)
    for child in started:
        child.signal(signal.SIGKILL, group=True)
        if child.process is not None:
            child.process.join()
        child.listen()


def _stop(number: int, _frame: FrameType | None) -> None:
    raise Stop(number)
