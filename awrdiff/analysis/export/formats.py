"""The formats a comparison leaves the project in: what `manage.py compare` prints and the page hands out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from awrdiff.analysis.export.csv import as_csv
from awrdiff.analysis.export.document import as_dict_of_all
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.model.comparison import Comparison


def as_json(comparisons: Sequence[Comparison]) -> str:
    """One line, ASCII only."""
    return json.dumps(as_dict_of_all(comparisons), ensure_ascii=True) + "\n"


FORMATS: dict[str, Callable[[Sequence[Comparison]], str]] = {
    "json": as_json,
    "markdown": as_markdown,
    "csv": as_csv,
}
