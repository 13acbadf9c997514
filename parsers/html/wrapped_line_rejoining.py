"""Reports spooled at a small line size: SQL*Plus cut lines at a fixed width, inside tags and words.

Longer rows are lines of exactly that size and a rest, padded (`TRIMSPOOL OFF`), then an empty line (`RECSEP WRAPPED`).
"""

from __future__ import annotations

_MIN_WIDTH, _MAX_WIDTH = 40, 400
_SAMPLE = 2000  # lines
_FEW = 20  # lines: fewer say nothing about the file


def rejoin(text: str) -> str:
    """Text with cut lines joined; line numbers stay.

    Rows of exactly the width look cut; inside markup joining them is harmless.
    """
    width = wrapped_width(text)
    if not width:
        return text
    out: list[str] = []
    parts: list[str] = []
    for line in map(str.rstrip, text.split("\n")):
        parts.append(line)
        if len(line) >= width - 1:
            continue
        out.append(_join(parts, width))
        parts = []
    if parts:
        out.append(_join(parts, width))
    return "\n".join(out)


def _join(parts: list[str], width: int) -> str:
    if len(parts) == 1:
        return parts[0]
    return "".join(part.ljust(width) for part in parts[:-1]) + parts[-1] + "\n" * (len(parts) - 1)


def wrapped_width(text: str) -> int:
    """Width of the cut, or 0."""
    lines = _short_lines(text)
    width = max(map(len, lines), default=0)
    if width < _MIN_WIDTH or len(lines) < _FEW:
        return 0
    full = [line for line in lines if len(line) == width]
    inside = sum(line.rfind("<") > line.rfind(">") for line in full)
    padded = len(full) * 20 >= len(lines) * 19
    return width if inside and (padded or len(full) * 50 >= len(lines)) else 0


def _short_lines(text: str) -> list[str]:
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
