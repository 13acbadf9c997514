"""Choices, and sentences split at figures."""

from __future__ import annotations

import re
from typing import NamedTuple

FIGURE = re.compile(r"((?<![\w.])[+−±×<-]?\d[\d,]*(?::\d\d)*(?:\.\d+)?(?:\s?(?:%|ms|µs|s|min|×))?(?!\w|\.\d))")


class Choice(NamedTuple):
    """`value`: of a form field, or an address."""

    value: str
    label: str
    current: bool = False


class Piece(NamedTuple):
    text: str
    strong: bool


def pieces(text: str) -> tuple[Piece, ...]:
    parts = FIGURE.split(text)
    return tuple(Piece(part, bool(i % 2)) for i, part in enumerate(parts) if part)
