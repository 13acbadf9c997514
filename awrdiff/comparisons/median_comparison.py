"""Comparison of one report with the median of others, cached by report, parser and engine version."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from django.db.models import Sum
from msgspec.structs import replace

from awrdiff.accounts.access import NotFound, existing
from awrdiff.analysis.baseline.member_selection import alike
from awrdiff.analysis.baseline.report_vs_median import compare_with_median
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.baseline import lies_of_rows
from awrdiff.analysis.export.comparison_json import open_section, pack_section, unpack_block
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.baseline_reports import Place, heads_of, held_against, key_of, whole_report
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import current_version
from awrdiff.comparisons.queries import StoredPair
from awrdiff.comparisons.result_storage import matches
from awrdiff.reports.models import ReportSection
from awrdiff.reports.section_pages import Part, Wanted, part_of
from parsers.storage import compressed_blocks

MOST_ROWS = 250_000  # of all the reports: some 3 s, and 500 MB
TOO_LARGE = f"These reports have more than {MOST_ROWS:,} rows together: choose fewer of them."
NO_SECTION = "None of these reports prints this section."
_MOST_KEPT = 8


@dataclass(slots=True)
class MedianSection:
    """Packed section with rail facts."""

    section_id: str
    title: str
    known: bool
    family: str
    rows: int
    changed: int
    first_present: bool
    second_present: bool
    payload: bytes


@dataclass(frozen=True, slots=True)
class AgainstMedian:
    """`overview`: all but sections."""

    overview: Computed
    sections: dict[str, MedianSection]

    @property
    def elapsed_differs(self) -> bool:
        return self.overview.elapsed_differs

    @property
    def lines(self) -> list[MedianSection]:
        return list(self.sections.values())

    def part(self, section_id: str, wanted: Wanted) -> tuple[ComparedSection, Part]:
        """Raises NotFound."""
        packed = compressed_blocks.Packed(self._payload(section_id))

        def row_with(text: str) -> int | None:
            return next((at for at, row in enumerate(self.section(section_id).rows) if matches(row, text)), None)

        number = part_of(packed, wanted, row_with)
        return unpack_block(packed, number), Part.of(packed, number)

    def section(self, section_id: str) -> ComparedSection:
        """Rows are read lazily. Raises NotFound."""
        return open_section(self._payload(section_id))

    def _payload(self, section_id: str) -> bytes:
        return existing(self.sections.get(section_id), NO_SECTION).payload


_cache: OrderedDict[object, AgainstMedian] = OrderedDict()


def opens_on(places: Sequence[Place]) -> BaselineSelection | None:
    """None for fewer than two similar ones, or too large."""
    view = alike(heads_of(places))
    return view if view is not None and _rows_of(places[n] for n in view.all) <= MOST_ROWS else None


def against_median(places: Sequence[Place], view: BaselineSelection) -> AgainstMedian:
    """Raises ComparisonRefused if too large for memory."""
    used = [places[n] for n in view.all]
    key = (*map(key_of, used), current_version())
    if (cached := _cache.get(key)) is None:
        if _rows_of(used) > MOST_ROWS:
            raise ComparisonRefused(TOO_LARGE)
        *members, second = map(whole_report, used)
        median = len(members) > 1
        computed = compare_with_median(members, second) if median else compare_reports(members[0], second)
        sections = {
            s.id: MedianSection(
                s.id,
                s.title,
                s.known,
                s.family,
                len(s.rows),
                s.changed,
                s.first_present,
                s.second_present,
                pack_section(s),
            )
            for s in computed.sections
        }
        cached = AgainstMedian(replace(computed, sections=()), sections)
    _cache[key] = cached
    _cache.move_to_end(key)
    while len(_cache) > _MOST_KEPT:
        _cache.popitem(last=False)
    return cached


def sections_with_lies(
    against: AgainstMedian, places: Sequence[Place], view: BaselineSelection
) -> Iterator[ComparedSection]:
    """Each row's position, unless the section is too large."""
    for section_id in against.sections:
        section = against.section(section_id)
        try:
            lies = lies_of_rows(held_against(places, view, section_id)[0]) if against.overview.median else None
        except (NotFound, ComparisonRefused):
            lies = None
        yield replace(section, lies=lies)


def _rows_of(places: Iterable[Place]) -> int:
    reports = {p.report.pk for p in places}
    return ReportSection.objects.filter(report__in=reports).aggregate(all=Sum("rows"))["all"] or 0


ComparedView: TypeAlias = StoredPair | AgainstMedian
