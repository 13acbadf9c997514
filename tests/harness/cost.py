"""What a call costs against the same call with half as much: the one kind of timed test there is.

Processor time of one process, so that a busy machine counts as little as it can; what is short is left alone, and what
seems to fail is measured again.
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


def is_linear(made: Callable[[int], Input], call: Callable[[Input], object], size: int) -> bool:
    """Whether `call` takes about twice the time for `made(size)` as for half of it.

    A page may be read the slower way from some size on, and a cache of the machine may be full: such a step is seen at one
    doubling, the square of the size at each, so the next two are tried too. What was measured is printed.
    """
    gc.freeze()  # what other tests left behind is not gone through again at each collection
    try:
        return any(_doubles(made, call, times * size) for times in (1, 2, 4))
    finally:
        gc.unfreeze()


def _doubles(made: Callable[[int], Input], call: Callable[[Input], object], size: int) -> bool:
    """By the best of some tries."""
    whole, half = made(size), made(size // 2)
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


def _cpu_seconds(call: Callable[[Input], object], made: Input) -> float:
    started = time.process_time()
    call(made)
    return time.process_time() - started
