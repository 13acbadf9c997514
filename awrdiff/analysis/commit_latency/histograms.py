"""Wait histograms: counts with bounds, means, percentiles, curves. Seconds, shares of 1.

docs/commit-latency.md, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import inf, log2, sqrt

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs_from_report import row
from awrdiff.analysis.commit_latency.interval_arithmetic import complement, estimate, minus, total, within
from awrdiff.analysis.model.commit_latency import Between, Bucket, CdfPoint, Distribution
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.names.oracle_releases import release_numbers
from awrdiff.analysis.report.figures_by_name import Event
from parsers.model import Report, Row, Section, Value

SECTION = "wait_event_histogram"
_BUCKET = re.compile(r"pct_(lt|le|gt|ge)_([1-9]\d{0,5})(us|ms|s|m|h)$")
_DETAIL = re.compile(r"waits_(\w+)_to_(\w+)$")
_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 6e7, "h": 3.6e9}
_ENOUGH, _OFF = 1000, 1.25  # waits; times as far as the edges of the buckets allow
_UNSHOWN = 0.05  # percent: what prints as .0


class Slot(Struct, frozen=True):
    """Printed cell: share in percent, bucket edges in seconds."""

    low_s: float
    high_s: float
    share: Value
    column: str


class Group(Struct, frozen=True):
    """Cells whose waits add up to one count."""

    slots: tuple[int, ...]
    waits: Estimate


def distribution_of(
    report: Report, event: str, *, waits: Value | None = None, total_s: Value | None = None
) -> Distribution | None:
    """`waits`, `total_s`: foreground and background event rows."""
    section, wanted = report.section(SECTION), event.lower()
    if section is None:
        return None
    names = [(section.text(r, "event").lower(), r) for r in section.records]
    cut_names = (r for name, r in names if len(name) >= 20 and wanted.startswith(name))
    record = next((r for name, r in names if name == wanted), None) or next(cut_names, None)
    if record is None:
        return None
    slots = slots_of(section, record, fine=has_microseconds(report.release))
    printed = section.number(record, "waits")
    if not slots or printed is None or printed.number <= 0:
        return None
    number = total_waits(printed, waits)
    counts = _counts(slots, _groups(section, record, slots, number), number)
    buckets = tuple(
        Bucket(s.low_s, None if s.high_s == inf else s.high_s, c, s.column) for s, c in zip(slots, counts, strict=True)
    )
    name = section.text(record, "event")
    total_s = total_s if waits is not None else None
    cdf = cdf_of(buckets, number.value)
    filled = [i for i, b in enumerate(buckets) if b.waits.high > 0] or [0]
    used = slice(filled[0], filled[-1] + 1)
    return Distribution(
        event=name,
        waits=number,
        buckets=buckets[used],
        cdf=cdf[used],
        mean_s=_moment(buckets, number.value, total_s, lambda w: w),
        mean_square_s2=_moment(buckets, number.value, total_s, lambda w: w * w),
        p50=percentile(buckets, number.value, 0.50),
        p95=percentile(buckets, number.value, 0.95),
        p99=percentile(buckets, number.value, 0.99),
        over_16ms=over(cdf, 0.016),
        over_32ms=over(cdf, 0.032),
        evidence=row(SECTION, name, "waits"),
        open_ended=buckets[-1].high_s is None and buckets[-1].waits.value > 0,
    )


def distribution_of_rows(report: Report, event: Event | None, background: Event | None = None) -> Distribution | None:
    """None where the rows contradict it."""
    if event is None:
        return None
    parts = [e for e in (event, background) if e is not None]
    waits = [e.waits for e in parts if e.waits is not None]
    number = Value(sum(w.number for w in waits), sum(w.half for w in waits)) if len(waits) == len(parts) else None
    total = Value(sum(e.total.number for e in parts), sum(e.total.half for e in parts))
    histogram = distribution_of(report, event.name, waits=number, total_s=total)
    mean = histogram.mean_s if histogram is not None else None
    if histogram is None or mean is None or number is None or min(number.low, histogram.waits.low) < _ENOUGH:
        return histogram
    low, high = max(total.low, 0.0) / number.high, total.high / number.low
    is_denied = high * _OFF < mean.low or low > mean.high * _OFF  # by its edges, after a counter's reset
    return None if is_denied else histogram


def least_time(histogram: Distribution, share: float) -> float:
    """Least share (0..1) of time in this share of waits."""
    remaining, waited, whole = share * histogram.waits.value, 0.0, 0.0
    for bucket, middle in zip(histogram.buckets, representatives(histogram.buckets, None), strict=True):
        of = min(bucket.waits.value, remaining)
        remaining -= of
        waited += of * middle
        whole += bucket.waits.value * middle
    return waited / whole if whole > 0 else 0.0


def has_microseconds(release: str | None) -> bool:
    """12.2 on: buckets from 1 us, milliseconds of 1024."""
    return release_numbers(release) >= (12, 2)


@lru_cache(maxsize=512)
def edge_s(amount: int, unit: str, *, fine: bool) -> float:
    """Seconds; to 12.1 a millisecond is 1000 us, then 1024."""
    base = 1.0 if fine else 1e3
    return float(base * 2.0 ** round(log2(amount * _US[unit] / base))) / 1e6


@lru_cache(maxsize=64)
def _edges(columns: tuple[str, ...], fine: bool) -> tuple[tuple[int, str, str, float], ...]:  # noqa: FBT001
    """(position, column id, sign, edge in seconds)"""
    matches = ((at, c, _BUCKET.match(c)) for at, c in enumerate(columns))
    return tuple((at, c, m[1], edge_s(int(m[2]), m[3], fine=fine)) for at, c, m in matches if m)


def slots_of(section: Section, record: Row, *, fine: bool) -> list[Slot]:
    """Each begins where the one before ends."""
    out: list[Slot] = []
    low = 0.0
    for at, column, sign, edge in _edges(tuple(section.index), fine):
        cell = record.cells[at]
        if not isinstance(cell, Value):
            continue
        high = edge if sign in ("lt", "le") else inf
        if high <= low:  # labels that no report prints
            continue
        out.append(Slot(low, high, cell, column))
        low = edge
    return out


def total_waits(printed: Value, counted_waits: Value | None) -> Estimate:
    """Exact where the wait events agree with the histogram."""
    if counted_waits is not None and printed.low <= counted_waits.number <= printed.high:
        return estimate(counted_waits)
    return estimate(printed)


def _groups(section: Section, record: Row, slots: Sequence[Slot], number: Estimate) -> list[Group]:
    at = {s.column: i for i, s in enumerate(slots)}
    groups: list[Group] = []
    used: set[int] = set()
    for column in section.index:
        match = _DETAIL.match(column)
        count = section.number(record, column) if match else None
        if match is None or count is None:
            continue
        first, last = at.get(f"pct_lt_{match[1]}"), at.get(f"pct_lt_{match[2]}")
        if first is not None and last is not None:
            members = tuple(i for i in range(first, last + 1) if i not in used)
            groups.append(Group(members, within(estimate(count))))
            used.update(members)
    rest = tuple(i for i in range(len(slots)) if i not in used)
    return [Group(rest, within(minus(number, total(g.waits for g in groups)))), *groups]


def _counts(slots: Sequence[Slot], groups: Sequence[Group], number: Estimate) -> list[Estimate]:
    bounds = [_bounds(s.share, number.value) for s in slots]
    mode = max(range(len(slots)), key=lambda i: slots[i].share.number)
    out = list(bounds)
    for group in groups:
        values = _spread([bounds[i] for i in group.slots], group, mode, slots)
        for i, value in zip(group.slots, values, strict=True):
            low, high = bounds[i].low, min(bounds[i].high, max(group.waits.high, bounds[i].low))
            out[i] = Estimate(min(low, value), value, max(high, value))
    return out


def _bounds(share: Value, number: float) -> Estimate:
    """Blank is none, `.0` one wait at least, others ± half a digit."""
    if share.number == 0:
        if share.half == 0:
            return Estimate(0.0, 0.0, 0.0)
        return Estimate(1.0, 1.0, max(1.0, _UNSHOWN / 100 * number))
    low, high = share.low / 100 * number, share.high / 100 * number
    return Estimate(max(low, 1.0), max(share.number / 100 * number, 1.0), max(high, 1.0))


def _spread(bounds: Sequence[Estimate], group: Group, mode: int, slots: Sequence[Slot]) -> list[float]:
    """`.0` cells share what is left geometrically from the mode."""
    whole = group.waits.value
    tiny = [k for k, i in enumerate(group.slots) if slots[i].share == (0, 0.05)]
    tiny.sort(key=lambda k: abs(group.slots[k] - mode))
    printed = sum(b.value for k, b in enumerate(bounds) if k not in tiny)
    values = [b.value for b in bounds]
    remainder = max(whole - printed, float(len(tiny)))
    for k, share in zip(tiny, geometric(len(tiny), remainder), strict=True):
        values[k] = min(share, bounds[k].high)
    tiny_waits = sum(values[k] for k in tiny)
    if printed > 0 and whole > tiny_waits:
        factor = (whole - tiny_waits) / printed
        values = [v if k in tiny else v * factor for k, v in enumerate(values)]
    return values


def geometric(terms: int, total: float) -> list[float]:
    """`terms` falling shares of `total`: r^(n−1), …, r, 1"""
    if terms == 0:
        return []
    if total <= terms:
        return [1.0] * terms
    if terms == 1:
        return [total]
    low, high = 1.0, total ** (1 / (terms - 1))
    for _ in range(40):
        middle = sqrt(low * high)
        if sum(middle**i for i in range(terms)) < total:
            low = middle
        else:
            high = middle
    return [high**i for i in reversed(range(terms))]


_WIDE = 4.0  # from its low to its high; buckets double, and Statspack's last reaches from 32 ms to 1 s


def representatives(buckets: Sequence[Bucket], total_s: Value | None) -> list[float]:
    """√(low·high), 2·low if wide; first: the total's rest (to 12.1)."""
    middle = [
        b.low_s
        if b.high_s is None
        else sqrt(b.low_s * (min(b.high_s, _WIDE * b.low_s) if b.waits.value < before else b.high_s))
        for b, before in zip(buckets, (0.0, *(b.waits.value for b in buckets)), strict=False)
    ]
    first = buckets[0]
    top = first.high_s if first.high_s is not None else 0.0
    if first.low_s > 0:
        return middle
    middle[0] = top / 2
    if total_s is not None and top >= 1e-3 and first.waits.value > 0:
        later_buckets = sum(m * b.waits.value for m, b in zip(middle[1:], buckets[1:], strict=True))
        middle[0] = min(max((total_s.number - later_buckets) / first.waits.value, 0.0), top)
    return middle


def _moment(
    buckets: Sequence[Bucket], number: float, total_s: Value | None, of: Callable[[float], float]
) -> Estimate | None:
    """E[of(w)]; bounds with all waits at edges, None with waits in an open-ended bucket."""
    if any(b.high_s is None and b.waits.value > 0 for b in buckets) or number <= 0:
        return None
    closed = [b for b in buckets if b.high_s is not None]
    middle = representatives(closed, total_s)
    value = sum(of(m) * b.waits.value for m, b in zip(middle, closed, strict=True)) / number
    low = _extreme(closed, number, lambda b: of(b.low_s), cheapest=True)
    high = _extreme(closed, number, lambda b: of(b.high_s or 0.0), cheapest=False)
    return Estimate(min(low, value), value, max(high, value))


def _extreme(buckets: Sequence[Bucket], number: float, worth: Callable[[Bucket], float], *, cheapest: bool) -> float:
    counts = {id(b): b.waits.low for b in buckets}
    remaining = number - sum(counts.values())
    for b in buckets if cheapest else reversed(buckets):
        more = min(max(remaining, 0.0), b.waits.high - b.waits.low)
        counts[id(b)] += more
        remaining -= more
    whole = max(sum(counts.values()), 1e-12)
    return sum(worth(b) * counts[id(b)] for b in buckets) / whole


def cdf_of(buckets: Sequence[Bucket], number: float) -> tuple[CdfPoint, ...]:
    out: list[CdfPoint] = []
    below = list(accumulate(b.waits.value for b in buckets))
    whole = below[-1] or 1.0  # by the same additions, so that behind the last wait the share is 1 to the last digit
    for b, waits, (low, high) in zip(buckets, below, _shares_below(buckets, number), strict=True):
        if b.high_s is None:
            break
        value = waits / whole
        out.append(CdfPoint(b.high_s, Estimate(min(low, value), value, max(high, value))))
    return tuple(out)


def _shares_below(buckets: Sequence[Bucket], number: float) -> Iterator[tuple[float, float]]:
    least, most = list(accumulate(b.waits.low for b in buckets)), list(accumulate(b.waits.high for b in buckets))
    for low, high in zip(least, most, strict=True):
        at_least, at_most = max(low, number - (most[-1] - high)), min(high, number - (least[-1] - low))
        yield min(max(at_least / number, 0.0), 1.0), min(max(at_most / number, 0.0), 1.0)


def percentile(buckets: Sequence[Bucket], number: float, share: float) -> Between:
    """Edges around the wait above `share` (0..1) of all."""
    low, high = 0.0, None
    has_low = False
    for b, (least, most) in zip(buckets, _shares_below(buckets, number), strict=True):
        if not has_low and most >= share:
            low, has_low = b.low_s, True
        if least >= share:
            high = b.high_s
            break
    return Between(low, high)


def over(cdf: Sequence[CdfPoint], limit_s: float) -> Estimate | None:
    """Share above `limit_s`; edges within 3 % count (16 ms is 16.4 from 12.2)."""
    return next((complement(p.share) for p in cdf if abs(p.edge_s / limit_s - 1.0) < 0.03), None)
