"""What of a row is searched: one rule for the counts beside the sections and the filter above their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.processing.storable import one_line


def row_text(row: ComparedRow) -> str:
    """The row's key and texts of both sides, lower case, on one line."""
    texts = [side for delta in row.values.values() for side in delta[:2] if isinstance(side, str)]
    return as_in_row_text(" ".join(dict.fromkeys([*row.key.values(), *texts])))


def as_in_row_text(text: str) -> str:
    """Any text as it would stand there."""
    return one_line(text.lower())


def words_of(text: str) -> tuple[str, ...]:
    """What is looked for, the longest first: every word of it, in any order."""
    return tuple(sorted(dict.fromkeys(as_in_row_text(text).split()), key=len, reverse=True))


def lines_with(words: Sequence[str], lines: str) -> Iterator[int]:
    """The numbers of the lines that hold every word: from one to the next, without taking the text apart."""
    longest, others = words[0], words[1:]
    number = start = 0
    while (at := lines.find(longest, start)) >= 0:
        number += lines.count("\n", start, at)
        begin, end = lines.rfind("\n", 0, at) + 1, lines.find("\n", at)
        line = lines[begin : end if end >= 0 else None]
        if all(word in line for word in others):
            yield number
        if end < 0:
            return
        number, start = number + 1, end + 1


def matches(row: ComparedRow, text: str) -> bool:
    """Whether the row holds every word of `text`, whatever their case and order."""
    line = row_text(row)
    return all(word in line for word in words_of(text))
