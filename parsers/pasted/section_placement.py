"""Grids of cells to RawTables of sections; uncertain tables are left out and named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Final

from msgspec import Struct, field

from parsers.model import Kind
from parsers.pasted.blank_padded_tables import MOST_COLUMNS
from parsers.pasted.collapsed_blank_columns import (
    by_labels,
    declared,
    is_figure,
    is_header,
    is_of_labels,
    kind_of_word,
    titled,
)
from parsers.pasted.tables_without_rulers import Grid
from parsers.sections.addm import ADDM
from parsers.sections.ash import ASH_REPORT
from parsers.sections.oracle_compare_periods import COMPARE
from parsers.sections.registry import REGISTRY
from parsers.sections.special_table_readers import read_cache_sizes, read_pairs
from parsers.sections.statspack import IO as STATSPACK_IO
from parsers.sections.statspack import STATSPACK
from parsers.sections.waits import LGWR
from parsers.tables.rawtable import MAX_TABLES, OneCopy, RawTable, Room, normal_label, normal_labels, unique_labels
from parsers.tables.section_builder import reader_of
from parsers.tables.section_declarations import Declaration, Family

_OF_PAIRS = (read_pairs, read_cache_sizes)  # whose rows are names and values, without labels
_MOST_NAMED = 40  # tables that a report names as not read


class Placement(Struct):
    tables: list[RawTable] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)
    declared: int = 0  # tables that belong to a section

    def leave_out(self, sentence: str) -> None:
        if len(self.remarks) < _MOST_NAMED:
            self.remarks.append(("not-read", sentence))


def place_grids(grids: Iterable[Grid], most_columns: int) -> Placement:
    """Tables in order, within a total number of columns."""
    out = Placement()
    chapter = ""
    for grid in grids:
        if len(out.tables) >= MAX_TABLES or most_columns <= 0:
            out.leave_out(f"From line {grid.line:,} on no table was read: the text has more than any report.")
            break
        chapter = next((line for line in reversed(grid.above) if titled(line)), "" if grid.above else chapter)
        table = place(grid, chapter, out)
        if table:
            most_columns -= len(table.labels)
            out.tables.append(table)
    return out


def place(grid: Grid, chapter: str, out: Placement) -> RawTable | None:
    """Table under its title, or that of the chapter it continues."""
    rows = list(filter(any, (row[:MOST_COLUMNS] for row in grid.rows)))
    if grouped := len(rows) > 2 and _stand_over(rows[0], rows[1]):
        rows = rows[1:]
    header, rows = _header(rows, marked=grid.marked)
    width = max(map(len, [header, *rows]), default=0)
    if not rows or width < 2:
        return None
    if header and len(header) == width - 1 and all(row and not is_figure(row[0]) for row in rows if len(row) == width):
        header = ["", *header]  # the blank label above the names of rows got lost at the line's begin
    width = len(header) or width
    labels = unique_labels(header or [""] * width, [""] * width)
    heading, caption, declaration = _titles(grid, chapter, labels)
    broken = 0
    if grid.padded and declaration:
        rows, broken = _unbroken(rows, labels, declaration)
    whole, left_out = _whole_rows(rows, width)
    left_out += broken
    if reason := _reason_against(header, whole, declaration, grouped=grouped, padded=grid.padded):
        name = heading or caption or " | ".join(filter(None, labels))[:60]
        out.leave_out(f'The table "{name}" (line {grid.line:,}) was not read: {reason}.')
        return None
    if declaration:
        checked = _readable(whole, labels, declaration)
        left_out += grid.left_out + len(whole) - len(checked)
        whole = checked
        out.declared += bool(whole)
        if left_out:
            out.leave_out(rows_left_out(declaration.title, grid.line, left_out, left_out + len(whole)))
    if not whole or (declaration is None and not is_header(header)):
        return None
    shared = OneCopy().__getitem__
    fitted = [list(map(shared, row)) for row in whole]
    table = RawTable(heading, caption, "", labels, fitted, line=grid.line, groups=("",) * width, left_out=left_out)
    if REGISTRY.find(table) is not declaration:  # by few labels alone, without its title
        out.leave_out(f'The table "{heading}" (line {grid.line:,}) was not read: its headings are of several sections.')
        return None
    return table


def _reason_against(
    header: list[str], rows: list[list[str]], declaration: Declaration | None, *, grouped: bool, padded: bool
) -> str:
    if grouped and len(set(header)) < len(header):
        return "columns of several groups have one name"
    if declaration is None:
        is_harmless = is_header(header) or len(rows) < 2 or not _has_figures(rows)
        return "" if is_harmless else "its headings are of no known section"
    if _is_blind(header or [""] * max(map(len, rows), default=0), rows, declaration, padded=padded):
        return "figures stand under no heading"
    if padded and declaration.reader in _OF_PAIRS and any(map(_is_of_two, chain.from_iterable(rows))):
        return "its columns run into each other"
    if padded and _swallow(rows, header, declaration):
        return "its columns run into each other"
    return "its headings run into each other" if padded and _run_together(header, declaration) else ""


def rows_left_out(title: str, line: int, left_out: int, of: int) -> str:
    return f'"{title}" (line {line:,}) is not read whole: {left_out} of its {of} rows have figures in no sure column.'


def _has_figures(rows: list[list[str]]) -> bool:
    return any(is_figure(cell) for row in rows for cell in row)


def _header(rows: list[list[str]], *, marked: bool) -> tuple[list[str], list[list[str]]]:
    if not rows:
        return [], []
    first, rest = rows[0], rows[1:]
    if is_header(first):
        return first, rest
    if marked and not any(first):
        return [], rest
    if any(map(is_figure, first)) or any(cell.endswith(":") for cell in first):
        return [], rows
    return first, rest


def _stand_over(groups: list[str], labels: list[str]) -> bool:
    group_count, printed = sum(map(bool, groups)), sum(map(bool, labels))
    return 2 * group_count <= printed and not any(map(is_figure, groups)) and not any(c[:1].isdecimal() for c in labels)


def _titles(grid: Grid, chapter: str, labels: tuple[str, ...]) -> tuple[str, str, Declaration | None]:
    titles = [line for line in reversed(grid.above) if titled(line)]
    for line in titles:
        section = _declared(line, "", labels)
        if section and (section.columns or line == titles[0]):  # those that take any columns have no other's table
            return line, "", section
    nearest = grid.above[-1] if grid.above else ""
    if section := _declared(chapter, nearest, labels):
        return chapter, nearest, section
    if section := by_labels(labels):
        return section.title, "", section
    return nearest or chapter, "", None


def _declared(heading: str, caption: str, labels: tuple[str, ...]) -> Declaration | None:
    section = declared(heading, caption, labels)
    printed = [label for label in labels if label and not label.startswith("(")]
    if section is None or section.columns is None or not any(section.by_label):
        return section
    return section if not printed or any(normal_label(label) in section.by_label for label in printed) else None


def _is_blind(header: list[str], rows: list[list[str]], declaration: Declaration, *, padded: bool) -> bool:
    if declaration.columns is None or declaration.reader in _OF_PAIRS:
        return False
    if declaration.reader and not padded:
        return False
    blank = [at for at, label in enumerate(header) if not label]
    return any(row[at] for row in rows for at in blank["" in declaration.by_label :])


def _swallow(rows: list[list[str]], header: list[str], declaration: Declaration) -> bool:
    specs = [declaration.by_label.get(normal_label(label)) for label in header]
    for at, (text, number) in enumerate(pairwise(specs)):
        if text and number and text.column.unit is None and number.column.unit and not any(row[at + 1] for row in rows):
            return any(kind_of_word(row[at].rpartition(" ")[2]) == "n" for row in rows)
    return False


def _is_of_two(cell: str) -> bool:
    return is_figure(cell) and cell.endswith(":")


def _run_together(header: list[str], declaration: Declaration) -> bool:
    unknown = (label for label in header if label and normal_label(label) not in declaration.by_label)
    return any(is_of_labels(label, declaration) for label in unknown)


def _unbroken(rows: list[list[str]], labels: Sequence[str], declaration: Declaration) -> tuple[list[list[str]], int]:
    specs = [declaration.by_label.get(normal_label(label)) for label in labels]
    numbers = [at for at, spec in enumerate(specs) if spec and spec.column.unit is not None and at < len(labels)]
    if not numbers:
        return rows, 0
    rests = {at for at, row in enumerate(rows) if not any(row[n] for n in numbers) and not row[0].endswith(":")}
    unbroken = [row for at, row in enumerate(rows) if not rests & {at - 1, at, at + 1}]
    return unbroken, len(rows) - len(rests) - len(unbroken)


def _whole_rows(rows: list[list[str]], width: int) -> tuple[list[list[str]], int]:
    """Trailing blanks may be cut; a wrapped cell lengthens two rows."""
    out: list[list[str]] = []
    left_out, short, room = 0, 0, Room()
    for row in rows:
        if not room.takes(width, len(row) + sum(map(len, row))):
            left_out += 1
            short = 0
        elif short and short + len(row) - 1 == width and len(row) < width and not is_figure(out[-1][short - 1]):
            out[-1][short - 1] = f"{out[-1][short - 1]} {row[0]}".strip()
            out[-1][short:] = row[1:]
            short = 0
        elif len(row) <= width:
            short = len(row) if len(row) < width else 0
            out.append([*row, *[""] * (width - len(row))])
        elif not any(row[width:]):
            out.append(row[:width])
            short = 0
        else:
            left_out += 1
            short = 0
    return out, left_out


def _readable(rows: list[list[str]], labels: Sequence[str], declaration: Declaration) -> list[list[str]]:
    specs = [declaration.by_label.get(normal_label(label)) for label in labels]
    numbers = [
        (at, reader_of(spec, label))
        for at, (spec, label) in enumerate(zip(specs, labels, strict=True))
        if spec and spec.column.unit is not None and label
    ]
    out = []
    for row in rows:
        if all(reader[row[at]] is not None or row[at] not in reader.unreadable for at, reader in numbers):
            out.append(row)
    return out


_OWN: Final[tuple[tuple[Kind, tuple[Family, ...]], ...]] = (
    ("awr_compare", (COMPARE,)),
    ("lgwr_trace", (LGWR,)),
    ("addm", (ADDM,)),
    ("ash", (ASH_REPORT,)),
    ("statspack", (STATSPACK, STATSPACK_IO)),
)
# Labels and sections that only Statspack has; 9i and 10g print the share of elapsed, later of call time.
_STATSPACK_LABELS: Final = frozenset(("%totalcalltime", "%totalelatime", "%totalwttime", "oldhashvalue"))
_STATSPACK_SECTIONS: Final = frozenset(("wait_events", "load_profile_ratios"))
# One of these alone is an excerpt worth reading.
_CORE: Final = frozenset(
    (
        "load_profile",
        "top_timed_events",
        "foreground_wait_events",
        "background_wait_events",
        "wait_events",
        "time_model",
        "instance_activity",
        "snapshot_information",
        "database_information",
        "wait_event_histogram",
    )
)


def kind_by_sections(tables: Sequence[RawTable]) -> Kind | None:
    """None for too few or weak sections."""
    sections = {s.id: t for t in tables if (s := REGISTRY.find(t)) and _has_figures(t.rows[:20])}
    if len(sections) < 2 and not _CORE.intersection(sections):
        return None
    for kind, families in _OWN:
        own = {d.id for family in families for d in family.declarations}
        if len(own.intersection(sections)) > 1:
            return kind
    labels = {label for table in tables for label in normal_labels(table.labels)[0]}
    if labels & _STATSPACK_LABELS or _STATSPACK_SECTIONS.intersection(sections):
        return "statspack"
    by_instance = sum(normal_labels(t.labels)[1] == "instances" for t in sections.values())
    return "awr_global" if 2 * by_instance > len(sections) else "awr"


def names_itself(sections: Iterable[str]) -> bool:
    """True with database and snapshots: only the title was lost."""
    return {"database_information", "snapshot_information"} <= set(sections)
