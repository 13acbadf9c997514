"""Spread of several reports' figures, and another's position among them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from parsers.model import Value

Place = Literal["above", "below", "inside"]
LEAST_FOR_MARK = 3  # figures


class Spread(Struct, frozen=True):
    """Figures of `printed` out of `of` reports; others are unknown."""

    median: Value
    low: Value
    high: Value
    printed: int
    of: int

    @property
    def is_figure(self) -> bool:
        """False for a printed 0.0, only an upper bound."""
        return self.median.half == 0.0 or abs(self.median.number) > self.median.half


class Standing(Struct, frozen=True):
    """Position of a figure: outside only with a gap between printed intervals.

    `higher_than`: count out of `printed`, by printed numbers.
    """

    place: Place
    higher_than: int
    printed: int
    of: int
    z: float | None

    @property
    def is_outside(self) -> bool:
        return self.place != "inside"

    @property
    def is_marked(self) -> bool:
        """Two close figures hardly have a third between them."""
        return self.is_outside and self.printed >= LEAST_FOR_MARK
