"""Structs as JSON has them."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins


def listed(thing: Any) -> Any:
    """Mappings and lists of plain values; `to_builtins` alone would leave tuples."""
    return _listed(to_builtins(thing))


def _listed(thing: Any) -> Any:
    if isinstance(thing, tuple | list):
        return [_listed(each) for each in thing]
    return {name: _listed(each) for name, each in thing.items()} if isinstance(thing, dict) else thing
