"""Work on uploads in a forked child with limits on CPU time and memory, without database or broker.

Hitting a limit or crashing in C code is the file's fault: a refusal. Killed from outside: tried again.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from django.conf import settings
from django.db import connections

from awrdiff.processing.work_claims import Refused

T = TypeVar("T")

_FAR_TOO_MUCH = "far more than files of this size need, and was stopped"  # of one file, or of all that are compared
TOO_MUCH_TIME = "cpu-limit"
TOO_MUCH_MEMORY = "memory-limit"
CRASHED = "crashed"

_MB = 1 << 20
_PR_SET_PDEATHSIG = 1
_OUT_OF_MEMORY = 3  # exit status
_FAULTS = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)
_HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM)  # by Celery, in its own way
_POLITE, _IN_BULK = 5, 15  # pages come before reading, and what somebody waits for before the rest
_libc = ctypes.CDLL(None, use_errno=True)
_own_files = ContextVar("own_files", default=False)


class ChildLost(Exception):
    """No result, not by the file's fault; traceback if any."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`memory_bytes`: on top of what the parent has."""

    cpu_s: int
    memory_bytes: int


def limits_for(size_bytes: int) -> Limits:
    """Limits for a file, or several, of this size."""
    megabytes = -(-size_bytes // _MB)
    return Limits(
        cpu_s=settings.READ_CPU_S + settings.READ_CPU_S_PER_MB * megabytes,
        memory_bytes=settings.READ_MEMORY_MB * _MB + settings.READ_MEMORY_TIMES * size_bytes,
    )


@contextmanager
def own_files() -> Iterator[None]:
    """No child for awrdiff's own files."""
    token = _own_files.set(True)
    try:
        yield
    finally:
        _own_files.reset(token)


def run(work: Callable[[], T], limits: Limits, doing: str, *, in_bulk: bool = False) -> T:
    """`doing` begins a refusal's sentence. Raises Refused, ChildLost. An exception here kills the child."""
    if _own_files.get():
        return work()
    receiving, sending = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(receiving)
        os.nice(_IN_BULK if in_bulk else _POLITE)
        _child(work, limits, parent, sending)
    ended = False
    try:
        os.close(sending)
        with os.fdopen(receiving, "rb") as pipe:
            packed = pipe.read()
        _, status = os.waitpid(pid, 0)
        ended = True
    finally:
        if not ended:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    _judge(os.waitstatus_to_exitcode(status), limits, doing, has_result=bool(packed))
    result: T = _unpack(packed)
    return result


def _judge(status: int, limits: Limits, doing: str, *, has_result: bool) -> None:
    """`status` is negative for a signal."""
    if status == -signal.SIGXCPU:
        raise Refused(f"{doing} took more than {limits.cpu_s} s of processor time, {_FAR_TOO_MUCH}.", TOO_MUCH_TIME)
    if status == _OUT_OF_MEMORY:
        memory = f"{limits.memory_bytes // _MB:,} MiB of memory"
        raise Refused(f"{doing} took more than {memory}, {_FAR_TOO_MUCH}.", TOO_MUCH_MEMORY)
    if -status in _FAULTS:
        raise Refused(f"{doing} ended in a crash, as happens where something is badly damaged.", CRASHED)
    if status or not has_result:
        raise ChildLost(f"the confined process ended with status {status}")


def _unpack(packed: bytes) -> Any:
    """Unpickling is safe: the bytes come from our own child."""
    kind, *values = pickle.loads(packed)  # noqa: S301
    if kind == "refused":
        raise Refused(*values)
    if kind == "failed":
        raise ChildLost(values[0])
    return values[0]


def _child(work: Callable[[], Any], limits: Limits, parent: int, sending: int) -> NoReturn:
    """Closes nothing: connections and files are the parent's."""
    status = 1
    try:
        gc.disable()  # looking for cycles would copy every page that is still shared
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before it could be told of
            os._exit(1)
        for number in _HANDLED:
            signal.signal(number, signal.SIG_DFL)
        for connection in connections.all(initialized_only=True):
            connection.execute_wrappers.append(_no_query)
        _limit(resource.RLIMIT_CORE, 0, 0)
        _limit(resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 5)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = (pages * resource.getpagesize()) + limits.memory_bytes
        _limit(resource.RLIMIT_AS, most, most)
        outcome = _outcome(work)
        with os.fdopen(sending, "wb") as pipe:
            pickle.dump(outcome, pipe, protocol=pickle.HIGHEST_PROTOCOL)
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    finally:
        os._exit(status)


def _outcome(work: Callable[[], Any]) -> tuple[Any, ...]:
    try:
        return "result", work()
    except Refused as refusal:
        return "refused", refusal.sentence, refusal.code
    except MemoryError:
        raise
    except Exception:
        return "failed", traceback.format_exc()


def _no_query(*_args: Any) -> NoReturn:
    """The parent's connection must not be used by two."""
    raise RuntimeError("the confined process must not use the database")


def _limit(what: int, soft: int, hard: int) -> None:
    _, there = resource.getrlimit(what)
    if there != resource.RLIM_INFINITY:
        soft, hard = min(soft, there), min(hard, there)
    resource.setrlimit(what, (soft, hard))
