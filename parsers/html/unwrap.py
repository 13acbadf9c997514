"""Reports spooled at a small line size: SQL*Plus cut their lines at a fixed width, inside tags and words.

A row longer than the line size (80, 132 …) is printed as lines of exactly that width and a rest; with `TRIMSPOOL OFF`
every line is filled up with blanks. After a row that was cut stands an empty line (`RECSEP WRAPPED`), which is white
space as any other.
"""

from __future__ import annotations

_MIN_WIDTH, _MAX_WIDTH = 40, 400
_SAMPLE = 2000  # lines
_FEW = 20  # lines: fewer say nothing about the file


def rejoin(text: str) -> str:
    """`text` with cut lines put together again, or `text` itself where no fixed width is seen.

    The number of lines stays the same, so that line numbers hold. A row that happens to be exactly as long as the
    width cannot be told from one that was cut; inside markup, where nearly all rows end, joining it is harmless.
    """
    width = wrapped_width(text)
    if not width:
        return text
    out: list[str] = []
    held: list[str] = []
    for line in map(str.rstrip, text.split("\n")):
        held.append(line)
        if len(line) >= width - 1:
            continue
        out.append(_join(held, width))
        held = []
    if held:
        out.append(_join(held, width))
    return "\n".join(out)


def _join(parts: list[str], width: int) -> str:
    """One row of several lines. A line one short of the width was cut after a blank, or filled up with one."""
    if len(parts) == 1:
        return parts[0]
    return "".join(part.ljust(width) for part in parts[:-1]) + parts[-1] + "\n" * (len(parts) - 1)


def wrapped_width(text: str) -> int:
    """The width the lines were cut at, 0 where they were not: no line is longer, and many are exactly as long, of
    which some end inside a tag."""
    lines = _short_lines(text)
    width = max(map(len, lines), default=0)
    if width < _MIN_WIDTH or len(lines) < _FEW:
        return 0
    full = [line for line in lines if len(line) == width]
    inside = sum(line.rfind("<") > line.rfind(">") for line in full)
    padded = len(full) * 20 >= len(lines) * 19
    return width if inside and (padded or len(full) * 50 >= len(lines)) else 0


def _short_lines(text: str) -> list[str]:
    """The first lines; none of a text in which one of them is longer than any width."""
    at, lines = 0, list[str]()
    while len(lines) < _SAMPLE and at < len(text):
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)].removesuffix("\r")
        if len(line) > _MAX_WIDTH:
            return []
        lines.append(line)
        at = end + 1 or len(text)
    return lines


__all__ = ["rejoin", "wrapped_width"]
