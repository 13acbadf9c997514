"""Names cut by a text report's columns, completed from the other report.

Partitions lose their beginning; a name is completed if exactly one fits, with the full name's anchor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import log10

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.names.names_across_releases import canonical_name
from awrdiff.analysis.rows.align import Key, cell_text, common_key
from parsers.model import Column, Report, Row, Section, Value

_MOST_PAIRS = 10_000  # of numbers looked at one against the other
_ROUNDING = 1e-6


def _resolution(section: Section, column: str) -> float:
    return max((v.half for r in section.records if (v := section.number(r, column)) is not None), default=0.0)


def _refine(coarse: Section, fine: Section, key: Key, column: str) -> Section:
    at, there = coarse.index[column], fine.index[column]
    finer = dict(_fine_matches(coarse, fine, key, column))
    records = []
    for i, record in enumerate(coarse.records):
        cells = list(record.cells)
        match, printed = finer.get(i), cells[at]
        if match is not None:
            cells[at] = fine.records[match].cells[there]
        elif isinstance(printed, Value):
            decimals = max(0, round(-log10(2 * printed.half))) if printed.half > 0 else 0
            cells[at] = f"{printed.number:.{min(decimals, 12)}f}"
        records.append(Row(tuple(cells), *record[1:]))
    return replace(coarse, records=tuple(records))


def _fine_matches(coarse: Section, fine: Section, key: Key, column: str) -> Iterator[tuple[int, int]]:
    groups = _figures_by_key(coarse, key, column), _figures_by_key(fine, key, column)
    for rest, coarse_rows in groups[0].items():
        right = groups[1].get(rest, [])
        if len(coarse_rows) == len(right) and all(
            _agree(a, b) for (_, a), (_, b) in zip(coarse_rows, right, strict=True)
        ):
            yield from ((i, j) for (i, _), (j, _) in zip(coarse_rows, right, strict=True))
        elif len(coarse_rows) * len(right) <= _MOST_PAIRS:
            uses: dict[int, list[int]] = defaultdict(list)
            for i, a in coarse_rows:
                fits = [j for j, b in right if _agree(a, b)]
                for j in fits:
                    uses[j].append(i if len(fits) == 1 else -1)
            yield from ((rows[0], j) for j, rows in uses.items() if len(rows) == 1 and rows[0] >= 0)


def _figures_by_key(section: Section, key: Key, column: str) -> dict[Key, list[tuple[int, Value]]]:
    other_columns = [section.index[c] for c in key if c != column]
    figures: dict[Key, list[tuple[int, Value]]] = defaultdict(list)
    for i, record in enumerate(section.records):
        value = section.number(record, column)
        if value is not None:
            rest = tuple(canonical_name(section.id, cell_text(record.cells[o])) for o in other_columns)
            figures[rest].append((i, value))
    return figures


def _agree(a: Value, b: Value) -> bool:
    return abs(a.number - b.number) <= (a.half + b.half) * (1 + _ROUNDING)


_CUT_ON_THE_LEFT = frozenset({"subobject_name", "partition_name"})
# Oracle's own names that another begins like: where both are cut to the same, the row may be of either.
_BEGUN_ALIKE = {
    "bytes received via sql*net from client": ("bytes received via SQL*Net from dblink",),
    "cell single block physical read": (
        "cell single block physical read: RDMA",
        "cell single block physical read: flash cache",
        "cell single block physical read: pmem cache",
        "cell single block physical read: xrmem cache",
    ),
}


class Cut(Struct, frozen=True):
    """Key column cut narrower on one side (`first`), to `width` characters."""

    part: int  # which part of the key
    column: str
    width: int
    first: bool

    def text(self, full: str, short_by: int) -> str:
        """A value after a blank has one character less."""
        plain, width = " ".join(full.split()), self.width - short_by
        if len(plain) <= width:
            return plain
        return plain[-width:].lstrip() if self.column in _CUT_ON_THE_LEFT else plain[:width].rstrip()


def with_full_names(first: Report, second: Report) -> tuple[Report, Report]:
    """Names completed from the other, if unambiguous."""
    if first.format == second.format == "html":
        return first, second
    first_sections, second_sections = dict(first.by_id), dict(second.by_id)
    for section_id in [i for i in first_sections if i in second_sections]:
        first_sections[section_id], second_sections[section_id] = complete_names(
            first_sections[section_id], second_sections[section_id]
        )
    return (
        replace(first, sections=tuple(first_sections[s.id] for s in first.sections)),
        replace(second, sections=tuple(second_sections[s.id] for s in second.sections)),
    )


def complete_names(first: Section, second: Section) -> tuple[Section, Section]:
    """Both sides with equal names for equal rows."""
    key = tuple(c for c in common_key(first, second) if c in first.index and c in second.index)
    cuts = tuple(_cuts(first, second, key))
    if cuts:
        sides = _Names(first, key, cuts, first=True), _Names(second, key, cuts, first=False)
        matches = list(_matches(*sides))
        first, second = sides[0].completed(matches, second), sides[1].completed([(j, i) for i, j in matches], first)
    # The finer number in agreeing rows, if only one fits.
    columns = [c for c in key if first.columns[first.index[c]].unit and second.columns[second.index[c]].unit]
    if len(columns) != 1:
        return first, second
    coarse, fine = _resolution(first, columns[0]), _resolution(second, columns[0])
    if coarse == fine:
        return first, second
    if coarse > fine:
        return _refine(first, second, key, columns[0]), second
    return first, _refine(second, first, key, columns[0])


def with_whole_names(report: Report, names: Mapping[str, Collection[str]]) -> Report:
    """Names completed by section, if unambiguous."""
    if report.format == "html":
        return report
    return replace(report, sections=tuple(_whole(s, names[s.id]) if s.id in names else s for s in report.sections))


def _whole(section: Section, names: Collection[str]) -> Section:
    column = next((c for c in section.columns if c.id in section.key and c.cut_at), None)
    if column is None:
        return section
    at, width = section.index[column.id], column.cut_at or 0
    printed = [canonical_name(section.id, cell_text(r.cells[at])) for r in section.records]
    candidates = _cut_from(section.id, column, width, names)
    records = list(section.records)
    for row, name in enumerate(printed):
        if len(candidates.get(name, ())) == 1 and printed.count(name) == 1:
            (whole,) = candidates[name]
            records[row] = records[row]._replace(cells=(*records[row].cells[:at], whole, *records[row].cells[at + 1 :]))
    return replace(section, records=tuple(records))


def _cut_from(section_id: str, column: Column, width: int, names: Collection[str]) -> dict[str, set[str]]:
    full_names: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for full_name in (name, *_BEGUN_ALIKE.get(name.lower(), ())):
            for short_by in (0, 1):
                cut = Cut(0, column.id, width, first=True).text(full_name, short_by)
                if len(cut) < len(full_name):
                    full_names[canonical_name(section_id, cut)].add(full_name)
    return full_names


def narrower(first: Section | None, second: Section | None, column: str) -> int | None:
    """Width where one side cuts, or the smaller of two."""
    if first is None or second is None or column not in first.index or column not in second.index:
        return None
    return narrower_width(*(s.columns[s.index[column]].cut_at for s in (first, second)))


def narrower_width(first: int | None, second: int | None) -> int | None:
    return min((w for w in (first, second) if w), default=None) if first != second else None


def _cuts(first: Section, second: Section, key: Key) -> Iterator[Cut]:
    for part, column in enumerate(key):
        width = narrower(first, second, column)
        if width is not None and width > 1:
            yield Cut(part, column, width, first=first.columns[first.index[column]].cut_at == width)


class _Names:
    """One side's rows by name."""

    def __init__(self, section: Section, key: Key, cuts: Sequence[Cut], *, first: bool) -> None:
        self.section = section
        self.cuts = cuts
        self.first = first
        self.at = [section.index[c] for c in key]
        self.printed = [tuple(cell_text(r.cells[i]) for i in self.at) for r in section.records]
        self.keys = [self._canonical(p) for p in self.printed]

    def shortened(self, row: int, short_by: Sequence[int]) -> Key:
        parts = list(self.printed[row])
        for cut, less in zip(self.cuts, short_by, strict=True):
            if cut.first != self.first:
                parts[cut.part] = cut.text(parts[cut.part], less)
        return self._canonical(parts)

    def completed(self, matches: Sequence[tuple[int, int]], other: Section) -> Section:
        own = [(self.at[c.part], other.index[c.column]) for c in self.cuts if c.first == self.first]
        if not own or not matches:
            return self.section
        records = list(self.section.records)
        for mine, theirs in matches:
            cells = list(records[mine].cells)
            for at, there in own:
                cells[at] = other.records[theirs].cells[there]
            records[mine] = Row(tuple(cells), *records[mine][1:])
        return replace(self.section, records=tuple(records))

    def _canonical(self, parts: Sequence[str]) -> Key:
        return tuple(canonical_name(self.section.id, p) for p in parts)


def _matches(first: _Names, second: _Names) -> Iterator[tuple[int, int]]:
    same = set(first.keys) & set(second.keys)
    unmatched = [i for i, k in enumerate(first.keys) if k not in same]
    right = [j for j, k in enumerate(second.keys) if k not in same]
    for short_by in product((0, 1), repeat=len(first.cuts)):
        if not unmatched or not right:
            return
        groups = _rows_by_key(first, unmatched, short_by), _rows_by_key(second, right, short_by)
        shared = dict.fromkeys(k for k in groups[0] if k in groups[1])
        for key in shared:
            first_rows = groups[0][key]
            second_rows = groups[1][key]
            one_name = len({first.keys[i] for i in first_rows}) == len({second.keys[j] for j in second_rows}) == 1
            if one_name and len(first_rows) == len(second_rows):
                yield from zip(first_rows, second_rows, strict=True)
        unmatched = [i for k, rows in groups[0].items() if k not in shared for i in rows]
        right = [j for k, rows in groups[1].items() if k not in shared for j in rows]


def _rows_by_key(side: _Names, rows: Sequence[int], short_by: Sequence[int]) -> dict[Key, list[int]]:
    rows_by_key: dict[Key, list[int]] = defaultdict(list)
    for row in rows:
        rows_by_key[side.shortened(row, short_by)].append(row)
    return rows_by_key
