"""A sentence split at its figures, which templates emphasise."""

from __future__ import annotations

import re
from typing import NamedTuple

FIGURE = re.compile(r"((?<![\w.])[+−±×<-]?\d[\d,]*(?::\d\d)*(?:\.\d+)?(?:\s?(?:%|ms|µs|s|min|×))?(?!\w|\.\d))")


class Piece(NamedTuple):
    text: str
    strong: bool


def pieces(text: str) -> tuple[Piece, ...]:
    parts = FIGURE.split(text)
    return tuple(Piece(part, bool(i % 2)) for i, part in enumerate(parts) if part)
