"""What each test of tests/web asks of the database, and which of them are run on PostgreSQL as well.

On SQLite each statement is kept with the line of the product that sent it, the kinds of its parameters, and whether it
failed or came after one that did. On PostgreSQL those tests are run that together send everything that all of them sent,
the cheapest for what they add first; and all that were not run on SQLite, that end transactions themselves, or that give
what PostgreSQL refuses.
`AWRDIFF_SENT` names the folder between the two.
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

Known = dict[str, tuple[float, list[str]]]  # by test: seconds of processor time, what it sent


class Sent:
    """Django calls it around each statement of a connection."""

    def __init__(self) -> None:
        self.known: Known = {}
        self._now: set[str] = set()
        self._failed = ""

    @contextmanager
    def by(self, test: str) -> Iterator[None]:
        begin, self._now, self._failed = time.process_time(), set(), ""
        yield
        self.known[test] = (round(time.process_time() - begin, 3), sorted(self._now))

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(_SAVEPOINTS):
            self._failed = "" if sql.startswith("ROLLBACK") else self._failed
            return execute(sql, params, many, context)
        after = self._failed
        said = f"{_line()} {_shape(sql)} {'' if many else _kinds(params)}"
        try:
            return execute(sql, params, many, context)
        except Exception as error:
            self._failed = "after"
            said += f" {type(error).__name__}"
            raise
        finally:
            self._now.add(f"{said} {after}")

    def write(self) -> None:
        folder = Path(os.environ[FOLDER])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{os.getpid()}.json").write_text(json.dumps(self.known))


def _line() -> str:
    """The innermost line of the product on the stack."""
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
    return " ".join(sorted({_kind(one) for one in params or ()}))


def _kind(value: object) -> str:
    """As far as the two databases may tell them apart."""
    if isinstance(value, int):
        return "large" if abs(value) > LARGEST_INTEGER else "int"
    if isinstance(value, str):
        facts = {"empty": not value, "letters": not value.isascii(), "zero": "\0" in value, "long": len(value) > LONG}
        return "-".join(["str", *(name for name, holds in facts.items() if holds)])
    return type(value).__name__


def read() -> Known:
    folder = Path(os.environ.get(FOLDER, ""))
    found: Known = {}
    for path in sorted(folder.glob("*.json")) if os.environ.get(FOLDER) else ():
        found |= json.loads(path.read_text())
    return found


def enough(known: Known) -> set[str]:
    """Tests that send all there is: always the one that adds most for its time, by what the others left."""
    left = {one for _, sent in known.values() for one in sent}
    waiting = [(-len(sent) / (took + A_TEST_S), test) for test, (took, sent) in known.items()]
    heapq.heapify(waiting)
    chosen: set[str] = set()
    while left:
        _, test = heapq.heappop(waiting)
        took, sent = known[test]
        adds = -len(left.intersection(sent)) / (took + A_TEST_S)
        if waiting and adds > waiting[0][0]:
            if adds:
                heapq.heappush(waiting, (adds, test))
            continue
        chosen.add(test)
        left.difference_update(sent)
    return chosen


def to_leave_out(known: Known) -> set[str]:
    """Of those that send something: what sends nothing is run for its Python, not for the database."""
    sending = {test: told for test, told in known.items() if told[1]}
    return sending.keys() - enough(sending)


def keep_enough(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the items that were run on SQLite those that are enough, and all that have a word of their own."""
    here = {item.nodeid for item in items if not _stays(item)}
    left_out = to_leave_out({test: told for test, told in read().items() if test in here})
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]


def _stays(item: pytest.Item) -> bool:
    """It ends transactions itself, or is skipped in places: nothing rests on it. Or it gives what PostgreSQL would not
    take, of which nothing is sent as long as the product sees to it."""
    mark = item.get_closest_marker("django_db")
    if mark is not None and mark.kwargs.get("transaction"):
        return True
    if any(item.iter_markers("skip")) or any(item.iter_markers("skipif")):
        return True
    words = item.nodeid + inspect.getsource(item.function)  # type: ignore[attr-defined]
    return REFUSED.search(words) is not None
