"""A stand-in for python-oracledb: connections, cursors, LOBs and errors as the driver has them, answers of recorded rows.

No Oracle database can be had where this is tested. What a statement asks is known by the view or package it names; the
binds are kept, so that a test sees which interval was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from threading import Lock
from typing import Any


class Error(Exception):
    """As `oracledb.Error`: its text begins with the code."""


@dataclass(slots=True)
class Lob:
    text: str

    def read(self) -> str:
        return self.text


@dataclass(slots=True)
class Recorded:
    """One database. `snapshots`: instance → numbers, an hour apart. `fails`: by the interval's first snapshot, the error that
    its report ends with. `lost_at`: the first snapshot at whose report the connection goes. `down`: the error of a connect.
    `unread`: the error of a look at the snapshots. `later_h`: hours that they are later than their numbers say."""

    password: str = "pässwort"
    dbid: int = 1234567890
    snapshots: dict[int, list[int]] = field(default_factory=lambda: {1: [10, 11, 12]})
    access: str | None = "DIAGNOSTIC+TUNING"
    text: str = "WORKLOAD REPOSITORY report for\n\nend of report"
    addm: dict[int, str] = field(default_factory=dict)
    fails: dict[int, str] = field(default_factory=dict)
    lost_at: int | None = None
    down: str = ""
    unread: str = ""
    later_h: int = 0
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    connects: list[dict[str, Any]] = field(default_factory=list)
    most_open: int = 0
    open: int = 0
    lock: Any = field(default_factory=Lock)


BEGAN = datetime(2026, 11, 24)


def taken_at(snapshot: int) -> datetime:
    return BEGAN + timedelta(hours=snapshot)


class Driver:
    """What is used of the module, over databases by their DSN."""

    Error = Error

    def __init__(self, **databases: Recorded) -> None:
        self.databases = databases
        self.clients: list[str] = []
        self.no_client = ""

    def init_oracle_client(self, *, lib_dir: str) -> None:
        if self.no_client:
            raise Error(self.no_client)
        self.clients.append(lib_dir)

    def connect(self, *, user: str, password: str, dsn: str, **settings: Any) -> Connection:
        recorded = self.databases[dsn]
        recorded.connects.append({"user": user, **settings})
        if recorded.down:
            raise Error(recorded.down)
        if password != recorded.password:
            raise Error(
                f"ORA-01017: invalid username/password; logon denied (tried {password})\nHelp: https://docs.oracle.com/"
            )
        return Connection(recorded)


class Connection:
    call_timeout = 0

    def __init__(self, recorded: Recorded) -> None:
        self._recorded, self._is_lost = recorded, False
        with recorded.lock:
            recorded.open += 1
            recorded.most_open = max(recorded.most_open, recorded.open)

    def cursor(self) -> Cursor:
        return Cursor(self)

    def is_healthy(self) -> bool:
        return not self._is_lost

    def close(self) -> None:
        with self._recorded.lock:
            self._recorded.open -= 1
        if self._is_lost:
            raise Error("DPY-1001: not connected to database")

    def answer(self, sql: str, binds: dict[str, Any]) -> list[tuple[Any, ...]]:
        known = self._recorded
        if set(binds) != set(re.findall(r"(?<![:\w]):(\w+)", re.sub(r"'[^']*'", "", sql))):
            raise Error("ORA-01008: not all variables bound")
        known.asked.append((sql, binds))
        if sql.startswith("alter session set nls_"):
            return []
        if "v$parameter" in sql:
            return [(known.access,)]
        if "dba_addm_tasks" in sql:
            return [(f"task {binds['b']}", "SYS")] if binds["b"] in known.addm else []
        if "get_task_report" in sql:
            return [(Lob(known.addm[int(binds["task"].split()[1])]),)]
        if "dbms_workload_repository" in sql:
            return self._report(sql, binds)
        if "_snapshot" in sql:
            if known.unread:
                raise Error(known.unread)
            return [
                (known.dbid, instance, e, taken_at(e + known.later_h), b, taken_at(b + known.later_h))
                for instance, numbers in known.snapshots.items()
                for b, e in pairwise(numbers)
            ]
        raise Error(f"ORA-00942: table or view does not exist: {sql}")

    def _report(self, sql: str, binds: dict[str, Any]) -> list[tuple[Any, ...]]:
        known, first = self._recorded, binds.get("b")
        if first is not None and first == known.lost_at:
            self._is_lost = True
            raise Error("DPY-4011: the database or network closed the connection")
        if first in known.fails and "ash_report" not in sql:
            raise Error(known.fails[first])
        return [(line or None,) for line in known.text.split("\n")]


class Cursor:
    arraysize = 100

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: list[tuple[Any, ...]] = []

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows = []

    def execute(self, sql: str, binds: dict[str, Any]) -> None:
        self._rows = self._connection.answer(sql, binds)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        yield from self._rows
