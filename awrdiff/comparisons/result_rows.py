"""Database values of a computed comparison: packed overview per pair, row per section."""

from __future__ import annotations

from collections.abc import Iterable

from awrdiff.analysis.export.document import dump_overview, pack_section
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.comparisons.searched import row_text
from awrdiff.processing.storable import storable_text
from parsers.storage.document import pack

TURNED_DOCUMENT = "turned"  # in the overview of the first pair the other way round


def pack_overviews(pairs: Iterable[Computed], reversed_pair: Computed | None = None) -> bytes:
    """`reversed_pair`: the first one reversed."""
    of_turned = [{**dump_overview(reversed_pair), TURNED_DOCUMENT: True}] if reversed_pair is not None else []
    return pack([*map(dump_overview, pairs), *of_turned])


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
