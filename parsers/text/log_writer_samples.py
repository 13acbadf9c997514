"""Log writer samples from v$active_session_history (or dba_hist_active_sess_history) as CSV with a heading.

SQL*Plus (`set markup csv on`), SQLcl, SQL Developer: columns in any order, quoted or not.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import datetime

from parsers.identity.awr import read_moment_of_day
from parsers.tables.rawtable import RawDocument, RawTable

HEADING = "Log writer samples"
LABELS = ("Time", "Process", "Event", "P1", "P2", "P3")
_NAMES = ("sample_time", "program", "event", "p1", "p2", "p3")
_STATE = "session_state"
_DELIMITERS = ",;\t|"
_LOG_WRITER = re.compile(r"@([^\s@]{1,200}) \((LG(?:WR|\d\w))\)", re.IGNORECASE)  # oracle@host (LGWR)
_WRITE = "log file parallel write"
_MAX_LINE = 4000
_LEAST_ROWS, _ROW = 20_000, 45  # of a file


def is_samples(first_line: str) -> bool:
    return _columns(first_line) is not None


def read_samples(text: str) -> RawDocument:
    """Sampled redo writes, and other log writer activity."""
    lines = text.splitlines()
    columns = _columns(lines[0] if lines else "")
    room = max(_LEAST_ROWS, len(text) // _ROW)
    rows: list[list[str]] = []
    hosts: dict[str, None] = {}
    cut = False
    for host, row in _rows(lines[1:], *columns) if columns is not None else ():
        cut = len(rows) >= room
        if cut:
            break
        rows.append(row)
        hosts.setdefault(host)
    host = next(iter(hosts)) if len(hosts) == 1 else ""
    tables = [RawTable("LGWR trace", "", "", ("Node name",), [[host]], line=1)]
    if rows:
        tables.append(RawTable(HEADING, "", "", LABELS, rows, line=2))
    return RawDocument(tables, "LGWR trace", [], complete=True, last_line=len(lines), cut=[HEADING] if cut else [])


def _columns(line: str) -> tuple[str, dict[str, int]] | None:
    for delimiter in _DELIMITERS:
        names = [n.strip().lower() for n in _cells(line.lstrip("\ufeff"), delimiter)]
        places = {name: names.index(name) for name in (*_NAMES, _STATE) if name in names}
        if {"sample_time", "event", "p3"} <= places.keys():
            return delimiter, places
    return None


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line[:_MAX_LINE]], delimiter=delimiter), [])
    except csv.Error:
        return []


def _rows(lines: list[str], delimiter: str, places: dict[str, int]) -> Iterator[tuple[str, list[str]]]:
    for line in lines:
        cells = _cells(line, delimiter)
        fields = {name: cells[at].strip() for name, at in places.items() if at < len(cells)}
        event, program = fields.get("event", ""), _LOG_WRITER.search(fields.get("program", ""))
        if event.lower() != _WRITE and program is None:
            continue
        host, process = program.groups() if program is not None else ("", "")
        is_waiting = fields.get(_STATE, "WAITING").upper() != "ON CPU"
        event = event if event and is_waiting else "ON CPU"
        yield (
            host,
            [_time(fields.get("sample_time", "")), process, event, *(fields.get(p, "") for p in ("p1", "p2", "p3"))],
        )


def _time(text: str) -> str:
    """Oracle's default is `21-MAY-24 10.00.00.123 AM`."""
    try:
        moment: datetime | None = datetime.fromisoformat(text)
    except ValueError:
        moment = read_moment_of_day(text)
    return moment.replace(tzinfo=None).isoformat(" ") if moment is not None else ""


__all__ = ["is_samples", "read_samples"]
