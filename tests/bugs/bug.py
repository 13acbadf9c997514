"""One bug: a change of one line that reads just as well as what it replaces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Bug:
    """`old` stands in `file` exactly once; with `new` in its place the test `caught_by` fails."""

    name: str
    file: str
    old: str
    new: str
    caught_by: str

    def plant(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.file} holds the line {text.count(self.old)} times, not once.")
        path.write_text(text.replace(self.old, self.new))
