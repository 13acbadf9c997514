"""Ranked list in words: changes for better and worse, for pages, summaries and files."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.export.blocks import Block, Changed, Heading, Item, Items, Line, Own, Paragraph, Table
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.ranked import Connected, Mover, Ranked, Setting
from awrdiff.analysis.verdict.movers import KINDS, LEAST, MEASURED, REST_SUBJECT, bounds, change_text, label
from awrdiff.analysis.words import number, several

AGAIN = "the same time seen another way"
ADDED_UP = (
    "CPU, waits and what is neither add up to DB time. Statements, objects and kinds of work are "
    f"{AGAIN}: marked so, and never to be added to the others."
)
MOST_SETTINGS = 8
_LONGEST = 60


def headings(comparison: Comparison) -> tuple[str, str]:
    """Titles of both lists; neutral for two different databases."""
    if comparison.unrelated:
        return "What Second takes more of", "What Second takes less of"
    return "What got worse", "What got better"


def threshold_said(ranked: Ranked, step: float) -> str:
    """`From 1 % of DB time on: 0.81 active sessions`"""
    if not step:
        return "Every change of 0.1 % of DB time or more"
    return f"Changes of {step:g} % of DB time or more: {number(ranked.yardstick * step / 100)} active sessions"


def left_out(ranked: Ranked, step: float) -> int:
    return sum(ranked.share(m) < step for m in ranked.movers)


def nothing_said(comparison: Comparison, *, rising: bool) -> str:
    ways = ("rose", "fell") if comparison.unrelated else ("got worse", "improved")
    return f"Nothing {ways[not rising]} by {max(comparison.step, LEAST):g} % of DB time."


def sides(mover: Mover) -> str:
    return f"{bounds(mover.sessions.first)} → {bounds(mover.sessions.second)}"


def mover_name(mover: Mover) -> str:
    """`statement bsw76ah8zct21 (UPDATE …)`"""
    kind = KINDS[mover.subject.kind]
    name = label(mover.subject)
    return f"{kind} {name}" if mover.subject.kind in ("event", "sql", "object") else name


def setting_said(value: str | None) -> str:
    if value is None:
        return "not listed: default"
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


def brief_lines(comparison: Comparison, most: int) -> Iterator[tuple[str, list[str]]]:
    """Both headings of the summary, each with its largest changes, a line each."""
    ranked = comparison.ranked
    for heading, rising in zip(headings(comparison), (True, False), strict=True):
        movers = ranked.from_step(comparison.step, rising=rising) if ranked is not None else ()
        if movers:
            more = len(movers) - most
            rest = [f"{several(more, 'smaller one', 'smaller ones')} from {comparison.step:g} % of DB time on"]
            lines = [
                said_in_a_line(mover, lies_of(comparison, mover), AGAIN if mover.view == "again" else "")
                for mover in movers[:most]
            ]
            yield f"{heading}, in active sessions", [*lines, *(rest if more > 0 else [])]


def said_in_a_line(mover: Mover, *more: str) -> str:
    text = "; ".join(part for part in (sides(mover), mover.how, *more) if part)
    return f"{'▲' if mover.change > 0 else '▼'} {change_text(mover)}: {mover_name(mover)} ({text})"


def ranked_blocks(comparison: Comparison) -> Iterator[Block]:
    """Both lists, differing settings, and the number of changes too small to list."""
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
            yield Paragraph(nothing_said(comparison, rising=rising))
    small = left_out(ranked, comparison.step)
    remainder = f"; {several(small, 'smaller one is', 'smaller ones are')} left out" if small else ""
    yield Paragraph(f"{threshold_said(ranked, comparison.step)}{remainder}. {ADDED_UP}")
    if ranked.settings:
        yield Paragraph("Parameters that differ", strong=True)
        yield Items(tuple(map(_setting, ranked.settings)))


_HEAD = ("What", "Active sessions", "How", "Connected with")


def lies_of(comparison: Comparison, mover: Mover) -> str:
    """Position of Second among several reports; "" for two."""
    if comparison.median is None or mover.evidence is None or mover.subject == REST_SUBJECT:
        return ""  # what is left of medians no report prints
    return comparison.median.lies_said([mover.evidence], mover.subject.key)


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
    return Item(f"{setting_said(setting.first)} → {setting_said(setting.second)}", strong=setting.name)
