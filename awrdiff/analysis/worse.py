"""Which of two compared hours the comparison calls the worse one, and the two by other names than First and Second."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.verdict.thresholds import FELT

_APART = 2.0  # the larger trouble of one side against that of the other: with less between them it is open
_STEADY = 0.10  # DB time within this is about the same, as load.py has it
_SICKER = 1.25  # the larger trouble of two sick hours
_BY_STATE: dict[str, Literal["first", "second"]] = {"second_worse": "second", "first_was_sick": "first"}
_SIDE = re.compile(r"“[^”]*”|\b(First|Second)\b('s?(?!\w))?")


def worse_side(found: Comparison) -> Literal["first", "second"] | None:
    """None where it is open: then a person has to say.

    What got worse is Second's trouble, what got better was First's, each by the active sessions that it cost. The side
    with the larger one has to have more DB time per second too: an hour in which less gets done reads like a relief.
    Where the comparison has an answer, that says it.
    """
    answer = found.answer
    if answer.headline and answer.state in _BY_STATE:
        return _BY_STATE[answer.state]
    if answer.state == "both_sick":
        first, second = (max((t.sessions for t in side), default=0.0) for side in (answer.first, answer.second))
        return None if max(first, second) < _SICKER * min(first, second) else "second" if second > first else "first"
    busy = [side.active_sessions for side in found.identity]
    if found.unrelated or busy[0] is None or busy[1] is None:
        return None
    before, after = max(_lost(found, -1), default=0.0), max(_lost(found, 1), default=0.0)
    larger, smaller = max(before, after), min(before, after)
    if not larger or larger < FELT * max(busy[0], busy[1]) or larger < _APART * smaller:
        return None
    side: Literal["first", "second"] = "second" if after > before else "first"
    more, less = (busy[1], busy[0]) if side == "second" else (busy[0], busy[1])
    return side if more >= (1 + _STEADY) * less else None


def _lost(found: Comparison, sign: int) -> Iterator[float]:
    """Active sessions that Second (1) or First (-1) has more of, by what each finding tells."""
    tone = "worse" if sign > 0 else "better"
    return (sign * f.sessions.change for f in found.findings if f.tone == tone and f.sessions is not None)


class SideName(NamedTuple):
    """What a side is called, and whose something is."""

    name: str
    whose: str


def rename_sides(text: str, first: SideName, second: SideName) -> str:
    """What the engine says, with other names for First and Second. What stands in “quotes” is of somebody else."""

    def other(found: re.Match[str]) -> str:
        if not found[1]:
            return found[0]
        side = first if found[1] == "First" else second
        name = side.whose if found[2] else side.name
        return name[:1].upper() + name[1:] if _begins_sentence(text[: found.start()]) else name

    return _SIDE.sub(other, text)


def _begins_sentence(before: str) -> bool:
    return not before.strip() or before.rstrip().endswith((".", "!", "?"))
