"""HTML to RawTables, by lxml's C parser (BeautifulSoup reads these files 10 to 25 times slower)."""

from __future__ import annotations

from lxml import etree

from parsers.rawtable import RawDocument, RawTable, collapse, unique_labels

MAX_COLUMNS = 400  # the widest table seen has 38
MAX_CELLS = 4_000_000
_NO_DATA = "no data exists for this section"
_MARKS = ("h1", "h2", "h3", "h4", "p", "li", "table", "title", "ul", "hr")
_MAX_CAPTION = 120


def read_html(text: str) -> RawDocument:
    """All tables of `text` in document order. Never raises for bad markup; an empty document has no tables."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_comments=True, remove_pis=True)
    data = text.encode("utf-8", errors="replace").replace(b"\0", b"")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:  # nothing but white space or comments
        root = None
    if root is None:
        return RawDocument([], "", [], complete=False, last_line=0)
    reader = _Reader(spans="rowspan" in text or "ROWSPAN" in text)
    for element in root.iter(*_MARKS):
        reader.feed(element)
    complete = "</html>" in text[-2000:].lower()
    return RawDocument(reader.tables, reader.title, reader.headings, complete, text.count("\n") + 1)


class _Reader:
    """Walks the marks of a document and remembers what stands above the next table."""

    def __init__(self, *, spans: bool) -> None:
        self.tables: list[RawTable] = []
        self.headings: list[str] = []
        self.title = ""
        self._spans = spans
        self._heading = self._caption = ""
        self._notes: list[str] = []
        self._cells = 0

    def feed(self, element: etree._Element) -> None:
        tag = element.tag
        if tag == "table":
            self._table(element)
        elif tag == "li":
            self._notes.append(_text(element))
        elif tag == "title":
            self.title = _text(element)
        elif tag in ("p", "ul", "hr"):
            self._plain(element)
        else:
            self._heading, self._caption, self._notes = _text(element), "", []
            self.headings.append(self._heading)
            self._plain_tail(element)

    def _plain(self, element: etree._Element) -> None:
        if element.tag == "p" and element.text and len(element) == 0:
            self._caption_from(element.text)
        self._plain_tail(element)

    def _plain_tail(self, element: etree._Element) -> None:
        if element.tail:
            self._caption_from(element.tail)

    def _caption_from(self, text: str) -> None:
        line = collapse(text)
        if not line or _NO_DATA in line.lower():
            return
        if len(line) > _MAX_CAPTION:
            self._notes.append(line)
        else:
            self._caption, self._notes = line, []

    def _table(self, table: etree._Element) -> None:
        header, groups, rows = _rows(table, self._spans)
        self._cells += sum(map(len, rows))
        if rows and self._cells <= MAX_CELLS:
            width = max(len(header), min(MAX_COLUMNS, max(map(len, rows))))
            labels = [*header, *[""] * (width - len(header))]
            groups = [*groups, *[""] * (width - len(groups))]
            fitted = [r if len(r) == width else [*r[:width], *[""] * (width - len(r))] for r in rows]
            self.tables.append(
                RawTable(
                    heading=self._heading,
                    caption=self._caption,
                    summary=collapse(table.get("summary") or ""),
                    labels=unique_labels(labels, groups),
                    rows=fitted,
                    notes=tuple(n for n in self._notes if n),
                    line=table.sourceline,
                    groups=tuple(groups),
                )
            )
        self._caption, self._notes = "", []
        self._plain_tail(table)


def _text(element: etree._Element) -> str:
    return collapse("".join(element.itertext()))


def _rows(table: etree._Element, spans: bool) -> tuple[list[str], list[str], list[list[str]]]:
    """Leaf labels, the group over each, and the data rows."""
    head: list[list[etree._Element]] = []
    rows: list[list[str]] = []
    pending: dict[int, tuple[int, str]] = {}
    for tr in table.iter("tr"):
        cells = [c for c in tr if c.tag in ("td", "th")]
        if not cells:
            continue
        if tr.find("th") is not None and all(c.tag == "th" or not _cell(c) for c in cells):
            if not rows:
                head.append(cells)
            continue
        texts = [_cell(c) for c in cells]
        if spans or pending:
            texts = _spanned(cells, texts, pending)
        rows.append(texts)
    labels, groups = _header(head)
    return labels, groups, rows


def _cell(cell: etree._Element) -> str:
    text = "".join(cell.itertext()) if len(cell) else cell.text
    return " ".join(text.split()) if text else ""


def _spanned(cells: list[etree._Element], texts: list[str], pending: dict[int, tuple[int, str]]) -> list[str]:
    """The row with its colspans widened and the cells of earlier rowspans put back in (ASH and Exadata tables)."""
    out: list[str] = []

    def carry() -> None:
        while len(out) in pending and len(out) < MAX_COLUMNS:
            left, text = pending.pop(len(out))
            if left > 1:
                waiting[len(out)] = (left - 1, text)
            out.append(text)

    waiting: dict[int, tuple[int, str]] = {}
    for cell, text in zip(cells, texts, strict=True):
        carry()
        down = _span(cell, "rowspan")
        for i in range(min(_span(cell, "colspan"), MAX_COLUMNS - len(out))):
            if down > 1:
                waiting[len(out)] = (down - 1, text if i == 0 else "")
            out.append(text if i == 0 else "")
    carry()
    pending.update(waiting)
    return out


def _span(cell: etree._Element, name: str) -> int:
    try:
        return max(1, min(MAX_COLUMNS, int(cell.get(name, "1"))))
    except ValueError:
        return 1


def _header(head: list[list[etree._Element]]) -> tuple[list[str], list[str]]:
    """Leaf labels and the group over each, from one header row or several with colspans and rowspans."""
    grid: list[list[str]] = []
    pending: dict[int, tuple[int, str]] = {}
    for cells in head:
        row: list[str] = []
        waiting: dict[int, tuple[int, str]] = {}
        for cell in cells:
            while len(row) in pending:
                left, text = pending.pop(len(row))
                if left > 1:
                    waiting[len(row)] = (left - 1, text)
                row.append(text)
            label, down = _cell(cell), _span(cell, "rowspan")
            for _ in range(min(_span(cell, "colspan"), MAX_COLUMNS - len(row))):
                if down > 1:
                    waiting[len(row)] = (down - 1, label)
                row.append(label)
        for at in sorted(pending):
            if at >= len(row):
                row.extend([""] * (at - len(row)) + [pending[at][1]])
        pending = waiting
        grid.append(row)
    if not grid:
        return [], []
    leaves = grid[-1]
    groups = ["" for _ in leaves]
    for above in grid[:-1]:
        for at, group in enumerate(above[: len(leaves)]):
            if group and group != leaves[at]:
                groups[at] = group
    return leaves, groups
