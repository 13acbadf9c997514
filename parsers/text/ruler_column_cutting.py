"""Lines of a listing cut at a ruler's columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

Slot = tuple[int, int]

_FEW = 16  # lines: a pattern takes as long to make as cutting some dozens
_AT_ONCE = 256  # lines, each filled up to the width of the ruler


class Cutter:
    """Cuts lines with blank gaps between columns; the last is open.

    Listings may have thousands of rulers: patterns are compiled only for many lines.
    """

    def __init__(self, slots: tuple[Slot, ...]) -> None:
        self._slots = slots
        self._width = slots[-1][1]
        self._lines = 0  # cut so far

    def cut(self, line: str) -> list[str] | None:
        """None if a word crosses a gap."""
        self._lines += 1
        line = line.ljust(self._width)
        if self._lines <= _FEW:
            return self._sliced(line)
        match = self._pattern.match(line)
        return list(map(str.strip, match.groups())) if match else None

    def cut_all(self, lines: Sequence[str]) -> Iterator[Sequence[str] | None]:
        """Rows as `cut`, hundreds at once if all keep to columns."""
        if len(self._slots) == 1 or len(lines) + self._lines <= _FEW:
            yield from map(self.cut, lines)
            return
        self._lines += len(lines)
        for at in range(0, len(lines), _AT_ONCE):
            piece = lines[at : at + _AT_ONCE]
            matches = self._several.findall("\n".join([line.ljust(self._width) for line in piece]))
            whole = len(matches) == len(piece)
            yield from (list(map(str.strip, cells)) for cells in matches) if whole else map(self.cut, piece)

    def _sliced(self, line: str) -> list[str] | None:
        at = self._slots[0][0]
        for begin, end in self._slots:
            if line[at:begin].strip(" "):
                return None
            at = end
        *ends, _ = [end for _, end in self._slots]
        begins = [begin for begin, _ in self._slots]
        return [line[a:b].strip() for a, b in zip(begins, [*ends, None], strict=True)]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._spelled())

    @cached_property
    def _several(self) -> re.Pattern[str]:
        return re.compile(f"^{self._spelled()}$", re.MULTILINE)

    def _spelled(self) -> str:
        parts: list[str] = []
        at = 0
        for begin, end in self._slots:
            gap = begin - at
            parts.append((f" {{{gap}}}" if parts else f".{{{gap}}}") if gap else "")
            parts.append(f"(.{{{end - begin}}})")
            at = end
        parts[-1] = f"(.{{{self._slots[-1][1] - self._slots[-1][0]}}}.*)"
        return "".join(parts)
