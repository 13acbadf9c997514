"""Confined work (awrdiff/processing/confined.py) done in this process: no limits, and no queries either."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from django.db import connections

from awrdiff.processing import confined

T = TypeVar("T")


def run(work: Callable[[], T], limits: confined.Limits, doing: str, *, in_bulk: bool = False) -> T:
    """As `confined.run`; the result has gone through bytes as there."""
    with ExitStack() as stack:
        for connection in connections.all(initialized_only=True):
            stack.enter_context(connection.execute_wrapper(confined._no_query))
        outcome = confined._outcome(work)
    result: T = confined._unpack(pickle.dumps(outcome))
    return result
