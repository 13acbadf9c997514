"""What the parsers remember between two files: a report that was read before is read faster than any user's ever is."""

from __future__ import annotations

import sys

from parsers.tables import number_parsing


def forget() -> None:
    """As if this process had read nothing yet."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "parsers":
            for thing in list(vars(module).values()):
                if callable(clear := getattr(thing, "cache_clear", None)):
                    clear()
    for reader in number_parsing._READERS.values():
        reader.clear()
        reader.unreadable.clear()


__all__ = ["forget"]
