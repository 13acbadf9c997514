"""Documents too large for memory, written in pieces: the same bytes as `json.dumps`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


class Parts(dict[str, Any]):
    """Object with `Parts` or iterators as values; written once."""


def pieces(thing: Any) -> Iterator[str]:
    """`json.dumps(thing)`: one line, ASCII only."""
    if isinstance(thing, Parts):
        yield "{"
        for at, (name, value) in enumerate(thing.items()):
            yield f"{', ' if at else ''}{json.dumps(name)}: "
            yield from pieces(value)
        yield "}"
    elif isinstance(thing, Iterator):
        yield "["
        for at, value in enumerate(thing):
            if at:
                yield ", "
            yield from pieces(value)
        yield "]"
    else:
        yield json.dumps(thing, ensure_ascii=True)


def whole(thing: Any) -> Any:
    """Plain dicts and lists."""
    if isinstance(thing, Parts):
        return {name: whole(value) for name, value in thing.items()}
    return [whole(value) for value in thing] if isinstance(thing, Iterator) else thing
