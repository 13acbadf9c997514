"""Columns by inspection, for undeclared tables and those that vary by machine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from parsers.model import Column, Measure
from parsers.tables.number_parsing import label_scale, number_reader
from parsers.tables.rawtable import RawTable
from parsers.tables.section_declarations import ColumnSpec

_WORD = re.compile(r"[^a-z0-9]+")
_UNIT_WORDS = re.compile(
    r"\s*\((?:ms|us|s|sec|secs|cs|m|mb|gb|kb|k|b|bytes|mins?|thousands)\)|\bmbytes\b", re.IGNORECASE
)
_SIGNS = {
    "%": " pct ",
    "#": " no ",
    "<=": " le ",
    ">=": " ge ",
    "<": " lt ",
    ">": " gt ",
    "‹": " lt ",
    "+": " plus ",
    "&": " and ",
}
_SAMPLE = 40


@lru_cache(maxsize=8192)
def slug(label: str) -> str:
    """`% of Total Waits` → `pct_of_total_waits`."""
    low = label.lower()
    for sign, word in _SIGNS.items():
        low = low.replace(sign, word)
    low = re.sub(r"/\s*(s|sec|second)\b", " per s", low).replace("per second", "per s").replace("per sec", "per s")
    return _WORD.sub("_", low).strip("_")[:80]


def inspect_columns(table: RawTable) -> tuple[ColumnSpec, ...]:
    """Types by label and first cells."""
    out: list[ColumnSpec] = []
    last_numbers: dict[str, int] = {}  # and the last number behind each
    for at, label in enumerate(table.labels):
        name = (
            label
            if not table.groups or not table.groups[at] or label.startswith(table.groups[at])
            else f"{table.groups[at]} {label}"
        )
        spec = _column(name, label, [row[at] for row in table.rows[:_SAMPLE]])
        column_id = spec.id
        while column_id in last_numbers:
            last_numbers[spec.id] += 1
            column_id = f"{spec.id}_{last_numbers[spec.id]}"
        last_numbers[column_id] = 1
        column = spec.column
        out.append(
            ColumnSpec(Column(column_id, label, column.unit, column.better, column.measure), spec.labels, spec.scale)
        )
    return tuple(out)


def _column(name: str, label: str, cells: Sequence[str]) -> ColumnSpec:
    printed = [c for c in cells if c and c != "N/A"]  # text reports print what HTML leaves blank
    unit = _unit(name, printed)
    if unit is None:
        return ColumnSpec(Column(slug(name) or "label", label), (label,))
    stem = slug(_UNIT_WORDS.sub("", name)) or "value"
    suffix = {"s": "_s", "bytes": "_bytes", "bytes_per_s": "_bytes"}.get(unit, "")
    stem = stem if not suffix or stem.endswith(suffix) else stem + suffix
    # The scale may stand in the group header alone ("IO MB/s" over "Mean").
    column = Column(stem, label, unit, "neither", _measure(name, unit))
    return ColumnSpec(column, (label,), label_scale(name, unit))


def _unit(name: str, printed: Sequence[str]) -> str | None:
    """None for text and empty columns."""
    if not printed:
        return None
    for unit in _candidates(name.lower(), timed=any(c.endswith(("ms", "us", "ns")) for c in printed)):
        reader = number_reader(unit, 1.0, exact=False)
        if all(reader[c.rstrip("%")] is not None for c in printed):
            return unit
    return None


@lru_cache(maxsize=2048)
def _candidates(low: str, *, timed: bool) -> tuple[str, ...]:
    rate = bool(re.search(r"/\s?s(ec)?\b|per s(ec|econd)\b", low))
    if "%" in low or low.startswith("pct") or "percent" in low:
        return ("percent",)
    if re.search(r"\bm(ega)?b(ytes)?\b|\bgb\b|\bkb\b|\(m\)|\(b\)|bytes", low):
        return ("bytes_per_s" if rate else "bytes",)
    timed = timed or bool(re.search(r"\((s|ms|us|sec|secs)\)|\btime\b|latency|elapsed", low))
    if timed and not re.search(r"snap time|begin time|end time|startup", low):
        return ("s", "count")
    return ("per_s" if rate else "count",)


@lru_cache(maxsize=2048)
def _measure(name: str, unit: str) -> Measure:
    low = name.lower()
    if unit == "percent":
        return "share"
    if unit in ("per_s", "bytes_per_s"):
        return "rate"
    if re.search(r"\bavg\b|average|mean|std ?dev|latency|per exec|hit%", low):
        return "average"
    return "level"
