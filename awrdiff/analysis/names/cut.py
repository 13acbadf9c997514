"""Names that a text report cuts to its column, completed from the other report.

A text report prints `control file sequential re` where HTML prints the whole name; a partition's name loses its
beginning instead. A cut name stands for the full one where exactly one fits; where several do, the rows stay apart.
Once completed, everything that looks for a row by its name finds it, and the row's anchor is that of the full name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.names.renames import canonical_name
from awrdiff.analysis.rows.align import Key, cell_text, common_key
from awrdiff.analysis.rows.coarse import with_finer_numbers
from parsers.model import Column, Report, Row, Section

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
    """One column of the key that one side prints narrower: `width` places; `first` says whose."""

    part: int  # which part of the key
    column: str
    width: int
    first: bool

    def text(self, full: str, short_by: int) -> str:
        """What the narrower column shows of `full`; a value printed behind a blank has one place less."""
        plain, width = " ".join(full.split()), self.width - short_by
        if len(plain) <= width:
            return plain
        return plain[-width:].lstrip() if self.column in _CUT_ON_THE_LEFT else plain[:width].rstrip()


def with_full_names(first: Report, second: Report) -> tuple[Report, Report]:
    """Both reports, each with the names it cuts replaced by the other's where exactly one fits."""
    if first.format == second.format == "html":
        return first, second
    left, right = dict(first.by_id), dict(second.by_id)
    for section_id in [i for i in left if i in right]:
        left[section_id], right[section_id] = complete_names(left[section_id], right[section_id])
    return (
        replace(first, sections=tuple(left[s.id] for s in first.sections)),
        replace(second, sections=tuple(right[s.id] for s in second.sections)),
    )


def complete_names(first: Section, second: Section) -> tuple[Section, Section]:
    """Both sides of one section, the same rows under the same names."""
    key = tuple(c for c in common_key(first, second) if c in first.index and c in second.index)
    cuts = tuple(_cuts(first, second, key))
    if cuts:
        sides = _Names(first, key, cuts, first=True), _Names(second, key, cuts, first=False)
        matches = list(_matches(*sides))
        first, second = sides[0].completed(matches, second), sides[1].completed([(j, i) for i, j in matches], first)
    return with_finer_numbers(first, second, key)


def with_whole_names(report: Report, names: Mapping[str, Collection[str]]) -> Report:
    """One report, with those of these names whole that it cuts, by section; what may be cut from two stays as it is."""
    if report.format == "html":
        return report
    return replace(report, sections=tuple(_whole(s, names[s.id]) if s.id in names else s for s in report.sections))


def _whole(section: Section, names: Collection[str]) -> Section:
    column = next((c for c in section.columns if c.id in section.key and c.cut_at), None)
    if column is None:
        return section
    at, width = section.index[column.id], column.cut_at or 0
    printed = [canonical_name(section.id, cell_text(r.cells[at])) for r in section.records]
    meant = _cut_from(section.id, column, width, names)
    records = list(section.records)
    for row, name in enumerate(printed):
        if len(meant.get(name, ())) == 1 and printed.count(name) == 1:
            (whole,) = meant[name]
            records[row] = records[row]._replace(cells=(*records[row].cells[:at], whole, *records[row].cells[at + 1 :]))
    return replace(section, records=tuple(records))


def _cut_from(section_id: str, column: Column, width: int, names: Collection[str]) -> dict[str, set[str]]:
    """By what is printed of them, in one place less too: the names that are too long for the column."""
    meant: dict[str, set[str]] = defaultdict(set)
    for name in names:
        for one in (name, *_BEGUN_ALIKE.get(name.lower(), ())):
            for short_by in (0, 1):
                cut = Cut(0, column.id, width, first=True).text(one, short_by)
                if len(cut) < len(one):
                    meant[canonical_name(section_id, cut)].add(one)
    return meant


def narrower(first: Section | None, second: Section | None, column: str) -> int | None:
    """The width to which one side alone cuts a column's texts, or the smaller where both do differently."""
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
    """One side's rows by what they are called."""

    def __init__(self, section: Section, key: Key, cuts: Sequence[Cut], *, first: bool) -> None:
        self.section = section
        self.cuts = cuts
        self.first = first
        self.at = [section.index[c] for c in key]
        self.printed = [tuple(cell_text(r.cells[i]) for i in self.at) for r in section.records]
        self.keys = [self._canonical(p) for p in self.printed]

    def shortened(self, row: int, short_by: Sequence[int]) -> Key:
        """The row's key as the other side would print it, in the columns that the other side cuts."""
        parts = list(self.printed[row])
        for cut, less in zip(self.cuts, short_by, strict=True):
            if cut.first != self.first:
                parts[cut.part] = cut.text(parts[cut.part], less)
        return self._canonical(parts)

    def completed(self, matches: Sequence[tuple[int, int]], other: Section) -> Section:
        """The section with the names of the other's rows in the columns that it cuts itself."""
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
    """Rows of both sides that only a cut name keeps apart, by one pass for each way the columns may be cut."""
    same = set(first.keys) & set(second.keys)
    left = [i for i, k in enumerate(first.keys) if k not in same]
    right = [j for j, k in enumerate(second.keys) if k not in same]
    for short_by in product((0, 1), repeat=len(first.cuts)):
        if not left or not right:
            return
        groups = _rows_by_key(first, left, short_by), _rows_by_key(second, right, short_by)
        shared = dict.fromkeys(k for k in groups[0] if k in groups[1])
        for key in shared:
            yield from _pairs(first, groups[0][key], second, groups[1][key])
        left = [i for k, rows in groups[0].items() if k not in shared for i in rows]
        right = [j for k, rows in groups[1].items() if k not in shared for j in rows]


def _rows_by_key(side: _Names, rows: Sequence[int], short_by: Sequence[int]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = defaultdict(list)
    for row in rows:
        found[side.shortened(row, short_by)].append(row)
    return found


def _pairs(first: _Names, left: list[int], second: _Names, right: list[int]) -> Iterator[tuple[int, int]]:
    """One against one; true duplicates of one name in their order; nothing where several names fit."""
    one_name = len({first.keys[i] for i in left}) == len({second.keys[j] for j in right}) == 1
    if one_name and len(left) == len(right):
        yield from zip(left, right, strict=True)
