"""bin/test collects for a part the files in which its mark stands, and no others."""

from __future__ import annotations

import re
from pathlib import Path

PARTS = ("e2e", "processes", "alone", "hostile", "thorough")


def test_a_mark_stands_in_the_file_that_it_marks(marked: dict[Path, set[str]]) -> None:
    found = [
        (path.name, part)
        for path, marks in marked.items()
        for part in PARTS
        if part in marks and not re.search(rf"mark\.{part}\b", path.read_text())
    ]
    assert found == []
