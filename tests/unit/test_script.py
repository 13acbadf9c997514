"""The SQL*Plus script that gets reports out of a database: what it asks, that it reads only, what it refuses.

No Oracle database can be had where this is tested: the text is held against what SQL*Plus and PL/SQL ask of it.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import datetime

import pytest
from click.testing import CliRunner

from awrdiff.cli.exit_statuses import Refused
from awrdiff.cli.main import awrdiff
from awrdiff.collecting.sqlplus_script import BadChoice, Wanted, intervals, script_of

ALL = [
    Wanted(),
    Wanted(statspack=True),
    Wanted(is_global=True, text=True),
    Wanted(pdb="SALES", ash=True, addm=True),
    Wanted(instance=2, snapshots=(100, 124), text=True, ash=True),
    Wanted(statspack=True, instance=1, begin=datetime(2026, 11, 24, 8), end=datetime(2026, 11, 24, 18, 30)),
]


def code(wanted: Wanted) -> str:
    return "\n".join(line for line in script_of(wanted).splitlines() if not line.startswith("--"))


def without_texts(sql: str) -> str:
    return re.sub(r"'(?:[^']|'')*'", "''", sql)


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_it_reads_only_and_asks_nothing(wanted):
    words = set(re.findall(r"[a-z_$]+", code(wanted).lower()))
    writes = {"insert", "update", "delete", "merge", "create", "drop", "truncate", "grant", "commit", "execute_task"}
    assert not words & (writes | {"accept", "pause", "analyze_inst", "analyze_db", "create_snapshot"})
    altered = re.findall(r"^alter .*", code(wanted), re.M)
    assert altered
    assert all(line.startswith("alter session set ") for line in altered)
    assert "&" not in code(wanted)


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_every_block_is_closed(wanted):
    sql = without_texts(code(wanted))
    assert "'" not in sql.replace("''", "")
    assert sql.count("(") == sql.count(")")
    starts = re.findall(r"^(?:declare|begin)$", sql, re.M)
    assert len(re.findall(r"^/$", sql, re.M)) == len(re.findall(r"^end;$", sql, re.M)) > 0
    assert len(starts) >= len(re.findall(r"^/$", sql, re.M))
    assert not [line for line in sql.splitlines() if line.rstrip().endswith("-") or len(line) > 2400]
    assert sql.count("loop") == 2 * sql.count("end loop")
    assert len(re.findall(r"^spool (?!off)", sql, re.M)) == len(re.findall(r"^spool off", sql, re.M)) == 1


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_what_needs_the_licence_is_refused_without_it(wanted):
    sql = code(wanted)
    if wanted.statspack:
        assert "dba_hist" not in sql
        assert "dbms_workload_repository" not in sql
        return
    asks, reads = sql.index("control_management_pack_access"), sql.index("_snapshot")
    assert asks < sql.index("raise_application_error") < reads
    assert sql.index("whenever sqlerror exit failure") < asks
    assert sql.index("whenever sqlerror continue") > reads


@pytest.mark.parametrize("wanted", ALL, ids=str)
def test_what_may_not_be_read_is_said_while_the_screen_is_on(wanted):
    """SQL*Plus shows no error while TERMOUT is off, and a view that is not there fails as the block is compiled."""
    sql = code(wanted)
    looked_at, all_of_it = sql[: sql.index("set termout off")], without_texts(sql)
    views = set(re.findall(r"\b(?:from|join) (dba_\w+|awr_pdb_\w+|stats\$\w+)", all_of_it))
    assert views
    assert all(f"from {view} where rownum = 1" in looked_at for view in views)
    assert ("dbms_workload_repository" in looked_at) is not wanted.statspack


@pytest.mark.parametrize("wanted", [w for w in ALL if not w.statspack], ids=str)
def test_no_report_and_256_failures_are_no_success(wanted):
    sql = code(wanted)
    none, bounded = sql.index("elsif :reports = 0"), sql.index("least(:failures, 100)")
    assert none < sql.index(":failures := 1;", none) < bounded < sql.index("exit :failures")
    assert ("awr_pdb_autoflush_enabled" in sql) is bool(wanted.pdb)


def test_what_was_asked_for_is_in_it():
    sql = code(Wanted(instance=2, snapshots=(100, 124), text=True, ash=True))
    assert "instance_number = 2" in sql
    assert "b >= 100 and e <= 124" in sql
    assert "awr_report_text(" in sql
    assert "ash_report_text(" in sql
    assert "get_task_report" not in sql
    assert "alter session set container = SALES;" in code(Wanted(pdb="SALES"))
    assert "awr_pdb_snapshot" in code(Wanted(pdb="SALES"))
    assert "at_e >= sysdate - 48/24" in code(Wanted(hours=48))
    times = code(Wanted(begin=datetime(2026, 11, 24, 8)))
    assert "at_b >= to_date('2026-11-24 08:00', 'YYYY-MM-DD HH24:MI')" in times
    assert "sysdate" not in times


def test_what_is_printed_is_seen_in_another_container_too():
    """DBMS_OUTPUT is enabled by container: the pieces would be an empty script."""
    sql = code(Wanted(pdb="SALES"))
    moved = sql.index("alter session set container")
    assert moved < sql.index("set serveroutput on size unlimited format wrapped", moved) < sql.index("declare")


@pytest.mark.parametrize("is_global", [False, True])
def test_intervals_never_reach_over_a_restart(is_global):
    """The same SQL in SQLite, which knows these analytic functions."""
    rows = [(7, n, i, 1 if n < 13 else 2, 20261124_00 + n) for n in range(10, 16) for i in (1, 2) if (n, i) != (15, 2)]
    asked = intervals(Wanted(snapshots=(10, 15), is_global=is_global), "snaps", "taken", "7")
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("create table snaps (dbid, snap_id, instance_number, startup_time, taken)")
        database.executemany("insert into snaps values (?, ?, ?, ?, ?)", [*rows, (8, 11, 1, 1, 1), (8, 12, 1, 1, 2)])
        found = database.execute(asked.replace("as date", "as integer")).fetchall()
    pairs = [(inst, b, e) for _, inst, e, _, b, _ in found]
    each = [(10, 11), (11, 12), (13, 14), (14, 15)]
    assert pairs == ([(0, *p) for p in each] if is_global else [(1, *p) for p in each] + [(2, *p) for p in each[:3]])
    assert all(at_e - at_b == e - b for _, _, e, at_e, b, at_b in found)


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(statspack=True, ash=True),
        Wanted(statspack=True, pdb="SALES"),
        Wanted(is_global=True, instance=1),
        Wanted(is_global=True, addm=True),
        Wanted(begin=datetime(2026, 1, 2), end=datetime(2026, 1, 1)),
        Wanted(snapshots=(5, 5)),
        Wanted(snapshots=(1, 2), begin=datetime(2026, 1, 2)),
        Wanted(hours=0),
        Wanted(instance=0),
        Wanted(pdb="x; drop user y"),
        Wanted(pdb="1X"),
        Wanted(folder="a b"),
        Wanted(folder="../up"),
        Wanted(folder="x;rm"),
        Wanted(folder=""),
    ],
    ids=str,
)
def test_what_makes_no_script_is_refused_in_a_sentence(wanted):
    with pytest.raises(BadChoice, match=r"^[A-Z].{15,}\.$"):
        script_of(wanted)


def test_the_command(tmp_path):
    file = tmp_path / "reports.sql"
    asked = ["script", "--snapshots", "100", "124", "--ash", "--output", str(file)]
    assert CliRunner().invoke(awrdiff, asked, catch_exceptions=False).exit_code == 0
    assert file.read_text() == script_of(Wanted(snapshots=(100, 124), ash=True))
    assert isinstance(CliRunner().invoke(awrdiff, ["script", "--folder", "a b"]).exception, Refused)
