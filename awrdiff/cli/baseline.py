"""`awrdiff compare … --baseline`: the last report against the median of the others."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from awrdiff.analysis.baseline.report_vs_median import compare_with_median
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.baseline.whole_report_comparison import baseline_reading, order, with_lies
from awrdiff.analysis.export.baseline import BaselineReading, baseline_csv, baseline_parts
from awrdiff.analysis.export.json_encoding import pieces
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.cli import comparing
from awrdiff.cli.comparing import by_begin, instance_of
from awrdiff.cli.exit_statuses import Refused
from parsers import Report


def hold_against(
    reports: Sequence[Report], *, instance: int | None, by_time: bool, only: Sequence[str]
) -> tuple[BaselineReading, Comparison]:
    """Figures with ranges, and the comparison. Raises Refused below three reports."""
    alone, _ = split_traces([instance_of(report, instance) for report in reports])
    if len(alone) < 3:
        raise Refused("--baseline takes two reports or more, and the one that is held against them as the last.")
    alone = by_begin(alone) if by_time else alone
    unknown = next((s for s in only if s not in order(alone)), None)
    if unknown is not None:
        raise Refused(f"There is no section “{unknown}” in these reports.")
    choice = BaselineSelection(tuple(range(len(alone) - 1)), len(alone) - 1)
    computed = compare_with_median(alone[:-1], alone[-1])
    return baseline_reading(alone, choice, computed, only=only), computed


def is_outside(computed: Comparison, step: float) -> bool:
    return computed.median is not None and computed.median.is_outside(computed.ranked, step)


def text(against: BaselineReading, computed: Comparison, form: str, *, brief: bool, step: float) -> str:
    """Ranges in JSON and CSV only."""
    if brief:
        return comparing.summary([replace(computed, step=step)], None)
    if form == "json":
        return "".join((*pieces(baseline_parts(against)), "\n"))
    if form == "csv":
        return "".join(baseline_csv(against))
    return comparing.whole([replace(with_lies(against, computed), step=step)], form, None)
