"""Whole reports against each other: for what has them at hand, as the command line does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce

from awrdiff.analysis.baseline.against import Against, Chosen, compare_with_baseline, yardstick_of
from awrdiff.analysis.baseline.series import measure, series_of
from awrdiff.analysis.export.baseline import Found
from awrdiff.analysis.rows.align import merged_order
from parsers.model import Report


def found_of(reports: Sequence[Report], chosen: Chosen, *, step: float, only: Iterable[str] = ()) -> Found:
    """`only`: these sections alone; all of them where none is named."""
    measures = [measure(r) for r in reports]
    bases, yardstick = [m.basis for m in measures], yardstick_of(measures, chosen)
    used, named = {*chosen.members, chosen.second}, set(only)

    def sections(wanted: Collection[str] | None) -> Iterator[Against]:
        for section_id in order(reports):
            found = [r.section(section_id) if n in used else None for n, r in enumerate(reports)]
            if any(s is not None for s in found) and _is_in(section_id, named or wanted):
                yield compare_with_baseline(series_of(found, bases), bases, chosen, yardstick)

    return Found(reports, measures, chosen, sections, step)


def _is_in(section_id: str, wanted: Collection[str] | None) -> bool:
    return wanted is None or section_id in wanted


def order(reports: Sequence[Report]) -> list[str]:
    """Every section that one of them prints, in the order of the last."""
    return reduce(merged_order, ([s.id for s in r.sections] for r in reversed(reports)))
