"""Field-by-field merge of two people's edits of a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Merged:
    """Merged `texts`, typed text at `conflicts` (with current text); `mine`: fields with typed text."""

    texts: dict[str, str]
    mine: frozenset[str]
    conflicts: dict[str, str]


def merge(base: Mapping[str, str], typed: Mapping[str, str], now: Mapping[str, str]) -> Merged:
    """`base` filled the form, `now` is current. Fields missing in `base` count as changed by both."""
    differ = {name for name, text in typed.items() if text != now.get(name)}
    mine = frozenset(name for name in differ if typed[name] != base.get(name))
    conflicts = {name: now.get(name, "") for name in sorted(mine) if base.get(name) != now.get(name)}
    return Merged({**now, **{name: typed[name] for name in mine}}, mine, conflicts)
