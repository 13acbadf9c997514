"""What of a printed row is searched: one rule for the counts beside the sections and the filter above their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_searched(text: str) -> str:
    """What was typed as it is looked for: in lower case, without the blanks around it."""
    return " ".join(text.replace("\x00", " ").split()).lower()


def matches(cells: Sequence[Any], text: str) -> bool:
    """Whether one of the texts holds `text`, whatever its case."""
    wanted = as_searched(text)
    return any(isinstance(cell, str) and wanted in cell.lower() for cell in cells)
