"""Two texts side by side, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

AROUND = 3  # lines that did not change, before and after those that did


@dataclass(frozen=True, slots=True)
class TextLine:
    """Line numbers `before` and `after` from 1, None where absent. `skipped`: count of equal lines."""

    kind: Literal["same", "gone", "new", "skipped"]
    before: int | None
    after: int | None
    text: str
    count: int = 0


def differences(first: str, second: str) -> list[TextLine]:
    """Changed lines with context; empty for equal texts."""
    before, after = first.split("\n") if first else [], second.split("\n") if second else []
    text_lines: list[TextLine] = []
    last_shown = 0
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(AROUND):
        text_lines += _skipped_lines(group[0][1] - last_shown)
        for tag, i1, i2, j1, j2 in group:
            text_lines += _lines(tag, before, after, (i1, i2), (j1, j2))
        last_shown = group[-1][2]
    return text_lines + (_skipped_lines(len(before) - last_shown) if text_lines else [])


def _lines(
    tag: str, before: list[str], after: list[str], first: tuple[int, int], second: tuple[int, int]
) -> Iterator[TextLine]:
    if tag == "equal":
        for i, j in zip(range(*first), range(*second), strict=True):
            yield TextLine("same", i + 1, j + 1, before[i])
        return
    yield from (TextLine("gone", i + 1, None, before[i]) for i in range(*first))
    yield from (TextLine("new", None, j + 1, after[j]) for j in range(*second))


def _skipped_lines(count: int) -> list[TextLine]:
    return [TextLine("skipped", None, None, "", count)] if count > 0 else []
