"""Frozen dataclasses as plain data and back, by their type hints: for parts of a stored comparison that are small."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    read = _reader(kind)
    return document if read is None or document is None else read(document)


Reader = Callable[[Any], Any]


@lru_cache(maxsize=512)
def _reader(kind: Any) -> Reader | None:
    """What makes a `kind` of what stands for one, told from the hints once; None where that is the thing itself."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _reader(next(a for a in get_args(kind) if a is not type(None)))
    if origin is tuple:
        return _of_tuple(get_args(kind))
    if origin is not None:
        return _of_mapping(get_args(kind))
    return _of_record(kind) if isinstance(kind, type) and is_dataclass(kind) else None


def _of_tuple(kinds: tuple[Any, ...]) -> Reader:
    if len(kinds) != 2 or kinds[1] is not Ellipsis:
        return lambda document: tuple(load(k, d) for k, d in zip(kinds, document, strict=True))
    read = _reader(kinds[0])
    return tuple if read is None else lambda document: tuple([None if d is None else read(d) for d in document])


def _of_mapping(kinds: tuple[Any, ...]) -> Reader:
    """Whatever else has arguments, such as a choice of words, is a plain value."""

    def read(document: Any) -> Any:
        if not isinstance(document, Mapping):
            return document
        return {k: load(kinds[1], v) for k, v in document.items()}

    return read


def _of_record(kind: type) -> Reader:
    known: dict[str, Reader | None] = {}  # by field; the first time it is met, as a record may hold its own kind

    def read(document: Mapping[str, Any]) -> Any:
        if not known:
            known.update({name: _reader(hint) for name, hint in get_type_hints(kind).items()})
        return kind(**{k: v if (of := known[k]) is None or v is None else of(v) for k, v in document.items()})

    return read


__all__ = ["dump", "load"]
