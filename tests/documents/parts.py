"""Parts of a document that a command writes: each between two comments that name it."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
_PART = re.compile(r"<!-- (?P<name>.+?) -->\n(?P<text>.*?)<!-- end of (?P=name) -->", re.DOTALL)
_WORD = re.compile(r"\w")


def write(path: Path, name: str, text: str) -> None:
    """Put `text` between `<!-- name -->` and `<!-- end of name -->`."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise SystemExit(f"{path} has no lines {begin} and {end} to write between.")
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def parts(path: Path) -> dict[str, str]:
    """By name, without the lines around them."""
    return {found["name"]: found["text"].strip() for found in _PART.finditer(path.read_text(encoding="utf-8"))}


def words_by_hand(path: Path) -> int:
    """What has a letter or a digit between blanks, but for what a command writes."""
    return sum(bool(_WORD.search(word)) for word in _PART.sub("", path.read_text(encoding="utf-8")).split())
