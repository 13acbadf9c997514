"""Row search, one rule for counts beside sections and the filter above rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_searched(text: str) -> str:
    """Search text in lower case, stripped."""
    return " ".join(text.replace("\x00", " ").split()).lower()


def matches(cells: Sequence[Any], text: str) -> bool:
    """True if any text contains `text`, ignoring case."""
    wanted = as_searched(text)
    return any(isinstance(cell, str) and wanted in cell.lower() for cell in cells)
