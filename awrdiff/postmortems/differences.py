"""Two texts side by side, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

AROUND = 3  # lines that did not change, before and after those that did


@dataclass(frozen=True, slots=True)
class TextLine:
    """`before` and `after` are its numbers in the two texts, from 1; None where it is not in that one. `skipped` stands
    for as many lines that are the same."""

    said: Literal["same", "gone", "new", "skipped"]
    before: int | None
    after: int | None
    text: str
    count: int = 0


def differences(first: str, second: str) -> list[TextLine]:
    """The lines that changed, with some around them; nothing where the texts are the same."""
    before, after = first.split("\n") if first else [], second.split("\n") if second else []
    made: list[TextLine] = []
    shown = 0
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(AROUND):
        made += _skipped_lines(group[0][1] - shown)
        for tag, i1, i2, j1, j2 in group:
            made += _lines(tag, before, after, (i1, i2), (j1, j2))
        shown = group[-1][2]
    return made + (_skipped_lines(len(before) - shown) if made else [])


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
