"""Two ASH reports in words: active sessions by event, statement, object and session."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.export.blocks import Block, Heading, Line, Own, Paragraph, Table
from awrdiff.analysis.model.ranked import Range
from awrdiff.analysis.model.sampled import Sampled, SampledKind, SampledRow
from awrdiff.analysis.words import number

_NAMES: dict[SampledKind, str] = {
    "event": "Event",
    "sql": "Statement",
    "object": "Object",
    "session": "Session",
    "blocker": "Blocking session",
}
_MOST = 8
_MOST_IN_BRIEF = 4
SCATTER = "≈"
_EXPLANATION = (
    "≈: no more than the digits printed, or twice the scatter of the samples, leave open. "
    "Not listed: unknown, not zero."
)


def sampled_blocks(sampled: Sampled | None) -> Iterator[Block]:
    if sampled is None:
        return
    yield Heading(2, "Sessions sampled")
    yield Paragraph(_EXPLANATION)
    for ranking in sampled.lists:
        head = (_NAMES[ranking.kind], "First", "Second", "Change", "")
        yield Table(head, (Line(_cells(row)) for row in ranking.rows[:_MOST]), texts=frozenset((4,)))
        if len(ranking.rows) > _MOST:
            yield Paragraph(f"and {len(ranking.rows) - _MOST} more")


def sampled_in_brief(sampled: Sampled | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The largest of each list, with its heading."""
    for ranking in sampled.lists if sampled is not None else ():
        yield f"{_NAMES[ranking.kind]}, active sessions", tuple(map(_line, ranking.rows[:_MOST_IN_BRIEF]))


def _line(row: SampledRow) -> str:
    name, first, second, change, beside = map(str, _cells(row))
    details = "; ".join(p for p in (change, beside) if p)
    return f"{name}: {first} → {second}{f' ({details})' if details else ''}"


def _cells(row: SampledRow) -> tuple[str, ...]:
    if row.change is None:
        change = ""
    else:
        change = f"{row.change:+.2g}" if row.certain else SCATTER
    return row.key, Own(_level(row.first)), Own(_level(row.second)), Own(change), row.beside


def _level(side: Range | None) -> str:
    return "not listed" if side is None else number(side.middle)
