"""How the figures of several reports lie, and where one more lies among them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from parsers.model import Value

Place = Literal["above", "below", "inside"]
LEAST_FOR_MARK = 3  # figures


class Spread(Struct, frozen=True):
    """The figures that `printed` of `of` reports print; one that is not printed is unknown, never 0."""

    median: Value
    low: Value
    high: Value
    printed: int
    of: int

    @property
    def is_figure(self) -> bool:
        """Whether it is more than its last digit leaves open: of a printed 0.0 only the most it can be is known."""
        return self.median.half == 0.0 or abs(self.median.number) > self.median.half


class Standing(Struct, frozen=True):
    """Where a figure lies: outside only where its printed interval leaves a gap to every other.

    `higher_than`: how many of the `printed` it is higher than, by the printed numbers alone.
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
        """Of two figures that differ hardly any third lies between."""
        return self.is_outside and self.printed >= LEAST_FOR_MARK
