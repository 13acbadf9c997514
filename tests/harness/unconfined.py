"""Confined work (awrdiff/processing/sandbox.py) done in this process: no limits, and no queries either."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from django.db import connections

from awrdiff.processing import sandbox

T = TypeVar("T")


def run(work: Callable[[], T], limits: sandbox.Limits, doing: str, *, in_bulk: bool = False) -> T:
    """As `confined.run`; the result has gone through bytes as there."""
    with ExitStack() as stack:
        for connection in connections.all(initialized_only=True):
            stack.enter_context(connection.execute_wrapper(sandbox._no_query))
        outcome = sandbox._outcome(work)
    result: T = sandbox._unpack(pickle.dumps(outcome))
    return result
