"""Head of an ADDM report: analysis, database and snapshots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from parsers.tables.rawtable import collapse
from parsers.text.column_heads import read_level, segments

_FULL: Final = 78
_LEAST: Final = 40
_STEPS: Final = (0, 3, 6, 9)  # characters that a line may have been set in
_WORD: Final = re.compile(r"\w+")
_LAST_WORD: Final = re.compile(r"\w+\Z")
_PARTS: Final = frozenset(("action", "rationale", "related object"))  # which begin a line of their own
# Of the sentences that facts and figures are read from (addm_head.py, addm.py).
_FRAME_WORDS: Final = """
    active activity action addm analyzed analysis and average benefit database during ending ends estimated
    finding from hosted id impact instance instances is load number numbered of performed period range rationale
    recommendation recommendations related requested seconds sessions snapshot starts subset task time total
    version was with
"""
_FRAME: Final = frozenset(_FRAME_WORDS.split())
_OBJECT: Final = "related object"  # below it stand statements, in lines of their own


def set_out(lines: list[str]) -> list[str]:
    common = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[common:] for line in lines] if common else lines


def unwrap(lines: list[str]) -> list[str]:
    """Lines unchanged without proof of a cut."""
    width = _width(lines)
    if not width:
        return lines
    cuts = _cuts(lines, width)
    rests = {at + 1 for at in cuts}
    words = _words_elsewhere(lines, cuts)
    return [
        _join(line, lines[at + 1], words) if at in cuts else line for at, line in enumerate(lines) if at not in rests
    ]


def _width(lines: Sequence[str]) -> int:
    before = 0  # tildes in the line before
    widths = set()
    longest = 0
    for line in lines:
        plain = line.strip()
        longest = max(longest, len(plain))
        tildes = len(plain) if plain and not plain.strip("~") else 0
        if tildes and before + tildes == _FULL and before > tildes:
            widths.add(before)
        before = tildes
    return longest if longest >= _LEAST and widths == {longest} else 0


def _cuts(lines: Sequence[str], width: int) -> set[int]:
    cuts: set[int] = set()
    of_object = False
    for at, line in enumerate(lines[:-1]):
        plain, rest = line.strip(), lines[at + 1].strip()
        if plain.lower() in _PARTS or not plain:
            of_object = plain.lower() == _OBJECT
        if of_object or at - 1 in cuts or not 0 < len(rest) <= _FULL - width or rest.lower() in _PARTS:
            continue
        # one short of the width, where the blank at its end was left out
        if any(len(plain) + step in (width, width - 1) for step in _STEPS) and _is_ruler(plain) == _is_ruler(rest):
            cuts.add(at)
    return cuts


def _is_ruler(plain: str) -> bool:
    return not plain.strip("-~ ")


def _words_elsewhere(lines: Sequence[str], cuts: set[int]) -> frozenset[str]:
    words: set[str] = set(_FRAME)
    for at, line in enumerate(lines):
        line_words = _WORD.findall(line.lower())
        begin = 1 if at - 1 in cuts else 0
        end = len(line_words) - 1 if at in cuts else len(line_words)
        words.update(line_words[begin:end])
    return frozenset(words)


def _join(line: str, rest: str, words: frozenset[str]) -> str:
    """Halves join if the word occurs elsewhere and not both halves do."""
    line, tail = line.rstrip(), rest.strip()
    last, first = _LAST_WORD.search(line), _WORD.match(tail)
    if _is_ruler(line) or not tail[0].isalnum():
        return line + tail
    if tail[0].isdecimal() and line[-1] in ".,0123456789":
        return line + tail
    if not last or not first:
        return f"{line} {tail}"
    left_half, right_half = last[0].lower(), first[0].lower()
    whole = left_half + right_half in words and not (left_half in words and right_half in words)
    return f"{line}{'' if whole else ' '}{tail}"


_MOST_COLUMNS: Final = 12
_MOST_ROWS: Final = 10_000  # of all the tables of a file; the most seen in a report are 4
_MOST_HEAD: Final = 3  # lines of labels
_FIRST_LABELS: Final = frozenset(("Number", "DBID"))


class Grid(Struct, frozen=True):
    """`title`: the line above, or ""."""

    begin: int
    end: int
    title: str
    labels: tuple[str, ...]
    rows: list[list[str]]
    whole: bool  # not cut


def find_grids(lines: Sequence[str]) -> dict[int, Grid]:
    out: dict[int, Grid] = {}
    at, room = 0, _MOST_ROWS
    while at < len(lines):
        grid = _grid(lines, at, room) if "-  " in lines[at] and not lines[at].strip(" -") else None
        if grid:
            out[grid.begin] = grid
            room -= len(grid.rows)
        at = grid.end if grid else at + 1
    return out


def _grid(lines: Sequence[str], ruler: int, room: int) -> Grid | None:
    slots = segments(lines[ruler])
    begin = ruler
    while begin and ruler - begin < _MOST_HEAD and lines[begin - 1].strip(" -") and not lines[begin - 1].endswith(":"):
        begin -= 1
    if not 2 < len(slots) <= _MOST_COLUMNS or begin == ruler:
        return None
    level = read_level(lines[begin:ruler], slots)
    if level.labels[0] not in _FIRST_LABELS:
        return None
    end = ruler + 1
    while end < len(lines) and lines[end].strip():
        end += 1
    above = begin - 1
    while above >= 0 and begin - above <= 2 and not lines[above].strip(" -"):
        above -= 1
    title = collapse(lines[above]) if above >= 0 else ""
    last = min(end, ruler + 1 + room)
    rows = [level.cells(line) for line in lines[ruler + 1 : last]]
    return Grid(begin, end, title, level.labels, rows, last == end)


_MOST = 20_000  # characters of a head
_TASK = re.compile(r"'([^']{1,200})'")
_SNAPSHOTS = re.compile(r"snapshot range:? from (\d{1,15}) to (\d{1,15})", re.IGNORECASE)
_TIMES = re.compile(
    r"Time period starts at (.{1,60}?) Time period ends at (.{1,60}?)(?= Analysis Target| --|$)", re.IGNORECASE
)
_DATABASE = re.compile(r"Database '([^']{1,200})' with DB ID (\d{1,20})", re.IGNORECASE)
_RELEASE = re.compile(r"Database version(?: during analysis period)?(?: was|:)? (\d[\d.]{0,30}\d)", re.IGNORECASE)
_INSTANCE = re.compile(r"instance (\S{1,200}), numbered (\d{1,9}) and hosted at (\S{1,300})", re.IGNORECASE)
_TARGET = re.compile(r"ADDM performed an analysis of (all instances|a subset of instances)", re.IGNORECASE)
_DB_TIME = re.compile(r"(?:Total database time was|Database Time:) ([\d.,]{1,30}) seconds", re.IGNORECASE)
_SESSIONS = re.compile(
    r"(?:average number of active sessions was|Average Database Load:) ([\d,]{0,20}\.?\d{1,20})", re.IGNORECASE
)
# To 10.2: `Analysis Period: 17-NOV-2003 from 09:50:21 to 10:35:47`, over midnight `from … 22:00:01 to … 06:00:12`.
_DAY = r"\S{1,20}(?: -\S{2,4})?"  # the month may have a blank behind it: `16-2月 -2010`
_PERIOD = re.compile(rf"Analysis Period: ((?:from )?{_DAY} (?:from )?\d\S{{0,20}} to (?:{_DAY} )?\d\S{{0,20}})")
_NAMES = re.compile(r"Database/Instance Names: ?([^/\s]{1,200})/(\S{1,200})")
_IDS = re.compile(r"Database ID/Instance: ?(\d{1,20})/(\d{1,9})")
_HOST = re.compile(r"Host Name: ?(\S{1,300})")


class Analysis(Struct, frozen=True):
    """Facts as printed; "" if missing."""

    task: str
    begin_snap: str
    end_snap: str
    begin_time: str
    end_time: str
    database: str
    dbid: str
    release: str
    instance: str
    instance_number: str
    host: str
    target: str
    db_time: str
    sessions: str

    @property
    def first_snapshot(self) -> int:
        return int(self.begin_snap or 0)


def read_head(title: str, lines: Sequence[str]) -> Analysis:
    text = collapse(" ".join(lines[:400])[:_MOST])
    task = _TASK.search(title)
    snapshots = _groups(_SNAPSHOTS, text, 2)
    database, dbid = _groups(_DATABASE, text, 2)
    instance, number, host = _groups(_INSTANCE, text, 3)
    if not database:
        database, instance = _groups(_NAMES, text, 2)
        dbid, number = _groups(_IDS, text, 2)
        host = _groups(_HOST, text, 1)[0]
    begin, end = _times(text)
    return Analysis(
        task=task[1] if task else "",
        begin_snap=snapshots[0],
        end_snap=snapshots[1],
        begin_time=begin,
        end_time=end,
        database=database,
        dbid=dbid,
        release=_groups(_RELEASE, text, 1)[0],
        instance=instance,
        instance_number=number,
        host=host.rstrip("."),
        target=_groups(_TARGET, text, 1)[0] or ("one instance" if instance else ""),
        db_time=_groups(_DB_TIME, text, 1)[0],
        sessions=_groups(_SESSIONS, text, 1)[0],
    )


def _groups(pattern: re.Pattern[str], text: str, count: int) -> Sequence[str]:
    match = pattern.search(text)
    return match.groups() if match else [""] * count


def _times(text: str) -> tuple[str, str]:
    printed = _TIMES.search(text)
    if printed:
        return printed[1], printed[2]
    words = _groups(_PERIOD, text, 1)[0].replace("from ", "").split(" to ")
    if len(words) != 2:
        return "", ""
    begin, end = words
    return begin, end if " " in end else f"{begin.rpartition(' ')[0]} {end}"
