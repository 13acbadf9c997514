"""The real reports that AWRDIFF_CORPUS names: each read once, and each pair compared once, by a process of tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison
from parsers import UnsupportedReport, parse_report
from parsers.model import Report


@cache
def read(path: Path) -> Report | None:
    """None for one that is refused."""
    try:
        return parse_report(path.read_bytes(), name=path.name)
    except UnsupportedReport:
        return None


@cache
def compared(first: Path, second: Path) -> Comparison:
    one, other = read(first), read(second)
    assert one is not None, first
    assert other is not None, second
    return compare_reports(one, other)


def printed(corpus: Path) -> list[Path]:
    """The files of HTML and text, by name: those of one database follow each other."""
    return sorted([*corpus.glob("*.htm*"), *corpus.glob("*.txt")])


def of_kinds(corpus: Path, *kinds: str) -> list[Report]:
    """What is printed of these kinds, in that order."""
    return [report for path in printed(corpus) if (report := read(path)) is not None and report.kind in kinds]


def beside(corpus: Path, first: Report, second: Report) -> Comparison:
    """The comparison of two of its reports."""
    return compared(corpus / first.name, corpus / second.name)
