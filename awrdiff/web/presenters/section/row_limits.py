"""Limits for rows and long texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.rows.materiality import DEFAULT
from awrdiff.web import value_formatting as fmt
from parsers.model import Section

WINDOW = 100  # rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Windowed:
    section: ComparedSection | Section
    rows: Sequence[Any]
    matched: int  # rows left after "changed only" and the filter
    start: int = 0
    window: int = WINDOW  # most rows at once
    total: int = 0
    hidden_rows: int = 0  # unchanged, or below the threshold
    left_out: int = 0  # figures not shown until all columns are asked for
    everything: bool = False

    @property
    def id(self) -> str:
        return self.section.id

    @property
    def title(self) -> str:
        return self.section.title

    @property
    def last(self) -> int:
        return self.start + len(self.rows)

    @property
    def next(self) -> int | None:
        return self.last if self.last < self.matched else None

    @property
    def next_count(self) -> int:
        return min(self.window, self.matched - self.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Windowed):
    section: ComparedSection
    unpriced: int = 0  # rows that moved and are hidden because a threshold of DB time does not measure them
    most_unpriced: str = ""  # the one of them that moved by most, and how much
    step: float = DEFAULT
    coverage_text: str = ""

    @property
    def missing_side(self) -> str:
        if self.section.first_present and self.section.second_present:
            return ""
        return "First" if not self.section.first_present else "Second"

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.section.first_notes, *self.section.second_notes)))

    @property
    def unpriced_text(self) -> str:
        """Changed rows not measured in DB time."""
        most = f", most of all {self.most_unpriced}" if self.most_unpriced else ""
        return f"{fmt.count_text(self.unpriced, 'row')} changed, no share of DB time{most}"

    @property
    def hidden_text(self) -> str:
        """Rows below the threshold, measurable ones only."""
        rows = "row" if self.hidden_rows == 1 else "rows"
        if self.step:
            return f"{self.hidden_rows} {rows} hidden: unchanged, or below {self.step:g} %"
        return f"{self.hidden_rows} unchanged {rows} hidden"

    @property
    def nothing_text(self) -> str:
        if self.step:
            return f"No row changed by {self.step:g} % of DB time, or as much as that."
        return f"No row changed: all {self.hidden_rows} are the same within what the reports print."


_CELLS = 12_000  # fewer rows where they are wider: a page of 400 columns would weigh megabytes
_CHARACTERS = 1_500_000  # of all texts; real statements, a hundred at once, stay whole
_TEXTS = ("name", "beside", "under")


def window_of(cells: int, most: int = WINDOW) -> int:
    return max(5, min(most, _CELLS // max(1, cells)))


def fit_rows(rows: Iterable[Any]) -> list[Any]:
    """Texts cut to equal shares beyond the limit."""
    rows = list(rows)
    texts = [len(row[name]) for row in rows for name in _TEXTS if name in row]
    texts += [len(cell["t"]) for row in rows for cell in row.get("cells", ())]
    if sum(texts) <= _CHARACTERS:
        return rows
    longest = max(40, _CHARACTERS // len(texts))
    for row in rows:
        row.update({name: cut(row[name], longest) for name in _TEXTS if name in row})
        for cell in row.get("cells", ()):
            cell["t"] = cut(cell["t"], longest)
    return rows


def cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def start_of(ids: Iterable[str], row: str, start: int, window: int) -> int:
    """Start of the window with `row`, if any."""
    if not row:
        return max(0, start)
    at = next((at for at, row_id in enumerate(ids) if row_id == row), 0)
    return at - at % window
