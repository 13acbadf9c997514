"""Whether two printed texts say different things."""

from __future__ import annotations

from awrdiff.analysis.report.startup import same_startup
from parsers.model import Cell, Column, Value

_NOTHING = ("", "N/A")  # text reports print N/A where HTML leaves the cell blank


def texts_differ(first: Cell, second: Cell, column: Column, cut_at: int | None = None) -> bool:
    """Spacing does not count, nor what lies behind the width that one side cuts the column to."""
    statement = column.holds == "sql_text" or column.id in ("sql_text", "text")
    if statement and (first is None or second is None):
        return False  # cut to nothing: it need not be read
    left, right = _words(first), _words(second)
    if left == right or (left in _NOTHING and right in _NOTHING):
        return False
    if statement:
        return _statements_differ(left, right)
    if column.id == "startup_time":
        return not same_startup(left, right)
    shorter, longer = sorted((left, right), key=len)
    if cut_at and len(longer) > cut_at:
        return shorter not in (longer[:cut_at].rstrip(), longer[: cut_at - 1].rstrip())
    return True


def _statements_differ(left: str, right: str) -> bool:
    """The same statement is cut at different lengths in different releases; HTML puts blanks behind its commas and
    dots where it ends early."""
    shorter, longer = sorted((_without_blanks(left), _without_blanks(right)), key=len)
    return not longer.startswith(shorter)


def _without_blanks(text: str) -> str:
    return "".join(text.rstrip(". ").split())


def _words(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell.number:.15g}" if isinstance(cell, Value) else " ".join(cell.split())
