"""What every derived figure and statement carries: the interval of its inputs, and the row it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Estimate:
    """A derived figure with the interval its printed inputs allow."""

    low: float
    value: float
    high: float

    def as_dict(self) -> dict[str, float]:
        return {"low": self.low, "value": self.value, "high": self.high}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Points at the row (and column) a statement rests on."""

    section: str
    key: str
    column: str
    row_id: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"section": self.section, "key": self.key, "column": self.column, "row_id": self.row_id}


__all__ = ["Estimate", "Evidence"]
