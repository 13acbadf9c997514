"""Forms of a report's text, and tables of those other than Oracle's own listing."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from parsers.files.detect import SEPARATOR
from parsers.model import Source
from parsers.pasted.grids import Grid, read_grids
from parsers.pasted.place import Placement, place_grids
from parsers.pasted.squeezed import SqueezedReader
from parsers.pasted.vocabulary import is_header, titled
from parsers.sections.registry import REGISTRY
from parsers.tables.rawtable import RawDocument, RawTable, collapse, most_columns
from parsers.text.listing import read_text
from parsers.text.pages import is_complete, title_line

_RULER: Final = re.compile(r"^[ \t]{0,80}(?:[-~]{2,400}[ \t]{1,80}){1,60}[-~]{2,400}[ \t\r]{0,80}$", re.MULTILINE)
_TABBED: Final = re.compile(r"^(?=[^\t\n]{0,200}\t)[^\n]{3,1000}$", re.MULTILINE)
_MANY: Final = 400  # lines with tabs among which a row of labels is looked for, and rulers that are counted
_QUOTED: Final = re.compile(r"^[ \t]{0,3}(?:> ?){1,8}", re.MULTILINE)
_HEAD: Final = 30_000
_LEAST_HEADERS: Final = 2
_PAGE_HEAD: Final = "DB/Inst:"  # over each chapter of a listing
_LEAST_QUOTED: Final = 0.9
_FEW_GAPS: Final = 20  # lines of several words for each that has two blanks: in a listing nearly every line has


def without_quotes(text: str) -> str:
    """`text` without a mail's quote marks, if nearly all lines have them."""
    lines = [line for line in text[:_HEAD].split("\n") if line.strip()]
    quoted = sum(line.lstrip().startswith(">") for line in lines)
    return _QUOTED.sub("", text) if quoted > _LEAST_QUOTED * len(lines) else text


def read_pasted(text: str) -> tuple[RawDocument, Source] | None:
    """Tables of a copied, converted or squeezed report, and its form; None for a listing with rulers."""
    rulers = sum(1 for _, _ in zip(range(_MANY), _RULER.finditer(text), strict=False))
    form: Source = "copy"
    if "\t" not in text[:_HEAD] and (sheet := _from_csv(text)):
        text, rulers = sheet, 0
    if "|" in text and SEPARATOR.search(text):
        form = "markdown"
    elif _is_squeezed(text[:_HEAD].replace("\xa0", " ")):
        form = "squeezed"
    elif rulers and _tabbed_headers(text) <= rulers // 2 and _PAGE_HEAD in text:
        return None
    placement = place_grids(read_grids(text), most_columns(len(text)))
    if form == "squeezed":
        squeezed = SqueezedReader(text, most_columns(len(text))).read()
        if placement.declared >= squeezed.declared:
            form = "copy"
        else:
            placement = squeezed
    elif form == "copy" and rulers and figures_placed(placement.tables) <= figures_placed(read_text(text).tables):
        return None
    return (_document(placement, text), form) if placement.tables and placement.declared else None


def figures_placed(tables: Sequence[RawTable]) -> int:
    """Number of printed cells in tables of sections."""
    return sum(bool(cell) for t in tables if REGISTRY.find(t) for row in t.rows for cell in row)


def with_labels(document: RawDocument, most: int) -> RawDocument:
    """Page without label cells: labels are looked for in first rows."""
    grids = (
        Grid([list(r) for r in t.rows], list(filter(None, (t.heading, t.caption))), t.line or 0)
        for t in document.tables
    )
    placement = place_grids(grids, most)
    return replace(document, tables=placement.tables, remarks=[*document.remarks, *placement.remarks])


def _from_csv(text: str) -> str | None:
    """Spreadsheet CSV with tabs between cells; None for other text."""
    for sign in ",;":
        try:
            head = csv.reader(text[:_HEAD].split("\n"), delimiter=sign)
            if sum(is_header(list(map(collapse, cells))) for cells in head) < _LEAST_HEADERS:
                continue
            rows = csv.reader(text.split("\n"), delimiter=sign)
            return "\n".join("\t".join(map(collapse, cells)) for cells in rows)
        except csv.Error:
            continue
    return None


def _is_squeezed(head: str) -> bool:
    lines = [line.strip() for line in head.split("\n") if len(line.split(None, 2)) > 2]
    return sum("  " in line for line in lines) * _FEW_GAPS < len(lines)


def _tabbed_headers(text: str) -> int:
    if "\t" not in text:
        return 0
    rows = (m[0].split("\t") for _, m in zip(range(_MANY), _TABBED.finditer(text), strict=False))
    return sum(is_header(list(map(collapse, cells))) for cells in rows)


def _document(placement: Placement, text: str) -> RawDocument:
    complete = is_complete(text)
    headings = list(dict.fromkeys(t.heading for t in placement.tables if t.heading and titled(t.heading)))
    last_line = 0 if complete else text.count("\n") + 1
    return RawDocument(placement.tables, title_line(text), headings, complete, last_line, [], placement.remarks)
