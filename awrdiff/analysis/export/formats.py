"""Formats of an exported comparison, each written in pieces, one section at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from awrdiff.analysis.export.comparison_json import parts_of_all
from awrdiff.analysis.export.csv import csv_pieces
from awrdiff.analysis.export.html import html_pieces
from awrdiff.analysis.export.json_encoding import pieces
from awrdiff.analysis.export.markdown import markdown_pieces
from awrdiff.analysis.model.comparison import Comparison


def json_pieces(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """One line, ASCII only."""
    yield from pieces(parts_of_all(comparisons))
    yield "\n"


FORMATS: dict[str, Callable[[Sequence[Comparison]], Iterator[str]]] = {
    "json": json_pieces,
    "markdown": markdown_pieces,
    "csv": csv_pieces,
    "html": html_pieces,
}
