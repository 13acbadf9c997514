"""The slots of `Activity Over Time`: stretches of a window, by their distance from its beginning.

A report begins a few seconds after the full hour, so its first slot and its last are shorter than the others, and one
that a clock ran back in has a length below zero (`11:30:05 (-5 secs)`). Slots of two windows belong together by their
number, not by the time of day; where the slots of the two are of different length none belong together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

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
    """`begin_s` from the beginning of the first slot on; `length_s` is below zero for one outside the window."""

    printed: str
    clock: str  # HH:MM:SS, or HH:MM, as printed
    begin_s: float
    length_s: float


def slots_of(section: Section | None) -> tuple[Slot, ...]:
    """In printed order, each once; what is printed in another form is left out."""
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


def usual_length_s(slots: Iterable[Slot]) -> float:
    """Of those that are not cut by an end of the window; 0 where there is no slot."""
    return max((s.length_s for s in slots), default=0.0)


def number_of(slot: Slot, usual_s: float) -> int:
    """0 for the slot that the window begins in; the others count whole slots, also those in which nothing was seen."""
    return -1 if slot.length_s <= 0 else math.ceil(slot.begin_s / usual_s - 1e-6)


def keys_of(section: Section) -> dict[str, str]:
    """What identifies each slot, by its printed text: its number, among slots of this length."""
    slots = slots_of(section)
    usual_s = usual_length_s(slots)
    return {s.printed: f"{number_of(s, usual_s)} of {usual_s:g} s" for s in slots if usual_s > 0}


def number_in(key: str) -> int:
    """The number in what identifies a slot; slots in no known form come last."""
    number = key.partition(" of ")[0]
    return int(number) if _NUMBER.fullmatch(number) else 1_000_000


__all__ = ["SLOTS", "SLOT_COLUMN", "Slot", "keys_of", "number_in", "number_of", "slots_of", "usual_length_s"]
