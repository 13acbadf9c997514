"""Common output of the HTML and text front ends: tables of printed cells with their surroundings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from msgspec import Struct, field

# plain: one row per thing; instances: a global report's rows per instance ("I#"); sides: a compare report's 1st, 2nd.
Shape = Literal["plain", "instances", "sides"]

MAX_TABLES = 2_000  # the longest report seen has 186
TITLE = 80  # characters of a heading that is told
_COLUMNS, _COLUMN_EVERY = 4_000, 100  # characters; the most columns seen in a report are 1,661
_MOST_COPIES = 4_000
AT_ONCE = 64 << 10  # characters: a list of all the pieces of a text of megabytes would take thirty times its size


def most_columns(characters: int) -> int:
    """Limit per file: each column takes half a kilobyte."""
    return _COLUMNS + characters // _COLUMN_EVERY


class Room:
    """Cells allowed in a pasted table: 10,000 plus its characters."""

    def __init__(self) -> None:
        self._cells = 10_000

    def takes(self, cells: int, characters: int) -> bool:
        """True, and space used, if the row fits."""
        remaining = self._cells + characters - cells
        if remaining >= 0:
            self._cells = remaining
        return remaining >= 0


class RawTable(Struct):
    """Printed table; `labels`: unique leaf labels."""

    heading: str  # the section heading above it
    caption: str  # the line of plain text directly above it, "" where there is none
    summary: str  # the HTML summary attribute
    labels: tuple[str, ...]
    rows: list[list[str]]
    notes: tuple[str, ...] = ()
    line: int | None = None
    groups: tuple[str, ...] = field(default=())  # the group header over each label, "" for none
    widths: tuple[int, ...] = field(default=())  # of the printed columns, in text reports: longer names are cut
    above: str = ""  # the chapter (h1 or h2) the heading belongs to
    left_out: int = 0  # rows that stand in the file and could not be placed


class RawDocument(Struct):
    """Tables of a file, its title lines, reason for its end."""

    tables: list[RawTable]
    title: str
    headings: list[str]
    complete: bool
    last_line: int
    cut: list[str] = field(default_factory=list)  # headings of tables too large to be kept whole
    remarks: list[tuple[str, str]] = field(default_factory=list)  # code and sentence: what was mended or left out

    def is_partial(self, table: RawTable) -> bool:
        """True if rows may be missing: omitted, too large, truncated."""
        if table.left_out:
            return True
        if self.cut and {table.caption, table.heading, table.heading[:TITLE]}.intersection(self.cut) - {""}:
            return True
        ends_early = not self.complete or any(code == "left-out" for code, _ in self.remarks)
        return ends_early and table is self.tables[-1]


class OneCopy(dict[str, str]):
    def __missing__(self, text: str) -> str:
        if len(self) >= _MOST_COPIES:
            self.clear()
        self[text] = text
        return text


def stretches(more: str) -> re.Pattern[str]:
    """Long texts in stretches, each ending after class `more`."""
    return re.compile(rf"(?s:.{{1,{AT_ONCE}}}){more}*")


_OF_WORDS = stretches(r"\S")


def collapse(text: str) -> str:
    """White space, non-breaking too, as single blanks."""
    if text.isprintable() and "  " not in text and text.strip(" ") == text:  # of white space only a blank is printable
        return text
    if len(text) <= AT_ONCE:
        return " ".join(text.split())
    return " ".join(filter(None, (" ".join(match[0].split()) for match in _OF_WORDS.finditer(text))))


def unique_labels(labels: list[str], groups: list[str]) -> tuple[str, ...]:
    """Repeated labels take the name of their group or before a colon, else a number.

    Example: `Reads: Data | Reqs per sec | … | Writes: Data | Reqs per sec`.
    """
    if len(set(labels)) == len(labels):
        return tuple(labels)
    counts = Counter(labels)
    out: list[str] = []
    uses: dict[str, int] = {}
    colon = ""
    for label, group in zip(labels, groups, strict=True):
        if ": " in label:
            colon = label.split(": ", 1)[0]
        name = label
        if counts[label] > 1:
            prefix = group or colon
            name = f"{prefix} {label}".strip() if prefix != label else label
        uses[name] = uses.get(name, 0) + 1
        out.append(name if uses[name] == 1 else f"{name} ({uses[name]})".strip())
    return tuple(out)


_LABEL_NOISE = re.compile(r"[\s\u00a0_\-]+")


@lru_cache(maxsize=8192)
def normal_label(label: str) -> str:
    """Lower case, without blanks and hyphens, `‹` as `<`."""
    return _LABEL_NOISE.sub("", label).lower().replace("\u2039", "<").replace("\u203a", ">")


@lru_cache(maxsize=1024)
def normal_labels(labels: tuple[str, ...]) -> tuple[frozenset[str], Shape]:
    normal = frozenset(map(normal_label, labels))
    return normal, shape_of(normal)


def shape_of(labels: Iterable[str]) -> Shape:
    """Shape by normalized labels; kinds of report share titles."""
    first = second = False
    for label in labels:
        if label in ("i#", "dest"):
            return "instances"
        if label == "snapshotset":
            return "sides"
        first = first or "1st" in label
        second = second or "2nd" in label
    return "sides" if first and second else "plain"


_FOOTNOTE = re.compile(r"\s*\[\d+\]$")


@lru_cache(maxsize=8192)
def normal_title(title: str) -> str:
    """Lower case, without footnote marks, counts and colons."""
    return _FOOTNOTE.sub("", collapse(title)).lower().rstrip(":").strip()
