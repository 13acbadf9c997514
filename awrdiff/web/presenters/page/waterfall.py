"""The DB-time waterfall: geometry for the server-drawn SVG, and the table that says the same."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Container
from dataclasses import dataclass

from awrdiff.analysis.model.comparison import Attribution, Consumer
from awrdiff.web import format as fmt

WIDTH, HEIGHT = 760, 276
LEFT, RIGHT, TOP, BASE = 44.0, 752.0, 26.0, 224.0
MOST_BARS = 7
MOST_PARTS = 12
LEAST_SHARE = 0.001  # of DB time: smaller changes are in the sections below


@dataclass(frozen=True, slots=True)
class BarView:
    x: float
    y: float
    width: float
    height: float
    cls: str  # first, second, worse, better, rest
    value: str
    value_y: float
    label: tuple[str, ...]
    title: str
    middle: float


@dataclass(frozen=True, slots=True)
class Tick:
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class ConsumerView:
    """One line of the waterfall's table."""

    key: str
    beside: str
    row_id: str | None
    section: str
    change: str
    cls: str
    by_count: str
    by_latency: str
    average: str
    counted: bool


@dataclass(frozen=True, slots=True)
class Waterfall:
    bars: tuple[BarView, ...]
    ticks: tuple[Tick, ...]
    parts: tuple[ConsumerView, ...]
    folded: int  # parts of the table not drawn as a bar of their own
    text: str
    covered: str  # "" where no wait and no CPU is printed
    width: int = WIDTH
    height: int = HEIGHT


def present(attribution: Attribution | None, sections: Container[str]) -> Waterfall | None:
    """`sections`: those of the comparison, whose rows a part can lead to."""
    if attribution is None:
        return None
    steps, folded = _steps(attribution)
    drawn = _bars(attribution, steps)
    a = attribution
    text = f"Average active sessions from {fmt.significant(a.first_per_s)} to {fmt.significant(a.second_per_s)}"
    covered = (
        f"Waits and CPU account for {fmt.share(a.first_covered * 100)} of DB time in First, "
        f"{fmt.share(a.second_covered * 100)} in Second."
        if a.parts
        else ""  # neither report prints them
    )
    least = max(a.first_per_s, a.second_per_s) * LEAST_SHARE
    listed = [p for i, p in enumerate(attribution.parts[:MOST_PARTS]) if i < 3 or abs(p.diff_per_s) >= least]
    parts = tuple(_part(p, linked=p.section in sections) for p in listed)
    return Waterfall(drawn[0], drawn[1], parts, folded, text, covered)


def _steps(a: Attribution) -> tuple[list[tuple[str, float, str]], int]:
    """(label, change, class) of the inner bars: the largest parts, the rest of them, what nothing covers."""
    ranked = sorted(a.parts, key=lambda p: -abs(p.diff_per_s))
    floor = max(abs(a.second_per_s - a.first_per_s), a.first_per_s, a.second_per_s) * 0.005
    shown = [p for p in ranked[:MOST_BARS] if abs(p.diff_per_s) >= floor]
    steps = [(p.key, p.diff_per_s, "worse" if p.diff_per_s > 0 else "better") for p in shown]
    rest = [p for p in ranked if p not in shown]
    others = sum(p.diff_per_s for p in rest)
    if abs(others) >= floor:
        steps.append((fmt.count_text(len(rest), "other"), others, "worse" if others > 0 else "better"))
    if abs(a.residual_per_s) >= floor:
        steps.append(("not in any wait or CPU", a.residual_per_s, "rest"))
    return steps, len(rest)


@dataclass(frozen=True, slots=True)
class _Slots:
    """Equal places for the bars, from left to right."""

    count: int

    @property
    def pitch(self) -> float:
        return (RIGHT - LEFT) / self.count

    def bar(self, at: int, label: str, value: str, cls: str, ends: tuple[float, float]) -> BarView:
        width = min(62.0, self.pitch * 0.74)
        x = LEFT + self.pitch * at + (self.pitch - width) / 2
        top = min(ends)
        lines = tuple(textwrap.wrap(label, max(8, int(self.pitch / 5.6)), max_lines=3, placeholder="…"))
        return BarView(
            x=round(x, 1),
            y=round(top, 1),
            width=round(width, 1),
            height=round(max(max(ends) - top, 1.0), 1),
            cls=cls,
            value=value,
            value_y=round(top - 6, 1),
            label=lines,
            title=f"{label}: {value}",
            middle=round(x + width / 2, 1),
        )


def _bars(a: Attribution, steps: list[tuple[str, float, str]]) -> tuple[tuple[BarView, ...], tuple[Tick, ...]]:
    levels = [a.first_per_s]
    for _, change, _ in steps:
        levels.append(levels[-1] + change)
    low, high = min(0.0, *levels), max(*levels, a.first_per_s, a.second_per_s)
    span = (high - low) or 1.0

    def y(level: float) -> float:
        return BASE - (level - low) / span * (BASE - TOP)

    slots = _Slots(len(steps) + 2)
    bars = [slots.bar(0, "First", fmt.significant(a.first_per_s), "first", (y(0), y(a.first_per_s)))]
    for at, (label, change, cls) in enumerate(steps):
        bars.append(slots.bar(at + 1, label, fmt.signed(change), cls, (y(levels[at]), y(levels[at + 1]))))
    ends = (y(0), y(a.second_per_s))
    bars.append(slots.bar(len(steps) + 1, "Second", fmt.significant(a.second_per_s), "second", ends))
    step = _nice(span / 2.5)
    ticks = [Tick(round(y(step * i), 1), f"{step * i:,g}") for i in range(int(high / step) + 1)]
    return tuple(bars), tuple(ticks)


def _nice(step: float) -> float:
    power = 10 ** math.floor(math.log10(step))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= step * 0.999))


def _part(part: Consumer, *, linked: bool) -> ConsumerView:
    way = fmt.direction(part.diff_per_s)
    averages = [fmt.quantity(v, "s") if v is not None else fmt.NONE for v in (part.first_avg_s, part.second_avg_s)]
    counted = part.by_count_per_s is not None and part.by_latency_per_s is not None
    return ConsumerView(
        key=part.key,
        beside=part.wait_class or "",
        row_id=part.row_id if linked else None,
        section=part.section,
        change=f"{fmt.ARROWS[way]} {fmt.signed(part.diff_per_s)}",
        cls={"up": "worse", "down": "better", "same": "same"}[way],
        by_count=fmt.signed(part.by_count_per_s) if part.by_count_per_s is not None else "",
        by_latency=fmt.signed(part.by_latency_per_s) if part.by_latency_per_s is not None else "",
        average=" → ".join(averages) if any(a != fmt.NONE for a in averages) else fmt.NONE,
        counted=counted,
    )
