"""Issues noted while a file is read."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.model import Issue
from parsers.tables.number_parsing import is_overflow
from parsers.tables.rawtable import RawTable

_MAX_ISSUES = 200


class Notebook:
    """First 200 issues of a file."""

    def __init__(self) -> None:
        self.issues: list[Issue] = []

    def note(
        self, code: str, text: str, *, section: str | None = None, line: int | None = None, ours: bool = False
    ) -> None:
        if len(self.issues) < _MAX_ISSUES:
            self.issues.append(Issue(code, text, section, line, ours))

    def note_first(self, code: str, text: str) -> None:
        """Note on the entire report, before those on cells."""
        self.issues.insert(0, Issue(code, text))

    def note_unreadable(
        self, bad: Sequence[str], label: str, table: RawTable, *, title: str, section: str | None
    ) -> None:
        """Notes cells that are too wide, or other text."""
        wide = all(map(is_overflow, bad))
        what = "too wide to be printed (####)" if wide else f'no number ("{bad[0][:40]}")'
        self.note(
            "overflow" if wide else "unreadable-number",
            f'{len(bad)} of the values of "{label}" in "{title}" could not be read: {what}.',
            section=section,
            line=table.line,
        )
