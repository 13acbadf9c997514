"""Whole reports against each other: for what has them at hand, as the command line does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from msgspec.structs import replace

from awrdiff.analysis.baseline.against import Against, Chosen, compare_with_baseline, yardstick_of
from awrdiff.analysis.baseline.series import measure, series_of
from awrdiff.analysis.export.baseline import Found, lies_of_rows
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.rows.align import merged_order
from parsers.model import Report


def found_of(reports: Sequence[Report], chosen: Chosen, computed: Comparison, *, only: Iterable[str] = ()) -> Found:
    """`only`: these sections alone; all of them where none is named."""
    measures = [measure(r) for r in reports]
    bases, yardstick = [m.basis for m in measures], yardstick_of(measures, chosen)
    used, named = {*chosen.members, chosen.second}, set(only)

    def sections() -> Iterator[Against]:
        for section_id in order(reports):
            found = [r.section(section_id) if n in used else None for n, r in enumerate(reports)]
            if any(s is not None for s in found) and (not named or section_id in named):
                yield compare_with_baseline(series_of(found, bases), bases, chosen, yardstick)

    return Found(reports, measures, chosen, sections, computed)


def with_lies(found: Found, computed: Comparison) -> Comparison:
    """With where each row lies in its sections, those alone that `found` has."""
    lies = {held.section.id: lies_of_rows(held) for held in found.sections()}
    shown = (s for s in computed.sections if s.id in lies)
    return replace(computed, sections=tuple(replace(s, lies=lies[s.id]) for s in shown))


def order(reports: Sequence[Report]) -> list[str]:
    """Every section that one of them prints, in the order of the last."""
    return reduce(merged_order, ([s.id for s in r.sections] for r in reversed(reports)))
