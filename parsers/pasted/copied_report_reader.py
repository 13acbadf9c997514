"""Forms of a report's text, and tables of those other than Oracle's own listing."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from parsers.files.detect import SEPARATOR
from parsers.model import Source
from parsers.pasted.collapsed_blank_columns import Columns, is_header, kind_of_word, split_labels, titled
from parsers.pasted.section_placement import Placement, place_grids, rows_left_out
from parsers.pasted.tables_without_rulers import Grid, read_grids
from parsers.sections.registry import REGISTRY
from parsers.sections.special_table_readers import read_cache_sizes, read_pairs
from parsers.tables.rawtable import MAX_TABLES, RawDocument, RawTable, collapse, most_columns, unique_labels
from parsers.tables.section_declarations import Declaration
from parsers.text import summary_blocks as text_summary
from parsers.text.awr_and_statspack_reader import read_text
from parsers.text.data_rows import Statement
from parsers.text.structural_marks import chapter_title, database_name, is_complete, title_line

_MOST_PENDING: Final = 6  # lines of labels
_LEAST_LABELS: Final = 3  # of a header without a ruler
_LEAST_RULE: Final = 40  # dashes below a table
_LEVELLED: Final = "top_plsql_procedures"  # its rows take two lines
_HEADS: Final = (("Snap Id ", "snapshot_information"), ("Host Name ", "host_information"))
_MOMENT: Final = r"\d{1,2}-\S{2,9}-\d{2,4} \d{1,2}:\d{2}(?::\d{2})?"
_DATABASE: Final = re.compile(
    rf"(?:(\S{{1,30}}) )?(\d{{6,12}}) (\S{{1,60}}) (\d{{1,4}}) ({_MOMENT}) (\d+(?:\.\d+)+) (YES|NO)"
)
_DATABASE_LABELS: Final = ("DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC")
_DATABASE_122: Final = re.compile(
    r"(\S{1,30}) (\d{6,12}) (\S{1,60}) ((?:PHYSICAL |LOGICAL |SNAPSHOT )?[A-Z]{1,20}) (\S{1,10})"
    r" (\d+(?:\.\d+)+) (YES|NO)(?: (YES|NO))?"
)
_LABELS_122: Final = ("DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB")
_INSTANCE: Final = re.compile(rf"(\S{{1,60}}) (\d{{1,4}}) ({_MOMENT})")
_DASHES: Final = {0x2013: "-", 0x2014: "---", 0x2018: "'", 0x2019: "'", 0xA0: " "}
_VALUE: Final = re.compile(r": (?=[-+.]?\d)")


class _Open(Struct):
    declaration: Declaration
    heading: str
    line: int
    columns: Columns | None  # None: pairs of label and value
    header: tuple[str, ...] = ()
    rows: list[list[str]] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    left_out: int = 0
    ruled: bool = False


class SqueezedReader:
    """Reads title, labels, a ruler if left, and rows."""

    def __init__(self, text: str, most_columns: int) -> None:
        self.placement = Placement()
        self._lines = [" ".join(line.translate(_DASHES)[:4000].split()) for line in text.split("\n")]
        self._room = most_columns
        self._title = ""
        self._sections: tuple[Declaration, ...] = ()
        self._pending: list[str] = []
        self._table: _Open | None = None
        self._in_chapter = False
        self._at = 0

    def read(self) -> Placement:
        for number, line in enumerate(self._lines, 1):
            self._at = number
            self._feed(line)
        self._close()
        return self.placement

    def _feed(self, line: str) -> None:
        if not line or line.startswith("->"):
            self._pending.clear()
            if not line and not self._in_chapter and self._table and self._table.rows:
                self._close()
        elif ("DB/Inst:" in line or " for DB: " in line) and (title := chapter_title(line)):
            self._begin(title, in_chapter=True)
        elif not line.strip(" -~"):
            self._ruler(line.split())
        elif line.startswith("~~~"):
            self._remember(line.strip("~- "))
        elif not self._is_title(line) and not self._is_row(line):
            self._remember(line)
            self._head(line)

    def _remember(self, line: str) -> None:
        if line:
            self._pending = [*self._pending, line][-_MOST_PENDING:]

    def _begin(self, title: str, *, in_chapter: bool = False) -> None:
        if not (self._table and in_chapter and self._table.heading == title):
            self._close()
        self._title, self._sections, self._in_chapter = title, titled(title), in_chapter
        self._pending = []

    def _is_title(self, line: str) -> bool:
        if sections := titled(line):
            self._begin(line)
            if section := next((s for s in sections if s.reader is read_pairs or s.id == "instance_cpu"), None):
                self._table = _Open(section, line, self._at, None)
            return True
        words = line.split(" ", 12)
        for end in range(min(6, len(words) - 1), 0, -1):
            title, labels = " ".join(words[:end]), " ".join(words[end:])
            for section in titled(title):
                if section.by_label and (split := split_labels(section, (labels,), None)):
                    self._begin(title)
                    self._open(section, split, (labels,))
                    return True
        return False

    def _head(self, line: str) -> None:
        for words, section_id in _HEADS:
            if line.startswith(words):
                section = REGISTRY.by_id[section_id]
                if split := split_labels(section, (line,), None):
                    self._close()
                    self._open(section, split, (line,))
                return
        is_open = self._table is not None and self._table.rows
        printed = line.split(" ", 60)
        if not is_open and len(printed) > 1 and not any(kind_of_word(word) == "n" for word in printed):
            self._solve(None)

    def _ruler(self, words: list[str]) -> None:
        dashes = [word for word in words if word[0] == "-"]
        if len(words) == 1 and len(words[0]) >= _LEAST_RULE and dashes:
            self._close()
            self._pending = []
        elif dashes:
            if self._table and not self._table.rows and not self._pending:
                self._pending = list(self._table.header)
            if self._pending and not (self._table and self._table.header == tuple(self._pending)):
                self._solve(len(dashes))
            self._pending = []

    def _solve(self, columns: int | None) -> None:
        header = tuple(line for line in self._pending if line != "Load Average")
        if self._is_solved(header, columns):
            return
        if columns and self._table and self._table.rows:
            self._close()
        elif columns is None and len(header) > 1:
            self._is_solved(header[-1:], None)  # what stands above it may be a note

    def _is_solved(self, header: tuple[str, ...], columns: int | None) -> bool:
        for section in self._sections:
            may_be = section.by_label and section.id != _LEVELLED
            split = split_labels(section, header, columns) if may_be else None
            if split and (columns or len(split) >= _LEAST_LABELS):
                if not self._goes_on(split):
                    self._close()
                    self._open(section, split, header)
                return True
        return False

    def _goes_on(self, labels: tuple[str, ...]) -> bool:
        table = self._table
        return bool(table and table.rows and table.columns and table.columns.labels[-len(labels) :] == labels)

    def _open(self, section: Declaration, labels: tuple[str, ...], header: tuple[str, ...]) -> None:
        if "" in section.by_label:
            labels = ("", *labels)
        self._pending = []
        self._table = _Open(section, self._title or section.title, self._at, Columns(section, labels), header)

    def _is_row(self, line: str) -> bool:
        table = self._table
        if table is None:
            return self._is_identity(line)
        before = len(table.rows)
        if table.columns is None:
            table.rows.extend(text_summary.read_pairs([line]))
        elif table.declaration.id == "snapshot_information" and "(min" in line.lower():
            table.rows.extend(text_summary.minute_rows(line))
        elif table.declaration.reader is read_cache_sizes:
            table.rows.extend(_cache_row(line))
        elif cells := table.columns.cells(line):
            table.rows.append(cells)
            table.statements.append(Statement())
        elif table.declaration.family == "sql" and table.rows:
            table.statements[-1].feed(line)
            return True
        elif table.rows and sum(kind_of_word(word) == "n" for word in line.split(" ", 60)) > 1:
            table.left_out += 1
        return len(table.rows) > before

    def _is_identity(self, line: str) -> bool:
        above = self._pending[-1:]
        label = " ".join([*above, *self._lines[max(0, self._at - 3) : self._at - 1]])
        if "DB Id" in label and (match := _DATABASE.fullmatch(line)):
            cells = [match[1] or database_name(self._lines), *match.groups()[1:]]
            self._add(RawTable("", "", "", _DATABASE_LABELS, [[c or "" for c in cells]], line=self._at))
        elif "DB Id" in label and (match := _DATABASE_122.fullmatch(line)):
            self._add(RawTable("", "", "", _LABELS_122, [[c or "" for c in match.groups()]], line=self._at))
        elif "Startup Time" in label and (match := _INSTANCE.fullmatch(line)):
            labels = ("Instance", "Inst Num", "Startup Time")
            self._add(RawTable("", "", "", labels, [list(match.groups())], line=self._at))
        else:
            return False
        return True

    def _add(self, table: RawTable) -> None:
        self._room -= len(table.labels)
        if self._room >= 0 and len(self.placement.tables) < MAX_TABLES:
            self.placement.tables.append(table)
            self.placement.declared += 1

    def _close(self) -> None:
        table, self._table = self._table, None
        if table is None:
            return
        if table.left_out:
            of = table.left_out + len(table.rows)
            self.placement.leave_out(rows_left_out(table.declaration.title, table.line, table.left_out, of))
        if not table.rows:
            return
        labels, rows = _finished(table)
        heading = table.heading if titled(table.heading) else ""
        raw = RawTable(heading, "", "", unique_labels(labels, [""] * len(labels)), rows, line=table.line)
        raw.left_out = table.left_out
        if REGISTRY.find(raw) is table.declaration:
            self._add(raw)


def _cache_row(line: str) -> list[list[str]]:
    first, *rest = _VALUE.split(line, maxsplit=2)
    if not rest:
        return []
    begin, _, more = rest[0].partition(" ")
    end, _, label = more.partition(" ")
    if kind_of_word(end) != "n":
        return []
    return [[first, begin, end, label, rest[1] if len(rest) > 1 else ""]]


def _finished(table: _Open) -> tuple[list[str], list[list[str]]]:
    if table.columns is None:
        if table.declaration.id == "instance_cpu":
            return [row[0].rstrip(":") for row in table.rows], [[row[1] for row in table.rows]]
        rows = text_summary.pad(table.rows)
        return [""] * len(rows[0]), rows
    labels = list(table.columns.labels)
    if table.declaration.reader is read_cache_sizes:
        return ["", "Begin", "End", "", ""], table.rows
    if table.declaration.id == "host_cpu":
        names, values = text_summary.host_cpu_columns(table.heading)
        return [*labels, *names], [[*row, *values] for row in table.rows]
    if "SQL Text" not in labels and any(s.text or s.module for s in table.statements):
        labels += ["SQL Module", "SQL Text"]
        return labels, [[*r, s.module, s.text] for r, s in zip(table.rows, table.statements, strict=True)]
    return labels, text_summary.pad([[*row, *[""] * (len(labels) - len(row))] for row in table.rows])


_RULER: Final = re.compile(r"^[ \t]{0,80}(?:[-~]{2,400}[ \t]{1,80}){1,60}[-~]{2,400}[ \t\r]{0,80}$", re.MULTILINE)
_TABBED: Final = re.compile(r"^(?=[^\t\n]{0,200}\t)[^\n]{3,1000}$", re.MULTILINE)
_MANY: Final = 400  # lines with tabs among which a row of labels is looked for, and rulers that are counted
_QUOTED: Final = re.compile(r"^[ \t]{0,3}(?:> ?){1,8}", re.MULTILINE)
_HEAD: Final = 30_000
_LEAST_HEADERS: Final = 2
_PAGE_HEAD: Final = "DB/Inst:"  # over each chapter of a listing
_LEAST_QUOTED: Final = 0.9
_FEW_GAPS: Final = 20  # lines of several words for each that has two blanks: in a listing nearly every line has


def without_quotes(text: str) -> str:
    """Text unchanged unless nearly all lines have quote marks."""
    lines = [line for line in text[:_HEAD].split("\n") if line.strip()]
    quoted = sum(line.lstrip().startswith(">") for line in lines)
    return _QUOTED.sub("", text) if quoted > _LEAST_QUOTED * len(lines) else text


def read_pasted(text: str) -> tuple[RawDocument, Source] | None:
    """Tables and form of a copied report; None for a listing with rulers."""
    rulers = sum(1 for _, _ in zip(range(_MANY), _RULER.finditer(text), strict=False))
    form: Source = "copy"
    if "\t" not in text[:_HEAD] and (sheet := _from_csv(text)):
        text, rulers = sheet, 0
    if "|" in text and SEPARATOR.search(text):
        form = "markdown"
    elif _is_squeezed(text[:_HEAD].replace("\xa0", " ")):
        form = "squeezed"
    elif rulers and _tabbed_headers(text) <= rulers // 2 and _PAGE_HEAD in text:
        return None
    placement = place_grids(read_grids(text), most_columns(len(text)))
    if form == "squeezed":
        squeezed = SqueezedReader(text, most_columns(len(text))).read()
        if placement.declared >= squeezed.declared:
            form = "copy"
        else:
            placement = squeezed
    elif form == "copy" and rulers and figures_placed(placement.tables) <= figures_placed(read_text(text).tables):
        return None
    return (_document(placement, text), form) if placement.tables and placement.declared else None


def figures_placed(tables: Sequence[RawTable]) -> int:
    """Number of printed cells in tables of sections."""
    return sum(bool(cell) for t in tables if REGISTRY.find(t) for row in t.rows for cell in row)


def with_labels(document: RawDocument, most: int) -> RawDocument:
    """Page without label cells: first rows may hold labels."""
    grids = (
        Grid([list(r) for r in t.rows], list(filter(None, (t.heading, t.caption))), t.line or 0)
        for t in document.tables
    )
    placement = place_grids(grids, most)
    return replace(document, tables=placement.tables, remarks=[*document.remarks, *placement.remarks])


def _from_csv(text: str) -> str | None:
    for sign in ",;":
        try:
            head = csv.reader(text[:_HEAD].split("\n"), delimiter=sign)
            if sum(is_header(list(map(collapse, cells))) for cells in head) < _LEAST_HEADERS:
                continue
            rows = csv.reader(text.split("\n"), delimiter=sign)
            return "\n".join("\t".join(map(collapse, cells)) for cells in rows)
        except csv.Error:
            continue
    return None


def _is_squeezed(head: str) -> bool:
    lines = [line.strip() for line in head.split("\n") if len(line.split(None, 2)) > 2]
    return sum("  " in line for line in lines) * _FEW_GAPS < len(lines)


def _tabbed_headers(text: str) -> int:
    if "\t" not in text:
        return 0
    rows = (m[0].split("\t") for _, m in zip(range(_MANY), _TABBED.finditer(text), strict=False))
    return sum(is_header(list(map(collapse, cells))) for cells in rows)


def _document(placement: Placement, text: str) -> RawDocument:
    complete = is_complete(text)
    headings = list(dict.fromkeys(t.heading for t in placement.tables if t.heading and titled(t.heading)))
    last_line = 0 if complete else text.count("\n") + 1
    return RawDocument(placement.tables, title_line(text), headings, complete, last_line, [], placement.remarks)
