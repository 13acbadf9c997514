"""Hostile shapes take a reader time in proportion to their size, and a bounded part of memory.

The one kind of timed test there is: processor time of one process, a file against one of half its size, what is short
left alone, and what seems to fail measured again.
"""

from __future__ import annotations

import gc
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from bench.hostile import memory_of
from fixtures.hostile import SIGNS, TAGS, Shape, compound, openings, repeated, tokens_behind
from fixtures.hostile.openings import CLOSING
from parsers import UnsupportedReport, open_reports, parse_report

pytestmark = pytest.mark.hostile

MOST_TIMES = 2.4  # for twice the size
SHORT_S, LONG_S = 0.02, 2.0
TRIES = 3
MOST_MEMORY = 16  # times the size of a file of 1 MB and more
ONCE = 1  # MB that a process takes with its first file, of whatever size


def chosen() -> list[Shape]:
    """Every token behind an opening, the next one for each; those of pages also in a table whose end follows.

    All of them behind all openings are `bin/bench hostile`.
    """
    row = openings()["row"]
    out = [Shape(f"in a row: {token[:40]!r}", partial(repeated, token, row, CLOSING)) for token in (*TAGS, *SIGNS)]
    for at, (name, opening) in enumerate(openings().items()):
        tokens = tokens_behind(name)[at % len(openings()) :: len(openings()) // 2]
        out += [Shape(f"{name}: {token[:40]!r}", partial(repeated, token, opening, b"")) for token in tokens]
    return out


def read(data: bytes) -> None:
    for member in open_reports(data, "x"):
        try:
            parse_report(member.data)
        except UnsupportedReport:
            continue


def cpu_seconds(data: bytes) -> float:
    started = time.process_time()
    read(data)
    return time.process_time() - started


def is_linear(shape: Shape, size: int) -> bool:
    """Whether twice the size takes about twice the time. A page may be read the slower way from some size on: such a
    step is seen at one doubling, the square of the size at each."""
    return doubles(shape, size) or doubles(shape, 2 * size)


def doubles(shape: Shape, size: int) -> bool:
    """By the best of some tries."""
    whole, half = shape.made(size), shape.made(size // 2)
    longer = shorter = float("inf")
    for _ in range(TRIES):
        longer = min(longer, cpu_seconds(whole))
        if longer < SHORT_S:
            return True
        shorter = min(shorter, cpu_seconds(half))
        if longer <= MOST_TIMES * shorter:
            return True
        if longer > LONG_S:
            break
    return False


CHOSEN = chosen()
GROUPS = 12


@pytest.mark.parametrize("group", range(GROUPS))
def test_tokens_over_and_over(group: int) -> None:
    gc.collect()
    assert [s.name for s in CHOSEN[group::GROUPS] if not is_linear(s, 96 << 10)] == []


@pytest.mark.parametrize("shape", list(compound()), ids=lambda s: s.name)
def test_parts_that_together_do_harm(shape: Shape) -> None:
    assert is_linear(shape, 320 << 10)


GREEDY = (
    "rows: b'a  b\\n-- --\\n1  2\\n'",
    "rows: b'---- ----\\n1    2\\n'",
    "rows: b'~~~ ---\\n'",
    "listing: b'\\n'",
    "row: b'<h3>x</h3><table><tr><td>x</td></tr></table>'",
    "row: b'<table><tr><td>x'",
    "row: b'<td>x' closed",
    "page: b'<p>x'",
    "cell: b'<h1' closed",
    "tag: b'-> ' closed",
    "row: b'<tr>' closed",
    "page: b'<td '",
    "quoted: b'STATSPACK report for\\n'",
    "trace: b'\\x0c'",
)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted as Linux counts it")
def test_memory_of_a_megabyte() -> None:
    names = [*GREEDY, *(s.name for s in compound() if len(s.made(1 << 20)) >= 900_000)]
    # Not forked from here: what this process has freed would be used again, and not counted.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        found = fresh.submit(memory_of, names, 1 << 20).result()
    assert {n: round(times, 1) for n, times in found.items() if times > MOST_MEMORY + ONCE} == {}
