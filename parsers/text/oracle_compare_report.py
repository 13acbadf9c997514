"""Oracle's compare period report as text (awrddrpt): tables, labels and groups as in HTML.

Groups' rulers may begin at the first column; only page headings name the databases.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from parsers.tables.rawtable import RawDocument, RawTable, collapse, normal_title
from parsers.text.awr_and_statspack_reader import Reader, is_end_rule
from parsers.text.column_heads import MAX_HEADER, Level, assign_words, phrases, read_level, segments
from parsers.text.data_rows import begins_with_name, read_named, read_rows
from parsers.text.ruler_column_cutting import Slot
from parsers.text.structural_marks import Mark, find_marks, is_complete, split_lines, strip_quotes, title_line
from parsers.text.table_assembly import OpenTable, raw_table
from parsers.text.truncated_names import complete_names, name_label

_MAX_HEAD = 8  # lines of labels over a ruler
_MAX_RULERS = 6  # in one head: names, groups and columns
_SET_IN = 3  # a ruler set in further than this leaves out the column of the rows' labels
_PARTS = re.compile(r"(?:First|Second) DB/Inst: {0,9}([^/\s]{0,128})/([^\s,]{0,128})")
_SQL_ID = re.compile(r"[0-9a-z]{13}(?=\s|$)")
_PIECE = 239  # a line of a statement holds 240 characters: one less means that the cut fell on a blank
_FIGURES = "0123456789.-+#N/"  # what a figure begins with: -1.5, .5, ####, N/A, /  1/   1

# Labels that the columns' width cuts, by what is printed.
_WHOLE = {
    "Total Dif": "Total Diff",
    "Total %D": "Total %Diff",
    "Recovery Estimated IO": "Recovery Estimated IOs",
    "Log File Siz Redo Blocks": "Log File Size Redo Blocks",
    "Log Ckpt Tim Redo Blocks": "Log Ckpt Timeout Redo Blocks",
}
# The same under a group.
_WHOLE_UNDER = {("% Diff of", "Begin Val"): "Begin Values", ("% Diff of", "End Value"): "End Values"}
_PERIODS = {"First": "1st", "Second": "2nd"}
_SIDES = ("1st", "2nd", "Diff", "%Diff")
# The block below the load profile has no heading in either format; HTML knows it by its summary.
_PERCENTAGES = "Instance percentages"


def read_compare(text: str) -> RawDocument:
    """Reads awrddrpt's text; never raises for bad layout."""
    lines = strip_quotes(split_lines(text))
    marks = [_without_side(mark) for mark in find_marks(lines)]
    reader = _CompareReader(lines, marks)
    reader.read()
    complete = is_complete(text) or _ends(lines, marks)
    last_line = 0 if complete else len(lines)
    return RawDocument(reader.tables, title_line(text), reader.headings, complete, last_line, reader.cut)


def _without_side(mark: Mark) -> Mark:
    """Page headings go on with `First DB/Inst: …`."""
    title = mark.title.removesuffix("First").rstrip()
    return mark._replace(title=title) if title else mark


def _ends(lines: Sequence[str], marks: Sequence[Mark]) -> bool:
    """A rule below the last chapter, parameters, ends it."""
    chapters = [mark.title for mark in marks if mark.kind == "chapter"]
    last = lines[marks[-2].at] if len(marks) > 1 and marks[-2].kind == "ruler" else ""
    return is_end_rule(last) and bool(chapters) and "parameters" in chapters[-1].lower()


class _CompareReader(Reader):
    """Tables of both periods, by the marks of all text reports."""

    def __init__(self, lines: list[str], marks: list[Mark]) -> None:
        super().__init__(lines, marks)
        self._heading = ""  # of the report's head, underlined with tildes
        self._labels = ""  # that stand in the line of the tildes

    def _tilde(self, mark: Mark) -> None:
        if self._chapter:
            return  # in the text of a statement
        line = self._lines[mark.at]
        if line[:_MAX_HEAD].isspace():  # above the differences of both periods: another row
            self._gather(mark.at)
        else:
            # The heading is missing over the load profile of a pluggable database (19c).
            has_name = mark.at > self._from and not self._lines[mark.at - 1][:1].isspace()
            above = mark.at - has_name
            self._gather(above)
            self._close()
            self._heading = self._lines[above].strip() if has_name else ""
            self._labels = line.replace("~", " ")
            self.headings.extend([self._heading] if self._heading else [])
        self._from = mark.at + 1

    def _ruler(self, mark: Mark) -> None:
        begin = self._header_before(mark.at)
        if not self._chapter and self._from < begin < mark.at:  # labels below a blank line begin another table
            self._gather(begin)
            self._close()
        super()._ruler(mark)

    def _next_ruler(self, at: int, upper: tuple[Slot, ...]) -> Mark | None:
        mark = self._following(at)
        return mark if mark and _alignment(upper, segments(self._lines[mark.at])) is not None else None

    def _following(self, at: int) -> Mark | None:
        mark = self._marks[self._at]
        if mark.kind != "ruler" or not 1 < mark.at - at <= _MAX_HEAD:
            return None
        runs = segments(self._lines[mark.at])
        below = len(runs) > 1 or (bool(runs) and runs[0][0] <= _SET_IN)
        return mark if below and self._is_header(at + 1, mark.at) else None

    def _start(self, mark: Mark, header: list[str], heading: str) -> None:
        if self._labels.strip():
            header = [self._labels, *header]
        self._labels = ""
        heads = [(header, segments(self._lines[mark.at]))]
        while len(heads) < _MAX_RULERS and (after := self._following(mark.at)):
            heads.append((self._lines[mark.at + 1 : after.at], segments(self._lines[after.at])))
            self._at += 1
            mark = after
        levels = _levels(heads)
        self._from = mark.at + 1
        if self._resumes(levels):
            return
        table = self._open_table(heading or self._chapter or self._heading, mark.at, levels)
        table.sql = len(levels) == 1 and levels[0].labels[0].lower() == "sql id"

    @cached_property
    def _databases(self) -> list[tuple[str, str]]:
        return next((parts for line in self._lines if "DB/Inst:" in line and (parts := _PARTS.findall(line))), [])

    def _finish(self, table: OpenTable) -> list[RawTable]:
        raw = _finish(table, self._databases)
        complete_names(raw)
        return [raw] if raw.rows else []


def _levels(heads: Sequence[tuple[list[str], tuple[Slot, ...]]]) -> list[Level]:
    levels: list[Level] = []
    spans: list[tuple[Slot, str]] = []
    for at, (header, runs) in enumerate(heads):
        shift = None if spans or at + 1 == len(heads) else _alignment(runs, heads[at + 1][1])
        if shift is not None:
            spans = [((a + shift, b + shift), name) for (a, b), name in _group_names(header, runs)]
            continue
        slots = ((0, runs[0][0] - 1), *runs) if runs[0][0] > _SET_IN else runs
        levels.append(read_level(header, slots, spans))
        spans = []
    return levels


def _alignment(upper: tuple[Slot, ...], lower: tuple[Slot, ...]) -> int | None:
    """Groups' rulers over queues leave room for a name."""
    if not upper or len(lower) <= len(upper):
        return None
    begins, ends = {a for a, _ in lower}, {b for _, b in lower}
    last_gap = lower[-1][1] - upper[-1][1]
    for shift in (0, last_gap) if len(upper) > 1 else (0,):
        if all(a + shift in begins and b + shift in ends for a, b in upper):
            return shift
    return None


def _group_names(header: Sequence[str], runs: tuple[Slot, ...]) -> list[tuple[Slot, str]]:
    words: list[list[str]] = [[] for _ in runs]
    middles = [(a + b) / 2 for a, b in runs]
    for line in header:
        for (begin, end), text in phrases(line[:MAX_HEADER]):
            first, last = bisect_left(middles, begin), bisect_right(middles, end)
            if last - first > 1:  # one blank stands between two names
                from_ = max(first - 1, 0)
                parts = assign_words(" " * begin + text, runs[from_ : last + 1])
                for at, part in enumerate(parts, from_):
                    words[at].extend([part] if part else [])
            else:
                near = range(max(first - 1, 0), min(first + 1, len(runs))) if first == last else (first,)
                words[max(near, key=lambda i: min(runs[i][1], end) - max(runs[i][0], begin))].append(text)
    return [(run, " ".join(w)) for run, w in zip(runs, words, strict=True)]


def _finish(table: OpenTable, databases: Sequence[tuple[str, str]]) -> RawTable:
    lines = table.lines
    if not table.in_chapter:
        lines = lines[: next((i for i, line in enumerate(lines) if not line.strip()), len(lines))]
    levels = table.levels
    labels = [label for level in levels for label in level.labels]
    groups = [group for level in levels for group in level.groups]
    widths = [width for level in levels for width in level.widths]
    if table.sql:
        rows = _statements(levels[0], lines)
        return raw_table(table, _whole([*labels, "SQL Text"], groups), rows, groups, widths)
    if len(levels) == 1 and 0 < levels[0].slots[0][0] <= _SET_IN:
        has_names = begins_with_name(lines)
        rows = read_named(levels[0], lines) if has_names else _rows_by_period(levels[0], lines)
        label = name_label(table.heading) if has_names else ""
        return raw_table(table, _whole([label, *labels], ["", *groups]), rows, ["", *groups])
    rows = _rows(table, lines)
    # Figures cut at the line's end lack digits.
    side = next((k for k in _SIDES if labels[-1] and k.startswith(labels[-1])), labels[-1])
    if side != labels[-1]:
        labels[-1] = side
        for row in rows:
            row[-1] = ""
    if labels[1:3] == list(_PERIODS):
        table.heading, labels = _PERCENTAGES, [_PERIODS.get(label, label) for label in labels]
    if labels[0] == "Snapshot Set" and "DB Name" not in labels:
        labels, rows, widths = _with_databases(labels, rows, widths, databases)
        groups = []
    return raw_table(table, _whole(labels, groups), rows, groups, widths)


def _whole(labels: list[str], groups: Sequence[str]) -> list[str]:
    full = [*groups, *[""] * (len(labels) - len(groups))]
    return [_WHOLE.get(n) or _WHOLE_UNDER.get((g, n), n) for n, g in zip(labels, full, strict=True)]


def _rows(table: OpenTable, lines: Sequence[str]) -> list[list[str]]:
    if table.in_chapter:
        rows = read_rows(table.levels, lines, several="multi-valued" in table.heading.lower())
        if normal_title(table.heading) == "process memory summary":
            _fill_down(rows)
        return rows
    level = table.levels[0]
    rows = [_difference(level, line) if line.lstrip().startswith("%Diff") else level.cells(line) for line in lines]
    for row in rows:
        row[0] = collapse(row[0].lstrip("."))  # dots show which pool a cache is part of
    return rows


def _difference(level: Level, line: str) -> list[str]:
    values = line.replace("%Diff:", " " * 6).replace("%", " ")
    return ["%Diff", *level.cells(values)[1:]]


def _fill_down(rows: list[list[str]]) -> None:
    last = ""
    for row in rows:
        last = row[0] = row[0] or last


def _rows_by_period(level: Level, lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines:
        name, _, rest = line.strip().partition(" ")
        if name:
            rows.append([name, *level.cells(rest)])
    return rows


def _statements(level: Level, lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    texts: list[list[str]] = []
    for line in lines:
        if not line or line.isspace():
            continue
        cells = _statement_row(level, line)
        if cells:
            rows.append(cells)
            texts.append([])
        elif texts:
            piece = line.rstrip()
            texts[-1].append(piece + " " if len(piece) == _PIECE else piece)
    return [[*row, collapse("".join(text))] for row, text in zip(rows, texts, strict=True)]


def _statement_row(level: Level, line: str) -> list[str] | None:
    match = _SQL_ID.match(line)
    words = line[match.end() :].split() if match else []
    if not words or any(word[0] not in _FIGURES for word in words):
        return None
    return [collapse(cell) if "  " in cell else cell for cell in level.cells(line)]


def _with_databases(
    labels: list[str], rows: list[list[str]], widths: list[int], databases: Sequence[tuple[str, str]]
) -> tuple[list[str], list[list[str]], list[int]]:
    """Names of databases, and of instances from 12.2, are added."""
    if "Begin Snap Id" in labels or not databases:
        return labels, rows, widths
    added = 1 if "Instance" in labels else 2
    out = []
    for row in rows:
        side = next((i for i, mark in enumerate(("1st", "2nd")) if mark in row[0]), len(databases))
        printed = databases[side][:added] if side < len(databases) else [""] * added
        out.append([row[0], *printed, *row[1:]])
    names = ("DB Name", "Instance")[:added]
    return [labels[0], *names, *labels[1:]], out, [widths[0], *[0] * added, *widths[1:]]
