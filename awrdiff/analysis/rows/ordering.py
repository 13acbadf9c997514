"""What a section's rows are ordered by: the change that matters most in it, idle events last.

Oracle's own compare report orders by the change of the share of DB time, and operating system statistics
and instance activity by name. Here instance activity stands by significance (see material.significance), histograms by
what their event took; operating system statistics by name, parameters by name with what differs first: values that
changed, then what only one side lists. Tables that are read top to bottom keep the printed order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from awrdiff.analysis.model.comparison import ComparedRow, Delta
from awrdiff.analysis.rows.material import significance
from parsers.model import Column

Order = Literal["weight", "name", "printed"]

_BY_NAME = re.compile(r"^(os_statistics$|init_parameters|init_ora)")
_BY_SIGNIFICANCE = re.compile(r"^instance_activity")
_BY_WEIGHT = re.compile(r"^wait_event_histogram")
_PRINTED = re.compile(
    r"^(load_profile|instance_efficiency|host_cpu|instance_cpu|io_profile|memory_statistics|cache_sizes"
    r"|shared_pool_statistics|os_statistics_detail|database_|snapshot|host_|report_|.*_advisory|sga_|undo_segment_stats|activity_over_time)"
)
_DIFFERENCES_FIRST = re.compile(r"^(init_parameters|init_ora)")
_STATUS = {"changed": 0, "only_first": 1, "only_second": 1, "same": 2}

# What carries the weight, best first; then the figure a section is named after; then the first total.
_TIMES = ("total_wait_time_s", "time_s", "wait_time_s", "db_time_s", "elapsed_time_s")


def order_of(section_id: str, *, known: bool) -> Order:
    if _BY_NAME.match(section_id):
        return "name"
    if not known or _PRINTED.match(section_id):
        return "printed"
    return "weight"


def weight_column(section_id: str, columns: Sequence[Column]) -> str | None:
    """The column whose change orders the rows."""
    numeric = [c for c in columns if c.unit is not None]
    ids = {c.id for c in numeric}
    if section_id.startswith(("sql_by_", "segments_by_")):
        named = section_id.split("_by_", 1)[1]
        found = next((c.id for c in numeric if c.id in (named, f"{named}_s", f"{named}_bytes")), None)
        return found or _first_total(numeric)
    found = next((c for c in _TIMES if c in ids), None)
    if found is not None:
        return found
    return _first_total(numeric)


def weight_of(delta: Delta | None) -> float:
    """The change per second where the figure accumulates, else the plain change; 0 below printed resolution.

    Where one side does not print the row, its whole figure counts, as in Oracle's report.
    """
    if delta is None:
        return 0.0
    if isinstance(delta.first, str) or isinstance(delta.second, str):
        return 0.0
    if delta.first is None or delta.second is None:
        alone = delta.first or delta.second
        rate = delta.first_per_s if delta.first is not None else delta.second_per_s
        return abs(rate if rate is not None else alone.number if alone else 0.0)
    if not (delta.significant or delta.significant_per_s):
        return 0.0
    if delta.first_per_s is not None and delta.second_per_s is not None:
        return abs(delta.second_per_s - delta.first_per_s)
    return abs(delta.diff or 0.0)


def arrange(
    section_id: str, rows: Sequence[ComparedRow], columns: Sequence[Column], *, known: bool
) -> tuple[ComparedRow, ...]:
    """`columns`: those of figures. Rows of one weight stay as they were printed."""
    order = order_of(section_id, known=known)
    if order == "printed":
        return tuple(rows)
    if order == "name":
        apart = _DIFFERENCES_FIRST.match(section_id) is not None
        return tuple(sorted(rows, key=lambda r: (apart and _STATUS[r.status], _name(r))))
    weight = _weighing(section_id, columns)
    return tuple(sorted(rows, key=lambda r: (r.idle, -weight(r))))


def _weighing(section_id: str, columns: Sequence[Column]) -> Callable[[ComparedRow], float]:
    """What a row weighs, worked out once for a section."""
    if _BY_WEIGHT.match(section_id):
        return lambda row: row.weight
    column = weight_column(section_id, columns)
    if column is None:
        return lambda _: 0.0
    of = significance if _BY_SIGNIFICANCE.match(section_id) else weight_of
    return lambda row: of(row.values.get(column))


def _name(row: ComparedRow) -> tuple[str, ...]:
    return tuple(part.lower() for part in row.key.values())


def _first_total(numeric: Sequence[Column]) -> str | None:
    total = next((c.id for c in numeric if c.measure == "total"), None)
    return total or (numeric[0].id if numeric else None)
