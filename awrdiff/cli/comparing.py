"""Report files → comparisons, also for `manage.py compare`."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from msgspec.structs import replace

from awrdiff.analysis.aspects import ready_comparison
from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.traces import TOO_FEW, split_traces
from awrdiff.analysis.oracle_compare import is_compare
from awrdiff.analysis.report.instances import one_instance
from awrdiff.cli.refusal import Refused
from parsers import Report

_NO_SECOND = "give a second report to compare it with; only Oracle's own compare report holds two periods."


def compare(reports: Sequence[Report], *, instance: int | None = None, by_time: bool = False) -> tuple[Comparison, ...]:
    """First against each other, LGWR traces attached. Raises Refused.

    `by_time`: by begin, if every report prints it.
    """
    alone, traces = split_traces([instance_of(report, instance) for report in reports])
    if len(alone) > 1:
        return compare_all(by_begin(alone) if by_time else alone, traces)
    if alone and is_compare(alone[0]):
        return (ready_comparison(alone[0], traces),)
    if traces:
        raise Refused(f"{', '.join(t.name for t in traces)}: {TOO_FEW}")
    raise Refused(f"{alone[0].name}: {_NO_SECOND}" if alone else "There is no report to compare.")


def only(comparisons: Sequence[Comparison], wanted: Sequence[str]) -> tuple[Comparison, ...]:
    """Keeps these sections; all if none wanted. Raises Refused."""
    if not wanted:
        return tuple(comparisons)
    section_ids = {section.id for comparison in comparisons for section in comparison.sections}
    for section_id in wanted:
        if section_id not in section_ids:
            close = get_close_matches(section_id, section_ids, n=3)
            instead = f" Did you mean {' or '.join(close)}?" if close else ""
            raise Refused(f"There is no section “{section_id}” in this comparison.{instead}")
    return tuple(replace(c, sections=tuple(s for s in c.sections if s.id in wanted)) for c in comparisons)


def by_begin(reports: list[Report]) -> list[Report]:
    """Unchanged unless every report prints its begin."""
    begins = [report.period.begin.time for report in reports]
    if any(begin is None for begin in begins):
        return reports
    return [reports[i] for i in sorted(range(len(reports)), key=lambda i: (begins[i], i))]


def instance_of(report: Report, instance: int | None) -> Report:
    """Non-global reports stay unchanged."""
    if instance is None or report.kind != "awr_global":
        return report
    try:
        return one_instance(report, instance)
    except LookupError as error:
        raise Refused(f"{report.name}: {error}") from error


def from_step(comparisons: Sequence[Comparison], step: float) -> tuple[Comparison, ...]:
    """`step`: percent of DB time."""
    return tuple(replace(c, step=step) for c in comparisons)
