"""Median, spread and robust z-scores.

z = 0.6745 × (x − median) ÷ MAD (Iglewicz and Hoaglin, 1993), from five figures that vary beyond print.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.baseline_spread import Place, Spread, Standing
from awrdiff.analysis.rows.deltas import significantly_apart
from parsers.model import Value

LEAST_FOR_Z = 5
OF_NORMAL = 0.6745  # quartile of the standard normal distribution: makes of a MAD a standard deviation


def spread_of(values: Sequence[Value | None]) -> Spread | None:
    """None where no report prints the figure."""
    figures = sorted(v for v in values if v is not None)
    if not figures:
        return None
    middle = figures[(len(figures) - 1) // 2 : len(figures) // 2 + 1]
    centre = Value(median(v.number for v in figures), max(v.half for v in middle))
    return Spread(centre, figures[0], figures[-1], len(figures), len(values))


def absolute_deviation(values: Sequence[Value], centre: float) -> float:
    """Median distance from `centre`."""
    return median([abs(v.number - centre) for v in values])


def _deviation(figures: Sequence[Value], centre: float) -> float | None:
    if len(figures) < LEAST_FOR_Z:
        return None
    deviation = absolute_deviation(figures, centre)
    return deviation if deviation > max(v.half for v in figures) else None


def standing(value: Value, values: Sequence[Value | None], spread: Spread | None = None) -> Standing | None:
    """None if all of `values` are unprinted; `spread`: if computed already."""
    spread = spread or spread_of(values)
    if spread is None:
        return None
    figures = [v for v in values if v is not None]
    apart = all(significantly_apart(value, v) for v in figures)
    place: Place = "inside"
    if apart and value.number > spread.high.number:
        place = "above"
    elif apart and value.number < spread.low.number:
        place = "below"
    higher = sum(value.number > v.number for v in figures)
    deviation = _deviation(figures, spread.median.number)
    z = OF_NORMAL * (value.number - spread.median.number) / deviation if deviation else None
    return Standing(place, higher, spread.printed, spread.of, z)


def standing_text(standing_of_value: Standing) -> str:
    """`above all 5 · z = 6.1`, `inside`, `above the 3 of 5 that print it`"""
    z = f" · z = {_z(standing_of_value.z)}" if standing_of_value.z is not None else ""
    if not standing_of_value.is_outside:
        return f"inside{_partly(standing_of_value)}{z}"
    if standing_of_value.of == 1:
        return standing_of_value.place + z
    if standing_of_value.printed < standing_of_value.of:
        return f"{standing_of_value.place} the {standing_of_value.printed} of {standing_of_value.of} that print it{z}"
    return f"{standing_of_value.place} {'both' if standing_of_value.of == 2 else f'all {standing_of_value.of}'}{z}"


def position_text(standing_of_value: Standing, spread: Spread, *, per_s: bool) -> str:
    """`◆ above all 5 (1.9 to 2.3 per second)`; ◆: outside."""
    low, high = number(spread.low.number), number(spread.high.number)
    of = f" ({low} to {high}{' per second' if per_s else ''})" if low != high else ""
    return f"{'◆ ' if standing_of_value.is_marked else ''}{standing_text(standing_of_value)}{of}"


def _partly(standing_of_value: Standing) -> str:
    return (
        f", printed in {standing_of_value.printed} of {standing_of_value.of}"
        if standing_of_value.printed < standing_of_value.of
        else ""
    )


def _z(z: float) -> str:
    text = f"{z:,.0f}" if abs(z) >= 100 else f"{z:.1f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else "0"
