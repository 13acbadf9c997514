"""The SQL*Plus script is run, statement by statement, by a stand-in: what it leaves in its folder, and what it says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest
from click.testing import CliRunner

from awrdiff.cli.main import awrdiff
from awrdiff.collecting.sqlplus_script import Wanted, script_of
from fixtures.fleet.hours import fleet, hours_of
from fixtures.fleet.reports import report_of
from tests.harness.oracle import Recorded
from tests.harness.sqlplus import SqlPlus, Unknown

LOST = "ORA-20200: The instance was shutdown between snapshots 13 and 14"
DATABASE = replace(fleet(1)[0], dbid=Recorded().dbid)


@cache
def built() -> list[str]:
    return [report_of(DATABASE, hour).decode() for hour in islice(hours_of(DATABASE, 9), 4)]


def report(function: str, values: list) -> str:
    return built()[values[2] % 4] if function == "awr_report_html" else f"{function} of {values[2:]}"


def recorded(**changed) -> Recorded:
    return Recorded(snapshots={1: [10, 11, 12, 13, 14], 2: [12, 13, 14]}, **changed)


def run(tmp_path, wanted: Wanted, database: Recorded, **settings) -> tuple[int, str, list[str]]:
    """Its exit status, what was on the screen, and the files' names, sorted."""
    sqlplus = SqlPlus(tmp_path, database, report, **settings)
    status = sqlplus.run(script_of(wanted))
    return status, "\n".join(sqlplus.screen), sorted(f.name for f in tmp_path.glob("awr_reports/*"))


def test_each_interval_is_a_file_and_a_failing_one_is_said(tmp_path):
    database = recorded(fails={13: LOST}, addm={12: 'FINDING 1\n\n  "Undersized" buffer cache\nEnd'})
    wanted = Wanted(ash=True, addm=True)
    status, screen, files = run(tmp_path, wanted, database, restarted_at=11)
    times = {11: "1124_1100", 12: "1124_1200", 13: "1124_1300"}
    names = [f"erp_{i}_2026{times[b]}_{b}_{b + 1}" for i, bs in ((1, (11, 12, 13)), (2, (12, 13))) for b in bs]
    assert files == ["addm_erp_1_20261124_1200_12_13.txt"] + [f"{k}_{n}.html" for k in ("ash", "awr") for n in names]
    assert status == 2
    assert "9 reports were made" in screen
    assert re.findall(r"^awr_(\S+).html: (.*)", screen, re.M) == [(names[2], LOST), (names[4], LOST)]
    folder = tmp_path / "awr_reports"
    assert (folder / f"awr_{names[0]}.html").read_text().split() == built()[3].split()
    assert (folder / files[0]).read_text() == 'FINDING 1\n\n  "Undersized" buffer cache\nEnd\n'
    one, other = (str(folder / f"awr_{n}.html") for n in names[:2])
    compared = CliRunner().invoke(awrdiff, ["compare", one, other, "--format", "json"], catch_exceptions=False)
    assert compared.exit_code == 0
    assert json.loads(compared.output)


@pytest.mark.parametrize("access", ["NONE", None])
def test_without_the_licence_it_ends_before_it_reads(tmp_path, access):
    database = recorded(access=access)
    status, screen, files = run(tmp_path, Wanted(), database)
    assert (status, files) == (1, [])
    assert "Statspack needs no licence" in screen
    assert [sql for sql, _ in database.statements if "v$parameter" not in sql] == []


@pytest.mark.parametrize("name", ["dba_hist_snapshot", "dbms_workload_repository", "dba_addm_tasks", "dbms_advisor"])
def test_a_missing_grant_is_said_and_nothing_begun(tmp_path, name):
    status, screen, files = run(tmp_path, Wanted(addm=True), recorded(), ungranted={name})
    assert (status, files) == (1, [])
    assert name.upper() in screen


def test_statspack_a_global_report_and_a_pdb_are_written_too(tmp_path):
    status, screen, files = run(tmp_path, Wanted(statspack=True, instance=2), recorded(access="NONE"))
    assert (status, files) == (0, ["sp_2_20261124_1200_12_13.txt", "sp_2_20261124_1300_13_14.txt"])
    for wanted, name in (
        (Wanted(is_global=True, text=True, snapshots=(12, 13)), "awr_erp_all_20261124_1200_12_13.txt"),
        (Wanted(pdb="SALES", text=True, instance=1, snapshots=(10, 11)), "awr_sales_1_20261124_1000_10_11.txt"),
    ):
        status, screen, files = run(tmp_path, wanted, recorded())
        assert (status, name in files) == (0, True)
        assert "1 reports were made" in screen


@pytest.mark.parametrize("statspack", [False, True])
def test_nothing_in_what_was_asked_for_is_no_success(tmp_path, statspack):
    status, screen, files = run(tmp_path, Wanted(snapshots=(98, 99), statspack=statspack), recorded())
    assert (status, files) == (1, [])
    assert "0 reports were made" in screen
    assert "No two neighbouring snapshots" in screen


@pytest.mark.parametrize("statspack", [False, True])
def test_a_second_run_says_nothing_of_the_folder_that_is_there(tmp_path, statspack):
    first, second = (run(tmp_path, Wanted(statspack=statspack), recorded()) for _ in range(2))
    assert first == second
    assert "File exists" not in second[1]
    assert f"{len(second[2])} reports were made" in second[1]


@pytest.mark.parametrize(
    "line",
    [
        "host rm x",
        "set sqlprompt x",
        "begin\n  dbms_scheduler.run_job('x');\nend;\n/",
        "drop user x;",
        "begin\n  delete from v$parameter;\nend;\n/",
        "alter session set events = 'x';",
        "prompt &x",
    ],
)
def test_what_the_stand_in_does_not_know_fails(tmp_path, line):
    with pytest.raises(Unknown):
        SqlPlus(tmp_path, recorded(), report).run(line)
