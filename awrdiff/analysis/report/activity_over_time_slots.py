"""Slots of `Activity Over Time`: stretches of a window, by distance from its begin.

A clock set back gives negative lengths; slots match by number, and only with equal lengths.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from parsers.model import Section

SLOTS = "activity_over_time"
SLOT_COLUMN = "slot"
_SLOT = re.compile(
    r"^\s*(?P<clock>(?P<h>\d\d):(?P<m>\d\d)(?::(?P<s>\d\d))?)\s*\((?P<length>-?\d{1,9}(?:\.\d+)?)\s*(?P<unit>secs?|mins?)\)"
)
_NUMBER = re.compile(r"-?\d{1,6}")
_DAY_S = 86_400.0


class Slot(Struct, frozen=True):
    """`begin_s` after the first; `length_s` negative outside the window."""

    printed: str
    clock: str  # HH:MM:SS, or HH:MM, as printed
    begin_s: float
    length_s: float


def slots_of(section: Section | None) -> tuple[Slot, ...]:
    """Slots in printed order, once each; unreadable ones omitted."""
    texts = dict.fromkeys(section.text(r, SLOT_COLUMN) for r in section.records) if section is not None else ()
    return tuple(_read(texts))


def _read(texts: Iterable[str]) -> Iterable[Slot]:
    start: float | None = None
    for text in texts:
        match = _SLOT.match(text)
        if match is None:
            continue
        at = int(match["h"]) * 3600.0 + int(match["m"]) * 60.0 + int(match["s"] or 0)
        start = at if start is None else start
        length = float(match["length"]) * (60.0 if match["unit"].startswith("min") else 1.0)
        yield Slot(text, match["clock"], (at - start) % _DAY_S, length)


def samples_of(section: Section | None) -> Iterator[tuple[str, str, float, float]]:
    """(slot as printed, event, its samples, all of the slot)"""
    if section is None:
        return
    for record in section.records:
        total, of_event = section.number(record, "slot_samples"), section.number(record, "event_samples")
        if total is not None:
            own = of_event.number if of_event is not None else 0.0
            yield section.text(record, SLOT_COLUMN), section.text(record, "event"), own, total.number


def usual_length_s(slots: Iterable[Slot]) -> float:
    """Length of uncut slots; 0 if there are none."""
    return max((s.length_s for s in slots), default=0.0)


def number_of(slot: Slot, usual_s: float) -> int:
    """0 at the window's begin; empty slots count, too."""
    return -1 if slot.length_s <= 0 else math.ceil(slot.begin_s / usual_s - 1e-6)


def keys_of(section: Section) -> dict[str, str]:
    """Number and length by printed text."""
    slots = slots_of(section)
    usual_s = usual_length_s(slots)
    return {s.printed: f"{number_of(s, usual_s)} of {usual_s:g} s" for s in slots if usual_s > 0}


def number_in(key: str) -> int:
    """Unknown forms sort last."""
    number = key.partition(" of ")[0]
    return int(number) if _NUMBER.fullmatch(number) else 1_000_000
