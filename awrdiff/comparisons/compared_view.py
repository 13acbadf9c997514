"""Stored pair, or report against a median, on a comparison page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons import queries
from awrdiff.comparisons.medians import AgainstMedian
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.reports.section_pages import Part, Wanted


@dataclass(frozen=True, slots=True)
class StoredPair:
    comparison: Comparison
    pair: int

    @property
    def overview(self) -> Computed:
        return queries.overview(self.comparison, self.pair)

    @property
    def elapsed_differs(self) -> bool:
        return queries.default_basis(self.comparison, self.pair) == "s"

    @property
    def lines(self) -> list[ComparisonSection]:
        return queries.rail(self.comparison, self.pair)

    def part(self, section_id: str, wanted: Wanted) -> tuple[ComparedSection, Part]:
        return queries.load_part(self.comparison, section_id, wanted, self.pair)

    def section(self, section_id: str) -> ComparedSection:
        return queries.open_section(self.comparison, section_id, self.pair)


ComparedView: TypeAlias = StoredPair | AgainstMedian
