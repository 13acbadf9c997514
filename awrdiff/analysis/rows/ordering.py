"""Order of a section's rows: largest change first, idle events last; tables read from the top as printed.

Instance activity by material.significance, histograms by event time, OS statistics and parameters by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from awrdiff.analysis.model.comparison import ComparedRow, Delta
from awrdiff.analysis.rows.materiality import significance
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


def order_of(section_id: str, *, is_declared: bool) -> Order:
    if _BY_NAME.match(section_id):
        return "name"
    if not is_declared or _PRINTED.match(section_id):
        return "printed"
    return "weight"


def weight_column(section_id: str, columns: Sequence[Column]) -> str | None:
    numeric = [c for c in columns if c.unit is not None]
    ids = {c.id for c in numeric}
    if section_id.startswith(("sql_by_", "segments_by_")):
        order_name = section_id.split("_by_", 1)[1]
        column = next((c.id for c in numeric if c.id in (order_name, f"{order_name}_s", f"{order_name}_bytes")), None)
        return column or _first_total(numeric)
    column = next((c for c in _TIMES if c in ids), None)
    if column is not None:
        return column
    return _first_total(numeric)


def weight_of(delta: Delta | None) -> float:
    """Per second; 0 below print; one-sided rows in full."""
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
    section_id: str, rows: Sequence[ComparedRow], columns: Sequence[Column], *, is_declared: bool
) -> tuple[ComparedRow, ...]:
    """`columns`: of figures. Equal weights keep printed order."""
    order = order_of(section_id, is_declared=is_declared)
    if order == "printed":
        return tuple(rows)
    if order == "name":
        apart = _DIFFERENCES_FIRST.match(section_id) is not None
        return tuple(
            sorted(rows, key=lambda r: (apart and _STATUS[r.status], tuple(part.lower() for part in r.key.values())))
        )
    weight = _weighing(section_id, columns)
    return tuple(sorted(rows, key=lambda r: (r.idle, -weight(r))))


def _weighing(section_id: str, columns: Sequence[Column]) -> Callable[[ComparedRow], float]:
    if _BY_WEIGHT.match(section_id):
        return lambda row: row.weight
    column = weight_column(section_id, columns)
    if column is None:
        return lambda _: 0.0
    of = significance if _BY_SIGNIFICANCE.match(section_id) else weight_of
    return lambda row: of(row.values.get(column))


def _first_total(numeric: Sequence[Column]) -> str | None:
    total = next((c.id for c in numeric if c.measure == "total"), None)
    return total or (numeric[0].id if numeric else None)
