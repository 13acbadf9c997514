"""Frozen dataclasses as plain data, for small parts of a stored comparison; `msgspec.convert` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


def dump(thing: Any) -> Any:
    """Mappings and lists of plain values; fields with their default value are omitted."""
    if isinstance(thing, Struct):
        names = thing.__struct_fields__
        defaults = dict(zip(reversed(names), reversed(thing.__struct_defaults__), strict=False))
        values = ((name, getattr(thing, name)) for name in names)
        return {name: dump(v) for name, v in values if name not in defaults or v != defaults[name]}
    if isinstance(thing, tuple | list):
        return [dump(t) for t in thing]
    if isinstance(thing, Mapping):
        return {k: dump(v) for k, v in thing.items()}
    return thing
