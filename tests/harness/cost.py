"""Cost of a call against half the input: the only kind of timed test.

Processor time of one process, so that a busy machine hardly counts; short calls pass, and failures are measured again.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

MOST_TIMES = 2.4  # for twice the size
SHORT_S, LONG_S = 0.02, 2.0
TRIES = 5


def is_linear(make_input: Callable[[int], Input], call: Callable[[Input], object], size: int) -> bool:
    """True where `call` takes about twice the time for `make_input(size)` as for half of it.

    A step at one size (a slower memory page, a full cache) shows at one doubling, a square at each: the next two are
    tried too. Measurements are printed.
    """
    gc.disable()  # a collection goes through all that is alive: it would count what other tests left, and the input
    try:
        return any(_doubles(make_input, call, times * size) for times in (1, 2, 4))
    finally:
        gc.enable()


def _doubles(make_input: Callable[[int], Input], call: Callable[[Input], object], size: int) -> bool:
    """By the best of some tries."""
    whole, half = make_input(size), make_input(size // 2)
    longer = shorter = float("inf")
    for _ in range(TRIES):
        longer = min(longer, _cpu_seconds(call, whole))
        if longer < SHORT_S:
            return True
        shorter = min(shorter, _cpu_seconds(call, half))
        if longer <= MOST_TIMES * shorter:
            return True
        if longer > LONG_S:
            break
    print(f"{longer:.3f} s for {size:,}, {shorter:.3f} s for half of it")
    return False


def _cpu_seconds(call: Callable[[Input], object], argument: Input) -> float:
    started = time.process_time()
    call(argument)
    return time.process_time() - started
