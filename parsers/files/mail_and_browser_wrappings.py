"""Wrappings of a report's text removed: a mail's quote marks, a page that shows its source."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.files.detect import begin_of, is_html, kind_of
from parsers.html.cell_text_cleaning import visible_text
from parsers.text.structural_marks import one_line_end

_HEAD: Final = 30_000
_BREAK: Final = re.compile(r"<br ?/?>\n?|</tr>\n?", re.IGNORECASE)
_REAL_CELL: Final = re.compile(r"<t[dh]\b", re.IGNORECASE)
_SHOWN_CELL: Final = re.compile(r"<t(?:able|[dh])\b", re.IGNORECASE)
_FEW_CELLS: Final = 5
_QUOTED: Final = re.compile(
    r"^((?:[ \t]{0,3}>){1,8}) ?"
    r"(?=.{0,200}(?:<html|<h1|<table|workload repository|statspack rep|trace file|ash report|addm|\*\*\* ))",
    re.I | re.M,
)
_SAMPLE: Final = 200  # lines
# A report begins with its title: a heading in HTML, a line of its own as text.
TITLE: Final = re.compile(
    r"<h1[^<>]{0,200}>\s{0,50}(?:WORKLOAD\s+REPOSITORY|AWR |ASH REPORT|AUTOMATIC WORKLOAD)"
    r"|^[ \t]{0,40}(?:#{1,6} )?(?:WORKLOAD REPOSITORY\b|STATSPACK report for\b|ASH Report For\b"
    r"|(?:DETAILED )?ADDM REPORT FOR TASK\b)",
    re.IGNORECASE | re.MULTILINE,
)
PAGE: Final = re.compile(r"<!doctype html|<html", re.IGNORECASE)


class Mended(NamedTuple):
    text: str
    html: bool


def mend(text: str) -> Mended:
    """Text without wrappings of mail, browser or wiki."""
    start = text[:_HEAD]
    if "\0" in start:
        text = text.replace("\0", "")
    if "\r\r\n" in start or ("\r" in start and "\n" not in start):
        text = one_line_end(text)
    for _ in range(3):
        inner = _inner(text)
        if inner is text:
            break
        text = inner
    return Mended(text, is_html(text))


def _inner(text: str) -> str:
    begin = begin_of(text)
    head = text[begin : begin + _HEAD]
    # A look at the lines takes a sixth of the search's time.
    if any(line.lstrip(" \t").startswith(">") for line in head.split("\n")):
        quote = _QUOTED.search(head)
        if quote and _is_quoted(text, begin + quote.start(), quote[1]):
            mark = re.escape(quote[1])
            return re.sub(rf"^{mark} ?", "", text, flags=re.MULTILINE)
    if "&lt;" in head and _shows_source(head):
        return _shown_text(text)
    at = head.lower().find("<pre")
    if at >= 0 and _is_listing(head[:at], head[at:]):
        return _shown_text(text[begin + at :])
    return text


def _is_quoted(text: str, start: int, mark: str) -> bool:
    lines = [line for line in text[start : start + _HEAD].split("\n")[:_SAMPLE] if line.strip()]
    return sum(line.startswith(mark) for line in lines) * 10 >= len(lines) * 9


def _shows_source(head: str) -> bool:
    if "line-content" not in head and len(_REAL_CELL.findall(head)) > _FEW_CELLS:
        return False
    return len(_SHOWN_CELL.findall(_shown_text(head))) > _FEW_CELLS


def _is_listing(above: str, listing: str) -> bool:
    body = listing[: listing.lower().find("</pre")]
    cells = len(_REAL_CELL.findall(above)) + len(_REAL_CELL.findall(body))
    return cells <= _FEW_CELLS and kind_of(body, "", []) is not None


def _shown_text(text: str) -> str:
    return visible_text(_BREAK.sub("\n", text))


def late_title(text: str) -> int:
    """Offset of a report beyond the title search, or -1."""
    title = TITLE.search(text)
    if not title or title.start() < _HEAD:
        return -1
    pages = [m.start() for m in PAGE.finditer(text, max(0, title.start() - _HEAD), title.start())]
    return pages[-1] if pages else text.rfind("\n", 0, title.start()) + 1
