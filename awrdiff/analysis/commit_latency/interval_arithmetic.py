"""Interval arithmetic on estimates."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from awrdiff.analysis.model.comparison import Estimate
from parsers.model import Value


def estimate(value: Value) -> Estimate:
    return Estimate(value.low, value.number, value.high)


def difference(a: Estimate | None, b: Estimate | None) -> Estimate | None:
    return minus(b, a) if a is not None and b is not None else None


def factor(a: Estimate | None, b: Estimate | None) -> float | None:
    """`b` ÷ `a` as printed; None where `a` is 0."""
    return b.value / a.value if a is not None and b is not None and a.value > 0 else None


def scaled(a: Estimate, by: float) -> Estimate:
    return Estimate(a.low * by, a.value * by, a.high * by)


def within(a: Estimate, low: float = 0.0, high: float = inf) -> Estimate:
    return Estimate(*(min(max(s, low), high) for s in (a.low, a.value, a.high)))


def minus(a: Estimate, b: Estimate) -> Estimate:
    return Estimate(a.low - b.high, a.value - b.value, a.high - b.low)


def total(parts: Iterable[Estimate]) -> Estimate:
    every = list(parts)
    return Estimate(sum(e.low for e in every), sum(e.value for e in every), sum(e.high for e in every))


def times(a: Estimate, b: Estimate) -> Estimate:
    """`b` is a count or a share: never negative."""
    corners = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    return Estimate(min(corners), a.value * b.value, max(corners))


def over(a: Estimate | None, b: Estimate | None) -> Estimate | None:
    """`a` ÷ `b`; None where `b` may be 0."""
    if a is None or b is None or b.low <= 0:
        return None
    corners = (a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high)
    return Estimate(min(corners), a.value / b.value, max(corners))


def complement(share: Estimate) -> Estimate:
    return Estimate(1.0 - share.high, 1.0 - share.value, 1.0 - share.low)


def exactly(value: float) -> Estimate:
    return Estimate(value, value, value)
