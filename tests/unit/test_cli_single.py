"""`awrdiff single`: one report by itself, through the command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from awrdiff.analysis.export.markdown import escape
from fixtures.diagnosed import SINGLE_CASES
from fixtures.diagnosed.case import printed
from tests.harness.command import run
from tests.unit.parsers.test_pasted import CLASSES, EVENTS, HEAD, LOAD, paste
from tests.unit.test_cli import AFTER, BEFORE, ROOT, on_a_terminal, refused

CASES = {case.name: case for case in SINGLE_CASES}


@pytest.fixture(scope="module")
def locked(tmp_path_factory) -> Path:
    case = CASES["row locks on one table, and the update that waits"]
    path = tmp_path_factory.mktemp("single") / "locked.html"
    path.write_bytes(printed(case.report, case.layout))
    return path


def document(*arguments: str, stdin: bytes = b"") -> dict:
    return json.loads(run("single", *arguments, "--format", "json", stdin=stdin).stdout)


def test_markdown_has_the_verdict_and_the_findings_of_the_document(locked):
    said = run("single", str(locked)).stdout.decode()
    whole = document(str(locked))
    assert said.startswith("# diagnose ")
    assert escape(whole["verdict"]) in said
    assert [f["title"] for f in whole["findings"] if f"**{escape(f['title'])}** {escape(f['text'])}" not in said] == []
    assert "Not checked, as the report does not print it: " in said
    assert "SQL ordered by Elapsed Time" not in said  # it is printed


def test_the_document_has_its_header_and_sizes(locked):
    whole = document(str(locked))
    assert whole["schema"] == "awrdiff.single/1"
    assert whole["report"]["database"]["name"] == "DIAGNOSE"
    first = whole["findings"][0]
    assert (first["rule"], first["severity"]) == ("row-locks", "critical")
    low, high = first["sessions"]
    assert low <= 40_000 / 3600 <= high  # of the waits
    assert {r["rule"] for r in whole["unchecked"]} == {r["rule"] for r in whole["rules"] if r["state"] == "unknown"}


def test_standard_input_and_several_reports(locked):
    assert document("-", stdin=locked.read_bytes())["verdict"] == document(str(locked))["verdict"]
    lines = run("single", str(BEFORE), str(AFTER), "--format", "json").stdout.splitlines()
    assert [json.loads(line)["report"]["file"] for line in lines] == [str(BEFORE), str(AFTER)]


def test_fail_on(locked):
    assert run("single", str(locked), "--fail-on", "critical").returncode == 1
    assert run("single", str(locked), "--fail-on", "row-locks").returncode == 1
    assert run("single", str(locked), "--fail-on", "undo-errors").returncode == 0
    assert "row-locks" in refused("single", str(locked), "--fail-on", "row-lock")
    # a rule that needs two reports is none of one
    assert "sql-entering" in refused("single", str(locked), "--fail-on", "sql-entering")


def test_an_sla_is_said(locked):
    commits = document(str(BEFORE), "--sla", "600us")["commit_latency"]
    assert [one["verdict"] for one in commits["sla"]] == ["within"]
    assert "Commit-time SLA, report 1: within" in run("single", str(BEFORE), "--sla", "600us").stdout.decode()
    assert "prints no commit waits" in run("single", str(locked), "--sla", "600us").stdout.decode()
    assert "10ms" in refused("single", str(BEFORE), "--sla", "fast")


def test_output_goes_to_a_file(locked, tmp_path):
    target = tmp_path / "said.md"
    assert run("single", str(locked), "--output", str(target)).stdout == b""
    assert target.read_bytes() == run("single", str(locked)).stdout
    run("single", str(locked), "--output", str(tmp_path / "said.json"))
    assert json.loads((tmp_path / "said.json").read_text())["state"]
    assert "\x1b[1m# " in on_a_terminal("single", str(locked), NO_COLOR="", TERM="xterm")


def test_what_is_wrong_is_one_sentence_and_status_2():
    assert "/nowhere/x.html" in refused("single", "/nowhere/x.html")
    assert "--help" in refused("single")
    assert "csv" in refused("single", str(BEFORE), "--format", "csv")


def test_it_needs_no_django(locked):
    code = (
        "import sys; sys.modules['django'] = sys.modules['celery'] = None\n"
        f"sys.argv = ['awrdiff', 'single', {str(locked)!r}]\n"
        "from awrdiff.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.match(r"# diagnose 2024-03-05", done.stdout)


@pytest.mark.corpus
def test_one_instance_of_a_global_report(corpus: Path):
    path = str(corpus / "12.2.0.1-global-811-812.html")
    assert document(path, "--instance", "1")["report"]["instances"][0]["number"] == 1
    assert "on 2 instances" in document(path)["verdict"]
    assert "instance" in refused("single", path, "--instance", "9")


def test_a_trace_is_set_beside_the_report_and_is_none_itself():
    whole = document(str(AFTER), str(AFTER.parent / "lgwr.trc"))
    assert whole["report"]["file"] == str(AFTER)
    assert whole["commit_latency"]["events"]["switch_total"] == 1
    assert "A commit waited" in whole["verdict"]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (
            [HEAD[1], LOAD, EVENTS],
            "Excerpt: Snapshots, Load Profile and Top 5 Timed Foreground Events only; statements, ",
        ),
        ([LOAD, EVENTS, CLASSES, HEAD[1]], " and 1 more only; statements, objects and the host"),
    ],
)
def test_an_excerpt_says_what_it_is_what_is_not_in_it_and_what_to_ask_for(tables, said):
    line = run("single", "-", stdin=paste("tabs", tables, "", "")).stdout.decode().splitlines()[2]
    assert line.startswith("Excerpt: ")
    assert said.replace("Top 5 Timed Foreground Events", "Top Timed Events") in line
    assert "Ask for the whole report (`awrrpt.sql`). On average 23.5 sessions were active over 6 min, doing 107" in line
    assert "93 % of DB time is enq: TX - row lock contention" in line
    assert "No verdict" not in line


def test_an_excerpt_without_its_interval_does_not_say_that_no_wait_is_large():
    said = run("single", "-", stdin=paste("tabs", [LOAD, EVENTS], "", "")).stdout.decode()
    assert "On average 23.5 sessions were active." in said
    assert "No single wait" not in said


def test_an_excerpt_is_compared_with_a_whole_report(locked):
    excerpt = paste("tabs", [HEAD[1], LOAD, EVENTS], "", "")
    said = run("compare", "-", str(locked), "--summary", stdin=excerpt).stdout.decode()
    assert "No verdict: First is an excerpt (Snapshots, Load Profile and Top Timed Events); fetch the whole" in said
