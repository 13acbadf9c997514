"""The lines of a text report, and the lines that give it its shape.

A report as text is a listing: rulers (`-----  -----`) give the columns, `~~~~` underlines a heading, a page begins
with its heading and `DB/Inst: …`. What stands between two such marks is header lines, notes or rows.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

MAX_LINE = 4000  # SQL*Plus writes at most 32,767; what a report prints stays below 300

MarkKind = Literal["ruler", "tilde", "chapter", "prose", "stop"]


class Mark(NamedTuple):
    """A line that gives the listing its shape. `title` is the heading of a chapter."""

    at: int
    kind: MarkKind
    title: str = ""


_DATABASE = re.compile(r"(?:DB/Inst: ?| for DB: +)([^\s/]+)")
# SQL*Plus repeats the heading of its one column on each page where the report was selected from a function.
_PAGE_HEAD = re.compile(r"(?:^ *\n)?^OUTPUT *\n-{60,} *\n", re.MULTILINE)
_PROSE = ("ADDM Report for ", "Detailed ADDM Report", "ADDM Task ADDM")
_END = re.compile(r"^End of Report\b", re.MULTILINE)


def split_lines(text: str) -> list[str]:
    """Lines without trailing white space; form feeds are dropped, tabs widened."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "OUTPUT" in text:
        text = _PAGE_HEAD.sub("", text)
    if "\0" in text:
        text = text.replace("\0", "")
    if "\f" in text:
        text = text.replace("\f", "")
    lines = text.split("\n")
    if len(max(lines, key=len)) > MAX_LINE:
        lines = [line[:MAX_LINE] for line in lines]
    if "\t" in text:
        lines = [line.expandtabs(8)[: 2 * MAX_LINE] if "\t" in line else line for line in lines]
    return lines


def find_marks(lines: list[str]) -> list[Mark]:
    """All marks in order; the last one stands behind the last line."""
    out: list[Mark] = []
    for at, line in enumerate(lines):
        if "--" in line or "~~~" in line:
            if not line.strip(" -~"):
                out.append(Mark(at, "tilde" if line.lstrip().startswith("~") else "ruler"))
            elif line.lstrip().startswith("~~~"):
                out.append(Mark(at, "tilde"))
        elif "DB/Inst:" in line or " for DB: " in line:
            title = chapter_title(line)
            if title:
                out.append(Mark(at, "chapter", title))
        elif "ADDM" in line and line.lstrip().startswith(_PROSE):
            out.append(Mark(at, "prose"))
    out.append(Mark(len(lines), "stop"))
    return out


def chapter_title(line: str) -> str:
    """`Latch Activity   DB/Inst: …  Snaps: …`, in older Statspack `SQL ordered by Gets for DB: …  Instance: …`."""
    title, mark, _ = line.partition("DB/Inst:")
    if not mark:
        title, _, rest = line.partition(" for DB: ")
        if "Instance:" not in rest:
            return ""
    return title.strip()


def database_name(lines: list[str]) -> str:
    """The database named in the page headings: Statspack leaves it out of the report's head."""
    for line in lines:
        if "DB/Inst:" in line or " for DB: " in line:
            found = _DATABASE.search(line)
            if found:
                return found[1]
    return ""


def is_complete(text: str) -> bool:
    return bool(_END.search(text[-3000:]))
