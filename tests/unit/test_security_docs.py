"""docs/reference/security.md has every item of ASVS 5.0.0's levels 1 and 2 once, and what it calls met is met by a test there is."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from awrdiff.web.views.documentation import anchor

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "reference"
TEXT = (DOCS / "security.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d+\.\d+\.\d+)(?:–(\d+))? \| (.*?) \| (met|written|n/a|open): (.*) \|$", re.MULTILINE)
# Sections of the standard, with how many items of levels 1 and 2 each has: they come first there.
SECTIONS = {
    1: (2, 9, 11, 3, 2), 2: (3, 3, 4, 1), 3: (0, 2, 4, 6, 5, 0, 2), 4: (3, 1, 2, 4), 5: (1, 3, 2, 3),
    6: (3, 12, 4, 4, 5, 3, 0, 4), 7: (3, 4, 2, 5, 2, 2), 8: (2, 3, 1, 1), 9: (3, 4), 10: (2, 2, 4, 11, 5, 2, 3),
    11: (2, 3, 3, 4, 1, 1, 0), 12: (3, 2, 4), 13: (1, 5, 2, 5), 14: (2, 4, 3), 15: (3, 3, 7, 0),
    16: (1, 5, 4, 3, 3), 17: (1, 4, 2),
}  # fmt: skip


def rows() -> list[tuple[str, str, str]]:
    """Item, how it stands, and the rest of it."""
    found = []
    for first, last, _, state, rest in ROW.findall(TEXT):
        section, _, number = first.rpartition(".")
        found += [(f"{section}.{n}", state, rest) for n in range(int(number), int(last or number) + 1)]
    return found


@cache
def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_item_stands_there_once():
    wanted = [
        f"{chapter}.{section}.{item}"
        for chapter, counts in SECTIONS.items()
        for section, count in enumerate(counts, 1)
        for item in range(1, count + 1)
    ]
    assert [item for item, _, _ in rows()] == wanted
    assert len(wanted) == 253


def test_what_is_met_names_a_test_that_there_is():
    for item, state, rest in rows():
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", rest)
        assert bool(named) is (state == "met"), item
        for file, function in named:
            assert function.startswith("test_"), (item, function)
            assert function in functions_of(file), (item, file, function)


def test_what_is_written_leads_to_a_chapter_and_what_is_open_says_something():
    for item, state, rest in rows():
        if state == "written":
            for link in re.findall(r"\]\(([^)]+)\)", rest):
                file, _, place = link.partition("#")
                headings = re.findall(r"^#+ (.*)$", (DOCS / file).read_text(encoding="utf-8"), re.MULTILINE)
                assert not place or place in {anchor(one) for one in headings}, (item, link)
        elif state != "met":
            assert len(rest) >= 4, item


def test_the_sum_is_right():
    counts = Counter(state for _, state, _ in rows())
    said = re.search(r"Of (\d+) items .*?, (\d+) are met, (\d+) written, (\d+) open, and (\d+) not applicable", TEXT)
    assert [int(n) for n in said.groups()] == [253, counts["met"], counts["written"], counts["open"], counts["n/a"]]
