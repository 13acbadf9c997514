"""ADDM reports in other languages, read by layout, with the English reader's keywords added.

Built from the English layout from 11.1; no such report was at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from parsers.identity.months import DATE, plain

_TITLE: Final = re.compile(r"\baddm\b[^'\n]{0,80}'([^'\n]{1,200})'", re.IGNORECASE)
_ENGLISH: Final = ("addm report for task", "detailed addm report for task")
_BLOCK: Final = re.compile(r"\s{0,6}([^\d\s:][^\d:]{0,60}?)\s?(\d{1,6})\s?[:：]\s?(\S.*)")
_FIGURES: Final = re.compile(r"(?<![\w.,])([\d.,]{0,20}\d)(?![\w.,]*[%])[^\d]{1,80}(?<![\w.,])([\d.,]{0,20}\d)\s?%")
_TWO_NUMBERS: Final = re.compile(r"\D{0,80}\b(\d{1,15})\b\D{1,40}\b(\d{1,15})\b\D{0,20}")
_DATABASE: Final = re.compile(r"'([^']{1,200})'[^'\d]{0,60}(\d{4,20})\b")
_RELEASE: Final = re.compile(r"(?<![\d.])\d{1,2}(?:\.\d{1,3}){3,5}(?!\d)")
_NUMBER: Final = re.compile(r"(?<![\w.,])([\d,]{0,20}\.?\d{1,20})(?![\w%])")
_CENTRED: Final = 8  # characters a heading of a part is set in, at least
_MOST_HEAD: Final = 400  # lines
_MOST_WORDS: Final = 4  # of the heading of an action


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_ruler(line: str) -> bool:
    plain_line = line.strip()
    return len(plain_line) > 3 and not plain_line.strip("-")


def in_english(lines: list[str]) -> list[str]:
    """Lines unchanged for an English title or without findings."""
    title = _title(lines)
    if title < 0:
        return lines
    out = [*lines, "", ""]
    blocks = list(_blocks(out, title))
    title_match = _TITLE.search(out[title])
    out[title] = f"          ADDM Report for Task '{title_match[1] if title_match else ''}'"
    end = blocks[0][0] if blocks else min(len(lines), title + _MOST_HEAD)
    _write_head(out, title + 2, end)
    finding_word = blocks[0][1] if blocks else ""
    for (at, word, number, name, figures), following in zip(
        blocks, [*(b[0] for b in blocks[1:]), len(lines)], strict=False
    ):
        if word == finding_word:
            out[at] = f"Finding {number}: {name}"
            out[at + 1] = f"Impact is {figures[0]} active sessions, {figures[1]}% of total activity."
            _write_no_advice(out, at + 3, following)
        else:
            out[at] = f"   Recommendation {number}: {name}"
            out[at + 1] = f"   Estimated benefit is {figures[0]} active sessions, {figures[1]}% of total activity."
        _write_parts(out, at + 3, following, advice=word != finding_word)
    if blocks:
        _write_end(out, blocks[-1][0], len(lines))
    return out[: len(lines)]


def _title(lines: list[str]) -> int:
    for at, line in enumerate(lines[:-1]):
        if line.strip().lower().startswith(_ENGLISH):
            return -1
        if _is_ruler(lines[at + 1]) and _TITLE.search(line[:400]):
            return at
    return -1


def _blocks(lines: list[str], start: int) -> Iterator[tuple[int, str, str, str, tuple[str, str]]]:
    for at in range(start, len(lines) - 2):
        if not _is_ruler(lines[at + 2]):
            continue
        head, figures = _BLOCK.fullmatch(lines[at][:400]), _FIGURES.search(lines[at + 1][:400])
        if head and figures:
            yield at, head[1].strip(), head[2], head[3].strip(), (figures[1], figures[2])


def _write_head(out: list[str], begin: int, end: int) -> None:
    """First heading: snapshots and times; second: database; third: its load."""
    part, line_count = 0, 0
    for at in range(begin, end):
        line = out[at]
        if _is_ruler(line):
            part, line_count = part + 1, 0
        elif part == 1 and (date := DATE.search(plain(line))):
            out[at] = f"Time period {'ends' if line_count else 'starts'} at {plain(line)[date.start() :].rstrip('. ')}"
            line_count += 1
        elif part == 1 and (numbers := _TWO_NUMBERS.fullmatch(line)):
            out[at] = f"AWR snapshot range from {numbers[1]} to {numbers[2]}."
        elif part == 2 and (database := _DATABASE.search(line)):
            out[at] = f"Database '{database[1]}' with DB ID {database[2]}."
        elif part == 2 and (release := _RELEASE.search(line)):
            out[at] = f"Database version {release[0]}."
        elif part == 3 and line_count < 2 and (number := _NUMBER.search(line)):
            out[at] = (
                f"The average number of active sessions was {number[1]}."
                if line_count
                else f"Total database time was {number[1]} seconds."
            )
            line_count += 1


def _write_parts(out: list[str], begin: int, end: int, *, advice: bool) -> None:
    action = ""
    for at in range(begin, min(end, len(out) - 1)):
        line, below = out[at], out[at + 1]
        depth, heading = _indent(line), line.strip()
        if not heading or _is_ruler(line) or depth >= _CENTRED:
            continue
        if _is_ruler(below) and depth > 0:
            out[at], advice = "   Symptoms That Led to the Finding:", False
        elif not advice or heading[-1] in ".,;:" or len(heading.split()) > _MOST_WORDS:
            continue
        elif depth == 3 and below.strip() and _indent(below) > 3:
            action = action or heading
            out[at] = "   Action" if heading == action else "   Rationale"
        elif depth == 6 and below.strip() and _indent(below) > 6:
            out[at] = "      Related Object"


def _write_no_advice(out: list[str], begin: int, end: int) -> None:
    for at in range(begin, min(end, len(out) - 1)):
        if _indent(out[at]) == 3 and not out[at + 1].strip() and not out[at - 1].strip():
            out[at] = "   No recommendations are available."
            return


def _write_end(out: list[str], begin: int, end: int) -> None:
    for at in range(begin, end):
        if _indent(out[at]) >= _CENTRED and _is_ruler(out[at + 1]) and _indent(out[at + 1]) >= _CENTRED:
            out[at] = "          Additional Information"
            break
    last = max((at for at in range(begin, end) if out[at].strip()), default=begin)
    if not out[last - 1].strip() and out[last].strip()[-1] != "." and len(out[last].split()) <= _MOST_WORDS:
        out[last] = "End of Report"
