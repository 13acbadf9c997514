"""Ranked list in words: changes for better and worse, for pages, summaries and files."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.export.document_blocks import Block, Changed, Heading, Item, Items, Line, Own, Paragraph, Table
from awrdiff.analysis.figures_in_words import number, several
from awrdiff.analysis.model.ash_activity import Sampled, SampledKind, SampledRow
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.ranked_changes import Connected, Mover, Range, Ranked, Setting
from awrdiff.analysis.verdict.ranked_changes import KINDS, LEAST, MEASURED, REST_SUBJECT, bounds, change_text, label

AGAIN = "the same time seen another way"
ADDED_UP = (
    "CPU, waits and what is neither add up to DB time. Statements, objects and kinds of work are "
    f"{AGAIN}: marked so, and never to be added to the others."
)
MOST_SETTINGS = 8
_LONGEST = 60


def headings(comparison: Comparison) -> tuple[str, str]:
    """Titles of both lists; neutral for two databases."""
    if comparison.unrelated:
        return "What Second takes more of", "What Second takes less of"
    return "What got worse", "What got better"


def threshold_text(ranked: Ranked, step: float) -> str:
    """`From 1 % of DB time on: 0.81 active sessions`"""
    if not step:
        return "Every change of 0.1 % of DB time or more"
    return f"Changes of {step:g} % of DB time or more: {number(ranked.yardstick * step / 100)} active sessions"


def left_out(ranked: Ranked, step: float) -> int:
    return sum(ranked.share(m) < step for m in ranked.movers)


def no_changes_text(comparison: Comparison, *, rising: bool) -> str:
    ways = ("rose", "fell") if comparison.unrelated else ("got worse", "improved")
    return f"Nothing {ways[not rising]} by {max(comparison.step, LEAST):g} % of DB time."


def sides(mover: Mover) -> str:
    return f"{bounds(mover.sessions.first)} → {bounds(mover.sessions.second)}"


def mover_name(mover: Mover) -> str:
    """`statement bsw76ah8zct21 (UPDATE …)`"""
    kind = KINDS[mover.subject.kind]
    name = label(mover.subject)
    return f"{kind} {name}" if mover.subject.kind in ("event", "sql", "object") else name


def setting_text(value: str | None) -> str:
    if value is None:
        return "not listed: default"
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


def brief_lines(comparison: Comparison, most: int) -> Iterator[tuple[str, list[str]]]:
    """Both headings, each with its largest changes."""
    ranked = comparison.ranked
    for heading, rising in zip(headings(comparison), (True, False), strict=True):
        movers = ranked.from_step(comparison.step, rising=rising) if ranked is not None else ()
        if movers:
            more = len(movers) - most
            rest = [f"{several(more, 'smaller one', 'smaller ones')} from {comparison.step:g} % of DB time on"]
            lines = [
                mover_line(mover, lies_of(comparison, mover), AGAIN if mover.view == "again" else "")
                for mover in movers[:most]
            ]
            yield f"{heading}, in active sessions", [*lines, *(rest if more > 0 else [])]


def mover_line(mover: Mover, *more: str) -> str:
    text = "; ".join(part for part in (sides(mover), mover.how, *more) if part)
    return f"{'▲' if mover.change > 0 else '▼'} {change_text(mover)}: {mover_name(mover)} ({text})"


def ranked_blocks(comparison: Comparison) -> Iterator[Block]:
    """Both lists, settings, number of changes too small to list."""
    ranked = comparison.ranked
    if ranked is None:
        return
    for heading, rising in zip(headings(comparison), (True, False), strict=True):
        yield Heading(2, heading)
        movers = ranked.from_step(comparison.step, rising=rising)
        if movers:
            lines = (_row(m, lies_of(comparison, m)) for m in movers)
            yield Table(_HEAD, lines, texts=frozenset((2, 3)))
        else:
            yield Paragraph(no_changes_text(comparison, rising=rising))
    small = left_out(ranked, comparison.step)
    remainder = f"; {several(small, 'smaller one is', 'smaller ones are')} left out" if small else ""
    yield Paragraph(f"{threshold_text(ranked, comparison.step)}{remainder}. {ADDED_UP}")
    if ranked.settings:
        yield Paragraph("Parameters that differ", strong=True)
        yield Items(tuple(map(_setting, ranked.settings)))


_HEAD = ("What", "Active sessions", "How", "Connected with")


def lies_of(comparison: Comparison, mover: Mover) -> str:
    """Position of Second among several reports; "" for two."""
    if comparison.median is None or mover.evidence is None or mover.subject == REST_SUBJECT:
        return ""  # what is left of medians no report prints
    return comparison.median.position_text([mover.evidence], mover.subject.key)


def _row(mover: Mover, lies: str) -> Line:
    change = Changed(Own(sides(mover)), change_text(mover), "" if mover.tone == "neutral" else mover.tone)
    again = f"; {AGAIN}" if mover.view == "again" else ""
    how = "; ".join(part for part in (lies, mover.how, mover.about) if part)
    connected = "; ".join(map(_connected, mover.connected))
    return Line((f"{mover_name(mover)}{again}", change, how, connected))


def _connected(connected: Connected) -> str:
    name = label(connected.subject)
    return f"{connected.said} {name}" if connected.said == MEASURED else f"{name} ({connected.said})"


def _setting(setting: Setting) -> Item:
    return Item(f"{setting_text(setting.first)} → {setting_text(setting.second)}", strong=setting.name)


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
    """Lists' largest rows, with headings."""
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
