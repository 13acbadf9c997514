"""LGWR trace files as RawTables; also the log of static/companion/lgwr_sched.sh.

Warnings follow their stamp, with a zone after 12.1; `kcrfw_alfs_update_mode`, the figures of a switch, precedes its
stamp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from parsers.tables.rawtable import RawDocument, RawTable, collapse
from parsers.text.log_writer_samples import is_samples, read_samples

_STAMP = re.compile(
    r"\*\*\* (?:[A-Z ]+:\(.{0,200}?\) )?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)([-+]\d\d:\d\d|Z)?"
)
_WRITE = re.compile(r"Warning: log write elapsed time (\d{1,12})ms, size (\d{1,12})KB")
_BROADCAST = re.compile(r"Warning: log write broadcast wait time (\d{1,12})ms(?: \(SCN (\w{1,40}(?:\.\w{1,40})?)\))?")
_SWITCH = re.compile(r"Log file sync switching to (\w[\w/ ]{0,40})")
_DETAILS = (
    (re.compile(r"Current scheduling delay is (\d{1,12}) usec"), 3),
    (re.compile(r"Current approximate redo synch write rate is (\d{1,12}) per sec"), 4),
    (re.compile(r"Current polling interval is (\d{1,12}) usec|polling interval[^\d]{0,20}(\d{1,12}) usec"), 5),
)
_DECISION = re.compile(r"kcrfw_alfs_update_mode: (\S{1,40}) (.{0,400})")
_SCALABLE = re.compile(r"Adaptive scalable LGWR (en|dis)abling workers")
_SCALED = re.compile(r"kcrfw_slave_adaptive_updatemode: (single->scalable|scalable->single)\b(.{0,400})")
_FIGURE = re.compile(r"(?<!\w)(\w++#?)=(\d{1,18})")
_HEADER = (
    ("Release", re.compile(r"Oracle Database .{0,200}?Release ([\d.]{3,30})")),
    ("Instance name", re.compile(r"Instance name:\s*(\S{1,200})")),
    ("Node name", re.compile(r"Node name:\s*(\S{1,200})")),
    ("System name", re.compile(r"System name:\s*(\S{1,200})")),
    ("Redo thread", re.compile(r"Redo thread mounted by this instance:\s*(\d{1,9})")),
    ("Process", re.compile(r"Unix process pid: \d+, image: .{0,200}\((\w{1,20})\)")),
    ("Unix process pid", re.compile(r"Unix process pid: (\d{1,20})")),
    ("Trace file", re.compile(r"Trace file (\S{1,1000})")),
    ("Machine", re.compile(r"Machine:\s*(\S{1,200})")),
    ("Storage", re.compile(r"Storage:\s*(\S{1,200})")),
)
# Of the companion script: time, process, nanoseconds on a CPU and waiting for one since it began, times it ran.
_SAMPLE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\w{1,20}),(\d{1,20}),(\d{1,20}),(\d{1,20})$")
_HEADER_LINES = 60
_MAX_LINE = 2000
_PIECE = re.compile(r"(?s:.{1,65536})[^\n]*\n?")  # lines at a time: all of them take more memory than the file
_LEAST_ROWS, _ROW = 20_000, 45  # of a file; of a real one a row takes 85 characters and more
_TABLES = (
    ("Log write warnings", ("Time", "Zone", "Elapsed (ms)", "Size (KB)")),
    ("Log write broadcast warnings", ("Time", "Zone", "Wait (ms)", "SCN")),
    (
        "Log file sync switches",
        (
            "Time",
            "Zone",
            "Switching to",
            "Scheduling delay (usec)",
            "Redo synch writes per sec",
            "Polling interval (usec)",
        ),
    ),
    ("Adaptive log file sync decisions", ("Time", "Change", "Figure", "Value")),
    ("Adaptive scalable log writer", ("Time", "Zone", "Workers", "Figures")),
    ("Log writer scheduling", ("Time", "Process", "On CPU (ns)", "Waited for a CPU (ns)", "Runs")),
)


def read_trace(text: str) -> RawDocument:
    """Samples as CSV, too; the first table is a one-row header."""
    if is_samples(next(_lines(text), "")):
        return read_samples(text)
    reader = _Reader(max(_LEAST_ROWS, len(text) // _ROW))
    at = 0
    for at, line in enumerate(_lines(text), 1):
        reader.feed(line, at)
    lines = list(islice(_lines(text), _HEADER_LINES))
    cells = []
    for _, pattern in _HEADER:
        match = next(filter(None, (pattern.match(line) for line in lines)), None)
        cells.append(collapse(match[1]) if match else "")
    tables = [RawTable("LGWR trace", "", "", tuple(name for name, _ in _HEADER), [cells], line=1), *reader.tables()]
    return RawDocument(tables, "LGWR trace", [], complete=True, last_line=at, cut=reader.cut)


def _lines(text: str) -> Iterator[str]:
    return (line[:_MAX_LINE] for piece in _PIECE.finditer(text) for line in piece[0].splitlines())


class _Reader:
    def __init__(self, room: int) -> None:
        self.cut: list[str] = []  # the heading of the table that there was no room for
        self._room = room  # for rows
        self._stamp = ("", "")
        self._rows: list[list[list[str]]] = [[] for _ in _TABLES]
        self._lines: list[int | None] = [None] * len(_TABLES)
        self._waiting: list[list[str]] = []  # decisions whose stamp is still to come
        self._scaling: list[str] | None = None  # a change of the log writers that its other line is still to tell of

    def feed(self, line: str, at: int) -> None:
        if line.startswith("***"):
            self._stamped(line)
        elif line.startswith("Warning: log write "):
            self._warning(line, at)
        elif line.startswith("Log file sync switching"):
            match = _SWITCH.match(line)
            if match:
                self._add(2, at, match[1].strip(), "", "", "")
        elif line.startswith("Current ") and self._rows[2] and self._room:
            self._detail(line)
        elif line.startswith("kcrfw_alfs_update_mode:"):
            self._decision(line, at)
        elif line.startswith(("Adaptive scalable LGWR", "kcrfw_slave_adaptive_updatemode:")):
            self._scaled(line, at)
        elif line.startswith("20") and (match := _SAMPLE.match(line)):
            self._note(5, at, list(match.groups()))

    def _stamped(self, line: str) -> None:
        match = _STAMP.match(line)
        if not match:
            return
        self._stamp = (f"{match[1]} {match[2]}", match[3] or "")
        for row in self._waiting:
            row[0] = self._stamp[0]
        self._waiting = []

    def _warning(self, line: str, at: int) -> None:
        if match := _WRITE.match(line):
            self._add(0, at, match[1], match[2])
        elif match := _BROADCAST.match(line):
            self._add(1, at, match[1], match[2] or "")

    def _detail(self, line: str) -> None:
        row = self._rows[2][-1]
        for pattern, cell in _DETAILS:
            match = pattern.search(line)
            if match and row[0] == self._stamp[0]:
                row[cell] = next(g for g in match.groups() if g)

    def _scaled(self, line: str, at: int) -> None:
        if match := _SCALED.match(line):
            mode = "enabled" if match[1] == "single->scalable" else "disabled"
            self._add(4, at, mode, collapse(match[2]))
            if self._rows[4]:
                self._scaling = self._rows[4][-1]
        elif match := _SCALABLE.match(line):
            mode = f"{match[1]}abled"
            row = self._scaling
            if row is not None and row[2] == mode:
                row[:2] = self._stamp
            else:
                self._add(4, at, mode, "")
            self._scaling = None

    def _decision(self, line: str, at: int) -> None:
        match = _DECISION.match(line)
        for name, value in _FIGURE.findall(match[2]) if match else ():
            row = [self._stamp[0], match[1] if match else "", name, value]
            self._note(3, at, row)
            self._waiting.append(row)

    def _add(self, table: int, at: int, *cells: str) -> None:
        self._note(table, at, [*self._stamp, *cells])

    def _note(self, table: int, at: int, row: list[str]) -> None:
        if not self._room:
            self.cut = self.cut or [_TABLES[table][0]]
            return
        self._room -= 1
        self._rows[table].append(row)
        self._lines[table] = self._lines[table] or at

    def tables(self) -> list[RawTable]:
        return [
            RawTable(heading, "", "", labels, rows, line=line)
            for (heading, labels), rows, line in zip(_TABLES, self._rows, self._lines, strict=True)
            if rows
        ]
