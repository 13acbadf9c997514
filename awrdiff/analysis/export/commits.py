"""Commit latency in the published document: every figure with low, value and high."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from msgspec import Struct

from awrdiff.analysis.commit_latency import catalogue
from awrdiff.analysis.commit_latency.lead import lead
from awrdiff.analysis.model.commits import CommitLatency


def commit_dict(latency: CommitLatency) -> dict[str, Any]:
    return {
        "lead": lead(latency.reports) if latency.reports else "",
        "reports": as_json(latency.reports),
        "instances": as_json(latency.instances),
        "change": as_json(latency.change),
        "split": as_json(latency.split),
        "causes": as_json(latency.causes),
        "unsettled": as_json(latency.unsettled),
        "what_if": as_json(latency.what_if),
        "material": latency.material,
        "not_material": latency.not_material,
        "events": as_json(latency.events),
        "catalogue": as_json(catalogue.as_dict()),
    }


def as_json(thing: Any) -> Any:
    """Dataclasses as objects, numbers to 12 significant digits, integers without `.0`."""
    if isinstance(thing, Struct):
        return {name: as_json(getattr(thing, name)) for name in thing.__struct_fields__}
    if isinstance(thing, tuple | list):
        return [as_json(t) for t in thing]
    if isinstance(thing, Mapping):
        return {k: as_json(v) for k, v in thing.items()}
    return _plain(thing) if isinstance(thing, float) else thing


def _plain(number: float) -> float | int | None:
    if not isfinite(number):  # figures beyond all measure, as no report prints them
        return None
    if number == int(number) and abs(number) < 2**63:
        return int(number)
    return float(f"{number:.12g}")
