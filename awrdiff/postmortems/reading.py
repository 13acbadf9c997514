"""A post-mortem as it reads: its texts with the tables of the incident, and the digest of all that."""

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
    """`material` is what the tables were made of; None of one that is reviewed, whose tables are those of then."""

    sections: Sequence[PostmortemSection]
    tables: Tables
    material: Material | None

    @property
    def digest(self) -> str:
        """The same as long as it says the same, whoever saved what, or is called otherwise since."""
        said = [
            [one.key, one.text, *map(_said, filter(_counts, self.tables.get(one.key, ())))] for one in self.sections
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def reading_of(postmortem: Postmortem) -> Reading:
    sections = queries.sections_of(postmortem)
    if postmortem.is_frozen:
        return Reading(sections, queries.kept_tables(postmortem), None)
    material = material_of(postmortem.incident)
    return Reading(sections, tables_of(material), material)


def _counts(table: LiveTable) -> bool:
    """The chart's table tells no more than its comparisons do, and signed versions of before had none."""
    return table.head[:1] != (BY_CLASS,)


def _said(table: LiveTable) -> list[str | list[str]]:
    return [table.caption.text, table.note, *([cell.person or cell.text for cell in row] for row in table.rows)]
