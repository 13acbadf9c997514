"""Common part of all table views: the visible window of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from awrdiff.web.presenters.section import words


class Unpriced(NamedTuple):
    rows: int
    most: str  # the one that moved by most, and how much

    @property
    def said(self) -> str:
        return words.unpriced_text(self.rows, self.most)


class Windowed:
    __slots__ = ()
    rows: Sequence[object]
    matched: int  # rows left after "changed only" and the filter
    start: int
    window: int  # most rows at once

    @property
    def last(self) -> int:
        return self.start + len(self.rows)

    @property
    def next_count(self) -> int:
        return min(self.window, self.matched - self.last)


class Compared(Windowed):
    """A table of two reports with insignificant rows hidden."""

    __slots__ = ()
    hidden: int  # unchanged, or below the threshold
    unpriced: Unpriced | None  # what moved and is hidden because a threshold of DB time does not measure it
    step: float

    @property
    def hidden_text(self) -> str:
        return words.hidden_text(self.hidden, self.step)

    @property
    def nothing_text(self) -> str:
        return words.nothing_text(self.hidden, self.step)
