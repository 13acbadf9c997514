"""Small parts of pages: choices, and sentences split at the figures that templates emphasise."""

from __future__ import annotations

import re
from typing import NamedTuple

FIGURE = re.compile(r"((?<![\w.])[+−±×<-]?\d[\d,]*(?::\d\d)*(?:\.\d+)?(?:\s?(?:%|ms|µs|s|min|×))?(?!\w|\.\d))")


class Choice(NamedTuple):
    """`value`: of a form's field, or the address that a click leads to."""

    value: str
    label: str
    current: bool = False


class Piece(NamedTuple):
    text: str
    strong: bool


def pieces(text: str) -> tuple[Piece, ...]:
    parts = FIGURE.split(text)
    return tuple(Piece(part, bool(i % 2)) for i, part in enumerate(parts) if part)
