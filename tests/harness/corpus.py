"""Real reports of AWRDIFF_CORPUS: each parsed once, each pair compared once per test process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison
from parsers import UnsupportedReport, parse_report
from parsers.model import Report


@cache
def read(path: Path) -> Report | None:
    """None for a refused one."""
    try:
        return parse_report(path.read_bytes(), name=path.name)
    except UnsupportedReport:
        return None


@cache
def compared(first: Path, second: Path) -> Comparison:
    before, after = read(first), read(second)
    assert before is not None, first
    assert after is not None, second
    return compare_reports(before, after)


def printed(corpus: Path) -> list[Path]:
    """HTML and text files by name: those of one database follow each other."""
    return sorted([*corpus.glob("*.htm*"), *corpus.glob("*.txt")])


def of_kinds(corpus: Path, *kinds: str) -> list[Report]:
    """Reports of these kinds, in file order."""
    return [report for path in printed(corpus) if (report := read(path)) is not None and report.kind in kinds]


def beside(corpus: Path, first: Report, second: Report) -> Comparison:
    """Comparison of two of its reports."""
    return compared(corpus / first.name, corpus / second.name)
