"""Support of derived figures and statements: interval of inputs, and source row."""

from __future__ import annotations

from msgspec import Struct


class Estimate(Struct, frozen=True):
    low: float
    value: float
    high: float


class Evidence(Struct, frozen=True):
    """Row, and column, supporting a statement."""

    section: str
    key: str
    column: str
    row_id: str | None = None
