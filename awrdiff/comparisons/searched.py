"""What of a row is searched: one rule for the counts beside the sections and the filter above their rows."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.processing.storable import storable_text


def row_text(row: ComparedRow) -> str:
    """The row's key and texts of both sides, lower case, on one line."""
    texts = [side for delta in row.values.values() for side in delta[:2] if isinstance(side, str)]
    return as_in_row_text(" ".join(dict.fromkeys([*row.key.values(), *texts])))


def as_in_row_text(text: str) -> str:
    """Any text as it would stand there."""
    return " ".join(storable_text(text.lower()).split())


def matches(row: ComparedRow, text: str) -> bool:
    """Whether the row holds `text`, whatever its case and blanks."""
    return as_in_row_text(text) in row_text(row)
