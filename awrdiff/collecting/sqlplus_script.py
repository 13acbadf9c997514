"""SQL*Plus script that writes one report for each interval. Reads only. Not yet tested against a real database.

SQL*Plus has no loop around SPOOL: it spools another script and runs it. Source: Oracle Database PL/SQL Packages and
Types Reference, Database Reference, 11.2 to 19c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from parsers.version import VERSION

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_$#]{0,127}")
_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}")
MOST_HOURS, MOST_SNAPSHOT, MOST_INSTANCE = 24 * 366, 10**9, 9999
_RUN = "awrdiff_run.sql"


class BadChoice(ValueError):
    """Options that make no script."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """`begin`, `end`: by the database's clock; or `snapshots`: first, last; or last `hours`. `instance`: None for each.
    `is_global`: one report for all. `pdb`: its own snapshots (12.2+).
    """

    statspack: bool = False
    begin: datetime | None = None
    end: datetime | None = None
    snapshots: tuple[int, int] | None = None
    hours: int = 24
    instance: int | None = None
    is_global: bool = False
    pdb: str = ""
    text: bool = False
    ash: bool = False
    addm: bool = False
    folder: str = "awr_reports"

    def refuse(self) -> None:
        """Raises BadChoice."""
        beside = self.ash or self.addm
        first, last = self.snapshots or (0, 1)
        refusals: tuple[tuple[object, str], ...] = (
            (
                self.statspack and (self.is_global or self.pdb or beside),
                "Statspack has no global, PDB, ASH and ADDM report.",
            ),
            (
                self.is_global and self.instance is not None,
                "A global report is of all instances: leave one of them out.",
            ),
            (self.is_global and beside, "ASH and ADDM reports are of one instance: leave out global, or them."),
            (self.begin and self.end and self.begin >= self.end, "The time range ends before it begins."),
            (self.snapshots and (self.begin or self.end), "Give snapshots or times, not both."),
            (not 0 <= first < last <= MOST_SNAPSHOT, "The last snapshot has a higher number than the first."),
            (not 1 <= self.hours <= MOST_HOURS, f"The hours back are 1 to {MOST_HOURS}."),
            (
                self.instance is not None and not 1 <= self.instance <= MOST_INSTANCE,
                "An instance is a number from 1 on.",
            ),
            (
                self.pdb and not _NAME.fullmatch(self.pdb),
                "The name of a PDB begins with a letter; letters, digits, _, $ and # follow.",
            ),
            (not _FOLDER.fullmatch(self.folder), "The folder is one name of letters, digits, points, _ and -."),
        )
        for is_wrong, why in refusals:
            if is_wrong:
                raise BadChoice(why)


def script_of(wanted: Wanted) -> str:
    """Run as `sqlplus user@database @script.sql`. Raises BadChoice."""
    wanted.refuse()
    body = _statspack(wanted) if wanted.statspack else _awr(wanted)
    what, needs = ("Statspack", _STATSPACK_NEEDS) if wanted.statspack else ("AWR", _AWR_NEEDS)
    head = f"""
-- Written by awrdiff {VERSION}: one {what} report for each interval, into the folder {wanted.folder}.
-- Run it in a folder that may be written to:  sqlplus user@database @this_file
-- SQL*Plus writes in the characters of NLS_LANG, which it reads as it starts. Before it, so that no letter is lost:
--   export NLS_LANG=AMERICAN_AMERICA.AL32UTF8      (Windows: set NLS_LANG=AMERICAN_AMERICA.AL32UTF8)
-- It asks nothing and changes nothing in the database. {_RUN}, which it writes and runs, may be deleted afterwards."""
    return "\n".join(part.strip("\n") for part in (head, needs, _SETTINGS, *body)) + "\n"


_AWR_NEEDS = """
-- AWR, ASH and ADDM are part of Oracle Diagnostics Pack, which has its own licence. Without it Statspack is the way:
-- awrdiff script --statspack.
-- The user may execute DBMS_WORKLOAD_REPOSITORY (for ADDM DBMS_ADVISOR, with the privilege ADVISOR: untried) and read
-- V$DATABASE, V$PDBS, V$PARAMETER and the DBA_HIST, AWR_PDB and DBA_ADDM views: SELECT_CATALOG_ROLE has the views. The
-- script only reads; DBMS_WORKLOAD_REPOSITORY could do more, such as drop snapshots.
"""
_STATSPACK_NEEDS = """
-- Statspack needs no licence. The user is PERFSTAT. Each report is written by Oracle's own sprepins.sql, which may end
-- SQL*Plus where it refuses an interval: those asked for here lie within one run of the instance.
"""
_OUTPUT = "set serveroutput on size unlimited format wrapped"
# Reports are written as the session is: names of days and the decimal point too.
_SETTINGS = f"""
whenever oserror continue
whenever sqlerror exit failure
set echo off feedback off verify off heading off timing off pagesize 0 linesize 32767 trimspool on trimout on
set tab off arraysize 500 termout on
{_OUTPUT}
alter session set nls_language = 'AMERICAN' nls_territory = 'AMERICA';
"""
_LICENSED = """
declare
  granted varchar2(4000);
begin
  select max(value) into granted from v$parameter where name = 'control_management_pack_access';
  if nvl(instr(upper(granted), 'DIAGNOSTIC'), 0) = 0 then
    raise_application_error(-20001, 'control_management_pack_access is ' || nvl(granted, 'not set') ||
      ': AWR may not be read here. Statspack needs no licence: awrdiff script --statspack.');
  end if;
end;
/
"""
_COUNTERS = """
variable failed varchar2(4000)
variable failures number
variable reports number
exec :failures := 0; :reports := 0;
"""
# Before the screen is turned off, so that missing privileges show on it and nothing is begun.
_READABLE = """
declare
  n number;
begin
{looks}
{calls}end;
/
"""
_CALLS = """  if n < 0 then
    for r in (select output from table(dbms_workload_repository.{function}({arguments}))) loop null; end loop;
  end if;
"""
_ADDM_CALL = """  if n < 0 then
    n := dbms_lob.getlength(dbms_advisor.get_task_report('', 'TEXT', 'TYPICAL', 'ALL', ''));
  end if;
"""
# Each report is a piece of the script that is run: its error is kept, and the next one follows.
_PIECES = """
  procedure line(text varchar2) is
  begin
    dbms_output.put_line(text);
  end;
  procedure opens(name varchar2) is
  begin
    line('set termout on');
    line('prompt ' || name);
    line('set termout off');
    line('spool {folder}/' || name);
  end;
  procedure closes(name varchar2) is
  begin
    line('  :reports := :reports + 1;');
    line('exception when others then');
    line('  :failures := :failures + 1;');
    line('  :failed := substr(:failed || chr(10) || ''' || name || ': '' || sqlerrm, 1, 3900);');
    line('end;');
    line('/');
    line('spool off');
  end;
  procedure report(name varchar2, source varchar2) is
  begin
    opens(name);
    line('begin');
    line('  for found in (select output from table(dbms_workload_repository.' || source || ')) loop');
    line('    dbms_output.put_line(found.output);');
    line('  end loop;');
    closes(name);
  end;
"""
# ADDM's own task: a new analysis would write into the database.
_ADDM_PIECE = """
  procedure addm(name varchar2, task varchar2, owner varchar2) is
  begin
    opens(name);
    line('declare');
    line('  found clob;');
    line('  pos pls_integer := 1;');
    line('  till pls_integer;');
    line('begin');
    line('  found := dbms_advisor.get_task_report(''' || replace(task, '''', '''''') ||
      ''', ''TEXT'', ''TYPICAL'', ''ALL'', ''' || replace(owner, '''', '''''') || ''');');
    line('  while pos <= dbms_lob.getlength(found) loop');
    line('    till := dbms_lob.instr(found, chr(10), pos);');
    line('    if till = 0 then till := dbms_lob.getlength(found) + 1; end if;');
    line('    dbms_output.put_line(dbms_lob.substr(found, till - pos, pos));');
    line('    pos := till + 1;');
    line('  end loop;');
    closes(name);
  end;
"""
_ADDM_OF_INTERVAL = """
for t in (select a.task_name, a.owner from dba_addm_tasks a
           where a.dbid = i.dbid and a.begin_snap_id = i.b and a.end_snap_id = i.e and a.status = 'COMPLETED'
             and exists (select 1 from dba_addm_instances n where n.task_id = a.task_id and n.instance_number = i.inst)
             and rownum = 1) loop
  addm('addm_' || name || '.txt', t.task_name, t.owner);
end loop;
"""
# An operating system keeps the last eight bits of a status: 256 failures would be none.
_SUMMARY = """
set termout on
begin
  dbms_output.put_line(:reports || ' reports were made, in the folder {folder}.');
  if :failures > 0 then
    dbms_output.put_line(:failures || ' could not be made, their files are of no use:' || :failed);
  elsif :reports = 0 then
    dbms_output.put_line('{nothing}');
    :failures := 1;
  end if;
  :failures := least(:failures, 100);
end;
/
exit :failures
"""
_NO_INTERVAL = "No two neighbouring snapshots of one run of an instance lie in what was asked for."
_NO_PDB_INTERVAL = _NO_INTERVAL + " A PDB takes its own only where awr_pdb_autoflush_enabled is true."


def _awr(wanted: Wanted) -> Iterator[str]:
    if wanted.pdb:
        yield f"alter session set container = {wanted.pdb};"
        # DBMS_OUTPUT keeps its state in a package of the container: in the other one it is not enabled yet.
        yield _OUTPUT
    yield _LICENSED
    yield _COUNTERS
    source = "awr_pdb_snapshot" if wanted.pdb else "dba_hist_snapshot"
    form = "text" if wanted.text else "html"
    # Compiling alone checks EXECUTE on the packages.
    if wanted.is_global:
        nothing = "0, cast(null as varchar2(1023)), 0, 0"
        calls = _CALLS.format(function=f"awr_global_report_{form}", arguments=nothing)
    else:
        calls = _CALLS.format(function=f"awr_report_{form}", arguments="0, 0, 0, 0")
    calls += _ADDM_CALL if wanted.addm else ""
    yield _readable([source, *(["dba_addm_tasks", "dba_addm_instances"] if wanted.addm else [])], calls)
    yield from _run_pieces(wanted, _awr_block(wanted))
    yield _SUMMARY.format(folder=wanted.folder, nothing=_NO_PDB_INTERVAL if wanted.pdb else _NO_INTERVAL)


def _readable(views: list[str], calls: str) -> str:
    looks = "\n".join(f"  select count(*) into n from {view} where rownum = 1;" for view in views)  # noqa: S608
    return _READABLE.format(looks=looks, calls=calls)


def _statspack(wanted: Wanted) -> Iterator[str]:
    yield _COUNTERS
    yield _readable(["stats$snapshot"], "")
    yield from _run_pieces(wanted, _statspack_block(wanted))
    yield _SUMMARY.format(folder=wanted.folder, nothing=_NO_INTERVAL)


def _run_pieces(wanted: Wanted, block: str) -> Iterator[str]:
    # In each shell what mkdir says of a folder that is there goes into the file that is written next.
    yield f"host mkdir {wanted.folder} 2>{_RUN}\nset termout off\nspool {_RUN}"
    yield block
    yield f"spool off\nwhenever sqlerror continue\n@{_RUN}"


def _awr_block(wanted: Wanted) -> str:
    form, ending = ("text", "txt") if wanted.text else ("html", "html")
    source, own = "dba_hist_snapshot", "(select dbid from v$database)"
    database_name = "(select name from v$database)"
    if wanted.pdb:
        source, own, database_name = "awr_pdb_snapshot", "(select max(dbid) from v$pdbs)", f"'{wanted.pdb}'"
    whose = "cast(null as varchar2(1023))" if wanted.is_global else "' || i.inst || '"
    of = "global_report" if wanted.is_global else "report"
    call = f"'awr_{of}_{form}(' || i.dbid || ', {whose}, ' || i.b || ', ' || i.e || ')'"
    pieces = [f"report('awr_' || name || '.{ending}', {call});"]
    if wanted.ash:
        pieces.append(f"report('ash_' || name || '.{ending}', {_ash_call(form)});")
    if wanted.addm:
        pieces.append(_ADDM_OF_INTERVAL)
    lines = "\n".join(f"    {line}" for piece in pieces for line in piece.strip("\n").split("\n"))
    procedures = _PIECES.format(folder=wanted.folder) + (_ADDM_PIECE.lstrip("\n") if wanted.addm else "")
    return f"""
declare
  name varchar2(400);
{procedures.strip(chr(10))}
begin
  for i in ({intervals(wanted, source, "end_interval_time", own)}) loop
    select lower({database_name}) || '_' || {"'all'" if wanted.is_global else "i.inst"} into name from dual;
    name := name || '_' || to_char(i.at_b, 'YYYYMMDD_HH24MI') || '_' || i.b || '_' || i.e;
{lines}
  end loop;
end;
/"""  # noqa: S608


def _ash_call(form: str) -> str:
    def moment(of: str) -> str:
        return f"'to_date(''' || to_char({of}, 'YYYYMMDDHH24MISS') || ''', ''YYYYMMDDHH24MISS'')'"

    first, last = moment("i.at_b"), moment("i.at_e")
    return f"'ash_report_{form}(' || i.dbid || ', ' || i.inst || ', ' ||\n  {first} || ', ' ||\n  {last} || ')'"


def _statspack_block(wanted: Wanted) -> str:
    return f"""
begin
  for i in ({intervals(wanted, "stats$snapshot", "snap_time", "(select dbid from v$database)")}) loop
    dbms_output.put_line('define dbid=' || i.dbid);
    dbms_output.put_line('define inst_num=' || i.inst);
    dbms_output.put_line('define num_days=0');
    dbms_output.put_line('define begin_snap=' || i.b);
    dbms_output.put_line('define end_snap=' || i.e);
    dbms_output.put_line('define report_name={wanted.folder}/sp_' || i.inst || '_' ||
      to_char(i.at_b, 'YYYYMMDD_HH24MI') || '_' || i.b || '_' || i.e || '.txt');
    dbms_output.put_line('@?/rdbms/admin/sprepins');
    dbms_output.put_line('exec :reports := :reports + 1;');
  end loop;
end;
/"""  # noqa: S608


def intervals(wanted: Wanted, table: str, taken_at: str, dbid: str) -> str:
    """Neighbouring snapshots of one instance run; if global, of all."""
    source, of = table, "dbid, instance_number, startup_time"
    if wanted.is_global:
        source = f"""
         (select dbid, snap_id, 0 instance_number, max(startup_time) startup_time, max({taken_at}) {taken_at}
            from {table} group by dbid, snap_id)"""  # noqa: S608
        of = "dbid, startup_time"
    if wanted.snapshots:
        within = f"b >= {wanted.snapshots[0]} and e <= {wanted.snapshots[1]}"
    else:
        begin = f"at_b >= to_date('{wanted.begin:%Y-%m-%d %H:%M}', 'YYYY-MM-DD HH24:MI')" if wanted.begin else ""
        end = f"at_e <= to_date('{wanted.end:%Y-%m-%d %H:%M}', 'YYYY-MM-DD HH24:MI')" if wanted.end else ""
        within = " and ".join(filter(None, (begin, end))) or f"at_e >= sysdate - {wanted.hours}/24"
    only = f" and instance_number = {wanted.instance}" if wanted.instance is not None else ""
    return f"""
    select * from (
      select dbid, instance_number inst, snap_id e, cast({taken_at} as date) at_e,
             lag(snap_id) over (partition by {of} order by snap_id) b,
             cast(lag({taken_at}) over (partition by {of} order by snap_id) as date) at_b
        from {source}
       where dbid = {dbid}{only})
     where b is not null and {within}
     order by inst, b"""  # noqa: S608
