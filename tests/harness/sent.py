"""Queries of each test of tests/web, and the choice of tests that run on PostgreSQL as well.

On SQLite each statement is recorded with the product's line, the kinds of its parameters, and whether it failed or
followed a failure. On PostgreSQL those tests run that together send all of it, cheapest first, and all that were not
run on SQLite, end transactions themselves or use values that PostgreSQL refuses. `AWRDIFF_SENT` names the folder
between the two.
"""

from __future__ import annotations

import heapq
import inspect
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any
from zlib import crc32

import pytest

FOLDER = "AWRDIFF_SENT"
PRODUCT = f"{Path(__file__).parents[2] / 'awrdiff'}{os.sep}"
LARGEST_INTEGER = 2**31 - 1  # PostgreSQL's columns hold no larger one; SQLite's do
LONG = 200
REFUSED = re.compile(r"\\x00|\\0|\\u0000|%00|\*\* ?\d|\b[1-9][\d_]{9,}\b")  # as tests write it: in texts, and too large
A_TEST_S = 0.02  # of processor time, beside its own
_LISTS = re.compile(r"\((?:%s(?:, )?)+\)")
_SAVEPOINTS = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT")

Recording = dict[str, tuple[float, list[str]]]  # by test: seconds of processor time, what it sent


class Sent:
    """Wrapper around each statement of a connection."""

    def __init__(self) -> None:
        self.recording: Recording = {}
        self._now: set[str] = set()
        self._failed = ""

    @contextmanager
    def by(self, test: str) -> Iterator[None]:
        begin, self._now, self._failed = time.process_time(), set(), ""
        yield
        self.recording[test] = (round(time.process_time() - begin, 3), sorted(self._now))

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(_SAVEPOINTS):
            self._failed = "" if sql.startswith("ROLLBACK") else self._failed
            return execute(sql, params, many, context)
        after = self._failed
        statement = f"{_line()} {_shape(sql)} {'' if many else _kinds(params)}"
        try:
            return execute(sql, params, many, context)
        except Exception as error:
            self._failed = "after"
            statement += f" {type(error).__name__}"
            raise
        finally:
            self._now.add(f"{statement} {after}")

    def write(self) -> None:
        folder = Path(os.environ[FOLDER])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{os.getpid()}.json").write_text(json.dumps(self.recording))


def _line() -> str:
    """Innermost line of the product on the stack."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if (name := frame.f_code.co_filename).startswith(PRODUCT):
            return f"{name.removeprefix(PRODUCT)}:{frame.f_lineno}"
        frame = frame.f_back
    return "a test"


@cache
def _shape(sql: str) -> str:
    return f"{crc32(_LISTS.sub('(…)', sql).encode()):08x}"


def _kinds(params: Any) -> str:
    return " ".join(sorted({_kind(value) for value in params or ()}))


def _kind(value: object) -> str:
    """Kind of value, as far as the databases may differ on it."""
    if isinstance(value, int):
        return "large" if abs(value) > LARGEST_INTEGER else "int"
    if isinstance(value, str):
        facts = {"empty": not value, "letters": not value.isascii(), "zero": "\0" in value, "long": len(value) > LONG}
        return "-".join(["str", *(name for name, holds in facts.items() if holds)])
    return type(value).__name__


def read() -> Recording:
    folder = Path(os.environ.get(FOLDER, ""))
    recording: Recording = {}
    for path in sorted(folder.glob("*.json")) if os.environ.get(FOLDER) else ():
        recording |= json.loads(path.read_text())
    return recording


def enough(recording: Recording) -> set[str]:
    """Tests that together send everything: always the one that adds most for its time."""
    missing = {statement for _, sent in recording.values() for statement in sent}
    waiting = [(-len(sent) / (took + A_TEST_S), test) for test, (took, sent) in recording.items()]
    heapq.heapify(waiting)
    tests: set[str] = set()
    while missing:
        _, test = heapq.heappop(waiting)
        took, sent = recording[test]
        adds = -len(missing.intersection(sent)) / (took + A_TEST_S)
        if waiting and adds > waiting[0][0]:
            if adds:
                heapq.heappush(waiting, (adds, test))
            continue
        tests.add(test)
        missing.difference_update(sent)
    return tests


def to_leave_out(recording: Recording) -> set[str]:
    """Tests that send statements but are not needed."""
    sending = {test: entry for test, entry in recording.items() if entry[1]}
    return sending.keys() - enough(sending)


def keep_enough(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the items that are enough, and all with a reason of their own."""
    here = {item.nodeid for item in items if not _stays(item)}
    left_out = to_leave_out({test: entry for test, entry in read().items() if test in here})
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]


def _stays(item: pytest.Item) -> bool:
    """True for a test that ends transactions itself, may be skipped, or uses values that PostgreSQL refuses and the
    product must stop.
    """
    mark = item.get_closest_marker("django_db")
    if mark is not None and mark.kwargs.get("transaction"):
        return True
    if any(item.iter_markers("skip")) or any(item.iter_markers("skipif")):
        return True
    words = item.nodeid + inspect.getsource(item.function)  # type: ignore[attr-defined]
    return REFUSED.search(words) is not None
