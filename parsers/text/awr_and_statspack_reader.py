"""Text reports, AWR and Statspack, to the same RawTables as from HTML."""

from __future__ import annotations

import re
from functools import cached_property

from msgspec.structs import replace

from parsers.tables.rawtable import MAX_TABLES, TITLE, RawDocument, RawTable, most_columns
from parsers.text import summary_blocks as text_summary
from parsers.text.addm import AddmReader, cut_of, tables_of
from parsers.text.column_heads import Level, group_spans, is_group_ruler, phrases, read_level, segments
from parsers.text.data_rows import is_sql
from parsers.text.histogram_repair import mend_histograms
from parsers.text.ruler_column_cutting import Slot
from parsers.text.structural_marks import (
    Mark,
    database_name,
    find_marks,
    is_complete,
    one_line_end,
    split_lines,
    strip_quotes,
    title_line,
)
from parsers.text.table_assembly import WARNING, OpenTable, finish_table, notes_in

_MAX_HEAD = 8  # lines of labels over a ruler
_MAX_LEVELS = 4
_MOST_WARNINGS = 50  # that a chapter takes over from the one above
_MOST_LABELS = 40  # over pairs of label and values
_MOST_CUT = 5  # tables too large that are named
_END_RULE = 40  # no column set in that far is this wide
_NO_DATA = "no data exists for this section"
_FIGURE = re.compile(r"[-+]?[.,]*\d[\d.,]*(?:[eE][-+]?\d+)?[KMGT%]?")


def read_text(text: str) -> RawDocument:
    """Reads text; never raises for bad layout."""
    text = one_line_end(text)
    lines = strip_quotes(split_lines(text))
    marks = find_marks(lines)
    reader = Reader(lines, marks)
    reader.read()
    tables = mend_histograms(reader.tables)
    complete = is_complete(text)
    last_line = 0 if complete else len(lines)
    return RawDocument(tables, title_line(text), reader.headings, complete, last_line, reader.cut)


class Reader:
    """Goes from mark to mark; lines between belong to a table."""

    def __init__(self, lines: list[str], marks: list[Mark]) -> None:
        self.tables: list[RawTable] = []
        self.headings: list[str] = []
        self.cut: list[str] = []  # headings of tables with more columns than text
        self._lines, self._marks = lines, marks
        self._chapter = ""
        self._notes: list[str] = []
        self._open: OpenTable | None = None
        self._suspended = False  # the open table's page has ended; the next may go on with it
        self._at = 0  # of the next mark
        self._from = 0  # first line not yet used
        self._addm = AddmReader()
        # A ruler of hundreds of columns over short lines would make more cells than there are characters. Real
        # listings have one for 12 characters and more, those included that stay empty.
        characters = sum(map(len, lines))
        self._cells = 30_000 + characters // 6
        self._columns = most_columns(characters)

    def read(self) -> None:
        while self._at < len(self._marks):
            mark = self._marks[self._at]
            self._at += 1
            if mark.kind == "chapter":
                self._begin_chapter(mark)
            elif mark.kind == "ruler":
                self._ruler(mark)
            elif mark.kind == "tilde":
                self._tilde(mark)
            else:
                self._gather(mark.at)
                self._close()
                if mark.kind == "prose":
                    self._read_prose(mark.at)

    def _read_prose(self, begin: int) -> None:
        """ADDM's underlined headings are not tables."""
        while self._marks[self._at].kind not in ("chapter", "stop"):
            self._at += 1
        self._from = self._marks[self._at].at
        tasks = self._addm.read(self._lines[begin : self._from], begin + 1)
        self.tables.extend(tables_of(tasks))
        self.cut.extend(cut_of(tasks))

    def _begin_chapter(self, mark: Mark) -> None:
        self._gather(mark.at)
        if self._open and (mark.title != self._chapter or not self._open.in_chapter):
            self._close()
        self._suspended = self._open is not None
        self._chapter = mark.title
        self._notes = [] if self._open else [n for n in self._notes if n.startswith(WARNING)][:_MOST_WARNINGS]
        if not self.headings or self.headings[-1] != mark.title:
            self.headings.append(mark.title)
        self._from = mark.at + 1

    def _gather(self, end: int) -> None:
        lines = self._lines[self._from : end]
        self._from = max(end, self._from)
        if self._open and self._gathers:
            self._open.lines.extend(lines)
        elif self._chapter:
            self._notes.extend(notes_in(lines))

    def _header_before(self, at: int) -> int:
        begin = at
        while begin > self._from and at - begin < _MAX_HEAD:
            line = self._lines[begin - 1]
            if not line or line.isspace() or line.startswith("->") or (self._gathers and _is_figures(line)):
                break
            begin -= 1
        return begin

    @property
    def _gathers(self) -> bool:
        return self._open is not None and not self._suspended

    def _ruler(self, mark: Mark) -> None:
        runs = segments(self._lines[mark.at])
        if not runs:
            return
        table = self._open
        if table and not self._suspended and table.sql and not _is_end(runs, self._lines[mark.at]):
            return  # dashes in the text of a statement
        if table and self._gathers and _is_above_sum(runs, table):
            self._gather(mark.at)
            self._from = mark.at + 1
            return
        if self._is_end_rule(mark, runs):
            self._gather(mark.at)
            self._close()
            self._from = mark.at + 1
            return
        begin = self._header_before(mark.at)
        if self._gathers and begin == mark.at:
            self._gather(mark.at)
            self._from = mark.at + 1
            return
        self._gather(begin)
        self._start(mark, self._lines[begin : mark.at], "")

    def _is_end_rule(self, mark: Mark, runs: tuple[Slot, ...]) -> bool:
        if not _is_end(runs, self._lines[mark.at]) or self._next_ruler(mark.at, runs):
            return False
        if self._gathers or runs[0][1] - runs[0][0] >= _END_RULE:
            return True
        header = self._lines[self._header_before(mark.at) : mark.at]
        return not header or _NO_DATA in " ".join(header).lower()

    def _next_ruler(self, at: int, upper: tuple[Slot, ...]) -> Mark | None:
        mark = self._marks[self._at]
        if mark.kind != "ruler" or not 1 < mark.at - at <= _MAX_HEAD:
            return None
        over = is_group_ruler(upper, segments(self._lines[mark.at]))
        return mark if over and self._is_header(at + 1, mark.at) else None

    def _is_header(self, begin: int, end: int) -> bool:
        lines = self._lines[begin:end]
        return all(line.strip() and not _is_figures(line) for line in lines)

    def _start(self, mark: Mark, header: list[str], heading: str) -> None:
        runs = segments(self._lines[mark.at])
        spans: list[tuple[Slot, str]] = []
        lower = self._next_ruler(mark.at, runs)
        if lower:
            spans, header = group_spans(header, runs)
            self._at += 1
            header = [*header, *self._lines[mark.at + 1 : lower.at]]
            mark, runs = lower, segments(self._lines[lower.at])
        level, heading = self._first_level(header, runs, spans, heading)
        levels = [level]
        while len(levels) < _MAX_LEVELS and (after := self._next_level(mark.at)):
            levels.append(read_level(self._lines[mark.at + 1 : after.at], segments(self._lines[after.at])))
            mark = after
            self._at += 1
        self._from = mark.at + 1
        if self._resumes(levels):
            return
        self._open_table(heading, mark.at, levels)

    def _open_table(self, heading: str, at: int, levels: list[Level]) -> OpenTable:
        self._close()
        notes, self._notes = self._notes, []
        sql = len(levels) == 1 and is_sql(levels[0])
        table = OpenTable(heading or self._chapter, at + 1, notes, levels, sql=sql, in_chapter=bool(self._chapter))
        self._open = table
        return table

    def _resumes(self, levels: list[Level]) -> bool:
        if not (self._suspended and self._open):
            return False
        self._suspended = False
        if [k.slots for k in levels] == [k.slots for k in self._open.levels]:
            self._notes = []
            return True
        return False

    def _first_level(
        self, header: list[str], runs: tuple[Slot, ...], spans: list[tuple[Slot, str]], heading: str
    ) -> tuple[Level, str]:
        if runs[0][0] > 3:
            runs = ((0, runs[0][0] - 1), *runs)
            level = read_level(header, runs, spans)
            if not self._chapter and not heading:
                return replace(level, labels=("", *level.labels[1:])), level.labels[0]
            return level, heading
        return read_level(header, runs, spans), heading

    def _next_level(self, at: int) -> Mark | None:
        mark = self._marks[self._at]
        if mark.kind != "ruler" or not 1 < mark.at - at <= _MAX_HEAD:
            return None
        runs = segments(self._lines[mark.at])
        return mark if runs and runs[0][0] <= 2 and self._is_header(at + 1, mark.at) else None

    def _tilde(self, mark: Mark) -> None:
        if self._is_inside(mark):
            return
        above = self._heading_line(mark.at)
        if above < self._from:
            return
        line = self._lines[mark.at]
        full = self._lines[self._header_before(mark.at) : mark.at]
        self._gather(above)
        self._close()
        self._notes = notes_in(self._lines[above : mark.at]) if self._chapter else []
        self._from = mark.at
        if text_summary.is_host(line, full):
            self._start(mark, [], "Host")
            return
        heading, labels = text_summary.split_heading(self._lines[above], line)
        self.headings.append(heading)
        header = [labels] if labels.strip() else []
        rest = line.replace("~", " ")
        if "--" in rest and not rest.strip(" -"):
            self._start(mark, header, heading)
        else:
            self._underlined(mark, heading, [*header, rest] if rest.strip() else header)

    def _is_inside(self, mark: Mark) -> bool:
        table, line = self._open, self._lines[mark.at]
        if not table or not table.in_chapter or not table.levels or self._suspended:
            return False
        if not table.sql and not line.strip(" ~") and len(line.split()) > 1:
            self._gather(mark.at)
            self._from = mark.at + 1
            return True
        return table.sql

    def _heading_line(self, at: int) -> int:
        above = at - 1
        first = self._header_before(at)
        if self._lines[first - 1 : first] and self._lines[first - 1].startswith("->"):
            first -= 1
            while first > self._from and self._lines[first].startswith(("->", "   ")):
                first -= 1
            return first
        return above

    def _underlined(self, mark: Mark, heading: str, header: list[str]) -> None:
        after = self._marks[self._at]
        between = self._lines[mark.at + 1 : after.at]
        if after.kind == "ruler" and len(between) <= _MAX_HEAD and all(k.strip() for k in between):
            self._at += 1
            self._start(after, [*header, *between], heading)
            return
        self._from = mark.at + 1
        table = self._open_table(heading, mark.at, [])
        table.labels = [(span[1], text) for span, text in phrases(" ".join(header[-1:]))][:_MOST_LABELS]

    def _close(self) -> None:
        table, self._open, self._suspended = self._open, None, False
        if table is None:
            return
        width = sum(len(level.slots) for level in table.levels) or 1 + len(table.labels)
        most = len(table.lines) * width
        self._cells -= most
        self._columns -= width
        if self._cells >= 0 and self._columns >= 0 and len(self.tables) < MAX_TABLES:
            tables = self._finish(table)
            self._cells -= max(0, sum(len(t.rows) * len(t.labels) for t in tables) - most)
            self.tables.extend(tables)
        elif len(self.cut) < _MOST_CUT:
            self.cut.append(table.heading[:TITLE])

    def _finish(self, table: OpenTable) -> list[RawTable]:
        return finish_table(table, self._database)

    @cached_property
    def _database(self) -> str:
        return database_name(self._lines)


def _is_figures(line: str) -> bool:
    words = line[:400].split()
    return 2 * sum(map(bool, map(_FIGURE.fullmatch, words))) > len(words)


def _is_end(runs: tuple[Slot, ...], line: str) -> bool:
    return len(runs) == 1 and runs[0][0] >= 8 and "~" not in line


def is_end_rule(line: str) -> bool:
    """True for an indented rule as wide as chapters' ends."""
    runs = segments(line)
    return _is_end(runs, line) and runs[0][1] - runs[0][0] >= _END_RULE


def _is_above_sum(runs: tuple[Slot, ...], table: OpenTable) -> bool:
    return table.slots.issuperset(runs) and len(runs) < len(table.slots)
