"""How far a difference may be off by the rounding of the figures it is made from.

A figure is its printed number and half of its last printed digit.
"""

from __future__ import annotations

Number = tuple[float, float]


def percent_allowance(first: Number, second: Number) -> float | None:
    """Of a change in percent of the first, in points; None where the first may be 0."""
    least = abs(first[0]) - first[1]
    if least <= 0:
        return None
    return 100.0 * (second[1] / least + (abs(second[0]) + second[1]) * first[1] / least / least)


def difference_allowance(first: Number, second: Number) -> float:
    """Of second minus first."""
    return first[1] + second[1]
