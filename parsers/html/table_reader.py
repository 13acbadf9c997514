"""HTML to RawTables: regular rows by one pattern, the rest of the page by lxml."""

from __future__ import annotations

import re
from collections import deque
from itertools import accumulate, islice, pairwise

from lxml import etree

from parsers.html.cell_text_cleaning import Cleaner
from parsers.html.regular_table_rows import ROWS, TakenRows, take_rows
from parsers.html.repair import fit_elements, is_damaged, is_overloaded, rewritten
from parsers.model import UnsupportedReport
from parsers.tables.rawtable import (
    AT_ONCE,
    MAX_TABLES,
    RawDocument,
    RawTable,
    collapse,
    most_columns,
    unique_labels,
)
from parsers.text.addm import addm_of_html, with_addm

LABEL_TAG = re.compile(r"<th\b", re.IGNORECASE)
MAX_COLUMNS = 400  # the widest table seen has 38
MAX_CELLS = 4_000_000
_LEAST_CELLS = 10_000
_LARGE = 8 << 20  # characters of a file
_TAG_EVERY = 7  # characters; a report as Oracle writes it has a tag every 15, one without any attributes every 10
# An element of lxml's tree takes up to 450 bytes with its text; together they may take 11 times the file's size, or
# of a small file as much as does no harm.
_ELEMENT, _TIMES, _SMALL, _OF_SMALL = 450, 11, 1_000_000, 24 << 20
_MENDED = (
    "damaged-markup",
    "Tables, rows or cells of this page have lost their beginning or end on the way: they were put back by what stands"
    " around them.",
)
_LEFT_OUT = "From line {} on, what could not be read was left out: the page nests tags too deep, or has more than text."
_NO_DATA = re.compile("no data exists for this section", re.IGNORECASE)
_MARKS = ("h1", "h2", "h3", "h4", "p", "li", "table", "title", "ul", "hr")
_MAX_CAPTION = 120
_MAX_NOTE = AT_ONCE  # what is not marked up may be all of a damaged page
_ENDS = ("</html", "end of report")
_DEEP = etree.XPath("boolean(" + "/*" * 40 + ")")
_TAIL = 20_000
_MAX_PIECES = 60
_MAX_TEXT = 2_000


def read_html(text: str) -> RawDocument:
    """Tables in document order. Never raises for bad markup."""
    if "\0" in text:
        text = text.replace("\0", "")
    remarks: list[tuple[str, str]] = []
    most = _most_elements(text)
    page, rows_taken = take_rows(text)
    addm = addm_of_html(page)
    damaged = is_damaged(page)
    markup = None if damaged or is_overloaded(page, most) else _markup(page)
    del page  # a tree takes several times as much, and is made without it
    root, whole = (None, False) if markup is None else _tree(markup)
    del markup
    if not whole or _is_deep(root):  # damaged, too much for lxml, or nested too deep
        text = rewritten(text)
        markup, rows_taken, line = _fit(text, most)
        root, whole = _tree(markup)
        del markup
        if damaged:
            remarks.append(_MENDED)
        if line or not whole:
            line = line or max((e.sourceline or 0 for e in root.iter()), default=0) if root is not None else 0
            remarks.append(("left-out", _LEFT_OUT.format(line)))
    if root is None:
        return RawDocument([], "", [], complete=False, last_line=0)
    tail = text[-_TAIL:].lower()
    complete = any(end in tail for end in _ENDS)
    if not complete:
        _drop_cut_row(root, text)
    reader = _Reader(root, text, rows_taken)
    for element in root.iter(*_MARKS):
        reader.feed(element)
    last_line = 0 if complete else text.count("\n") + 1
    document = RawDocument(reader.tables, reader.title, reader.headings, complete, last_line, reader.cut, remarks)
    return with_addm(document, addm)


def _fit(text: str, most: int) -> tuple[bytes, list[TakenRows], int]:
    page, rows_taken = take_rows(text)
    page, line = fit_elements(page, most)
    return _markup(page), rows_taken, line


def _markup(page: str) -> bytes:
    return page.encode("utf-8", errors="replace")


def _tree(markup: bytes) -> tuple[etree._Element | None, bool]:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(markup, parser)
    except etree.XMLSyntaxError:
        return None, True
    last = parser.error_log.last_error
    return root, last is None or last.type != etree.ErrorTypes.ERR_RESOURCE_LIMIT


def _is_deep(root: etree._Element | None) -> bool:
    """Inner elements' text is read again with each outer one."""
    return root is not None and bool(_DEEP(root))


def _most_elements(text: str) -> int:
    pieces = range(0, len(text), AT_ONCE)
    size = len(text) if text.isascii() else sum(len(_markup(text[at : at + AT_ONCE])) for at in pieces)
    return (_TIMES * len(text) + (_OF_SMALL if size < _SMALL else 0)) // _ELEMENT


def refuse_dense(text: str) -> None:
    """Raises `UnsupportedReport` for large files of mostly tags.

    Each tag takes a hundred bytes; `<` without a tag becomes four characters.
    """
    every = _TAG_EVERY if len(text) > _LARGE else 2
    if text.count("<") * every > len(text):
        raise UnsupportedReport("This file has more tags than text: no report is like that.", code="not-a-report")


def _drop_cut_row(root: etree._Element, text: str) -> None:
    """A truncated file's last figure may lack digits."""
    if text.rfind("<tr") <= text.rfind("</tr>"):
        return
    for last in deque(root.iter("tr"), maxlen=1):
        parent = last.getparent()
        if parent is not None:
            parent.remove(last)


class _Reader:
    """Pass over a document's elements, keeping headings for the next table."""

    def __init__(self, root: etree._Element, text: str, rows_taken: list[TakenRows]) -> None:
        self.tables: list[RawTable] = []
        self.cut: list[str] = []  # headings of tables too large to be kept whole
        self.headings: list[str] = []
        self.title = ""
        self._text, self._rows_taken = text, rows_taken
        self._clean = Cleaner()
        self._heading = self._caption = self._above = ""
        self._notes: list[etree._Element | str] = []
        self._cells = 0
        # A printed cell takes four characters at the least; the rest is padding of short rows.
        self._columns = most_columns(len(text))  # that there is still room for
        self._most_cells = min(MAX_CELLS, max(_LEAST_CELLS, len(text) // 4))

    def feed(self, element: etree._Element) -> None:
        tag = element.tag
        if tag == "table":
            # A table around other tables is page layout, not data.
            if next(element.iterdescendants("table"), None) is None:
                self._table(element)
        elif tag == "li":
            self._notes.append(element)  # read when a table takes it: most are lists of links
        elif tag == "title":
            self.title = _text(element)
        elif tag in ("p", "ul", "hr"):
            self._plain(element)
        else:
            self._heading, self._caption, self._notes = _text(element), "", []
            self.headings.append(self._heading)
            if tag in ("h1", "h2"):
                self._above = self._heading
            self._plain_tail(element)

    def _plain(self, element: etree._Element) -> None:
        if element.tag == "p" and element.text and len(element) == 0:
            self._caption_from(element.text)
        self._plain_tail(element)

    def _plain_tail(self, element: etree._Element) -> None:
        if element.tail:
            self._caption_from(element.tail)

    def _caption_from(self, text: str) -> None:
        line = collapse(text[:_MAX_NOTE])
        if not line or _NO_DATA.search(line):
            return
        if len(line) > _MAX_CAPTION:
            self._notes.append(line)
        else:
            self._caption, self._notes = line, []

    def _table(self, table: etree._Element) -> None:
        header, groups, rows = self._rows(table)
        widest = max(len(header), max(map(len, rows), default=0))
        width = min(MAX_COLUMNS, widest)
        fits = len(self.tables) < MAX_TABLES and width <= self._columns
        room = (self._most_cells - self._cells) // (width or 1) if fits else 0
        if rows and (widest > width or len(rows) > room):
            self.cut.append(self._caption or self._heading)
            rows = rows[:room]
        self._cells += len(rows) * width
        if rows:
            self._columns -= width
            labels = [*header[:width], *[""] * (width - len(header))]
            groups = [*groups[:width], *[""] * (width - len(groups))]
            if "Operation" in labels and "Id" in labels:
                _add_depth(table, labels, groups, rows)
                width = len(labels)
            fitted = [r if len(r) == width else [*r[:width], *[""] * (width - len(r))] for r in rows]
            self.tables.append(
                RawTable(
                    heading=self._heading,
                    caption=self._caption,
                    summary=collapse(table.get("summary") or ""),
                    labels=unique_labels(labels, groups),
                    rows=fitted,
                    notes=tuple(filter(None, map(_note, self._notes))),
                    line=table.sourceline,
                    groups=tuple(groups),
                    above=self._above,
                )
            )
        self._caption, self._notes = "", []
        self._plain_tail(table)

    def _rows(self, table: etree._Element) -> tuple[list[str], list[str], list[list[str]]]:
        if (number := table.get(ROWS)) is None:
            return _rows(table, self._clean)
        rows_taken = self._rows_taken[int(number)]
        if rows_taken.labels is None:
            labels, groups, rows = _rows(table, self._clean)
        else:
            labels, groups, rows = rows_taken.labels, [""] * len(rows_taken.labels), []
        if not rows and rows_taken.width == (len(labels) or rows_taken.width):
            return labels, groups, rows_taken.rows
        whole, _ = _tree(_markup(self._piece(rows_taken)))
        return (labels, groups, []) if whole is None else _rows(whole, self._clean)

    def _piece(self, rows_taken: TakenRows) -> str:
        piece, most = self._text[rows_taken.start : rows_taken.end], _most_elements(self._text)
        if not is_overloaded(piece, most):
            return piece
        piece, line = fit_elements(rewritten(piece), most)
        if line:
            self.cut.append(self._caption or self._heading)
        return piece


def _add_depth(table: etree._Element, labels: list[str], groups: list[str], rows: list[list[str]]) -> None:
    at = labels.index("Operation")
    printed = [cells[at].text or "" for tr in table.iter("tr") if len(cells := tr.findall("td")) > at]
    if len(printed) != len(rows):
        return
    indents = [len(text) - len(text.lstrip()) for text in printed]
    levels = {indent: depth for depth, indent in enumerate(sorted(set(indents)))}
    labels.append("Depth")
    groups.append("")
    for row, indent in zip(rows, indents, strict=True):
        row.extend([""] * (len(labels) - 1 - len(row)))
        row[len(labels) - 1 :] = [str(levels[indent])]


def _text(element: etree._Element) -> str:
    """Text is limited, as a missing end tag swallows half the file."""
    text = "".join(islice(element.itertext(), _MAX_PIECES)) if len(element) else element.text or ""
    return collapse(text)[:_MAX_TEXT]


def _note(note: etree._Element | str) -> str:
    return note if isinstance(note, str) else _text(note)


def _rows(table: etree._Element, clean: Cleaner) -> tuple[list[str], list[str], list[list[str]]]:
    trs = [tr for tr in table.iter("tr") if len(tr)]
    head: list[list[etree._Element]] = []
    for tr in trs:
        cells = _cells(tr)
        if not any(c.tag == "th" for c in cells) or any(c.tag == "td" and _cell(c) for c in cells):
            break
        head.append(cells)
    labels, groups = _header(head, clean)
    rows = trs[len(head) :]  # none where they were taken
    return labels, groups, _data(table, rows, head, clean, len(labels)) if rows else []


def _data(
    table: etree._Element,
    trs: list[etree._Element],
    head: list[list[etree._Element]],
    clean: Cleaner,
    columns: int,
) -> list[list[str]]:
    """Tables with only td are cut by row lengths, twice as fast."""
    widths = list(map(len, trs))
    above = sum(c.tag == "td" for cells in head for c in cells)
    # A cell without children is taken by its text, which is twice as fast.
    flat = [c.text if not len(c) else "".join(c.itertext()) for c in table.iter("td")]
    regular = set(widths) == {columns} if columns else len(set(widths)) == 1
    if regular and len(flat) == above + sum(widths):
        texts = list(map(clean.__getitem__, flat))
        ends = accumulate(widths, initial=above)
        return [texts[a:b] for a, b in pairwise(ends)]
    grid = _Spans(clean, repeat=False)
    rows = []
    for tr in trs:
        cells = _cells(tr)
        if all(c.tag == "th" for c in cells):
            continue  # the header again, or a group's name between the rows
        rows.append(grid.lay_out(cells))
    return rows


def _cells(tr: etree._Element) -> list[etree._Element]:
    return [c for c in tr if c.tag in ("td", "th")]


def _cell(cell: etree._Element) -> str:
    text = "".join(cell.itertext()) if len(cell) else cell.text
    return collapse(text) if text else ""


class _Spans:
    """Grid of cells: colspans widened, rowspans of earlier rows inserted."""

    def __init__(self, clean: Cleaner, *, repeat: bool) -> None:
        self._clean = clean
        self._repeat = repeat  # a header's label stands for every column it spans, a figure only for the first
        self._below: dict[int, tuple[int, str]] = {}

    def lay_out(self, cells: list[etree._Element]) -> list[str]:
        row: list[str] = []
        below: dict[int, tuple[int, str]] = {}
        for cell in cells:
            self._carry(row, below)
            text, down = _cell(cell), _span(cell, "rowspan")
            for i in range(min(_span(cell, "colspan") if self._clean.spanned > 0 else 1, MAX_COLUMNS - len(row))):
                content = text if i == 0 or self._repeat else ""
                if down > 1:
                    below[len(row)] = (down - 1, content)
                row.append(content)
        self._carry(row, below)
        self._below = below if self._clean.spanned > 0 else {}
        self._clean.spanned -= len(row) - len(cells)
        return row

    def _carry(self, row: list[str], below: dict[int, tuple[int, str]]) -> None:
        while len(row) in self._below and len(row) < MAX_COLUMNS:
            remaining, text = self._below.pop(len(row))
            if remaining > 1:
                below[len(row)] = (remaining - 1, text)
            row.append(text)


def _span(cell: etree._Element, name: str) -> int:
    printed = cell.get(name)
    if printed is None:
        return 1
    try:
        return max(1, min(MAX_COLUMNS, int(printed)))
    except ValueError:
        return 1


def _header(head: list[list[etree._Element]], clean: Cleaner) -> tuple[list[str], list[str]]:
    if not head:
        return [], []
    if len(head) == 1 and not any(c.get("colspan") for c in head[0]):
        return [_cell(c) for c in head[0]], [""] * len(head[0])
    spans = _Spans(clean, repeat=True)
    *above, leaves = [spans.lay_out(cells) for cells in head]
    groups = [""] * len(leaves)
    for row in above:
        for at, group in enumerate(row[: len(leaves)]):
            if group and group != leaves[at]:
                groups[at] = group
    return leaves, groups
