"""Frozen dataclasses as plain data, for small parts of a stored comparison; `msgspec.convert` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def dump(thing: Any) -> Any:
    """Mappings and lists of plain values; fields with their default value are omitted."""
    if is_dataclass(thing):
        pairs = ((f, getattr(thing, f.name)) for f in fields(thing))
        return {f.name: dump(v) for f, v in pairs if v is not f.default and v != f.default}
    if isinstance(thing, tuple | list):
        return [dump(t) for t in thing]
    if isinstance(thing, Mapping):
        return {k: dump(v) for k, v in thing.items()}
    return thing


__all__ = ["dump"]
