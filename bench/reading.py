"""Reading reports whole (every table, every number) against bare tree building by lxml on the same bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from bench.line import line, medians
from fixtures.writer import big
from parsers import Report, UnsupportedReport, parse_report

TIMES = 7


def run() -> Iterator[str]:
    corpus = _corpus()
    totals = [0.0, 0.0]
    for name, data in corpus:
        ours, bare = _measure(data, TIMES)
        totals[0] += ours
        totals[1] += bare
        yield line(f"read {name}", ours * 1000, "ms", baseline=bare * 1000)
    if corpus:
        yield line("read corpus", totals[0] * 1000, "ms", baseline=totals[1] * 1000)
    for megabytes in (1, 10):
        ours, bare = _measure(big(megabytes), 5)
        yield line(f"read built {megabytes} MB", ours * 1000, "ms", baseline=bare * 1000)


def _corpus() -> list[tuple[str, bytes]]:
    """HTML AWR reports of one instance out of the folder that AWRDIFF_CORPUS names."""
    folder = os.environ.get("AWRDIFF_CORPUS")
    files = sorted(p for p in Path(folder).iterdir() if p.suffix.lower().startswith(".htm")) if folder else []
    found = [(path.name, path.read_bytes()) for path in files]
    return [(name, data) for name, data in found if _in_scope(data)]


def _in_scope(data: bytes) -> bool:
    try:
        return parse_report(data).kind == "awr"
    except UnsupportedReport:
        return False


def _measure(data: bytes, times: int) -> tuple[float, float]:
    return medians(lambda: _walk(parse_report(data)), lambda: _bare(data), times)


def _walk(report: Report) -> int:
    """Touch every cell, so that nothing is left to be converted later."""
    return sum(len([cell for cell in row.cells if cell is not None]) for s in report.sections for row in s.records)


def _bare(data: bytes) -> object:
    return etree.fromstring(data, etree.HTMLParser(huge_tree=True))
