"""Tables in text without rulers: cells between tabs or pipes, or padded with blanks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from msgspec import Struct, field

from parsers.files.detect import SEPARATOR
from parsers.html.table_reader import LABEL_TAG, read_html
from parsers.pasted.blank_padded_tables import MOST_COLUMNS, Slots, cut, ruled
from parsers.pasted.collapsed_blank_columns import is_figure, is_header, titled
from parsers.tables.rawtable import OneCopy, Room, collapse

MAX_LINE = 32_767  # characters, as SQL*Plus writes at the most
_MOST_ABOVE = 12  # lines in which a table's title is looked for
_MOST_WRAPPED = 40  # lines that a row is broken over
_GAP = re.compile(r" {2,}")
_PIPE = re.compile(r"(?<!\\)\|")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINK = re.compile(r"!?\[((?:[^\[\]\n]|\[[^\[\]\n]{0,40}\]){0,300})\]\([^)\n]{0,500}\)(?:\{[.#][^{}\n]{0,99}\})?")
_HEADING = re.compile(r"^[ ]{0,3}#{1,6} (?=\S)", re.MULTILINE)
_ATTRIBUTES = re.compile(r"[ ]?\{[.#][^{}\n]{0,99}\}$")
_TAG = re.compile(r"</?(?:span|a|b|i|u|em|strong|sup|sub|code|font|p|div)(?: [\w-]{1,20}=\"[^\"<>]{0,200}\"){0,9} ?/?>")
_EMPHASIS = re.compile(r"^(\*\*|__|\*|_|`)(.*)\1$", re.DOTALL)
_BULLET = re.compile(r"[*\u2022\u25aa\u25e6\u00b7+-] ")
_RULER = re.compile(r"[-=~_\u2013\u2014 ]+")


class Grid(Struct):
    """Cells of a table, and lines above it, nearest last."""

    rows: list[list[str]]
    above: list[str]
    line: int
    marked: bool = False  # the first row is the header, as Markdown says
    padded: bool = False  # columns were found by the blanks between them
    left_out: int = 0  # rows that have not the header's number of cells


class _Lines(Struct):
    """Lines, the reading position, and lines above the next table."""

    lines: list[str]
    markdown: bool = False
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
    text = text.replace("\0", "").replace("\f", "\n")
    markdown = SEPARATOR.search(text) is not None or _HEADING.search(text) is not None
    lines = [line[:MAX_LINE] for line in (_without_html(text) if markdown else text).split("\n")]
    source = _Lines(_unwrapped(lines) if markdown else lines, markdown=markdown)
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
            source.remember(_plain_line(line) if markdown else collapse(line))
            source.at += 1


def _without_html(text: str) -> str:
    """pandoc writes HTML tables for merged cells."""
    out, at, low = [], 0, text.lower()
    while (begin := low.find("<table", at)) >= 0 and (end := low.find("</table>", begin)) >= 0:
        out.append(text[at:begin])
        for table in read_html(text[begin : end + 8]).tables:
            is_labelled = LABEL_TAG.search(text, begin, end)
            head, rest = (table.labels, table.rows) if is_labelled else (table.rows[0], table.rows[1:])
            rows = [head, ["---"] * len(head), *rest]
            out += ["\n", *("|" + "|".join(cell.replace("|", "\\|") for cell in row) + "|\n" for row in rows)]
        at = end + 8
    return "".join([*out, text[at:]])


def _unwrapped(lines: list[str]) -> list[str]:
    if sum("|" in line and line.endswith("  ") for line in lines) * 2 < sum("|" in line for line in lines):
        return lines
    out: list[str] = []
    row: list[str] = []
    in_table = False
    for line in lines:
        is_rule = SEPARATOR.match(line) is not None
        in_table = is_rule or (in_table and bool(line.strip()))
        if not line.strip() or is_rule or len(row) >= _MOST_WRAPPED:
            out += [" ".join(row)] if row else []
            row = []
        if line.strip() and not line.endswith("  ") and not is_rule and (row or in_table or "|" in line):
            row.append(line)
        else:
            out.append(" ".join([*row, line]))
            row = []
    return [*out, " ".join(row)] if row else out


def _piped(source: _Lines) -> Grid:
    at, lines = source.at, source.lines
    rule = lines[at + 1].strip()
    outer = rule.startswith("|")
    width = len(rule.strip("|").split("|"))
    for row in lines[at + 2 : at + 4]:  # of which the labels may stand below names of groups
        if not any(is_figure(cell.strip()) for cell in _PIPE.split(row)):
            width = max(width, _width(row, outer=outer))
    width = min(MOST_COLUMNS, width)
    grid = Grid([], source.title(), at + 1, marked=True)
    room = Room()
    for end in range(at, len(lines) + 1):
        if end == len(lines) or "|" not in lines[end] or (end > at + 1 and not lines[end].strip()):
            break
        if end == at + 1:
            continue
        following = lines[end + 1 : end + 2]
        if end > at and following and SEPARATOR.match(following[0]):
            break
        cells = _piped_cells(lines[end], width, outer=outer)
        if cells is None or not room.takes(width, len(lines[end])):
            grid.left_out += 1
        else:
            grid.rows.append(cells)
    source.at = max(end, at + 2)
    return grid


def _width(line: str, *, outer: bool) -> int:
    line = line.strip()
    return len(_PIPE.split(line)) - (line.startswith("|") + line.endswith("|") if outer else 0)


def _piped_cells(line: str, width: int, *, outer: bool) -> list[str] | None:
    """Statements in the last column may have raw pipes."""
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
    text = text.strip()
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if emphasized := _EMPHASIS.match(text):
        text = emphasized[2]
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub("", text)
    if "&" in text or "<" in text:
        text = html.unescape(text.replace("<br>", " ").replace("<br/>", " ").replace("<br />", " "))
    return collapse(text)


def _plain_line(line: str) -> str:
    heading = _HEADING.match(line)
    return _plain(_ATTRIBUTES.sub("", line[heading.end() :].rstrip(" \r#")) if heading else line)


def _tabbed(source: _Lines) -> Iterator[Grid]:
    grid = Grid([], source.title(), source.at + 1)
    shared = OneCopy().__getitem__
    while source.at < len(source.lines):
        line = source.lines[source.at]
        if "\t" not in line.strip(" \r") or ("\t" not in line.strip() and (not line.strip() or titled(line.strip()))):
            following = "".join(source.lines[source.at + 1 : source.at + 2])
            if not _is_begun(line, following, grid):
                break
            line = f"{line.rstrip()} {following}"  # the first cell was broken over two lines
            source.at += 1
        cells = [shared(collapse(cell)) for cell in line.rstrip(" \t\r").split("\t", MOST_COLUMNS)]
        if grid.rows and is_header(cells):
            above = _titles_below(grid)
            yield grid
            grid = Grid([], above, source.at + 1)
        grid.rows.append(cells)
        source.at += 1
    source.above = _titles_below(grid)
    yield grid


def _titles_below(grid: Grid) -> list[str]:
    out: list[str] = []
    while len(grid.rows) > 1 and not any(grid.rows[-1][1:]) and not grid.rows[-1][0].endswith(":"):
        out.insert(0, grid.rows.pop()[0])
    return out[-_MOST_ABOVE:]


def _is_begun(line: str, following: str, grid: Grid) -> bool:
    begun = line.strip()
    if not begun or "\t" in line.strip(" \r") or begun.endswith(":") or not grid.rows or titled(line):
        return False
    is_rest = following.count("\t") + 1 == len(grid.rows[0])
    return is_rest and not is_header(list(map(collapse, following.split("\t"))))


def _padded(source: _Lines) -> Iterator[Grid]:
    begin = source.at
    block: list[str] = []
    rule: Slots = []
    while source.at < len(source.lines):
        line = source.lines[source.at].replace("\xa0", " ").rstrip()
        if not line.strip() or "\t" in line:
            break
        if block and is_header(_GAP.split(line.strip())):
            yield from _cut(source, block, rule, begin)
            block, rule, begin = [], [], source.at
        source.at += 1
        if not _RULER.fullmatch(line):
            block.append(line)
        elif len(block) == 1:
            rule = ruled(line)
    yield from _cut(source, block, rule, begin)


def _cut(source: _Lines, block: list[str], rule: Slots, begin: int) -> Iterator[Grid]:
    above = source.title()
    line_above = source.lines[begin - 1].replace("\xa0", " ").rstrip() if begin and above else ""
    rows = cut(block, rule, above, line_above) if block else []
    if rows and len(rows[0]) > 1:
        cells = [list(map(_plain, row)) for row in rows] if source.markdown else rows
        yield Grid(cells, above, begin + 1, padded=not rule)
