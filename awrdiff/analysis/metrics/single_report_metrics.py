"""Metrics of one report in declared units, as precise as printed."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct

from awrdiff.analysis.commit_latency.figures import figures_from
from awrdiff.analysis.commit_latency.inputs_from_report import TOP_BACKGROUND, TOP_FOREGROUND, inputs_of
from awrdiff.analysis.metrics.catalogue import METRICS
from awrdiff.analysis.metrics.declaration_helpers import ACTIVITY, Metric, PrintedCell
from awrdiff.analysis.metrics.formulas import SUM, Sources, as_count, of_all, statistic
from awrdiff.analysis.metrics.top_events_and_statements import (
    LargestEvent,
    LargestStatement,
    largest_events,
    largest_statements,
)
from awrdiff.analysis.names.truncated_names import with_whole_names
from awrdiff.analysis.normal.configuration_fingerprint import PARAMETER_LISTS
from awrdiff.analysis.report.figures_by_name import BACKGROUND, COMBINED, FOREGROUND, TOP, Side
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.report.sql_statements import SAMPLED, TABLES
from awrdiff.analysis.rows.align import INSTANCE
from awrdiff.analysis.rows.deltas import rate
from parsers.model import Report, Row, Section, Value

METRICS_VERSION = 4  # one higher where a stored figure would be another; those of older reports are then made anew
# What is looked at: a report read for this needs no other section.
SECTIONS = frozenset(
    (
        *(cell.section for metric in METRICS for cell in metric.cells),
        *(FOREGROUND, BACKGROUND, COMBINED, TOP, TOP_FOREGROUND, TOP_BACKGROUND),
        *(*TABLES, *SAMPLED),
        *("time_model_by_instance", "instances_in_report"),
        *PARAMETER_LISTS,
    )
)
# Of a row's own unit; a figure in any other is not known.
_AS_PRINTED = (None, "s", "bytes", "count", "blocks", "percent", "load")
_BASE: dict[str | None, float] = {"cs": 1e-2, "ms": 1e-3, "us": 1e-6, "KB": 1024.0, "MB": 1024.0**2, "GB": 1024.0**3}
_BASE |= dict.fromkeys(_AS_PRINTED, 1.0)
# Names by section, as a text report's columns are too narrow for some of them.
_NAMES: dict[str, set[str]] = {
    section: {name for m in METRICS for c in m.cells if c.section in (section, *alike) for name in c.rows}
    for section, alike in (
        *((s, (FOREGROUND, BACKGROUND)) for s in (FOREGROUND, BACKGROUND, COMBINED, TOP)),
        *((s, ()) for s in ("instance_activity", "instance_activity_absolute", "time_model", "os_statistics")),
    )
}


class Metrics(Struct, frozen=True):
    figures: Mapping[str, Value]  # by metric id
    events: tuple[LargestEvent, ...] = ()
    statements: tuple[LargestStatement, ...] = ()


def metrics_of(report: Report) -> Metrics:
    """Empty without interval, as for ASH and ADDM."""
    if report.kind not in OF_AN_INTERVAL:
        return Metrics({})
    side = Side(with_whole_names(report, _NAMES))
    sources = Sources(side, figures_from(inputs_of(side)))
    computed = ((m.id, _figure(m, sources)) for m in METRICS)
    figures = {i: v for i, v in computed if v is not None and math.isfinite(v.number) and math.isfinite(v.half)}
    return Metrics(figures, largest_events(side), largest_statements(side))


def _figure(metric: Metric, sources: Sources) -> Value | None:
    if metric.fact is not None:
        fact = metric.fact(sources)
        return fact if metric.presentation == "as_printed" else _per_second(fact, sources.side)
    for printed in metric.cells:
        value = _in_cell(printed, metric, sources.side)
        if value is not None:
            return value
    return None


def _in_cell(printed: PrintedCell, metric: Metric, side: Side) -> Value | None:
    if printed.rows == (SUM,):
        return of_all(side, printed.section, printed.column)
    section = side.section(printed.section)
    row = _row(printed, section, side)
    value = section.number(row, printed.column) if section is not None and row is not None else None
    if section is None or row is None or value is None:
        never = statistic(side, printed.rows[0]) if printed.section == ACTIVITY else None
        return _per_second(never, side)
    factor = _BASE.get(row.unit)
    if factor is None:
        return None
    value = Value(value.number * factor, value.half * factor)
    accumulates = (
        metric.presentation == "per_second" and section.columns[section.index[printed.column]].measure != "rate"
    )
    return _per_second(value, side) if accumulates else value


def _row(printed: PrintedCell, section: Section | None, side: Side) -> Row | None:
    if printed.rows:
        return side.row(printed.section, *printed.rows)
    alone = section is not None and len(section.records) == 1 and INSTANCE not in section.index
    return section.records[0] if section is not None and alone else None


def _per_second(value: Value | None, side: Side) -> Value | None:
    return rate(as_count(value), side.elapsed) if value is not None and side.elapsed is not None else None
