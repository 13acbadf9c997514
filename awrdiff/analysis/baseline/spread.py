"""How the figures of several reports lie, and where one more lies among them.

The median and the median absolute deviation are those of `statistics`; a robust z-score is 0.6745 × (x − median) ÷ MAD
(Iglewicz and Hoaglin, 1993), told from five figures on and only where they vary by more than their last printed digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from awrdiff.analysis.model.spread import Place, Spread, Standing
from awrdiff.analysis.rows.deltas import significantly_apart
from awrdiff.analysis.words import number
from parsers.model import Value

LEAST_FOR_Z = 5
OF_NORMAL = 0.6745  # quartile of the standard normal distribution: makes of a MAD a standard deviation


def spread_of(values: Sequence[Value | None]) -> Spread | None:
    """None where no report prints the figure."""
    known = sorted(v for v in values if v is not None)
    if not known:
        return None
    middle = known[(len(known) - 1) // 2 : len(known) // 2 + 1]
    centre = Value(median(v.number for v in known), max(v.half for v in middle))
    return Spread(centre, known[0], known[-1], len(known), len(values))


def absolute_deviation(values: Sequence[Value], centre: float) -> float:
    """The median distance from `centre`."""
    return median([abs(v.number - centre) for v in values])


def _deviation(known: Sequence[Value], centre: float) -> float | None:
    """The median absolute deviation; None below `LEAST_FOR_Z` figures, or where it is below their resolution."""
    if len(known) < LEAST_FOR_Z:
        return None
    found = absolute_deviation(known, centre)
    return found if found > max(v.half for v in known) else None


def standing(value: Value, values: Sequence[Value | None], found: Spread | None = None) -> Standing | None:
    """Where `value` lies among `values`; None where none of them is printed. `found`: their spread, where known."""
    found = found or spread_of(values)
    if found is None:
        return None
    known = [v for v in values if v is not None]
    apart = all(significantly_apart(value, v) for v in known)
    place: Place = "inside"
    if apart and value.number > found.high.number:
        place = "above"
    elif apart and value.number < found.low.number:
        place = "below"
    higher = sum(value.number > v.number for v in known)
    deviation = _deviation(known, found.median.number)
    z = OF_NORMAL * (value.number - found.median.number) / deviation if deviation else None
    return Standing(place, higher, found.printed, found.of, z)


def standing_said(found: Standing) -> str:
    """`above all 5 · z = 6.1`, `inside`, `above the 3 of 5 that print it`."""
    z = f" · z = {_z(found.z)}" if found.z is not None else ""
    if not found.is_outside:
        return f"inside{_partly(found)}{z}"
    if found.of == 1:
        return found.place + z
    if found.printed < found.of:
        return f"{found.place} the {found.printed} of {found.of} that print it{z}"
    return f"{found.place} {'both' if found.of == 2 else f'all {found.of}'}{z}"


def lies_said(found: Standing, spread: Spread, *, per_s: bool) -> str:
    """`◆ above all 5 (1.9 to 2.3 per second)`, the mark where it lies outside."""
    low, high = number(spread.low.number), number(spread.high.number)
    of = f" ({low} to {high}{' per second' if per_s else ''})" if low != high else ""
    return f"{'◆ ' if found.is_marked else ''}{standing_said(found)}{of}"


def _partly(found: Standing) -> str:
    return f", printed in {found.printed} of {found.of}" if found.printed < found.of else ""


def _z(z: float) -> str:
    text = f"{z:,.0f}" if abs(z) >= 100 else f"{z:.1f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else "0"
