"""One-line summary of a comparison, for lists and notices."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.ranked import Mover, Ranked
from awrdiff.analysis.verdict.movers import label
from awrdiff.analysis.words import number, several

LEAST_PART, LEAST_WHO = 0.25, 0.15  # of the change: one wait alone is named only where it is much of it
_STEADY = 0.10  # of DB time: less has no parts of its change
_LONGEST = 160


def line_of(comparison: Comparison) -> str:
    """`2.8 → 9.3 active sessions · Row locks on STOCK hold 3.0 of …`; against a median it says so."""
    parts = list(_load(comparison))
    answer = comparison.answer
    if answer.headline:
        tells_load = answer.cause is None and answer.state != "partial"
        parts = [*([] if tells_load else parts[:1]), answer.headline.removesuffix(".")]
    elif len(parts) < 2:
        parts += _stands_first(comparison)
    if comparison.median is not None:
        parts.insert(1, f"against the median of {comparison.median.of}")
    if not parts:
        parts = [comparison.verdict[0].text if comparison.verdict else comparison.summary]
    if comparison.unrelated and "databases" not in answer.headline:
        parts.insert(0, "two databases")
    line = " · ".join(part for part in parts if part)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _load(comparison: Comparison) -> Iterator[str]:
    ranked = comparison.ranked
    if ranked is None or not max(ranked.first, ranked.second):
        return
    steady = abs(ranked.second - ranked.first) < _STEADY * max(ranked.first, ranked.second)
    if steady:
        yield f"about {several(ranked.second, 'active session', 'active sessions')} on both sides"
        return
    yield f"{number(ranked.first)} → {number(ranked.second)} active sessions"
    yield from _carriers(ranked)


def _carriers(ranked: Ranked) -> Iterator[str]:
    whole = ranked.second - ranked.first
    part = _largest([m for m in ranked.movers if m.view == "part"], whole, LEAST_PART)
    who = _largest([m for m in ranked.movers if m.subject.kind in ("sql", "object")], whole, LEAST_WHO)
    yield from (label(mover.subject) for mover in (part, who) if mover is not None)


def _largest(movers: list[Mover], whole: float, least: float) -> Mover | None:
    candidates = [m for m in movers if m.change * whole > 0 and abs(m.change) >= least * abs(whole)]
    return max(candidates, key=lambda m: abs(m.change), default=None)


def _stands_first(comparison: Comparison) -> list[str]:
    titles = [finding.title for finding, _ in comparison.stands_out() if finding.severity != "note"]
    return [titles[0].removesuffix(".")] if titles else []
