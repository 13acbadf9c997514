"""Occurrences of one entity in a stored report."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.entities.kinds import KINDS, LONGEST_KEY, EntityKind
from awrdiff.analysis.entities.single_report_entity import SectionRows, named_in
from awrdiff.reports.models import Report, ReportSection
from awrdiff.reports.queries import as_searched, blocks_with
from parsers.model import Section
from parsers.storage import compressed_blocks, report_serialisation


def find_entity(report: Report, kind: str, key: str) -> tuple[EntityKind, tuple[SectionRows, ...]]:
    """Raises NotFound for what the report does not name."""
    if kind not in KINDS or not key.strip() or len(key) > LONGEST_KEY:
        raise NotFound("There is nothing of this name: see docs/entities.md for what has an address.")
    entities = named_in(_holding(report, KINDS[kind], key), KINDS[kind], key)
    if not entities:
        raise NotFound(f"The report names no {KINDS[kind].name} “{key}”.")
    return KINDS[kind], entities


def _holding(report: Report, kind: EntityKind, key: str) -> Iterator[Section]:
    """First block with the name, of several."""
    payloads = ReportSection.objects.filter(report=report).order_by("position").values_list("payload", flat=True)
    wanted = [as_searched(text) for text in kind.spellings(key)]
    for payload in payloads.iterator(chunk_size=10):
        packed = compressed_blocks.Packed(bytes(payload))
        columns = {column[0] for column in packed.document["columns"]}
        if not any(columns.issuperset(way.columns) for way in kind.ways):
            continue
        number = next((n for text in wanted for n in blocks_with(packed, text)), None)
        if number is not None:
            yield report_serialisation.unpack_block(packed, number)


__all__ = ["find_entity"]
