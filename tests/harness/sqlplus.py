"""Stand-in for SQL*Plus as far as `awrdiff script` uses it, over a database of `oracle.py`.

SELECTs run in SQLite, which has only the recorded views. An unknown command or setting raises Unknown.
"""

from __future__ import annotations

import re
import sqlite3
from collections import ChainMap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.harness.oracle import Error, Recorded, taken_at
from tests.harness.plsql import TYPES, Block, Rows, Unknown, Variables, days, to_date

# Oracle's package function, and its arguments → the report.
Report = Callable[[str, list[Any]], str]

_SETTINGS = {"echo", "feedback", "verify", "heading", "timing", "pagesize", "linesize", "trimspool", "trimout", "tab"}
_SETTINGS |= {"arraysize", "termout"}
_SNAPSHOTS = "(dbid, instance_number, snap_id, startup_time, {}, primary key (instance_number, snap_id))"
_VIEWS = {
    "dual": "(dummy)",
    "v$database": "(dbid, name)",
    "v$pdbs": "(dbid)",
    "v$parameter": "(name, value)",
    "dba_hist_snapshot": _SNAPSHOTS.format("end_interval_time"),
    "awr_pdb_snapshot": _SNAPSHOTS.format("end_interval_time"),
    "stats$snapshot": _SNAPSHOTS.format("snap_time"),
    "dba_addm_tasks": "(task_id, task_name, owner, dbid, begin_snap_id, end_snap_id, status)",
    "dba_addm_instances": "(task_id, instance_number)",
}
_STATSPACK_ASKS = {"dbid", "inst_num", "num_days", "begin_snap", "end_snap", "report_name"}


class Ended(Exception):
    """SQL*Plus ends, with a status."""


class Views:
    """Data that the blocks may read. `restarted_at`: first snapshot of another run."""

    def __init__(self, recorded: Recorded, report: Report, restarted_at: int, ungranted: set[str]) -> None:
        self._recorded, self._report, self._ungranted = recorded, report, ungranted
        self._rows = sqlite3.connect(":memory:")
        self._rows.row_factory = sqlite3.Row
        self._rows.create_function("to_date", 2, to_date)
        for view, columns in _VIEWS.items():
            self._rows.execute(f"create table {view} {columns}")
        numbers = [(i, n) for i, snapshots in recorded.snapshots.items() for n in snapshots]
        rows = [(recorded.dbid, i, n, int(n >= restarted_at), days(taken_at(n))) for i, n in numbers]
        addm = [(b, f"it's {b}", "SYS", recorded.dbid, b, b + 1, "COMPLETED") for b in recorded.addm]
        for view in ("dba_hist_snapshot", "awr_pdb_snapshot", "stats$snapshot"):
            self._rows.executemany(f"insert into {view} values (?, ?, ?, ?, ?)", rows)
        self._rows.execute("insert into dual values ('X')")
        self._rows.execute("insert into v$database values (?, 'ERP')", [recorded.dbid])
        self._rows.execute("insert into v$pdbs values (?)", [recorded.dbid])
        self._rows.execute("insert into v$parameter values ('control_management_pack_access', ?)", [recorded.access])
        self._rows.executemany("insert into dba_addm_tasks values (?, ?, ?, ?, ?, ?, ?)", addm)
        self._rows.executemany("insert into dba_addm_instances values (?, 1)", [(b,) for b in recorded.addm])
        self._rows.execute("pragma query_only = on")
        self.now = days(taken_at(max(n for _, n in numbers)))

    def close(self) -> None:
        self._rows.close()

    def refuse(self, block: str) -> None:
        """A name that may not be read fails as the block is compiled."""
        for name in self._ungranted:
            if re.search(rf"\b{re.escape(name)}\b", block):
                raise Error(f"PLS-00201: identifier '{name.upper()}' must be declared")

    def select(self, sql: str, variables: Variables) -> Rows:
        self._recorded.statements.append((sql, {}))
        sql = re.sub(r"(?:where|and) rownum = 1", "limit 1", sql.replace(" as date)", " as real)"))
        sql = re.sub(r"\bsysdate - (\d+)/24\b", rf"{self.now!r} - \1/24.0", sql)
        records = {n: row for n, row in variables.items() if isinstance(row, dict)}
        binds = {f"{n}_{column}": value for n, row in records.items() for column, value in row.items()}
        for name in binds:
            sql = re.sub(rf"\b{name.replace('_', '[.]', 1)}\b", f":{name}", sql)
        yield from (dict(row) for row in self._rows.execute(sql, binds))

    def report(self, function: str, values: list[Any]) -> Rows:
        self._recorded.statements.append((function, {}))
        package, _, name = function.partition(".")
        match = re.fullmatch(r"awr_report_(html|text)|awr_global_report_(html|text)|ash_report_(html|text)", name)
        if package != "dbms_workload_repository" or not match or len(values) != 4 or values[0] != self._recorded.dbid:
            raise Unknown(f"{function}{values}")
        if values[2] in self._recorded.fails:
            raise Error(self._recorded.fails[values[2]])
        yield from ({"output": line or None} for line in self._report(name, values).split("\n"))

    def task_report(self, task: str, form: str, level: str, section: str, owner: str) -> str:
        if (form, level, section, owner) != ("TEXT", "TYPICAL", "ALL", "SYS"):
            raise Unknown(f"get_task_report {form} {level} {section} {owner}")
        return self._recorded.addm[int(task.removeprefix("it's "))]


class SqlPlus:
    """`sqlplus user@database @script` in `folder`. `screen`: its lines. `ungranted`: views and packages without a grant."""

    def __init__(
        self,
        folder: Path,
        recorded: Recorded,
        report: Report,
        *,
        restarted_at: int = 0,
        ungranted: set[str] | None = None,
    ) -> None:
        self._folder, self._recorded, self._report = folder, recorded, report
        self._database = Views(recorded, report, restarted_at, ungranted or set())
        self.screen: list[str] = []
        self._spooled: tuple[Path, list[str]] | None = None
        self._settings = {"termout": "on", "feedback": "6", "linesize": "80", "verify": "on", "echo": "off"}
        self._binds: dict[str, Any] = {}
        self._defined: dict[str, str] = {}
        self._printing, self._container = set[str](), "CDB$ROOT"
        self._ends_at_error = False

    def run(self, script: str) -> int:
        """Exit status of the script; the session is over then."""
        with closing(self._database):
            try:
                self._lines(iter(script.splitlines()))
            except Ended as ended:
                return int(ended.args[0])
        return 0

    def _lines(self, lines: Iterator[str]) -> None:
        for line in lines:
            if "&" in line:
                raise Unknown(f"asks for a value: {line}")
            if line in ("declare", "begin"):
                rest = iter(lambda: next(lines), "/")
                self._block("\n".join([line, *rest]))
            elif line.strip() and not line.startswith("--"):
                self._command(line)

    def _command(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        act = getattr(self, f"_do_{word}", None)
        if line.startswith("@"):
            self._do_run(line[1:])
        elif act is None or line.endswith("-"):
            raise Unknown(line)
        else:
            act(rest)

    def _print(self, text: str) -> None:
        width = int(self._settings["linesize"])
        for line in [text[at : at + width] for at in range(0, len(text) or 1, width)]:
            if self._settings["termout"] == "on":
                self.screen.append(line)
            if self._spooled:
                self._spooled[1].append(line.rstrip())

    def _block(self, source: str) -> None:
        output: list[str] = []
        try:
            self._database.refuse(source)
            Block(source, self._database, output).run(ChainMap({}, self._binds))
            messages = [] if self._settings["feedback"] == "off" else ["PL/SQL procedure successfully completed."]
        except Error as error:
            messages = ["ERROR at line 1:", str(error)]
        for text in [*(output if self._container in self._printing else ()), *messages]:
            self._print(text)
        if messages[:1] == ["ERROR at line 1:"] and self._ends_at_error:
            raise Ended(1)

    def _do_set(self, rest: str) -> None:
        if rest == "serveroutput on size unlimited format wrapped":
            self._printing.add(self._container)
            return
        words = rest.split()
        if len(words) % 2 or not set(words[::2]) <= _SETTINGS:
            raise Unknown(f"set {rest}")
        self._settings |= dict(zip(words[::2], words[1::2], strict=True))

    def _do_whenever(self, rest: str) -> None:
        if rest not in ("oserror continue", "sqlerror continue", "sqlerror exit failure"):
            raise Unknown(f"whenever {rest}")
        self._ends_at_error = rest == "sqlerror exit failure" or (self._ends_at_error and rest.startswith("oserror"))

    def _do_alter(self, rest: str) -> None:
        if match := re.fullmatch(r"session set container = (\w+);", rest):
            self._container = match[1]
        elif rest != "session set nls_language = 'AMERICAN' nls_territory = 'AMERICA';":
            raise Unknown(f"alter {rest}")

    def _do_variable(self, rest: str) -> None:
        name, kind = rest.split()
        if kind.partition("(")[0] not in TYPES:
            raise Unknown(f"variable {rest}")
        self._binds[f":{name}"] = None

    def _do_exec(self, rest: str) -> None:
        self._block(f"begin {rest} end;")

    def _do_host(self, rest: str) -> None:
        """A shell's mkdir: its message for an existing folder goes to the redirection, or onto the screen."""
        command, name, *to = rest.split()
        if command != "mkdir" or (to and not to[0].startswith("2>")):
            raise Unknown(f"host {rest}")
        if (self._folder / name).exists():
            message = f"mkdir: cannot create directory '{name}': File exists"
            if to:
                (self._folder / to[0].removeprefix("2>")).write_text(f"{message}\n")
            else:
                self.screen.append(message)
        (self._folder / name).mkdir(exist_ok=True)

    def _do_spool(self, name: str) -> None:
        if self._spooled:
            path, lines = self._spooled
            path.write_text("".join(f"{line}\n" for line in lines))
        self._spooled = None if name == "off" else (self._folder / name, [])

    def _do_prompt(self, text: str) -> None:
        self._print(text)

    def _do_define(self, rest: str) -> None:
        name, _, value = rest.partition("=")
        self._defined[name] = value

    def _do_run(self, name: str) -> None:
        if name != "?/rdbms/admin/sprepins":
            self._lines(iter((self._folder / name).read_text().splitlines()))
            return
        if missing := _STATSPACK_ASKS - set(self._defined):
            raise Unknown(f"sprepins asks for {missing}")
        instance, begin, end = (int(self._defined[n]) for n in ("inst_num", "begin_snap", "end_snap"))
        if begin in self._recorded.fails:  # It ends SQL*Plus.
            raise Ended(1)
        text = self._report("sprepins", [int(self._defined["dbid"]), instance, begin, end])
        (self._folder / self._defined["report_name"]).write_text(text)

    def _do_exit(self, rest: str) -> None:
        status = {"success": 0, "failure": 1}
        raise Ended(self._binds[rest] if rest.startswith(":") else status[rest])
