"""Head of an ADDM report: analysis, database and snapshots."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from parsers.tables.rawtable import collapse

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
    """The facts as printed, "" for what is not."""

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
    """Facts of the lines below the title, which may be wrapped."""
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
