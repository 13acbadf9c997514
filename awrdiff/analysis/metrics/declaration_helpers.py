"""Declarations of metrics: label, printed cells, unit, direction."""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.metrics import formulas
from awrdiff.analysis.metrics.formulas import CLASSES_OF_ALL, SUM, WAIT_CLASSES, Fact
from awrdiff.analysis.report.figures_by_name import BACKGROUND, FOREGROUND
from awrdiff.analysis.report.rac_instance_rows import TIME_MODEL
from parsers.model import Better

UNITS = {
    "sessions": "active sessions",
    "per_s": "per second",
    "bytes_per_s": "bytes per second",
    "per_hour": "per hour",
    "s": "seconds",
    "percent": "%",
    "load": "run queue",
}
GROUPS = {
    "load": "Load",
    "time": "Time model",
    "waits": "Wait classes of sessions",
    "events": "Wait events",
    "commits": "Commits and redo",
    "io": "Reads and writes",
    "memory": "Memory",
    "host": "Host and sessions",
    "cluster": "Cluster",
}

Group = Literal["load", "time", "waits", "events", "commits", "io", "memory", "host", "cluster"]
Unit = Literal["sessions", "per_s", "bytes_per_s", "per_hour", "s", "bytes", "count", "percent", "ratio", "load"]
Presentation = Literal["per_second", "as_printed"]
ACTIVITY = "instance_activity"


class PrintedCell(NamedTuple):
    """`rows`: names by release, empty for single-row tables."""

    section: str
    rows: tuple[str, ...]
    column: str


class Metric(Struct, frozen=True):
    """`cells`: preferred first.

    `presentation`: totals become rates per second. `fact`: computed instead.
    """

    id: str
    title: str
    cells: tuple[PrintedCell, ...]
    unit: Unit
    better: Better
    presentation: Presentation
    fact: Fact | None = None
    group: Group = "load"


def cell(section: str, column: str, *rows: str) -> PrintedCell:
    return PrintedCell(section, rows, column)


def of_group(group: Group, *metrics: Metric) -> tuple[Metric, ...]:
    return tuple(replace(metric, group=group) for metric in metrics)


def printed(metric: str, title: str, unit: Unit, better: Better, *cells: PrintedCell) -> Metric:
    return Metric(metric, title, cells, unit, better, "as_printed")


def accumulated(metric: str, title: str, unit: Unit, better: Better, *cells: PrintedCell) -> Metric:
    return Metric(metric, title, cells, unit, better, "per_second")


def counter(
    metric: str,
    title: str,
    statistic: str,
    *,
    unit: Unit = "per_s",
    better: Better = "neither",
    load: tuple[str, ...] = (),
) -> Metric:
    """`load`: its load profile name, for reports without statistics."""
    cells = [cell(ACTIVITY, "total", statistic)]
    if load:
        cells.append(cell("load_profile", "per_second", *load))
    return accumulated(metric, title, unit, better, *cells)


def cost(metric: str, title: str, statistic: str, *, load: tuple[str, ...] = ()) -> Metric:
    """Counter of what had better be rare."""
    return counter(metric, title, statistic, better="lower", load=load)


def timed(metric: str, title: str, statistic: str) -> Metric:
    cells = (cell(TIME_MODEL, "time_s", statistic),)
    fact: Fact = lambda sources: sources.side.time_model(statistic)  # noqa: E731
    return Metric(metric, title, cells, "sessions", "lower", "per_second", fact)


def wait_class(metric: str, name: str) -> Metric:
    column = f"{metric.removeprefix('waits_')}_s"
    cells = (cell(WAIT_CLASSES, "total_wait_time_s", name), cell(CLASSES_OF_ALL, column, SUM))
    return Metric(metric, name, cells, "sessions", "lower", "per_second", formulas.of_wait_class(name, column))


def event(metric: str, name: str) -> Metric:
    cells = (cell(FOREGROUND, "total_wait_time_s", name),)
    return Metric(metric, name, cells, "sessions", "lower", "per_second", formulas.of_event(name))


def background_event(metric: str, name: str) -> Metric:
    cells = (cell(BACKGROUND, "total_wait_time_s", name),)
    return Metric(metric, name, cells, "sessions", "lower", "per_second", formulas.of_event(name, background=True))


def average_wait(metric: str, name: str, *, background: bool = False) -> Metric:
    cells = (cell(BACKGROUND if background else FOREGROUND, "avg_wait_s", name),)
    fact = formulas.average_of(name, background=background)
    return Metric(metric, f"Average {name}", cells, "s", "lower", "as_printed", fact)


def of_commits(metric: str, title: str, unit: Unit, better: Better, figure: str, *cells: PrintedCell) -> Metric:
    """`figure`: of `CommitFigures`."""
    return Metric(metric, title, cells, unit, better, "as_printed", formulas.of_commits(figure))


def efficiency(metric: str, title: str) -> Metric:
    return printed(metric, title, "percent", "higher", cell("instance_efficiency", "pct", f"{title} %"))
