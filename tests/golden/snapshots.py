"""Snapshots: a folder of text files, one for each case, with what was read over once.

A file holds its case and nothing of another, so that a change of a rule is read in the cases that it speaks in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent


def file_name(case: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", case.replace("'", "").lower()).strip("-")


@dataclass(frozen=True)
class Snapshots:
    """`cases`: lines of each, made when they are asked for. A case may name a folder before a slash."""

    folder: Path
    cases: Mapping[str, Callable[[], Iterable[str]]]

    @cached_property
    def by_path(self) -> dict[str, str]:
        """Cases by the path of their file, below `tests/golden`."""
        found = {"/".join([self.folder.name, *map(file_name, case.split("/"))]) + ".txt": case for case in self.cases}
        assert len(found) == len(self.cases), "two cases have one file"
        return found

    def text(self, path: str) -> str:
        return "".join(f"{line}\n" for line in self.cases[self.by_path[path]]())

    def stored(self) -> set[str]:
        return {p.relative_to(self.folder.parent).as_posix() for p in self.folder.rglob("*.txt")}

    def write(self) -> None:
        """All of them anew, and none of a case that is no more."""
        for path in self.by_path:
            target = self.folder.parent / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.text(path), encoding="utf-8")
        for path in self.stored() - set(self.by_path):
            (self.folder.parent / path).unlink()


def block(title: str, fresh: list[str]) -> Iterator[str]:
    """A heading with its lines, if there are any."""
    if fresh:
        yield from ("", f"## {title}", *fresh)
