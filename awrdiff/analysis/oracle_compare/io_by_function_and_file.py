"""I/O by function and file type: a row of many figures in Oracle's compare report.

Data and requests are two tables, per second; reads and writes are separate figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from awrdiff.analysis.oracle_compare.period_columns import PeriodColumns, figures_of
from parsers.model import Report, Row, Section, Value
from parsers.sections.registry import REGISTRY

_TABLE = re.compile(r"^compare_(?P<section>iostat_by_(?:function|filetype))_(?P<what>data|requests)$")
_UNIT = {"data": "bytes_per_s", "requests": "requests_per_s"}
# A function keeps the word that says what it does: `Direct Reads`, `Direct Writes`, `Buffer Cache Reads`.
_WAY = re.compile(r"\s*\b(reads|writes)$", re.IGNORECASE)


def place_of(section: Section, figure: PeriodColumns) -> tuple[str, str, str] | None:
    """Section, row and column in a single-period report; None for figures of other tables."""
    table = _TABLE.match(section.id)
    if table is None:
        return None
    label = section.columns[section.index[figure.first]].label
    name = " ".join(label.replace("1st", "").split())
    way = "read" if "reads" in name.lower() else "write"
    if name.lower().startswith("total"):
        row = "TOTAL"
    else:
        row = _WAY.sub("", name) if table["section"] == "iostat_by_filetype" else name
    return table["section"], row, f"{way}_{_UNIT[table['what']]}"


def io_sections(report: Report, period: str) -> Iterator[Section]:
    """Printed I/O by function and by file type."""
    figures: dict[str, dict[str, dict[str, Value]]] = {}
    for section in report.sections:
        record = section.records[0] if _TABLE.match(section.id) and section.records else None
        for figure in figures_of(section) if record is not None else ():
            place, value = place_of(section, figure), section.number(record, figure.of(period)) if record else None
            if place is not None and value is not None:
                section_id, row, column = place
                figures.setdefault(section_id, {}).setdefault(row, {})[column] = value
    for section_id, rows in figures.items():
        declaration = REGISTRY.by_id[section_id]
        printed = {column for row in rows.values() for column in row}
        key = section_id.removeprefix("iostat_by_")
        columns = tuple(s.column for s in declaration.columns or () if s.id == key or s.id in printed)
        yield Section(
            id=section_id,
            title=declaration.title,
            known=True,
            coverage="top",  # others are in the totals alone
            key=(key,),
            columns=columns,
            records=tuple(Row(tuple(n if c.id == key else v.get(c.id) for c in columns)) for n, v in rows.items()),
        )


def is_io(section: Section) -> bool:
    return _TABLE.match(section.id) is not None
