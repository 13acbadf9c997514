"""Tables of docs/reference/robustness.md that commands write: each between two comments that name it."""

from __future__ import annotations

from pathlib import Path


def write(path: Path, name: str, text: str) -> None:
    """Put `text` between `<!-- name -->` and `<!-- end of name -->`."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = path.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise SystemExit(f"{path} has no lines {begin} and {end} to write between.")
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
