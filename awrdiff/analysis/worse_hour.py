"""The worse of two compared hours, and neutral names for First and Second."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.verdict.thresholds import FELT

_APART = 2.0  # the larger trouble of one side against that of the other: with less between them it is open
_STEADY = 0.10  # DB time within this is about the same, as workload_throughput.py has it
_SICKER = 1.25  # the larger trouble of two sick hours
_BY_STATE: dict[str, Literal["first", "second"]] = {"second_worse": "second", "first_was_sick": "first"}
_SIDE = re.compile(r"“[^”]*”|\b(First|Second)\b('s?(?!\w))?")


def worse_side(comparison: Comparison) -> Literal["first", "second"] | None:
    """None if undecided.

    By active sessions of what got worse (Second) or better (First); that side must also have more DB time per second. A
    comparison's answer takes precedence.
    """
    answer = comparison.answer
    if answer.headline and answer.state in _BY_STATE:
        return _BY_STATE[answer.state]
    if answer.state == "both_sick":
        first, second = (max((t.sessions for t in side), default=0.0) for side in (answer.first, answer.second))
        return None if max(first, second) < _SICKER * min(first, second) else "second" if second > first else "first"
    busy = [side.active_sessions for side in comparison.identity]
    if comparison.unrelated or busy[0] is None or busy[1] is None:
        return None
    before, after = max(_lost(comparison, -1), default=0.0), max(_lost(comparison, 1), default=0.0)
    larger, smaller = max(before, after), min(before, after)
    if not larger or larger < FELT * max(busy[0], busy[1]) or larger < _APART * smaller:
        return None
    side: Literal["first", "second"] = "second" if after > before else "first"
    more, less = (busy[1], busy[0]) if side == "second" else (busy[0], busy[1])
    return side if more >= (1 + _STEADY) * less else None


def _lost(comparison: Comparison, sign: int) -> Iterator[float]:
    tone = "worse" if sign > 0 else "better"
    return (sign * f.sessions.change for f in comparison.findings if f.tone == tone and f.sessions is not None)


class SideName(NamedTuple):
    """Name of a side, and its possessive."""

    name: str
    whose: str


def rename_sides(text: str, first: SideName, second: SideName) -> str:
    """Engine text with side names, except in “quotes”."""

    def other(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0]
        side = first if match[1] == "First" else second
        name = side.whose if match[2] else side.name
        return name[:1].upper() + name[1:] if _begins_sentence(text[: match.start()]) else name

    return _SIDE.sub(other, text)


def _begins_sentence(before: str) -> bool:
    return not before.strip() or before.rstrip().endswith((".", "!", "?"))
