"""Damaged or overloaded markup rewritten: only tags that matter, each table, row and cell closed.

An intact report keeps its tables; rewriting costs more than reading.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

_TAG: Final = re.compile(r"<(?:(/?)([A-Za-z][A-Za-z0-9_]{0,20})\b([^<>]*)>)?")
_STRUCTURAL_TAGS: Final = frozenset(
    ("html", "head", "body", "title", "script", "style", "h1", "h2", "h3", "h4", "p", "ul", "li", "hr")
)
_HEADINGS: Final = ("h1", "h2", "h3", "h4")
_CELLS: Final = ("table", "tr", "td", "th")
_AROUND: Final = ("p", "ul", "hr")  # stand between tables; in a cell only where a page was pasted into another
_ATTRIBUTE: Final = re.compile(r"""\b(?:summary|(?:col|row)span)\s{0,9}=\s{0,9}(?:"[^"]*"|'[^']*'|[^\s"'<>]+)""", re.I)
_MOST_ATTRIBUTES: Final = 4000  # characters; the longest tag seen has 740
_MOST_NESTED: Final = 20  # tables in each other's cells: layout of the page a report was pasted into
# A parser compares the attributes of a tag with each other, which takes the square of their number. A tag is looked at
# as a parser takes it only where one seems not to end, or to end inside quotes.
_LONG: Final = re.compile(r"<[^>]{0,3999}+>|(<[^>]{4000})")
_QUOTED: Final = re.compile(r"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")
_LONGISH: Final = re.compile(r"<[^<>]{100,}+")
_MOST_IN_TAGS, _IN_TAG = 64 << 10, 5  # characters of longer tags: of the page, and for each element it may have
# A group that is repeated possessively (`)*+`) must not fail half-way: before 3.11.5 Python goes on from there.
_WHOLE: Final = re.compile(r"""</?[A-Za-z](?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?|["'])*+""")
_ELEMENT: Final = re.compile(r"<[^/]")
_MANY_PIECES: Final = 50_000
_MOST_PIECES: Final = 50  # of a cell's text, between tags of mere looks
_LEAST_WHOLE: Final = 0.5


def is_damaged(text: str) -> bool:
    """True if table starts and ends differ, a truncated last excepted."""
    upper = "<table" not in text
    tables, ends = _count(text, "<table", upper=upper), _count(text, "</table", upper=upper)
    if tables - ends == 1:
        return _last(text, "</table") > _last(text, "<table")
    if tables != ends or _count(text, "<t", upper=upper) == _count(text, "</t", upper=upper):
        return tables != ends
    rows, row_ends = _count(text, "<tr", upper=upper), _count(text, "</tr", upper=upper)
    cells, cell_ends = _count(text, "<td", upper=upper), _count(text, "</td", upper=upper)
    return row_ends > rows or cell_ends > cells


def is_overloaded(page: str, elements: int) -> bool:
    """True for too many elements or a far too long tag."""
    if page.count("<") - page.count("</") > elements:
        return True
    most_in_tags = max(_MOST_IN_TAGS, elements * _IN_TAG)
    if len(page) > most_in_tags and sum(map(len, _LONGISH.findall(page))) > most_in_tags:
        return True
    if not (any(_LONG.findall(page)) or _QUOTED.search(page)):
        return False
    return any(tag.end() - tag.start() > _MOST_ATTRIBUTES for tag in _WHOLE.finditer(page))


def rewritten(text: str) -> str:
    return _Writer(text).write()


def fit_elements(page: str, elements: int) -> tuple[str, int]:
    """Page within so many elements, and the cut's line."""
    beyond = next(islice(_ELEMENT.finditer(page), elements, None), None)
    return (page[: beyond.start()], page.count("\n", 0, beyond.start()) + 1) if beyond else (page, 0)


def _last(text: str, tag: str) -> int:
    return max(text.rfind(tag), text.rfind(tag.upper()))


def _count(text: str, tag: str, *, upper: bool) -> int:
    return text.count(tag) + (text.count(tag.upper()) if upper else 0)


class _Table:
    __slots__ = ("cell", "row")

    def __init__(self) -> None:
        self.row = False
        self.cell = ""


class _Writer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._done: list[str] = []  # what is written, in large pieces
        self._out: list[str] = []  # and the last of it, tag by tag
        self._open: list[_Table] = []
        self._lists = 0
        self._in_item = False
        self._heading = ""  # or the title that is not yet closed
        # Where cells are not closed, one that is open says nothing about where a table may begin.
        cells = sum(_count(text, tag, upper=True) for tag in ("<td", "<th"))
        ends = sum(_count(text, tag, upper=True) for tag in ("</td", "</th"))
        self._cells_end = ends >= cells * _LEAST_WHOLE

    def write(self) -> str:
        text, out = self._text, self._out
        done = 0
        last = text.rfind("-->")  # without an end below it nothing is a comment
        for tag in _TAG.finditer(text):
            start = tag.start()
            if start < done:  # in a comment
                continue
            if len(out) > _MANY_PIECES:
                self._done.append("".join(out))
                out.clear()
            out.append(text[done:start] + "\n" * tag[0].count("\n"))  # lines keep their numbers
            done = tag.end()
            name = (tag[2] or "").lower()
            if not name:
                after = text.find("-->", start) + 3 if start < last and text.startswith("<!--", start) else 0
                if after > 2:
                    out.append("\n" * text.count("\n", start, after))
                    done = after
                elif not text.startswith("<!", start):
                    out.append("&lt;")
            elif tag[1]:
                self._end(name)
            else:
                self._start(name, tag[3])
        return "".join([*self._done, *out, text[done:]])

    def _start(self, name: str, attributes: str) -> None:
        if self._heading and (name in _STRUCTURAL_TAGS or name in _CELLS):
            self._end(self._heading)
        if name == "table":
            self._begin_table(attributes)
        elif name == "tr":
            self._table()
            self._begin_row()
        elif name in ("td", "th"):
            self._begin_cell(name, attributes)
        elif name in _STRUCTURAL_TAGS:
            if name in _HEADINGS or (name in _AROUND and not self._cells_end):
                self._leave_table()
            if name in _HEADINGS:
                self._leave_list()
                self._heading = name
            if name == "title":
                self._heading = name
            if name in ("ul", "li"):
                self._begin_list(name)
            else:
                self._out.append(f"<{name}>")

    def _begin_table(self, attributes: str) -> None:
        self._leave_table()
        if not self._open:
            self._leave_list()
        if len(self._open) == _MOST_NESTED:
            self._end_table()
        self._open.append(_Table())
        self._out.append(f"<table{_needed_attributes(attributes)}>")

    def _begin_row(self) -> None:
        self._end_row()
        self._open[-1].row = True
        self._out.append("<tr>")

    def _begin_cell(self, name: str, attributes: str) -> None:
        table = self._table()
        self._end_cell()
        if not table.row:
            self._begin_row()
        table.cell = name
        self._out.append(f"<{name}{_needed_attributes(attributes)}>")

    def _end(self, name: str) -> None:
        if name == "table":
            if self._open:
                self._end_table()
        elif name == "tr":
            if self._open:
                self._end_row()
        elif name in ("td", "th"):
            self._cell_ends(name)
        elif name == "ul":
            self._out.append(("</li>" if self._in_item else "") + "</ul>")
            self._lists, self._in_item = max(0, self._lists - 1), False
        elif name in _STRUCTURAL_TAGS:
            if name == self._heading:
                self._heading = ""
            self._out.append(f"</{name}>")

    def _cell_ends(self, name: str) -> None:
        if not self._open:
            return
        if not self._open[-1].cell:
            at = len(self._out)
            while at and len(self._out) - at < _MOST_PIECES and not self._out[at - 1].startswith("<"):
                at -= 1
            text = self._out[at:]
            del self._out[at:]
            self._begin_cell(name, "")
            self._out += text
        self._end_cell()

    def _table(self) -> _Table:
        if not self._open:
            self._begin_table("")
        return self._open[-1]

    def _leave_table(self) -> None:
        while self._open and not (self._open[-1].cell and self._cells_end):
            self._end_table()

    def _begin_list(self, name: str) -> None:
        self._lists += name == "ul"
        self._in_item = self._in_item or name == "li"
        if name == "li" or self._lists <= _MOST_NESTED:
            self._out.append(f"<{name}>")

    def _leave_list(self) -> None:
        if self._lists or self._in_item:
            self._out.append("</li>" + "</ul>" * min(self._lists, _MOST_NESTED))
        self._lists, self._in_item = 0, False

    def _end_table(self) -> None:
        self._end_row()
        self._open.pop()
        self._out.append("</table>")

    def _end_row(self) -> None:
        self._end_cell()
        if self._open[-1].row:
            self._open[-1].row = False
            self._out.append("</tr>")

    def _end_cell(self) -> None:
        cell, self._open[-1].cell = self._open[-1].cell, ""
        if cell:
            self._out.append(f"</{cell}>")


def _needed_attributes(attributes: str) -> str:
    if "=" not in attributes:
        return ""
    attribute_matches = _ATTRIBUTE.findall(attributes[:_MOST_ATTRIBUTES])[:3]
    return "".join(f" {attribute}" for attribute in attribute_matches)
