"""The tables of docs/reference/metrics.md: every figure that is followed over time."""

from __future__ import annotations

from itertools import groupby

from awrdiff.analysis.metrics.catalogue import METRICS
from awrdiff.analysis.metrics.declaration_helpers import GROUPS, UNITS, Metric, PrintedCell


def metrics() -> str:
    parts = []
    for group, of_group in groupby(METRICS, key=lambda m: m.group):
        rows = "\n".join(map(_row, of_group))
        parts.append(
            f"## {GROUPS[group]}\n\n| id | figure | unit | better | printed in |\n|---|---|---|---|---|\n{rows}\n"
        )
    return "\n".join(parts)


def _row(metric: Metric) -> str:
    where = "; ".join(map(_where, metric.cells))
    cells = (f"`{metric.id}`", metric.title, UNITS.get(metric.unit, metric.unit), metric.better, where)
    return "| " + " | ".join(cells) + " |"


def _where(printed: PrintedCell) -> str:
    row = " or ".join(f"“{name}”" for name in printed.rows)
    return f"`{printed.section}`{' ' + row if row else ''}, `{printed.column}`"
