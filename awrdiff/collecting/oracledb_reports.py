"""Reports of one database by python-oracledb. Not yet tested against a real database.

Reads only: V$DATABASE, V$PDBS, V$PARAMETER, DBA_HIST, AWR_PDB and DBA_ADDM views, EXECUTE on DBMS_WORKLOAD_REPOSITORY,
for ADDM DBMS_ADVISOR.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from awrdiff.collecting.config import Database
from awrdiff.collecting.sqlplus_script import intervals

# Reports are written as the session is: names of days and the decimal point too.
LANGUAGE = "alter session set nls_language = 'AMERICAN' nls_territory = 'AMERICA'"
CONNECT_S, CALL_MS = 20, 600_000
# python-oracledb, "Error Handling": native network encryption; a server older than 12.1; a password verifier of 10g.
_THICK_ONLY = frozenset({"DPY-3001", "DPY-3010", "DPY-3015"})
_CLIENT_NEEDED = "An Oracle client can: name its folder by client = … in the configuration."
ROWS_AT_ONCE = 1000


class Unavailable(Exception):
    """Unreachable database; the message omits its password."""


class NotAllowed(Exception):
    """AWR may not, or cannot, be read."""


class NotMade(Exception):
    """Oracle's code and message."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`database`: configured name, as clones share a DBID."""

    database: str
    dbid: int
    instance: int
    first: int
    last: int
    begin: datetime
    end: datetime

    @property
    def whose(self) -> str:
        return f"{self.database}/{self.dbid}/{self.instance}"

    @property
    def snapshots(self) -> str:
        return f"{self.first}-{self.last}"


class Session:
    """Raises Unavailable, NotAllowed."""

    def __init__(self, database: Database, driver: Any) -> None:
        self._database = database
        self._driver = driver
        self._connection: Any = None

    def __enter__(self) -> Session:
        database = self._database
        password, wallet_password = database.password(), database.wallet_password()
        settings = {"wallet_location": database.wallet, "config_dir": database.wallet} if database.wallet else {}
        if wallet_password:
            settings["wallet_password"] = wallet_password
        try:
            self._connection = self._driver.connect(
                user=database.user,
                password=password,
                dsn=database.dsn,
                tcp_connect_timeout=CONNECT_S,
                **settings,
            )
            self._connection.call_timeout = CALL_MS
            with self._connection.cursor() as cursor:
                cursor.execute(LANGUAGE, {})
            self._refuse_without_licence()
        except (self._driver.Error, OSError) as error:  # such as a wallet that does not open
            self.__exit__()
            reason = _reason(error)
            for secret in filter(None, (password, wallet_password)):
                reason = reason.replace(secret, "***")
            raise Unavailable(f"{database.name} could not be read: {reason}") from None
        except NotAllowed:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self._driver.Error):  # it was lost before
                connection.close()

    def intervals(self, hours: int) -> list[Interval]:
        """Raises NotAllowed, Unavailable."""
        source, dbid = "dba_hist_snapshot", "(select dbid from v$database)"
        if self._database.pdb:
            source, dbid = "awr_pdb_snapshot", "(select max(dbid) from v$pdbs)"
        name = self._database.name
        query = intervals(replace(self._database.wanted, hours=hours), source, "end_interval_time", dbid)
        try:
            rows = self._query(query)
        except NotMade as why:
            raise NotAllowed(f"{name}: its snapshots cannot be read: {why}") from None
        return [Interval(name, int(of), int(inst), int(b), int(e), at_b, at_e) for of, inst, e, at_e, b, at_b in rows]

    def report(self, of: Interval) -> str:
        """Raises NotMade, Unavailable."""
        form = "text" if self._database.text else "html"
        if self._database.is_global:
            call = f"awr_global_report_{form}(:dbid, cast(null as varchar2(1023)), :b, :e)"
            return self._lines(call, dbid=of.dbid, b=of.first, e=of.last)
        return self._lines(
            f"awr_report_{form}(:dbid, :inst, :b, :e)", dbid=of.dbid, inst=of.instance, b=of.first, e=of.last
        )

    def ash(self, of: Interval) -> str:
        form = "text" if self._database.text else "html"
        call = f"ash_report_{form}(:dbid, :inst, :since, :till)"
        return self._lines(call, dbid=of.dbid, inst=of.instance, since=of.begin, till=of.end)

    def addm(self, of: Interval) -> str:
        """ "" where ADDM made no report."""
        tasks = self._query(
            """select a.task_name, a.owner from dba_addm_tasks a
                where a.dbid = :dbid and a.begin_snap_id = :b and a.end_snap_id = :e and a.status = 'COMPLETED'
                  and exists (select 1 from dba_addm_instances n
                               where n.task_id = a.task_id and n.instance_number = :inst)
                  and rownum = 1""",
            dbid=of.dbid,
            b=of.first,
            e=of.last,
            inst=of.instance,
        )
        if not tasks:
            return ""
        task, owner = tasks[0]
        query = "select dbms_advisor.get_task_report(:task, 'TEXT', 'TYPICAL', 'ALL', :owner) from dual"
        return str(self._query(query, task=task, owner=owner)[0][0])

    def _lines(self, call: str, **binds: Any) -> str:
        query = f"select output from table(dbms_workload_repository.{call})"  # noqa: S608 - texts of this file
        return "".join(f"{line or ''}\n" for (line,) in self._query(query, **binds))

    def _query(self, sql: str, **binds: Any) -> list[Any]:
        try:
            return self._rows(sql, **binds)
        except self._driver.Error as error:
            if self._connection.is_healthy():
                raise NotMade(_reason(error)) from None
            raise Unavailable(f"{self._database.name} was lost: {_reason(error)}") from None

    def _rows(self, sql: str, **binds: Any) -> list[Any]:
        with self._connection.cursor() as cursor:
            cursor.arraysize = ROWS_AT_ONCE
            cursor.execute(sql, binds)
            # LOBs are read while their cursor is open.
            return [tuple(cell.read() if hasattr(cell, "read") else cell for cell in row) for row in cursor]

    def _refuse_without_licence(self) -> None:
        granted = self._rows("select max(value) from v$parameter where name = 'control_management_pack_access'")
        licence = (granted[0][0] if granted else None) or "not set"
        if "DIAGNOSTIC" not in str(licence).upper():
            raise NotAllowed(
                f"{self._database.name}: control_management_pack_access is {licence}, AWR may not be read there. "
                "Statspack needs no licence: awrdiff script --statspack."
            )


def load_driver(client: str = "") -> Any:
    """`client`: its folder. Raises Unavailable."""
    try:
        driver = importlib.import_module("oracledb")
    except ImportError:
        raise Unavailable(
            "python-oracledb is not installed: pipx install --force '.[oracle]' in a clone, or pipx inject awrdiff "
            "oracledb."
        ) from None
    if client:
        try:
            driver.init_oracle_client(lib_dir=client)  # once for the whole process
        except driver.Error as error:
            raise Unavailable(f"The Oracle client in {client} could not be loaded: {_reason(error)}") from None
    return driver


def _reason(error: Any) -> str:
    """First line; further lines are Oracle's call stack."""
    first = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
    text = first if first.endswith(".") else f"{first}."
    return f"{text} {_CLIENT_NEEDED}" if first.partition(":")[0] in _THICK_ONLY else text


def file_names(of: Interval, database: Database) -> Iterator[tuple[str, str]]:
    """AWR first; names sort by database, instance, time."""
    whose = "all" if database.is_global else str(of.instance)
    stem = f"{database.name}_{whose}_{of.begin:%Y%m%d_%H%M}_{of.first}_{of.last}"
    ending = "txt" if database.text else "html"
    yield "report", f"awr_{stem}.{ending}"
    if database.ash:
        yield "ash", f"ash_{stem}.{ending}"
    if database.addm:
        yield "addm", f"addm_{stem}.txt"
