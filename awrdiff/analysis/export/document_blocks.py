"""Outline of a comparison: headings, paragraphs, lists and tables, written as Markdown or HTML.

Texts are plain: writers escape them. `Own` marks text that no report can influence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.verdict.db_time_bars import Bars


class Own(str):
    """Text of awrdiff's own, without any report text."""

    __slots__ = ()


class Heading(Struct, frozen=True):
    level: int
    text: str


class Paragraph(Struct, frozen=True):
    text: str
    strong: bool = False


class Item(Struct, frozen=True):
    """List item: `strong` comes first, `struck` if rejected.

    `under`: nested points; `finding`: the one it states.
    """

    text: str
    strong: str = ""
    under: tuple[str, ...] = ()
    finding: Finding | None = None
    struck: bool = False


class Items(Struct, frozen=True):
    items: tuple[Item, ...]


class Changed(Struct, frozen=True):
    """Figure of both sides; `tone`: good or bad change."""

    text: str
    change: str
    tone: Literal["better", "worse", ""] = ""


class Line(Struct, frozen=True):
    """Table row; `quiet`: not changed enough to matter."""

    cells: tuple[str | Changed, ...]
    row_id: str = ""
    quiet: bool = False


class Table(Struct, frozen=True):
    """`lines` can be iterated once.

    The first `names` columns identify the row, `texts` hold no figures.
    """

    head: tuple[str, ...]
    lines: Iterator[Line]
    names: int = 1
    texts: frozenset[int] = frozenset()


class Section(Struct, frozen=True):
    """Section of the reports: changed rows and their table."""

    title: str
    note: str
    changed: int
    table: Table | None


class Chart(Struct, frozen=True):
    """Time by wait class, as bars on one scale."""

    bars: Bars


Block = Heading | Paragraph | Items | Table | Section | Chart
