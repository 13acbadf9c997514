"""bin/serve's processes as forks of one that has loaded everything: once in time and memory."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from importlib import import_module
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import TextIO

import setproctitle

ROOT = Path(__file__).resolve().parents[2]  # of the packages: the checkout, or where the wheel is installed
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What Django does not load by itself before the first page, and Celery not before its worker begins.
_NEEDED = (
    "awrdiff.serving.web",
    "awrdiff.web.urls",
    "awrdiff.processing.dispatch",
    "celery.apps.worker",
    "celery.bin.worker",
    "celery.concurrency.prefork",
)
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)
_fork = multiprocessing.get_context("fork")


def load() -> None:
    """No import here may start a thread or use the database: both break at a fork."""
    os.chdir(ROOT)
    gc.disable()
    import django  # noqa: PLC0415 - takes its time

    from awrdiff.django_command_line import sentences  # noqa: PLC0415

    with sentences():  # settings are read, and may be refused
        django.setup()
        from django.conf import settings  # noqa: PLC0415

        middleware = [path.rpartition(".")[0] for path in settings.MIDDLEWARE]
        for name in (*_NEEDED, *middleware, settings.SESSION_ENGINE):
            import_module(name)
        _compile_pages(Path(settings.BASE_DIR) / "templates")
    gc.freeze()  # looking for cycles would copy every page of memory that is still shared
    gc.enable()


def _compile_pages(templates: Path) -> None:
    """Else each process compiles templates while its first reader waits."""
    from django.template.loader import get_template  # noqa: PLC0415 - Django is set up only now

    for path in sorted(templates.rglob("*.html")):
        get_template(path.relative_to(templates).as_posix())


def start(
    title: str, work: Callable[[], object], *, says: int | None = None, handed_on: Collection[int] = ()
) -> ForkProcess:
    """Runs `work` in a fork with its own session; returns once it has begun.

    Ends with this process, keeps only `handed_on` files, writes output to `says`.
    """
    parent = os.getpid()
    reading, writing = os.pipe()

    def begin() -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        own = Path("/proc/self/oom_score_adj")  # the memory killer spares the parent, which restarts it
        with suppress(OSError):
            own.write_text(str(min(1000, int(own.read_text()) + 100)))
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before it could be told of
            raise SystemExit(1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        setproctitle.setproctitle(f"awrdiff: {title}")
        if says is not None:
            sys.stdout, sys.stderr = _written_to(says, 1), _written_to(says, 2)
        _close_all_but({0, 1, 2, *handed_on})
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        work()

    process = _fork.Process(target=begin, name=title, daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # until it has handlers of its own
    try:
        process.start()
        os.close(writing)
        os.read(reading, 1)  # nothing, as soon as it has closed what it is not to have
    finally:
        os.close(reading)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return process


def run(title: str, work: Callable[[], object]) -> int:
    """Exit status, negative for a signal. An exception here kills it."""
    process = start(title, work)
    try:
        process.join()
    finally:
        process.kill()
        process.join()
    return process.exitcode or 0


def _written_to(says: int, number: int) -> TextIO:
    os.dup2(says, number)
    return os.fdopen(number, "w", buffering=1, errors="backslashreplace", closefd=False)


def _close_all_but(numbers: Collection[int]) -> None:
    """The lock and the others' pipes stay the parent's."""
    for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        if number not in numbers:
            with suppress(OSError):  # that of this very folder
                os.close(number)
