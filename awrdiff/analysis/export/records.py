"""Frozen dataclasses as plain data and back, by their type hints: for parts of a stored comparison that are small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def dump(thing: Any) -> Any:
    """Mappings and lists of plain values; fields that hold their default are left out."""
    if is_dataclass(thing):
        pairs = ((f, getattr(thing, f.name)) for f in fields(thing))
        return {f.name: dump(v) for f, v in pairs if v is not f.default and v != f.default}
    if isinstance(thing, tuple | list):
        return [dump(t) for t in thing]
    if isinstance(thing, Mapping):
        return {k: dump(v) for k, v in thing.items()}
    return thing


def load(kind: Any, document: Any) -> Any:
    """`document` as `kind` wrote it: a dataclass, tuple, mapping, union with None, or a plain value."""
    if document is None:
        return None
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return load(next(a for a in get_args(kind) if a is not type(None)), document)
    if origin is tuple:
        return _tuple(get_args(kind), document)
    if origin is not None and isinstance(document, Mapping):
        return {k: load(get_args(kind)[1], v) for k, v in document.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{k: load(hints[k], v) for k, v in document.items()})
    return document


def _tuple(kinds: tuple[Any, ...], document: Any) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(load(kinds[0], d) for d in document)
    return tuple(load(k, d) for k, d in zip(kinds, document, strict=True))


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


__all__ = ["dump", "load"]
