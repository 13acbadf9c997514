"""What two people typed in the same form, put together field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Merged:
    """`texts`: by field, and where both changed one to something else (`conflicts`, with what is there) what was typed;
    `mine`: the fields that say what was typed, and not what is there."""

    texts: dict[str, str]
    mine: frozenset[str]
    conflicts: dict[str, str]


def merge(base: Mapping[str, str], typed: Mapping[str, str], now: Mapping[str, str]) -> Merged:
    """`base` is what the form was filled with, `now` what is there. A field that `base` does not have may have been
    anything: then each of both changed it."""
    differ = {name for name, text in typed.items() if text != now.get(name)}
    mine = frozenset(name for name in differ if typed[name] != base.get(name))
    conflicts = {name: now.get(name, "") for name in sorted(mine) if base.get(name) != now.get(name)}
    return Merged({**now, **{name: typed[name] for name in mine}}, mine, conflicts)
