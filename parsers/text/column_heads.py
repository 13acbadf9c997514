"""Column heads of a text report, from rulers and the lines above them.

Rows of several lines have a ruler for each: several levels. Rulers over several columns carry a group's name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from parsers.tables.rawtable import OneCopy, collapse
from parsers.text.ruler_column_cutting import Cutter, Slot

MAX_SLOTS = 400
MAX_HEADER = 1000
_MAX_HEAD = 8  # lines of labels
_RUN = re.compile(r"-+")
_WORD = re.compile(r"\S+")
_PHRASE = re.compile(r"\S+(?: \S+)*")
_DASHED = re.compile(r"(?<!-)-{2,}+ ?([^-\s][^-]*?) ?-{2,}")
_MOST_SPANS = 60  # groups over the columns of one ruler; the most seen are 6
_USUAL = 300  # characters of a ruler: what is remembered of wider ones would take more room than they are worth


class Level(Struct, frozen=True):
    """Columns of one printed line of a row."""

    slots: tuple[Slot, ...]
    labels: tuple[str, ...]
    groups: tuple[str, ...]
    figures: frozenset[int]  # columns whose label is set to the right: numbers
    cutter: Cutter

    @property
    def width(self) -> int:
        return self.slots[-1][1]

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(b - a for a, b in self.slots)

    def cells(self, line: str) -> list[str]:
        """Words across columns go where most of them is."""
        return self.cutter.cut(line) or assign_words(line, self.slots)

    def cells_of(self, lines: Sequence[str]) -> Iterator[list[str]]:
        shared = OneCopy().__getitem__
        for line, cells in zip(lines, self.cutter.cut_all(lines), strict=True):
            yield list(map(shared, cells or assign_words(line, self.slots)))

    def fits(self, line: str) -> bool:
        """True if `line` can be a line of figures."""
        cut_cells = self.cutter.cut(line)
        if not cut_cells or line[: self.slots[0][0]].strip():
            return False
        cells = [cut_cells[i] for i in self.figures]
        return all(not c or c[0] in "0123456789.-+#N" for c in cells) and (not cells or any(cells))


def segments(line: str) -> tuple[Slot, ...]:
    return _usual_segments(line) if len(line) <= _USUAL else _segments(line)


def _segments(line: str) -> tuple[Slot, ...]:
    return tuple(m.span() for m, _ in zip(_RUN.finditer(line), range(MAX_SLOTS), strict=False))


_usual_segments = lru_cache(maxsize=512)(_segments)


def assign_words(line: str, slots: Sequence[Slot]) -> list[str]:
    """Words go to the column of their largest part, or nearest."""
    words: list[list[str]] = [[] for _ in slots]
    at = 0
    for match in _WORD.finditer(line):
        begin, end = match.span()
        while at + 1 < len(slots) and _distance(slots[at + 1], begin, end) <= _distance(slots[at], begin, end):
            at += 1
        words[at].append(match[0])
    return [" ".join(w) for w in words]


def _distance(slot: Slot, begin: int, end: int) -> int:
    return max(slot[0], begin) - min(slot[1], end)


def read_level(header: Sequence[str], slots: tuple[Slot, ...], spans: Sequence[tuple[Slot, str]] = ()) -> Level:
    """`spans`: groups named by a ruler of their own."""
    usual = slots[-1][1] <= _USUAL and sum(map(len, header)) <= _MAX_HEAD * _USUAL
    read = _usual_level if usual else _read_level
    return read(tuple(header), slots, tuple(spans))


def _read_level(header: tuple[str, ...], slots: tuple[Slot, ...], named_spans: tuple[tuple[Slot, str], ...]) -> Level:
    spans = list(named_spans)
    words: list[list[str]] = [[] for _ in slots]
    last: list[Slot | None] = [None] * len(slots)
    for full in header:
        line = plain = full[:MAX_HEADER]
        if "--" in line:
            spans += [(m.span(), m[1]) for m in _DASHED.finditer(line)]
            plain = _DASHED.sub(lambda m: " " * len(m[0]), line)
        at = 0
        for match in _WORD.finditer(plain):
            begin, end = match.span()
            while at + 1 < len(slots) and _distance(slots[at + 1], begin, end) <= _distance(slots[at], begin, end):
                at += 1
            words[at].append(match[0])
            last[at] = (begin, end)
    labels = [" ".join(w) for w in words]
    del spans[_MOST_SPANS:]
    groups = [next((name for span, name in spans if _covers(span, slot)), "") for slot in slots]
    figures = frozenset(
        i
        for i, (slot, word) in enumerate(zip(slots, last, strict=True))
        if word and word[1] >= slot[1] and not labels[i].startswith(("SQL I", "User", "Event", "Obj."))
    )
    return Level(slots, tuple(labels), tuple(groups), figures, Cutter(slots))


_usual_level = lru_cache(maxsize=1024)(_read_level)


def _middle(slot: Slot) -> float:
    return (slot[0] + slot[1]) / 2


def _covers(span: Slot, slot: Slot) -> bool:
    return span[0] <= _middle(slot) <= span[1]


def is_group_ruler(upper: tuple[Slot, ...], lower: tuple[Slot, ...]) -> bool:
    """True if runs of `upper` span columns of `lower`."""
    if not upper or not lower or lower[0][0] >= upper[0][0] or len(lower) <= len(upper):
        return False
    middles = [*map(_middle, lower), float("inf")]
    return all(middles[bisect_left(middles, begin)] <= end for begin, end in upper)


def group_spans(header: Sequence[str], runs: tuple[Slot, ...]) -> tuple[list[tuple[Slot, str]], list[str]]:
    """Group's name over each run, and lines without them."""
    names: list[tuple[Slot, str]] = []
    if not header:
        return names, []
    *above, last = header
    rest: list[str] = []
    at = 0
    for begin, end in runs:
        names.append(((begin, end), collapse(last[begin:end])))
        rest.append(last[at:begin].ljust(begin - at) + " " * (end - begin))
        at = end
    return names, [*above, "".join([*rest, last[at:]])]


def phrases(line: str) -> list[tuple[Slot, str]]:
    """Texts between wider gaps, with their slots."""
    return [(m.span(), m[0]) for m in _PHRASE.finditer(line)]
