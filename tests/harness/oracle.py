"""Stand-in for python-oracledb: connections, cursors, LOBs and errors like the driver's, over recorded rows.

A statement is recognised by its view or package; binds are recorded for the tests.
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
    """Like `oracledb.Error`: its text begins with the code."""


@dataclass(slots=True)
class Lob:
    text: str

    def read(self) -> str:
        return self.text


@dataclass(slots=True)
class Recorded:
    """One database. `snapshots`: numbers by instance, an hour apart. `fails`: the report's error by first snapshot.
    `lost_at`: first snapshot whose report loses the connection. `down`: error of a connect; `unread`: of reading
    snapshots. `later_h`: hours that snapshots are later than numbered.
    """

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
    statements: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    connects: list[dict[str, Any]] = field(default_factory=list)
    most_open: int = 0
    open: int = 0
    lock: Any = field(default_factory=Lock)


BEGAN = datetime(2026, 11, 24)


def taken_at(snapshot: int) -> datetime:
    return BEGAN + timedelta(hours=snapshot)


class Driver:
    """The part of the module that is used, over databases by DSN."""

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
        recorded = self._recorded
        if set(binds) != set(re.findall(r"(?<![:\w]):(\w+)", re.sub(r"'[^']*'", "", sql))):
            raise Error("ORA-01008: not all variables bound")
        recorded.statements.append((sql, binds))
        if sql.startswith("alter session set nls_"):
            return []
        if "v$parameter" in sql:
            return [(recorded.access,)]
        if "dba_addm_tasks" in sql:
            return [(f"task {binds['b']}", "SYS")] if binds["b"] in recorded.addm else []
        if "get_task_report" in sql:
            return [(Lob(recorded.addm[int(binds["task"].split()[1])]),)]
        if "dbms_workload_repository" in sql:
            return self._report(sql, binds)
        if "_snapshot" in sql:
            if recorded.unread:
                raise Error(recorded.unread)
            return [
                (recorded.dbid, instance, e, taken_at(e + recorded.later_h), b, taken_at(b + recorded.later_h))
                for instance, numbers in recorded.snapshots.items()
                for b, e in pairwise(numbers)
            ]
        raise Error(f"ORA-00942: table or view does not exist: {sql}")

    def _report(self, sql: str, binds: dict[str, Any]) -> list[tuple[Any, ...]]:
        recorded, first = self._recorded, binds.get("b")
        if first is not None and first == recorded.lost_at:
            self._is_lost = True
            raise Error("DPY-4011: the database or network closed the connection")
        if first in recorded.fails and "ash_report" not in sql:
            raise Error(recorded.fails[first])
        return [(line or None,) for line in recorded.text.split("\n")]


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
