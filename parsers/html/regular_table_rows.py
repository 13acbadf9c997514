"""Table rows in Oracle's usual markup, four of five bytes, read by patterns; lxml reads the rest.

Saves a third of the time, four fifths of a 60 MB report's memory; rows must all fit, at one length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from os import urandom
from typing import NamedTuple

from parsers.html.cell_text_cleaning import Unescaper
from parsers.tables.rawtable import MAX_TABLES

ROWS = f"rows-{urandom(8).hex()}"  # the attribute of a table whose rows were taken: which ones; no page can guess it
_CELL = re.compile(r"<td[^>]*+>([^<]*+)</td>")
# A row that is not whole may pass as one where it is the last and Python is older than 3.11.5 (see repair.py): the
# number of tags in it says so.
_REGULAR = r"(?:\s*+<tr[^>]*+>(?:\s*+<td[^>]*+>[^<]*+</td>){%d}+\s*+</tr>)++\s*+"
_INSIDE = re.compile(r"</?(?:a|div|pre_sqltext|span)(?: [^<>]*)?>")  # what Oracle writes around the text of cells
_HEADER = re.compile(r"\s*+(?:<tr[^<>]*+>(?:\s*+<th[^<>]*+>[^<>]*+</th>){1,400}\s*+</tr>\s*+)?")
_LABEL = re.compile(r"<th[^<>]*+>([^<>]*+)</th>")
_PLAN = "Operation"  # an execution plan: its indentation is read from the tree
_OPEN, _CLOSE, _ROW_END = "<table", "</table>", "</tr>"


class TakenRows(NamedTuple):
    """Data rows of one table; `labels` if the header was taken."""

    width: int
    rows: list[list[str]]
    labels: list[str] | None
    start: int  # where the whole table stands in the page
    end: int


def take_rows(text: str) -> tuple[str, list[TakenRows]]:
    """Page without regular tables' rows, and these; line numbers stay."""
    pieces: list[str] = []
    rows_taken: list[TakenRows] = []
    unescaped = Unescaper().__getitem__  # at once, while the cells are at hand: later takes longer
    done = 0
    for start, body, end in islice(_bodies(text), MAX_TABLES):
        source = text[body:end]
        regular = _cells(source) or _cells(_INSIDE.sub("", source))
        if regular is not None:
            width, cells = regular
            opened = start + len(_OPEN)
            header = text.find(">", opened, body) + 1 or body
            labels = _labels(text[header:body])
            texts = list(map(unescaped, cells))
            rows = [texts[at : at + width] for at in range(0, len(texts), width)]
            cut = body if labels is None else header
            lines = "\n" * text.count("\n", cut, end)
            pieces += (text[done:opened], f' {ROWS}="{len(rows_taken)}"', text[opened:cut], lines)
            own = None if labels is None else list(map(unescaped, labels))
            rows_taken.append(TakenRows(width, rows, own, start, end + len(_CLOSE)))
            done = end
    pieces.append(text[done:])
    return "".join(pieces), rows_taken


def _bodies(text: str) -> Iterator[tuple[int, int, int]]:
    done, end = 0, text.find(_CLOSE)
    while end >= 0:
        start = text.rfind(_OPEN, done, end)
        body = _first_row(text, start, end) if start >= 0 else -1
        if body >= 0 and _is_plain(text[start:body]):
            yield start, body, end
        done = end + len(_CLOSE)
        end = text.find(_CLOSE, done)


def _is_plain(head: str) -> bool:
    return _PLAN not in head and head.count('"') % 2 == 0


@lru_cache(maxsize=1024)
def _labels(header: str) -> tuple[str, ...] | None:
    if not _HEADER.fullmatch(header) or "span" in header.lower():
        return None
    return tuple(_LABEL.findall(header))


def _first_row(text: str, start: int, end: int) -> int:
    cell = text.find("<td", start, end)
    while cell >= 0:
        row, close = text.rfind("<tr", start, cell), text.find(_ROW_END, cell, end)
        if close < 0 or text.find("</th>", max(row, start), close) < 0:
            return row
        start, cell = close, text.find("<td", close, end)
    return -1


def _cells(source: str) -> tuple[int, list[str]] | None:
    width = source.count("<td", 0, source.find(_ROW_END))
    if not width or not _rows_of(width).fullmatch(source):
        return None
    cells = _CELL.findall(source)
    # A tag that has lost its end goes on to that of the next, and one with a > in a value leaves the rest as text.
    tags = 2 * (len(cells) + len(cells) // width)
    return None if source.count("<") != tags or ">" in "".join(cells) else (width, cells)


@lru_cache(maxsize=64)
def _rows_of(width: int) -> re.Pattern[str]:
    return re.compile(_REGULAR % width)
