"""Change of average active sessions, split by CPU and foreground event.

With r waits per second of average l, t = r·l: t2 − t1 = L·ln(r2/r1) + L·ln(l2/l1), L = (t2 − t1)/ln(t2/t1).
"""

from __future__ import annotations

from math import log
from typing import Literal

from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Attribution, Consumer
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.names.wait_events import is_background_event, wait_class_of
from awrdiff.analysis.report.figures_by_name import COMBINED, FOREGROUND, Event, Side, once_per_side
from awrdiff.analysis.report.kinds import weighable
from awrdiff.analysis.report.rac_cluster_figures import where_printed
from awrdiff.analysis.rows.align import anchor

CPU = "DB CPU"
_MOSTLY = 1.5  # times as much as the other of how often and how long: three fifths of both
CPU_ROW = Evidence("time_model", CPU, "time_s", anchor("time_model", CPU))
Way = Literal["count", "latency", "both"]


def attribute(first: Side, second: Side) -> Attribution | None:
    """None without DB time, elapsed time or all parts."""
    if not weighable(first, second):
        return None
    a, b = first.per_second(first.db_time), second.per_second(second.db_time)
    if a is None or b is None:
        return None
    parts = _events(first, second)
    before, now = first.per_second(first.db_cpu), second.per_second(second.db_cpu)
    if before is not None and now is not None:
        row = where_printed(CPU_ROW, first.report, second.report)
        cpu = Consumer(CPU, None, before, now, now - before, None, None, row_id=row.row_id, section=row.section)
        parts.append(cpu)
    parts.sort(key=lambda p: (-abs(p.diff_per_s), p.key))
    explained = sum(p.diff_per_s for p in parts)
    return Attribution(
        first_per_s=a,
        second_per_s=b,
        parts=tuple(parts),
        residual_per_s=b - a - explained,
        first_covered=sum(p.first_per_s or 0.0 for p in parts) / a,
        second_covered=sum(p.second_per_s or 0.0 for p in parts) / b,
    )


def sessions_by_class(a: Attribution) -> tuple[dict[str, float], dict[str, float]]:
    """Active sessions per side by wait class or "CPU"."""
    sides: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for part in a.parts:
        name = "CPU" if part.key == CPU else part.wait_class or wait_class_of(part.key) or "Other"
        for side, sessions in zip(sides, (part.first_per_s, part.second_per_s), strict=True):
            if sessions is not None:
                side[name] = side.get(name, 0.0) + sessions
    return sides


@once_per_side
def unaccounted_share(side: Side) -> float | None:
    """Share (0..1) of DB time neither wait nor CPU; None if unreadable."""
    if not side.foreground or side.foreground_is_partial or not side.lists_waits or side.db_cpu is None:
        return None
    whole = side.per_second(side.db_time)
    if side.unread_waits or whole is None or not weighable(side, side):
        return None
    parts = (side.db_cpu, *(e.total for e in side.foreground.values() if not _of_background(e, side)))
    return max(1.0 - sum(side.per_second(p) or 0.0 for p in parts) / whole, 0.0)


def _events(first: Side, second: Side) -> list[Consumer]:
    if not (first.lists_waits and second.lists_waits):
        return []  # a side prints no waits at all: which of them moved is not known
    unread = first.unread_waits | second.unread_waits  # how much of the change is theirs is not known
    names = {n: e for n, e in {**second.foreground, **first.foreground}.items() if n not in unread}
    bounds = (_least(first), _least(second))
    parts = []
    for name, event in names.items():
        a, b = first.foreground.get(name), second.foreground.get(name)
        if any(_of_background(e, other) for e, other in ((a, second), (b, first)) if e):
            continue
        part = _shared_event(a, b, first, second) if a and b else _one_sided_consumer(a, b, first, second, bounds)
        if part is not None:
            event_class = first.wait_class(event.name) or second.wait_class(event.name)
            row_id = anchor(event.section, event.name)
            parts.append(replace(part, wait_class=event_class, row_id=row_id, section=event.section))
    return parts


def _shared_event(a: Event, b: Event, first: Side, second: Side) -> Consumer | None:
    x, y = first.per_second(a.total), second.per_second(b.total)
    if x is None or y is None:
        return None
    by_count, by_latency = split_change(first.per_second(a.waits), second.per_second(b.waits), a.average_s, b.average_s)
    return Consumer(a.name, None, x, y, y - x, by_count, by_latency, a.average_s, b.average_s)


def split_change(
    first_rate: float | None, second_rate: float | None, first_avg: float | None, second_avg: float | None
) -> tuple[float | None, float | None]:
    """Change by count, by latency; None without a factor."""
    if first_rate is None or second_rate is None or first_avg is None or second_avg is None:
        return None, None
    if min(first_rate, second_rate, first_avg, second_avg) <= 0:  # no logarithm of nothing: the middle of both orders
        by_count = (second_rate - first_rate) * (first_avg + second_avg) / 2
        return by_count, (second_avg - first_avg) * (first_rate + second_rate) / 2
    a = first_rate * first_avg
    b = second_rate * second_avg
    by_count = ((a + b) / 2 if abs(b - a) < 1e-4 * a else (b - a) / log(b / a)) * log(second_rate / first_rate)
    return by_count, second_rate * second_avg - first_rate * first_avg - by_count


def main_way(by_count: float, by_latency: float) -> Way:
    """Factor that moved a wait; both where neither dominates."""
    larger, smaller = sorted((abs(by_count), abs(by_latency)), reverse=True)
    if by_count * by_latency >= 0 and larger < _MOSTLY * smaller:
        return "both"
    return "count" if abs(by_count) > abs(by_latency) else "latency"


def _one_sided_consumer(
    a: Event | None, b: Event | None, first: Side, second: Side, bounds: tuple[float, float]
) -> Consumer | None:
    present, side, other, bound = (a, first, second, bounds[1]) if a else (b, second, first, bounds[0])
    rate = side.per_second(present.total) if present else None
    if present is None or rate is None:
        return None
    size = max(rate - bound, 0.0) if other.foreground_is_partial else rate
    diff, average = -size if a else size, present.average_s
    by_count, latency = (None, None) if other.foreground_is_partial else (diff, 0.0)
    if a:
        return Consumer(present.name, None, rate, None, diff, by_count, latency, average, None)
    return Consumer(present.name, None, None, rate, diff, by_count, latency, None, average)


def _of_background(event: Event, other: Side) -> bool:
    if event.section == FOREGROUND:
        return False
    name = event.name.lower()
    alone = event.section == COMBINED and name in other.background and name not in other.foreground
    return alone or is_background_event(name)


def _least(side: Side) -> float:
    rates = [r for e in side.foreground.values() if (r := side.per_second(e.total)) is not None]
    return min(rates, default=0.0)
