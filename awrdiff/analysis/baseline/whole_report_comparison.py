"""Baselines over whole reports, as the command line compares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from msgspec.structs import replace

from awrdiff.analysis.baseline.aligned_sections import measure, series_of
from awrdiff.analysis.baseline.section_vs_median import Against, BaselineSelection, compare_with_baseline, yardstick_of
from awrdiff.analysis.export.baseline import BaselineReading, lies_of_rows
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.rows.align import merged_order
from parsers.model import Report


def baseline_reading(
    reports: Sequence[Report], selection: BaselineSelection, computed: Comparison, *, only: Iterable[str] = ()
) -> BaselineReading:
    """`only`: ids of sections; all if empty."""
    measures = [measure(r) for r in reports]
    bases, yardstick = [m.basis for m in measures], yardstick_of(measures, selection)
    used, wanted = {*selection.members, selection.second}, set(only)

    def sections() -> Iterator[Against]:
        for section_id in order(reports):
            same_section = [r.section(section_id) if n in used else None for n, r in enumerate(reports)]
            if any(s is not None for s in same_section) and (not wanted or section_id in wanted):
                yield compare_with_baseline(series_of(same_section, bases), bases, selection, yardstick)

    return BaselineReading(reports, measures, selection, sections, computed)


def with_lies(baseline: BaselineReading, computed: Comparison) -> Comparison:
    """Places of rows, for the sections of `baseline`."""
    lies = {compared.section.id: lies_of_rows(compared) for compared in baseline.sections()}
    placed_sections = (s for s in computed.sections if s.id in lies)
    return replace(computed, sections=tuple(replace(s, lies=lies[s.id]) for s in placed_sections))


def order(reports: Sequence[Report]) -> list[str]:
    """Ids of printed sections, in the last report's order."""
    return reduce(merged_order, ([s.id for s in r.sections] for r in reversed(reports)))
