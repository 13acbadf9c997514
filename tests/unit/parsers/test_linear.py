"""Hostile shapes take a reader time in proportion to their size, and a bounded part of memory."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from bench.hostile import memory_of
from fixtures.hostile import SIGNS, TAGS, Shape, compound, openings, repeated, tokens_behind
from fixtures.hostile.openings import CLOSING
from parsers import UnsupportedReport, open_reports, parse_report
from tests.harness.cost import is_linear

pytestmark = pytest.mark.hostile

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


CHOSEN = chosen()
GROUPS = 12


@pytest.mark.parametrize("group", range(GROUPS))
def test_tokens_over_and_over(group: int) -> None:
    assert [s.name for s in CHOSEN[group::GROUPS] if not is_linear(s.make, read, 96 << 10)] == []


@pytest.mark.parametrize("shape", list(compound()), ids=lambda s: s.name)
def test_parts_that_together_do_harm(shape: Shape) -> None:
    assert is_linear(shape.make, read, 320 << 10)


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
    "cell: b',' closed",
    "trace: b'\\x0c'",
    "trace: b'kcrfw_alfs_update_mode: x a=1 b=2\\n'",
    "rows: b'Log file sync switching to polling\\n'",
    "rows: b'          Additional Information\\n'",
    "letter: b\"ADDM Report for Task 'x'\\n\"",
    "pre: b'<h1>WORKLOAD REPOSITORY'",
    "pre: b'\\r'",
    "page: b'\\xff'",
    "source: b'\\xff'",
)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted as Linux counts it")
def test_memory_of_a_megabyte() -> None:
    names = [*GREEDY, *(s.name for s in compound() if len(s.make(1 << 20)) >= 900_000)]
    # Not forked from here: what this process has freed would be used again, and not counted.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        found = fresh.submit(memory_of, names, 1 << 20).result()
    assert {n: round(times, 1) for n, times in found.items() if times > MOST_MEMORY + ONCE} == {}
