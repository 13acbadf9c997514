"""Lines of a text report, and marks that structure it.

Rulers (`-----  -----`) give columns, `~~~~` underlines headings, pages begin with a heading and `DB/Inst: …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from parsers.files.detect import begin_of

_LEAST_LINES, _SHORT_LINE = 25_000, 36  # of a file; the mean length of a line in characters is 54 and more
_LINE_END = re.compile(r"(?<=[^\n])\n|\n{4}")  # empty lines take less room
MAX_LINE = 4000  # SQL*Plus writes at most 32,767; what a report prints stays below 300

MarkKind = Literal["ruler", "tilde", "chapter", "prose", "stop"]


class Mark(NamedTuple):
    """Structuring line; `title`: heading of a chapter."""

    at: int
    kind: MarkKind
    title: str = ""


_DATABASE = re.compile(r"(?:DB/Inst: ?| for DB: +)([^\s/]+)")
_PROSE = ("ADDM Report for ", "Detailed ADDM Report", "DETAILED ADDM REPORT", "ADDM Task ADDM", "End of Report")
# The first two characters of a mark that is no page's heading.
_FIRST = frozenset(("--", "- ", "-~", "~~", "~ ", "~-", *(words[:2] for words in _PROSE)))
# The last ones too may stand in a report of the first kinds.
_TITLES = (
    "WORKLOAD REPOSITORY",
    "STATSPACK report",
    "ASH Report For",
    "ADDM Report for Task",
    "DETAILED ADDM REPORT",
    "Detailed ADDM Report",
)
# Those that Oracle prints at the left margin.
_LEFT_TITLES = ("WORKLOAD REPOSITORY", "STATSPACK rep", "ASH Report For")
_HEAD = 30_000
_TITLE_LINES = 200
_END = re.compile(r"^[ \t]{0,40}End of Report\b", re.MULTILINE)


def split_lines(text: str) -> list[str]:
    """Tabs expanded; no trailing white space and form feeds."""
    text = one_line_end(text)
    if "\0" in text:
        text = text.replace("\0", "")
    if "\f" in text:
        text = text.replace("\f", "")
    if "\xa0" in text:  # a listing pasted from a web page
        text = text.replace("\xa0", " ")
    lines = text.split("\n")
    if "\nOUTPUT" in text:
        lines = _without_page_heads(lines)
    if len(max(lines, key=len)) > MAX_LINE:
        lines = [line[:MAX_LINE] for line in lines]
    if "\t" in text:
        lines = [line.expandtabs(8)[: 2 * MAX_LINE] if "\t" in line else line for line in lines]
    return lines


def cut_lines(text: str) -> tuple[str, int]:
    """Text within possible lines, and first line number beyond.

    Each line takes sixty bytes, as a table row three hundred.
    """
    most = max(_LEAST_LINES, len(text) // _SHORT_LINE)
    if text.count("\n") < most:
        return text, 0
    last = next(islice(_LINE_END.finditer(text), most, None), None)
    return (text[: last.start()], text.count("\n", 0, last.start()) + 2) if last else (text, 0)


def one_line_end(text: str) -> str:
    """Text copied twice has CR CR LF."""
    if "\r" not in text:
        return text
    return text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")


def strip_quotes(lines: list[str]) -> list[str]:
    """Lines without common prefixes of mails and wikis."""
    title = next((line for line in lines[:_TITLE_LINES] if any(words in line for words in _LEFT_TITLES)), "")
    prefix = title[: len(title) - len(title.lstrip(" >"))]
    if not prefix:
        return lines
    return [line.removeprefix(prefix) if line.startswith(prefix) else line.lstrip("> ") for line in lines]


def _without_page_heads(lines: list[str]) -> list[str]:
    """SQL*Plus repeats column headings on each page."""
    heads = {
        at
        for at, line in enumerate(lines[:-1])
        if line.startswith("OUTPUT") and line.rstrip() == "OUTPUT" and lines[at + 1].startswith("-" * 40)
    }
    blank = {at - 1 for at in heads if at and not lines[at - 1].strip()}
    dropped = blank | heads | {at + 1 for at in heads}
    return [line for at, line in enumerate(lines) if at not in dropped] if heads else lines


def find_marks(lines: list[str]) -> list[Mark]:
    """Marks in order; the last is behind the last line."""
    out: list[Mark] = []
    for at, line in _may_be_marks(lines):
        plain = line.lstrip()
        if plain.startswith("~~~"):
            out.append(Mark(at, "tilde"))
        elif not line.strip(" -~"):
            if "--" in line or "~~~" in line:
                out.append(Mark(at, "ruler"))
        elif "DB/Inst:" in line or " for DB: " in line:
            title = chapter_title(line)
            if title:
                out.append(Mark(at, "chapter", title))
        elif plain.startswith(_PROSE):
            out.append(Mark(at, "prose"))
    out.append(Mark(len(lines), "stop"))
    return out


def _may_be_marks(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Checking each first takes half the time of a full search."""
    return ((at, line) for at, line in enumerate(lines) if line.lstrip()[:2] in _FIRST or "DB" in line)


def chapter_title(line: str) -> str:
    """Title in `Latch Activity   DB/Inst: …`, or `SQL ordered by Gets for DB: …`."""
    title, mark, _ = line.partition("DB/Inst:")
    if not mark:
        title, _, rest = line.partition(" for DB: ")
        if "Instance:" not in rest:
            return ""
    return title.strip()


def database_name(lines: list[str]) -> str:
    """Name from page headings, as Statspack's head omits it."""
    for line in lines[:_HEAD]:
        if "DB/Inst:" in line or " for DB: " in line:
            match = _DATABASE.search(line)
            if match:
                return match[1]
    return ""


def title_line(text: str) -> str:
    """Line naming the kind of report, "" if none is near."""
    begin = begin_of(text)
    for words in _TITLES:
        at = text.find(words, begin, begin + _HEAD)
        if at >= 0:
            return text[at : at + 200].partition("\n")[0].strip()
    return ""


def is_complete(text: str) -> bool:
    return bool(_END.search(text[-3000:]))
