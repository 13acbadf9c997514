"""The confined process: what it may take, how it ends, and that it never outlives whoever waits for it."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import resource
import signal
import time
from pathlib import Path

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection

from awrdiff.processing import sandbox
from awrdiff.processing.sandbox import ChildLost, Limits
from awrdiff.processing.work_claims import Refused
from tests.harness.server import is_running, until

pytestmark = pytest.mark.confined
ENOUGH = Limits(cpu_s=20, memory_bytes=256 << 20)
DOING = "Reading this file"


def run(work, limits: Limits = ENOUGH):
    return sandbox.run(work, limits, DOING)


def spin() -> None:
    while time.process_time() < 8:  # an end of its own, should no limit hold
        pass


def test_what_nobody_waits_for_leaves_the_processor_to_what_somebody_does():
    usual, in_bulk = (sandbox.run(lambda: os.nice(0), ENOUGH, DOING, in_bulk=one) for one in (False, True))
    assert os.nice(0) < usual < in_bulk


def test_the_result_comes_back_however_large():
    assert run(lambda: {"a": (1, b"x")}) == {"a": (1, b"x")}
    assert len(run(lambda: b"x" * (20 << 20))) == 20 << 20


def test_it_is_another_process_that_dies_at_once():
    pid = run(os.getpid)
    assert pid != os.getpid()
    until(lambda: not is_running(pid), 20)


def test_awrdiffs_own_files_are_read_here():
    with sandbox.own_files():
        assert run(os.getpid) == os.getpid()
    assert run(os.getpid) != os.getpid()


def test_too_much_processor_time_is_the_files_fault():
    with pytest.raises(Refused) as refused:
        run(spin, Limits(cpu_s=1, memory_bytes=1 << 26))
    assert refused.value.code == "cpu-limit"
    assert refused.value.sentence == (
        "Reading this file took more than 1 s of processor time, far more than files of this size need, and was stopped."
    )


def test_too_much_memory_is_the_files_fault():
    with pytest.raises(Refused) as refused:
        run(lambda: bytearray(200 << 20), Limits(cpu_s=20, memory_bytes=100 << 20))
    assert refused.value.code == "memory-limit"
    assert "more than 100 MiB of memory" in refused.value.sentence


def test_memory_is_counted_from_what_the_process_has_already():
    ballast = bytearray(300 << 20)
    assert run(lambda: len(bytearray(50 << 20)), Limits(cpu_s=20, memory_bytes=100 << 20)) == 50 << 20
    assert ballast is not None


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS])
def test_a_crash_in_c_code_is_the_files_fault(number):
    def crash() -> None:
        faulthandler.disable()  # pytest's, which prints the stack
        if number == signal.SIGSEGV:
            ctypes.string_at(0)
        os.kill(os.getpid(), number)

    with pytest.raises(Refused) as refused:
        run(crash)
    assert refused.value.code == "crashed"


def test_what_kills_it_from_outside_is_not():
    with pytest.raises(ChildLost):
        run(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ChildLost):
        run(lambda: os._exit(0))  # without a word


def test_a_fault_of_ours_is_told_with_its_traceback():
    with pytest.raises(ChildLost, match="ZeroDivisionError"):
        run(lambda: 1 / 0)


def test_a_refusal_comes_through_as_it_is():
    def refuse() -> None:
        raise Refused("No report.", "not-a-report")

    with pytest.raises(Refused) as refused:
        run(refuse)
    assert (refused.value.sentence, refused.value.code) == ("No report.", "not-a-report")


def test_the_time_limit_of_the_task_ends_it(tmp_path):
    """Celery raises in the middle of waiting."""
    told = tmp_path / "pid"

    def work() -> None:
        told.write_text(str(os.getpid()))
        os.kill(os.getppid(), signal.SIGALRM)
        spin()

    def stop(*_: object) -> None:
        raise SoftTimeLimitExceeded

    before = signal.signal(signal.SIGALRM, stop)
    try:
        with pytest.raises(SoftTimeLimitExceeded):
            run(work)
    finally:
        signal.signal(signal.SIGALRM, before)
    until(lambda: not is_running(int(told.read_text())), 20)


def test_it_dies_with_its_parent(tmp_path):
    told = tmp_path / "pid"

    def work() -> None:
        (tmp_path / "part").write_text(str(os.getpid()))
        (tmp_path / "part").rename(told)
        time.sleep(60)

    parent = os.fork()
    if parent == 0:
        try:
            run(work)
        finally:
            os._exit(0)
    until(told.exists, 10)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    until(lambda: not is_running(int(told.read_text())), 5)


@pytest.mark.django_db
def test_it_never_speaks_to_the_database():
    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    with pytest.raises(ChildLost, match="must not use the database"):
        run(ask)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_limits_grow_with_the_file(settings):
    assert sandbox.limits_for(0) == Limits(20, 256 << 20)
    assert sandbox.limits_for(1) == Limits(22, (256 << 20) + 24)
    assert sandbox.limits_for(3 << 20) == Limits(26, (256 << 20) + 24 * (3 << 20))
    settings.READ_CPU_S, settings.READ_CPU_S_PER_MB = 5, 1
    settings.READ_MEMORY_MB, settings.READ_MEMORY_TIMES = 64, 2
    assert sandbox.limits_for(3 << 20) == Limits(8, 70 << 20)


def test_it_leaves_no_core_and_never_raises_a_limit_that_is_there():
    def limits() -> list[tuple[int, int]]:
        sandbox._limit(resource.RLIMIT_CPU, 100, 200)
        return [resource.getrlimit(what) for what in (resource.RLIMIT_CORE, resource.RLIMIT_CPU)]

    assert run(limits) == [(0, 0), (25, 25)]


def test_no_file_stays_open():
    before = len(list(Path("/proc/self/fd").iterdir()))
    for work in (lambda: 1, lambda: 1 / 0, lambda: os._exit(1)):
        for _ in range(3):
            try:
                run(work)
            except ChildLost:
                continue
    assert len(list(Path("/proc/self/fd").iterdir())) == before
