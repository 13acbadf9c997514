"""A report of a comparison against the median of several others, or against one, as two reports are compared.

Nothing of it is stored: it takes about as long as reading the reports it is of, and what was looked at last is kept in
memory, by report, parser and engine version.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Sum
from msgspec.structs import replace

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.median import compare_with_median
from awrdiff.analysis.baseline.members import alike
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.baseline import lies_of_rows
from awrdiff.analysis.export.packed import open_section, pack_section, unpack_block
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons import versions
from awrdiff.comparisons.baselines import Place, heads_of, held_against, key_of, whole_report
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.searched import matches
from awrdiff.reports.models import ReportSection
from awrdiff.reports.parts import Part, Wanted, part_of
from parsers.storage import blocks

MOST_ROWS = 250_000  # of all the reports: some 3 s, and 500 MB
TOO_LARGE = f"These reports have more than {MOST_ROWS:,} rows together: choose fewer of them."
NO_SECTION = "None of these reports prints this section."
_MOST_KEPT = 8


@dataclass(slots=True)
class MedianSection:
    """One compared section, packed, with what the rail needs of it."""

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
    """`overview`: everything but the sections, as of a pair that is stored."""

    overview: Computed
    sections: dict[str, MedianSection]

    @property
    def elapsed_differs(self) -> bool:
        return self.overview.elapsed_differs

    @property
    def lines(self) -> list[MedianSection]:
        return list(self.sections.values())

    def part(self, section_id: str, wanted: Wanted) -> tuple[ComparedSection, Part]:
        """The rows of one section that a page shows at most. Raises NotFound."""
        packed = blocks.Packed(self._payload(section_id))

        def row_with(text: str) -> int | None:
            return next((at for at, row in enumerate(self.section(section_id).rows) if matches(row, text)), None)

        number = part_of(packed, wanted, row_with)
        return unpack_block(packed, number), Part.of(packed, number)

    def section(self, section_id: str) -> ComparedSection:
        """With rows that are read when they are walked through. Raises NotFound."""
        return open_section(self._payload(section_id))

    def _payload(self, section_id: str) -> bytes:
        if section_id not in self.sections:
            raise NotFound(NO_SECTION)
        return self.sections[section_id].payload


_kept: OrderedDict[object, AgainstMedian] = OrderedDict()


def opens_on(places: Sequence[Place]) -> Chosen | None:
    """The latest report against those like it; None where fewer than two are, or they are too large to hold at once."""
    chosen = alike(heads_of(places))
    return chosen if chosen is not None and _rows_of(places[n] for n in chosen.all) <= MOST_ROWS else None


def against_median(places: Sequence[Place], chosen: Chosen) -> AgainstMedian:
    """Raises ComparisonRefused where the reports are too large to hold at once."""
    used = [places[n] for n in chosen.all]
    key = (*map(key_of, used), versions.current())
    if (found := _kept.get(key)) is None:
        if _rows_of(used) > MOST_ROWS:
            raise ComparisonRefused(TOO_LARGE)
        *members, second = map(whole_report, used)
        median = len(members) > 1
        found = _packed(compare_with_median(members, second) if median else compare_reports(members[0], second))
    _kept[key] = found
    _kept.move_to_end(key)
    while len(_kept) > _MOST_KEPT:
        _kept.popitem(last=False)
    return found


def sections_with_lies(found: AgainstMedian, places: Sequence[Place], chosen: Chosen) -> Iterator[ComparedSection]:
    """Its sections with where each row lies, read one at a time; without, in one that is too large for that."""
    for section_id in found.sections:
        section = found.section(section_id)
        try:
            lies = lies_of_rows(held_against(places, chosen, section_id)[0]) if found.overview.median else None
        except (NotFound, ComparisonRefused):
            lies = None
        yield replace(section, lies=lies)


def _packed(computed: Computed) -> AgainstMedian:
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
    return AgainstMedian(replace(computed, sections=()), sections)


def _rows_of(places: Iterable[Place]) -> int:
    reports = {p.report.pk for p in places}
    return ReportSection.objects.filter(report__in=reports).aggregate(all=Sum("rows"))["all"] or 0
