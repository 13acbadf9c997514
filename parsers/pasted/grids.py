"""Tables in text without rules below their headings: cells between tabs or pipes, or in columns padded with blanks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from parsers.pasted.vocabulary import is_header, titled
from parsers.tables.rawtable import OneCopy, collapse

MOST_COLUMNS = 400
MAX_LINE = 32_767  # characters, as SQL*Plus writes at the most
_MOST_ABOVE = 12  # lines in which a table's title is looked for
_WIDE = 4_000  # characters of a line that columns are found in
_GAP = re.compile(r" {2,}")
_RUN = re.compile(r"1(?:0?1)*")  # of signs with no more than one blank between
SEPARATOR = re.compile(
    r"^[ \t]{0,3}(?=[^\n|]{0,300}\|)\|?[ \t]{0,9}:?-{2,99}:?[ \t]{0,99}"
    r"(?:\|[ \t]{0,9}:?-{2,99}:?[ \t]{0,99}){0,400}\|?[ \t]{0,9}$",
    re.MULTILINE,
)
_PIPE = re.compile(r"(?<!\\)\|")
_ESCAPE = re.compile(r"\\([\\|*_`#<>\[\](){}+.!~-])")
_LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)")
_EMPHASIS = re.compile(r"^(\*\*|__|\*|_|`)(.*)\1$", re.DOTALL)
_BULLET = re.compile(r"[*\u2022\u25aa\u25e6\u00b7+-] ")
_RULER = re.compile(r"[-=~_\u2013\u2014 ]+")


@dataclass(slots=True)
class Grid:
    """The cells of one table, its header among them, and the lines above it, the nearest last."""

    rows: list[list[str]]
    above: list[str]
    line: int
    marked: bool = False  # the first row is the header, as Markdown says
    left_out: int = 0  # rows that have not the header's number of cells


@dataclass(slots=True)
class _Lines:
    """The lines of a text, where reading has come to, and what stands above the next table."""

    lines: list[str]
    at: int = 0
    above: list[str] = field(default_factory=list)

    def title(self) -> list[str]:
        above, self.above = self.above, []
        return above

    def remember(self, line: str) -> None:
        if line and not _BULLET.match(line) and not line.lower().startswith("back to ") and not _RULER.fullmatch(line):
            self.above.append(line[:300])
            del self.above[:-_MOST_ABOVE]


def read_grids(text: str) -> Iterator[Grid]:
    """All tables of `text` in order."""
    source = _Lines([line[:MAX_LINE] for line in text.replace("\0", "").replace("\f", "\n").split("\n")])
    markdown = SEPARATOR.search(text) is not None
    while source.at < len(source.lines):
        line = source.lines[source.at]
        following = source.lines[source.at + 1 : source.at + 2]
        if markdown and "|" in line and following and SEPARATOR.match(following[0]):
            yield _piped(source)
        elif "\t" in line.strip(" \t\r"):
            yield from _tabbed(source)
        elif "  " in line.replace("\xa0", " ").strip():
            yield from _padded(source)
        else:
            source.remember(_plain(line) if markdown else collapse(line))
            source.at += 1


def _piped(source: _Lines) -> Grid:
    """A Markdown table; the rule below its header says how many columns it has and whether rows begin with a pipe."""
    at, lines = source.at, source.lines
    rule = lines[at + 1].strip()
    outer = rule.startswith("|")
    width = min(MOST_COLUMNS, len(rule.strip("|").split("|")))
    grid = Grid([], source.title(), at + 1, marked=True)
    for end in range(at, len(lines) + 1):
        if end == len(lines) or "|" not in lines[end] or (end > at + 1 and not lines[end].strip()):
            break
        if end == at + 1:
            continue
        following = lines[end + 1 : end + 2]
        if end > at and following and SEPARATOR.match(following[0]):
            break
        cells = _piped_cells(lines[end], width, outer=outer)
        if cells is None:
            grid.left_out += 1
        else:
            grid.rows.append(cells)
    source.at = max(end, at + 2)
    return grid


def _piped_cells(line: str, width: int, *, outer: bool) -> list[str] | None:
    """The cells of a row, None for too many. A statement in the last column may hold pipes that are not escaped."""
    line = line.strip()
    if outer:
        line = line.removeprefix("|")
        line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    cells = _PIPE.split(line, maxsplit=MOST_COLUMNS)
    if len(cells) == width + 1 and not outer and not cells[-1].strip():
        cells.pop()
    if len(cells) > width:
        return None
    return [*map(_plain, cells), *[""] * (width - len(cells))]


def _plain(text: str) -> str:
    """Text without its Markdown: links, emphasis, heading signs, escapes, entities."""
    text = text.strip()
    if text.startswith("#"):
        text = text.lstrip("#").strip()
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if emphasized := _EMPHASIS.match(text):
        text = emphasized[2]
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    if "&" in text or "<" in text:
        text = html.unescape(text.replace("<br>", " ").replace("<br/>", " ").replace("<br />", " "))
    return collapse(text)


def _tabbed(source: _Lines) -> Iterator[Grid]:
    """Consecutive lines of cells between tabs; a row of labels begins another table."""
    grid = Grid([], source.title(), source.at + 1)
    one = OneCopy().__getitem__
    while source.at < len(source.lines):
        line = source.lines[source.at]
        if "\t" not in line.strip(" \t\r"):
            following = "".join(source.lines[source.at + 1 : source.at + 2])
            if not _is_begun(line, following, grid):
                break
            line = f"{line.rstrip()} {following}"  # the first cell was broken over two lines
            source.at += 1
        cells = [one(collapse(cell)) for cell in line.rstrip("\r").split("\t", MOST_COLUMNS)]
        if grid.rows and is_header(cells):
            yield grid
            grid = Grid([], [], source.at + 1)
        grid.rows.append(cells)
        source.at += 1
    yield grid


def _is_begun(line: str, following: str, grid: Grid) -> bool:
    """Whether `line` is the beginning of the row that ends with `following`, and no title."""
    if not line.strip() or not grid.rows or following.count("\t") + 1 != len(grid.rows[0]) or titled(line):
        return False
    return not is_header(list(map(collapse, following.split("\t"))))


def _padded(source: _Lines) -> Iterator[Grid]:
    """Consecutive lines of which each has wider gaps, cut at the columns that all of them keep to."""
    begin = source.at
    block: list[str] = []
    while source.at < len(source.lines):
        line = source.lines[source.at].replace("\xa0", " ").rstrip()
        if not line.strip() or "\t" in line:
            break
        if block and is_header(_GAP.split(line.strip())):
            yield from _cut(block, source.title(), begin)
            block, begin = [], source.at
        source.at += 1
        if not _RULER.fullmatch(line):
            block.append(line)
    yield from _cut(block, source.title(), begin)


def _cut(block: list[str], above: list[str], begin: int) -> Iterator[Grid]:
    if not block:
        return
    slots = _columns(block)
    if len(slots) > 1:
        rows = [[collapse(line[a:b]) for a, b in slots] for line in block]
        yield Grid(rows, above, begin + 1)


def _columns(block: Sequence[str]) -> list[tuple[int, int | None]]:
    """Where columns stand: between gaps of two blanks and more in all lines. The last is open to the right."""
    printed = 0
    width = min(_WIDE, max(map(len, block)))
    for line in block:
        printed |= int("1" + "".join(["0" if c == " " else "1" for c in line[:width].ljust(width)]), 2)
    bits = bin(printed)[3:]
    begins = [m.start() for m in _RUN.finditer(bits)][:MOST_COLUMNS]
    return list(zip(begins, [*begins[1:], None], strict=True))
