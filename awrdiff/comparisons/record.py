"""A computed comparison as database values: a packed overview per pair and one row per section."""

from __future__ import annotations

from collections.abc import Iterable

from awrdiff.analysis.export.document import dump_overview
from awrdiff.analysis.export.packed import pack_section
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.comparisons.searched import row_text
from awrdiff.processing.storable import storable_text
from parsers.storage.document import pack


def pack_overviews(pairs: Iterable[Computed]) -> bytes:
    return pack([dump_overview(pair) for pair in pairs])


def section_rows(comparison: Comparison, pair: int, computed: Computed) -> list[ComparisonSection]:
    return [
        ComparisonSection(
            comparison=comparison,
            pair=pair,
            position=position,
            section_id=storable_text(section.id),
            title=storable_text(section.title)[:255],
            known=section.known,
            family=section.family,
            rows=len(section.rows),
            changed=section.changed,
            first_present=section.first_present,
            second_present=section.second_present,
            row_text="\n".join(row_text(row) for row in section.rows),
            payload=pack_section(section),
        )
        for position, section in enumerate(computed.sections)
    ]
