"""Row search, one rule for rail counts and row filter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.processing.storable import one_line


def row_text(row: ComparedRow) -> str:
    """Key and texts of both sides, lower case."""
    texts = [side for delta in row.values.values() for side in delta[:2] if isinstance(side, str)]
    return as_in_row_text(" ".join(dict.fromkeys([*row.key.values(), *texts])))


def as_in_row_text(text: str) -> str:
    return one_line(text.lower())


def words_of(text: str) -> tuple[str, ...]:
    """Longest first."""
    return tuple(sorted(dict.fromkeys(as_in_row_text(text).split()), key=len, reverse=True))


def lines_with(words: Sequence[str], lines: str) -> Iterator[int]:
    """Line numbers with every word, without splitting."""
    longest, further = words[0], words[1:]
    number = start = 0
    while (at := lines.find(longest, start)) >= 0:
        number += lines.count("\n", start, at)
        begin, end = lines.rfind("\n", 0, at) + 1, lines.find("\n", at)
        line = lines[begin : end if end >= 0 else None]
        if all(word in line for word in further):
            yield number
        if end < 0:
            return
        number, start = number + 1, end + 1


def matches(row: ComparedRow, text: str) -> bool:
    """Every word, any case and order."""
    line = row_text(row)
    return all(word in line for word in words_of(text))
