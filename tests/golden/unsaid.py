"""Words of the analysis that no made case has: `python -m tests.golden.unsaid` writes `unsaid/`, after said and commits.

A sentence may be changed unnoticed where no case prints it. Strings are taken as they stand in the modules, without what is
filled in; those that a test names are held there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache, partial

from tests.golden.digests import ROOT as CHECKOUT
from tests.golden.snapshots import ROOT, Snapshots

ANALYSIS = CHECKOUT / "awrdiff/analysis"
PARTS = ("baseline", "commit_latency", "report", "verdict")
_WORDS = re.compile(r"[a-z’']{2,} [a-z]{2,}")


def lines(part: str) -> Iterator[str]:
    held = _held()
    for path in sorted((ANALYSIS / part).rglob("*.py")):
        pieces = dict.fromkeys(pieces_of(path.read_text(encoding="utf-8")))
        unheld = [piece for piece in pieces if piece.lower().encode() not in held]
        yield from (f"{path.relative_to(ANALYSIS / part)}: {piece}" for piece in unheld)


def pieces_of(source: str) -> Iterator[str]:
    """Pieces of two words and more between what is filled in, without docstrings and errors."""
    tree = ast.parse(source)
    silent = {id(inner) for node in ast.walk(tree) if _is_silent(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield from (piece.strip() for piece in re.split(r"\{.*?\}|\n", node.value) if _WORDS.search(piece))


def _is_silent(node: ast.AST) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or isinstance(node, ast.Raise | ast.Assert)


@cache
def _held() -> bytes:
    kept = [path for folder in ("said", "commits") for path in (ROOT / folder).rglob("*.txt")]
    tests = [path for folder in ("tests", "fixtures/diagnosed") for path in (CHECKOUT / folder).rglob("*.py")]
    lines_of_all = {line for path in (*kept, *tests) for line in path.read_text(encoding="utf-8").lower().split("\n")}
    return "\n".join(lines_of_all).encode()


UNSAID = Snapshots(ROOT / "unsaid", {part: partial(lines, part) for part in PARTS})

if __name__ == "__main__":
    UNSAID.write()
