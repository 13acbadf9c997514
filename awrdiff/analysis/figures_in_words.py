"""Figures in sentences: short, with unit, without false precision."""

from __future__ import annotations

from collections.abc import Callable

from awrdiff.analysis.model.estimates_and_evidence import Estimate


def number(value: float) -> str:
    """Few digits: 81.4, 3.8, 5,917, 0.12; integers in full.

    Rounded, as equal figures computed in two ways differ in their last bits.
    """
    size = abs(value)
    if size < 100:
        value = float(f"{value:.6g}")
    if size >= 100 or value == int(value):
        return f"{value:,.0f}"
    if size >= 1:
        return f"{value:.1f}"
    return f"{value:.2g}" if size >= 1e-4 else "0"


def between(low: float, high: float, show: Callable[[float], str] = number) -> str:
    """Both ends, or one figure."""
    return " … ".join(dict.fromkeys((show(low), show(high))))


def seconds(value: float) -> str:
    size = abs(value)
    for limit, factor, unit in ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (1e-6, 1e6, "µs")):
        if size >= limit:
            return f"{_three(value * factor)} {unit}"
    return "0 s" if size == 0 else f"{_three(value * 1e9)} ns"


def stretch(seconds_: float) -> str:
    """146 s, 60 min for 3,616 s, then hours and days."""
    for most, unit_s, unit in ((300.0, 1.0, "s"), (7200.0, 60.0, "min"), (48 * 3600.0, 3600.0, "hours")):
        if seconds_ <= most:
            return f"{number(round(seconds_ / unit_s, 1 if unit == 'hours' else None))} {unit}"
    return f"{number(round(seconds_ / 86_400, 1))} days"


def fine_seconds(value: float) -> str:
    """Four digits, for fitted lines: 463.5 s, 61.50 ms."""
    size = abs(value)
    steps = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (1e-6, 1e6, "µs"), (0.0, 1e9, "ns"))
    factor, unit = next((f, u) for limit, f, u in steps if size >= limit)
    scaled = value * factor
    if not value:
        return "0 s"
    decimals = next((d for top, d in ((1000, 0), (100, 1), (10, 2)) if abs(scaled) >= top), 3)
    return f"{scaled:,.{decimals}f} {unit}".replace("-", "−")


def size(value: float, digits: int = 6) -> str:
    """Bytes, with digits to differ: 763,363,328 is 728 MB."""
    value = float(f"{value:.{digits}g}") if abs(value) < 1024 else value
    for power, unit in ((5, "PB"), (4, "TB"), (3, "GB"), (2, "MB"), (1, "kB")):
        if abs(value) >= 1024**power:
            return f"{float(f'{value / 1024**power:.{digits}g}'):,.6g} {unit}"
    return f"{value:,.6g} B"


def wait_text(average: Estimate) -> str:
    """An average printed as 0 has only an upper bound."""
    return seconds(average.value) if average.value > 0 else f"under {seconds(average.high)}"


def percent(share: float) -> str:
    """A share of 0..1."""
    points = share * 100
    if 0 < abs(points) < 0.05:
        return "under 0.1 %"
    return f"{points:.0f} %" if abs(points) >= 10 else f"{points:.1f} %".replace(".0 %", " %")


def change(first: float, second: float) -> str:
    """+13 %, ×21.8 if large, flat below 5 %; ÷1,710 if nearly gone."""
    if first <= 0:
        return "from nothing" if second > 0 else "unchanged"
    factor = second / first
    if factor >= 2.5:
        return f"×{_three(factor)}"
    if 0 < factor <= 0.005:  # would read as −100 %, which is nothing left
        return f"÷{_three(1 / factor)}"
    points = (factor - 1) * 100
    return "flat" if abs(points) < 5 else f"{points:+.0f} %".replace("-", "−")


def listing(items: list[str]) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def several(count: float, singular: str, plural: str) -> str:
    """`1 row`, `12.5 rows`"""
    text = number(count)
    return f"{text} {singular if text == '1' else plural}"


def report_named(place: int, of: int) -> str:
    """`First`, `Second`, or `Report 3` of more; `place` from 0."""
    return ("First", "Second")[place] if of <= 2 else f"Report {place + 1}"


def sentence(text: str) -> str:
    """Capital first, but not for names such as `db file sequential read`."""
    return text[:1].upper() + text[1:]


def _three(value: float) -> str:
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if size >= 10 else f"{value:.2f}"
