"""Columns of a section of Oracle's compare report, grouped by figure.

The parser's naming rule (`waits_first`, `waits_pct_diff`), reversed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from parsers.model import Section

PREFIX = "compare_"  # of the ids of sections that hold both periods
Difference = Literal["pct", "diff"]
PERIODS = ("first", "second")
PERIOD_KEYS = ("period", "snapshot_set", "point")  # key columns of tables whose rows stand for the periods

_FIRST = re.compile(r"(?:^|_)first(?=_|$)")
_DIFFERENCE = re.compile(r"^(?P<figure>.*?)_?(?P<kind>pct_diff|diff)(?:_(?:s|bytes|bytes_per_s))?$")


class PeriodColumns(Struct, frozen=True):
    """`name`: column id without period."""

    name: str
    first: str
    second: str
    differences: Mapping[Difference, str] = field(default_factory=dict)

    def of(self, period: str) -> str:
        return self.first if period == "first" else self.second


def figures_of(section: Section) -> tuple[PeriodColumns, ...]:
    """Figures printed for both periods, in column order."""
    column_ids: dict[str, tuple[str, str, str]] = {}
    for first in section.index:
        places = list(_FIRST.finditer(first))
        if not places:
            continue
        start, end = places[-1].span()
        second = f"{first[:start]}{first[start:end].replace('first', 'second')}{first[end:]}"
        if second not in section.index:
            continue
        # a unit behind the period belongs to the figure; a second figure of one name has another ending
        unit = first[end:].removeprefix("_")
        name = "_".join(filter(None, (first[:start], unit)))
        stem = first[:start] if unit in ("", "s", "bytes", "bytes_per_s") else name
        column_ids[name if stem in column_ids else stem] = (name, first, second)
    sided = {column for _, *columns in column_ids.values() for column in columns}
    differences: dict[str, dict[Difference, str]] = {}
    for column in section.index:
        match = _DIFFERENCE.match(column) if column not in sided else None
        if not match:
            continue
        stem, kind = match["figure"], match["kind"].removesuffix("_diff")
        if stem not in column_ids and f"{stem}_pct" in column_ids:
            stem, kind = f"{stem}_pct", "diff"
        elif stem not in column_ids:
            stem = stem.removesuffix("s")
        differences.setdefault(stem, {}).setdefault("pct" if kind == "pct" else "diff", column)
    return tuple(
        PeriodColumns(name, first, second, differences.get(stem, {}))
        for stem, (name, first, second) in column_ids.items()
    )


def differences_only(section: Section) -> bool:
    """True for differences without periods."""
    rows_of_periods = any(k in PERIOD_KEYS for k in section.key)
    return not rows_of_periods and not figures_of(section) and any(_DIFFERENCE.match(c) for c in section.index)
