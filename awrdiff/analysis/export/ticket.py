"""A comparison in at most twelve lines of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from awrdiff.analysis.export import ranked as words
from awrdiff.analysis.export.identity import identities
from awrdiff.analysis.export.ranked import sampled_in_brief
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.ranked import Mover

MOST_LINES, MOST_ROWS = 12, 5
_LONGEST = 400
_SQL = 40  # characters of a statement


def ticket_pieces(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Lines of the first pair, the page's."""
    yield ticket(comparisons[0])


def ticket(comparison: Comparison) -> str:
    return _text(_lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    median = comparison.median
    where = f"; active sessions {median.sessions}" if median is not None and median.sessions else ""
    first, second = identities(comparison)
    yield f"First: {first.in_a_line}"
    overlap = " ".join(w.text for w in comparison.warnings if w.code == "overlapping")
    yield f"Second: {second.in_a_line}{where}{f'. {overlap}' if overlap else ''}"
    lines = (("answer",), ("load", "time"), ("also",))
    sentences = [" ".join(s.text for s in comparison.verdict if s.about in about) for about in lines]
    yield from filter(None, sentences) if comparison.verdict else (comparison.summary,)
    rows = _rows(comparison)
    if rows:
        yield rows[0]
        yield from (f"- {row}" for row in rows[1 : MOST_ROWS + 1])
    if comparison.address:
        yield comparison.address


def _rows(comparison: Comparison) -> list[str]:
    ranked = comparison.ranked
    movers = [m for m in ranked.movers if ranked.share(m) >= comparison.step] if ranked is not None else []
    for heading, view in (("Who and what, in active sessions:", "again"), ("The time, in active sessions:", "part")):
        if of_view := [_row(m, words.lies_of(comparison, m)) for m in movers if m.view == view]:
            return [heading, *of_view]
    for heading, lines in sampled_in_brief(comparison.sampled):
        return [f"{heading}:", *lines]
    titles = [finding.title for finding, _ in comparison.stands_out()]
    return ["Findings:", *titles] if titles else []


def _row(mover: Mover, lies: str) -> str:
    summary = words.said_in_a_line(mover, lies)
    text = mover.about if mover.subject.kind == "sql" else ""
    return f"{summary}: {text[:_SQL].rstrip()}{'…' if len(text) > _SQL else ''}" if text else summary


def _text(lines: Iterable[str]) -> str:
    """Names cannot reverse the text or start a new line."""
    return "".join(f"{_plain(line)}\n" for line in lines)


def _plain(line: str) -> str:
    read = " ".join("".join(c if c.isprintable() or c.isspace() else "" for c in line).split())
    return read if len(read) <= _LONGEST else f"{read[: _LONGEST - 1]}…"
