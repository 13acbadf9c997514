"""What a comparison says, as headings, paragraphs, lists and tables: one outline, written as Markdown or as HTML.

Texts are plain; who writes them makes them inert. `Own` marks what no report has a say in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.verdict.bars import Bars


class Own(str):
    """Of awrdiff's own making: figures, signs and words in which no text of a report stands."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """`strong` comes first, `struck` where it was rejected; `under`: points of its own below it; `finding`: the one it
    says."""

    text: str
    strong: str = ""
    under: tuple[str, ...] = ()
    finding: Finding | None = None
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A figure of both sides; `change` is said where they differ, `tone` where that is good or bad."""

    text: str
    change: str
    tone: Literal["better", "worse", ""] = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table. `quiet`: it did not change, or not by what matters."""

    cells: tuple[str | Changed, ...]
    row_id: str = ""
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The lines can be walked through once. The first columns, `names` of them, say which row it is; `texts` are the
    columns that hold no figures."""

    head: tuple[str, ...]
    lines: Iterator[Line]
    names: int = 1
    texts: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the reports: how many rows changed, and their table."""

    title: str
    said: str
    changed: int
    table: Table | None


@dataclass(frozen=True, slots=True)
class Chart:
    """What the time of each side went into, as bars on one scale."""

    bars: Bars


Block = Heading | Paragraph | Items | Table | Section | Chart

__all__ = ["Block", "Changed", "Chart", "Heading", "Item", "Items", "Line", "Own", "Paragraph", "Section", "Table"]
