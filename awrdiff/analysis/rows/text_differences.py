"""Differences between printed texts."""

from __future__ import annotations

from awrdiff.analysis.report.instance_startup import same_startup
from parsers.model import Cell, Column, Value

_NOTHING = ("", "N/A")  # text reports print N/A where HTML leaves the cell blank


def texts_differ(first: Cell, second: Cell, column: Column, cut_at: int | None = None) -> bool:
    """Spacing and text beyond the narrower width are ignored."""
    statement = column.holds == "sql_text" or column.id in ("sql_text", "text")
    if statement and (first is None or second is None):
        return False  # cut to nothing: it need not be read
    first_words, second_words = _words(first), _words(second)
    if first_words == second_words or (first_words in _NOTHING and second_words in _NOTHING):
        return False
    if statement:  # releases cut them at different lengths; HTML puts blanks after commas and dots at the cut
        shorter, longer = sorted((_without_blanks(first_words), _without_blanks(second_words)), key=len)
        return not longer.startswith(shorter)
    if column.id == "startup_time":
        return not same_startup(first_words, second_words)
    shorter, longer = sorted((first_words, second_words), key=len)
    if cut_at and len(longer) > cut_at:
        return shorter not in (longer[:cut_at].rstrip(), longer[: cut_at - 1].rstrip())
    return True


def _without_blanks(text: str) -> str:
    return "".join(text.rstrip(". ").split())


def _words(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell.number:.15g}" if isinstance(cell, Value) else " ".join(cell.split())
