"""Text reports, AWR and Statspack, to RawTables: the same document as from HTML, so that the same sections read it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsers import text_summary
from parsers.rawtable import RawDocument, RawTable, collapse, unique_labels
from parsers.text_heads import (
    Level,
    Slot,
    compile_slots,
    group_spans,
    is_group_ruler,
    phrases,
    read_level,
    segments,
)
from parsers.text_histogram import mend_histograms
from parsers.text_names import complete_names, name_label
from parsers.text_pages import Mark, database_name, find_marks, is_complete, split_lines
from parsers.text_rows import is_sql, is_statements, read_named, read_rows, read_sql, read_statements

_MAX_HEAD = 8  # lines of labels over a ruler
_MAX_LEVELS = 4
_WARNING = "Warning:"
_NO_DATA = "no data exists for this section"
_FIGURE = re.compile(r"(?<!\S)[-+]?[\d.,]*\d[\d.,]*(?:[eE][-+]?\d+)?[KMGT%]?(?!\S)")


@dataclass(slots=True)
class _Open:
    """A table whose lines are being gathered. Without levels it holds pairs of label and value."""

    heading: str
    line: int
    notes: list[str]
    levels: list[Level]
    labels: list[tuple[int, str]] = field(default_factory=list)  # of pairs: where each ends, and the label
    header: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    in_chapter: bool = False
    sql: bool = False


def read_text(text: str) -> RawDocument:
    """All tables of `text` in order. Never raises for bad layout; an empty document has no tables."""
    lines = split_lines(text)
    marks = find_marks(lines)
    reader = _Reader(lines, marks)
    reader.read()
    tables = mend_histograms(reader.tables)
    complete = is_complete(text)
    return RawDocument(tables, "", reader.headings, complete, 0 if complete else len(lines))


class _Reader:
    """Goes from mark to mark; what stands between two of them belongs to the table open so far, or to the next."""

    def __init__(self, lines: list[str], marks: list[Mark]) -> None:
        self.tables: list[RawTable] = []
        self.headings: list[str] = []
        self._lines, self._marks = lines, marks
        self._chapter = ""
        self._notes: list[str] = []
        self._open: _Open | None = None
        self._suspended = False  # the open table's page has ended; the next may go on with it
        self._at = 0  # of the next mark
        self._from = 0  # first line not yet used
        self._name: str | None = None

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
                    self._skip_prose()

    def _skip_prose(self) -> None:
        """ADDM's findings are prose with underlined headings, no tables."""
        while self._marks[self._at].kind not in ("chapter", "stop"):
            self._at += 1
        self._from = self._marks[self._at].at

    def _begin_chapter(self, mark: Mark) -> None:
        self._gather(mark.at)
        if self._open and (mark.title != self._chapter or not self._open.in_chapter):
            self._close()
        self._suspended = self._open is not None
        self._chapter = mark.title
        self._notes = [] if self._open else [n for n in self._notes if n.startswith(_WARNING)]
        if not self.headings or self.headings[-1] != mark.title:
            self.headings.append(mark.title)
        self._from = mark.at + 1

    def _gather(self, end: int) -> None:
        """Gives the lines up to `end` to the open table, or takes the notes out of them."""
        lines = self._lines[self._from : end]
        self._from = max(end, self._from)
        if self._open and not self._suspended:
            self._open.lines.extend(lines)
        elif self._chapter:
            self._notes.extend(_notes_in(lines))

    def _header_before(self, at: int) -> int:
        """Where the lines of labels above the ruler at `at` begin."""
        begin = at
        while begin > self._from and at - begin < _MAX_HEAD:
            line = self._lines[begin - 1]
            if not line or line.isspace() or line.startswith("->"):
                break
            begin -= 1
        return begin

    def _ruler(self, mark: Mark) -> None:
        runs = segments(self._lines[mark.at])
        if not runs:
            return
        table = self._open
        begin = self._header_before(mark.at)
        if table and not self._suspended and table.sql and not _is_end(runs, self._lines[mark.at]):
            return  # dashes in the text of a statement
        if self._is_end_rule(mark, runs, begin):
            self._gather(mark.at)
            self._close()
            self._from = mark.at + 1
            return
        if table and not self._suspended and (begin == mark.at or _is_above_sum(runs, table)):
            self._gather(mark.at)
            self._from = mark.at + 1
            return
        self._gather(begin)
        self._start(mark, self._lines[begin : mark.at], "")

    def _is_end_rule(self, mark: Mark, runs: tuple[Slot, ...], begin: int) -> bool:
        if not _is_end(runs, self._lines[mark.at]) or self._next_ruler(mark.at, runs):
            return False
        if self._open and not self._suspended:
            return True
        header = self._lines[begin : mark.at]
        return not header or _NO_DATA in " ".join(header).lower()

    def _next_ruler(self, at: int, upper: tuple[Slot, ...]) -> Mark | None:
        """The ruler of the columns, where the one at `at` stands over groups of them."""
        mark = self._marks[self._at]
        if mark.kind != "ruler" or not 1 < mark.at - at <= _MAX_HEAD or not self._is_header(at + 1, mark.at):
            return None
        return mark if is_group_ruler(upper, segments(self._lines[mark.at])) else None

    def _is_header(self, begin: int, end: int) -> bool:
        """Whether lines can be labels: none is blank, none holds figures for the most part."""
        lines = self._lines[begin:end]
        return all(line.strip() and 2 * len(_FIGURE.findall(line[:400])) <= len(line[:400].split()) for line in lines)

    def _start(self, mark: Mark, header: list[str], heading: str) -> None:
        """Opens the table under the ruler at `mark`, whose labels begin with `header`."""
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
        self._open_table(heading, mark.at, levels, header)

    def _open_table(self, heading: str, at: int, levels: list[Level], header: list[str]) -> None:
        self._close()
        notes, self._notes = self._notes, []
        chapter = bool(self._chapter)
        self._open = _Open(heading or self._chapter, at + 1, notes, levels, header=header, in_chapter=chapter)
        self._open.sql = len(levels) == 1 and is_sql(levels[0])

    def _resumes(self, levels: list[Level]) -> bool:
        """A page that repeats the columns of the open table goes on with it."""
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
        """Where the ruler leaves the rows' labels out they make a column of their own; text over it is the heading."""
        if runs[0][0] > 3:
            runs = ((0, runs[0][0] - 1), *runs)
            level = read_level(header, runs, spans)
            if not self._chapter and not heading:
                heading = level.labels[0]
                level.labels[0] = ""
            return level, heading
        return read_level(header, runs, spans), heading

    def _next_level(self, at: int) -> Mark | None:
        mark = self._marks[self._at]
        if mark.kind != "ruler" or not 1 < mark.at - at <= _MAX_HEAD or not self._is_header(at + 1, mark.at):
            return None
        runs = segments(self._lines[mark.at])
        return mark if runs and runs[0][0] <= 2 else None

    def _tilde(self, mark: Mark) -> None:
        """An underlined heading; its line, the tildes' and those below may hold labels of columns."""
        line = self._lines[mark.at]
        if self._open and self._open.in_chapter and self._open.levels and not self._suspended:
            if self._open.sql:
                return
            if not line.strip(" ~") and len(line.split()) > 1:  # a rule above sums
                self._gather(mark.at)
                self._from = mark.at + 1
                return
        above = mark.at - 1
        while above > self._from and self._lines[above].startswith(("->", "   ")) and "->" in "".join(
            self._lines[max(self._from, above - 3) : above + 1]
        ):
            above -= 1
        if above < self._from:
            return
        full = self._lines[self._header_before(mark.at) : mark.at]
        self._gather(above)
        self._close()
        self._notes = _notes_in(self._lines[above : mark.at]) if self._chapter else []
        if text_summary.is_host(line, full):
            self._from = mark.at
            self._start(mark, [], "Host")
            return
        heading, labels = text_summary.split_heading(self._lines[above], line)
        rest = line.replace("~", " ")
        header = [text for text in (labels,) if text.strip()]
        self.headings.append(heading)
        if not rest.strip(" -") and "--" in rest:
            self._from = mark.at
            self._start(mark, header, heading)
            return
        if rest.strip():
            header.append(rest)
        after = self._marks[self._at]
        between = self._lines[mark.at + 1 : after.at]
        if after.kind == "ruler" and len(between) <= _MAX_HEAD and all(k.strip() for k in between):
            self._at += 1
            self._start(after, [*header, *between], heading)
            return
        self._from = mark.at + 1
        self._open_table(heading, mark.at, [], header)
        if self._open:
            self._open.labels = [(span[1], text) for span, text in phrases(" ".join(header[-1:]))]

    def _close(self) -> None:
        """Makes a RawTable of the open one, if it has a row."""
        table, self._open, self._suspended = self._open, None, False
        if table is None:
            return
        lines = table.lines
        if not table.in_chapter and table.levels:
            blank = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
            lines = lines[:blank]
        elif any(line.startswith(_WARNING) for line in lines):
            end = next(i for i, line in enumerate(lines) if line.startswith(_WARNING))
            table.notes.extend(_notes_in(lines[end:]))
            lines = lines[:end]
        made = self._pairs(table, lines) if not table.levels else self._columns(table, lines)
        if made and made.rows:
            complete_names(made)
            self.tables.append(made)

    def _pairs(self, table: _Open, lines: list[str]) -> RawTable | None:
        if table.labels:
            rows = text_summary.read_labelled(lines, [end for end, _ in table.labels])
            labels = ["", *(label for _, label in table.labels)]
        else:
            rows = text_summary.pad(text_summary.read_pairs(lines))
            if table.heading == "Instance CPU" and rows:
                return _raw(table, [row[0] for row in rows], [[row[1] for row in rows]])
            labels = [""] * len(rows[0]) if rows else []
        return _raw(table, labels, rows)

    def _columns(self, table: _Open, lines: list[str]) -> RawTable | None:
        levels = table.levels
        labels = [label for level in levels for label in level.labels]
        groups = [group for level in levels for group in level.groups]
        widths = tuple(width for level in levels for width in level.widths)
        if is_statements(levels):
            rows = read_statements(levels, lines)
            return _raw(table, [*labels, "SQL Text"], rows, widths=widths)
        if table.sql:
            tail, rows = read_sql(levels[0], lines)
            return _raw(table, [*labels, *tail], rows, widths=widths)
        if len(levels) == 1 and levels[0].slots[0][0] in (1, 2):
            rows = read_named(levels[0], lines)
            return _raw(table, [name_label(table.heading), *labels], rows, ["", *groups])
        if not table.in_chapter:
            return self._head_table(table, lines, labels)
        rows = read_rows(levels, lines, several="Multi-Valued" in table.heading)
        return _raw(table, *_without_empty(labels, rows, groups, widths))

    def _head_table(self, table: _Open, lines: list[str], labels: list[str]) -> RawTable | None:
        """A table of the report's head: these have their own ways."""
        level = table.levels[0]
        groups, widths = list(level.groups), level.widths
        if "Snap Id" in labels:
            rows = _snapshot_rows(level, lines)
        elif any(":" in line[level.width :] for line in lines):
            rows = _rows_with_rest(level, lines)
        else:
            rows = read_rows(table.levels, lines, several=False)
        if table.heading == "Database" and labels[0] != "DB Name":
            labels = ["DB Name", *labels[1:]]
            for row in rows:
                row[0] = row[0] or database_name(self._lines)
        if table.heading.startswith("Host CPU"):
            names, values = text_summary.host_cpu_columns(table.heading)
            labels = [*(f"%{k}" if k in _UNSIGNED else k for k in labels), *names]
            rows = [[*row, *values] for row in rows]
        elif table.heading == "Host":
            labels = text_summary.host_labels(len(labels))
        width = max(map(len, rows), default=0)
        labels = [*labels, *[""] * (width - len(labels))]
        return _raw(table, *_without_empty(labels, text_summary.pad(rows), groups, widths))


_UNSIGNED = ("User", "System", "Idle", "WIO", "WCPU")  # Statspack prints them without the percent sign


def _snapshot_rows(level: Level, lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines:
        low = line.lower()
        rows.extend(text_summary.minute_rows(line) if "(min" in low else [level.cells(line)])
    return text_summary.pad(rows)


def _rows_with_rest(level: Level, lines: Sequence[str]) -> list[list[str]]:
    """Rows with a second label and value right of the ruler (`Std Block Size: 8K` beside the cache sizes)."""
    rows: list[list[str]] = []
    for line in lines:
        row = level.cells(line[: level.width + 1])
        label, colon, value = line[level.width + 1 :].partition(":")
        rows.append([*row, collapse(label), value.strip()] if colon else row)
    return rows


def _without_empty(
    labels: list[str], rows: list[list[str]], groups: list[str], widths: tuple[int, ...]
) -> tuple[list[str], list[list[str]], list[str], tuple[int, ...]]:
    """Without the column that was made for labels no row has."""
    if labels and not labels[0] and rows and not any(row[0] for row in rows):
        return labels[1:], [row[1:] for row in rows], groups[1:], widths[1:]
    return labels, rows, groups, widths


def _raw(
    table: _Open,
    labels: list[str],
    rows: list[list[str]],
    groups: Sequence[str] = (),
    widths: Sequence[int] = (),
) -> RawTable:
    full = [*groups, *[""] * (len(labels) - len(groups))]
    return RawTable(
        heading=table.heading,
        caption="",
        summary="",
        labels=unique_labels(labels, full),
        rows=rows,
        notes=tuple(table.notes),
        line=table.line,
        groups=tuple(full),
        widths=tuple(widths),
    )


def _is_end(runs: tuple[Slot, ...], line: str) -> bool:
    """The rule below a table is one run, set in."""
    return len(runs) == 1 and runs[0][0] >= 8 and "~" not in line


def _is_above_sum(runs: tuple[Slot, ...], table: _Open) -> bool:
    """A rule inside a table, under some of its columns: the next row is their sum."""
    slots = {slot for level in table.levels for slot in level.slots}
    return slots.issuperset(runs) and len(runs) < len(slots)


def _notes_in(lines: Sequence[str]) -> list[str]:
    """Notes between a heading and its table: `-> …`, going on in lines set in below."""
    out: list[str] = []
    going = False
    for line in lines:
        if line.startswith(("->", _WARNING)):
            out.append(collapse(line.removeprefix("->")))
            going = True
        elif going and line.startswith(" ") and line.strip():
            out[-1] += " " + collapse(line)
        else:
            going = False
    return out


__all__ = ["compile_slots", "read_text"]
