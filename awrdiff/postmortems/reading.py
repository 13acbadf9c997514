"""Post-mortem as read: texts, incident tables, and their digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from awrdiff.postmortems import queries
from awrdiff.postmortems.live import BY_CLASS, LiveTable
from awrdiff.postmortems.material import Material, material_of
from awrdiff.postmortems.models import Postmortem, PostmortemSection
from awrdiff.postmortems.tables import tables_of

Tables = Mapping[str, Sequence[LiveTable]]


@dataclass(frozen=True, slots=True)
class Reading:
    """`material` of the tables; None once reviewed."""

    sections: Sequence[PostmortemSection]
    tables: Tables
    material: Material | None

    @property
    def digest(self) -> str:
        """Digest of content alone, whoever saved it or was renamed."""
        content = [
            [section.key, section.text, *map(_content, filter(_counts, self.tables.get(section.key, ())))]
            for section in self.sections
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def reading_of(postmortem: Postmortem) -> Reading:
    sections = queries.sections_of(postmortem)
    if postmortem.is_frozen:
        return Reading(sections, queries.kept_tables(postmortem), None)
    material = material_of(postmortem.incident)
    return Reading(sections, tables_of(material), material)


def _counts(table: LiveTable) -> bool:
    """The chart's table tells no more than its comparisons do, and signed versions of before had none."""
    return table.head[:1] != (BY_CLASS,)


def _content(table: LiveTable) -> list[str | list[str]]:
    return [table.caption.text, table.note, *([cell.person or cell.text for cell in row] for row in table.rows)]
