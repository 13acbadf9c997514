"""`awrdiff`: what people and scripts rely on, through the command itself."""

from __future__ import annotations

import gc
import io
import json
import os
import pty
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from awrdiff.analysis.verdict.rule_registry import RULES_OF_TWO
from fixtures.stories import series
from fixtures.writer import LAYOUT_19, write
from parsers.version import VERSION
from tests.harness.command import run, start
from tests.unit.parsers.test_pasted import EVENTS, HEAD, LOAD, paste

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "fixtures" / "cases"
BEFORE, AFTER = (CASES / "adaptive-switch" / name for name in ("before.html", "after.html"))
PAIR = [str(BEFORE), str(AFTER)]
QUICK = ["log file sync", "5,000", "30", "6", "0.4", "Commit"]
SLOW = ["log file sync", "5,000", "3,000", "600", "35.4", "Commit"]


def refused(*arguments: str, by=run) -> str:
    """The one sentence of a refusal."""
    done = by(*arguments)
    assert (done.returncode, done.stdout) == (2, b""), done
    said = done.stderr.decode().strip()
    assert said.startswith("awrdiff: ")
    assert "\n" not in said
    return said


def on_a_terminal(*arguments: str, **env: str) -> str:
    """What a terminal of standard output shows."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "awrdiff.cli.main", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=theirs, stderr=theirs, env={**os.environ, **env}) as process:
        os.close(theirs)
        shown = bytearray()
        try:
            while piece := os.read(ours, 1 << 16):
                shown += piece
        except OSError:  # the terminal is gone with its last writer
            pass
        process.wait()
    os.close(ours)
    return shown.decode()


def imported(*arguments: str) -> list[str]:
    """The modules that are there once the command has ended."""
    code = (
        f"import sys; sys.argv = ['awrdiff', *{arguments!r}]\n"
        "from awrdiff.cli.main import main\n"
        "try: main()\n"
        "finally: print('\\n' + ' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1].split()


def test_version_and_help_without_anything_heavy():
    assert run("--version").stdout.decode() == f"awrdiff {VERSION}\n"
    heavy = {"lxml", "django", "bs4", "celery", "parsers.reader", "awrdiff.analysis"}
    assert heavy & set(imported("--help")) == set()
    said = run("--help").stdout.decode()
    assert "compare" in said
    assert "parse" in said


@pytest.mark.parametrize("command", ["compare", "single"])
def test_a_file_that_is_not_there_is_refused_before_anything_is_imported_that_compares(command):
    found = imported(command, "--sla", "10ms", "no-such-file.html", "nor-this.html")
    assert "parsers.reader" in found
    assert [name for name in found if name.startswith("awrdiff.analysis")] == []


def test_only_the_form_that_is_written_is_imported():
    found = imported("compare", *PAIR, "--format", "csv")
    exports = "awrdiff.analysis.export."
    assert exports + "csv" in found
    assert {exports + name for name in ("html", "markdown", "brief")} & set(found) == set()


def test_every_document_says_which_version_wrote_it():
    for arguments in (["parse", *PAIR], ["compare", *PAIR]):
        for line in run(*arguments).stdout.splitlines():
            assert list(json.loads(line).items())[1] == ("awrdiff_version", VERSION)


def test_comparing_needs_no_django():
    code = (
        "import sys; sys.modules['django'] = sys.modules['celery'] = None\n"
        f"sys.argv = ['awrdiff', 'compare', {PAIR[0]!r}, {PAIR[1]!r}]\n"
        "from awrdiff.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["schema"] == "awrdiff.comparison/1"


def test_the_documents_are_those_of_the_older_command_lines():
    ours = start("compare", *PAIR, "--format", "json")
    theirs = subprocess.run(
        [sys.executable, "manage.py", "compare", *PAIR, "--format", "json"], cwd=ROOT, capture_output=True, check=True
    )
    assert ours.stdout == theirs.stdout
    parsed = subprocess.run([sys.executable, "-m", "parsers", PAIR[0]], cwd=ROOT, capture_output=True, check=True)
    assert start("parse", PAIR[0]).stdout == parsed.stdout


def test_the_summary_fits_a_ticket_and_begins_with_the_verdict():
    text = run("compare", *PAIR, "--summary").stdout.decode()
    whole = json.loads(run("compare", *PAIR).stdout)
    lines = text.splitlines()
    assert lines[0].startswith("# ")
    assert len(lines) <= 60
    assert whole["summary"].split(".")[0].split(":")[0] in text.replace("\\", "")
    assert [f["title"] for f in whole["findings"] if f["title"] not in text.replace("\\", "")] == []


def test_the_ticket_has_both_hours_the_verdict_and_who():
    done = run("compare", *PAIR, "--ticket")
    whole = json.loads(run("compare", *PAIR).stdout)
    lines = done.stdout.decode().splitlines()
    assert len(lines) <= 12
    assert [line.split(":")[0] for line in lines[:2]] == ["First", "Second"]
    assert whole["summary"].split(". ")[0] in lines[2]
    assert any(whole["ranked"]["movers"][0]["subject"]["key"] in line for line in lines[3:])


def test_each_pair_has_its_own_ticket():
    done = run("compare", *map(str, sorted((CASES / "batch-size").glob("*.html"))[:3]), "--ticket")
    tickets = done.stdout.decode().split("\n\n")
    assert [t.splitlines()[0][:6] for t in tickets] == ["First:", "First:"]


def test_many_pairs_share_sixty_lines():
    done = run("compare", *(str(p) for p in sorted((CASES / "batch-size").glob("*.html"))), "--summary")
    lines = done.stdout.decode().splitlines()
    assert len(lines) <= 60
    assert any("more lines" in line for line in lines)


def test_a_terminal_shows_the_summary_and_keeps_no_color():
    plain = on_a_terminal("compare", *PAIR, NO_COLOR="1", TERM="xterm")
    assert "\x1b[1m" not in plain
    assert "# " in plain
    assert "{" not in plain
    assert "reading " in plain  # the progress, on standard error
    assert "\x1b[1m# " in on_a_terminal("compare", *PAIR, NO_COLOR="", TERM="xterm")


def test_a_dumb_terminal_gets_the_summary_without_an_escape():
    plain = on_a_terminal("compare", *PAIR, NO_COLOR="", TERM="dumb")
    assert "# " in plain
    assert "\x1b" not in plain


def test_one_section_alone():
    document = json.loads(
        run("compare", *PAIR, "--only", "instance_activity,top_timed_events", "--only", "instance_activity").stdout
    )
    assert {s["id"] for s in document["sections"]} == {"instance_activity", "top_timed_events"}
    assert "top_timed_events" in refused("compare", *PAIR, "--only", "top_timed_event")


def test_order_by_time():
    begins = [
        [
            r["snapshots"]["begin"]["time"]
            for r in json.loads(run("compare", *pair, "--order", "time").stdout)["reports"]
        ]
        for pair in (PAIR, PAIR[::-1])
    ]
    assert begins[0] == begins[1] == sorted(begins[0])
    given = json.loads(run("compare", *PAIR[::-1]).stdout)["reports"]
    assert [r["snapshots"]["begin"]["time"] for r in given] == begins[0][::-1]


@pytest.fixture(scope="module")
def mondays(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("mondays")
    paths = [folder / f"monday-{n}.html" for n in (0, 1, 2, series.ODD)]
    for path in paths:
        path.write_bytes(write(series.monday(int(path.stem[-1])), LAYOUT_19))
    return [str(path) for path in paths]


def test_the_last_report_against_a_baseline_of_those_before(mondays: list[str]):
    document = json.loads(run("compare", *mondays, "--baseline").stdout)
    assert (document["schema"], document["baseline"], document["second"]) == ("awrdiff.baseline/1", [0, 1, 2], 3)
    said = run("compare", *mondays, "--baseline", "--summary").stdout.decode()
    assert "above all 3" in said
    assert len(said.splitlines()) <= 60
    assert "1,070" not in said  # which report it is, is no figure of it
    one = json.loads(run("compare", *mondays[::-1], "--baseline", "--order", "time", "--only", "time_model").stdout)
    assert [s["id"] for s in one["sections"]] == ["time_model"]
    assert one["summary"] == document["summary"]
    table = run("compare", *mondays, "--baseline", "--format", "csv").stdout.decode()
    assert [line.split(",")[5] for line in table.splitlines()[1:5]] == ["baseline"] * 3 + ["Second"]
    page = run("compare", *mondays, "--baseline", "--format", "html").stdout.decode()
    assert page.startswith("<!DOCTYPE html>")
    assert "above all 3" in page


def test_what_is_said_of_the_median_is_what_its_page_says_in_every_format(mondays: list[str]):
    verdict = json.loads(run("compare", *mondays, "--baseline").stdout)["summary"]
    assert "active sessions" in verdict
    for more in (["--ticket"], ["--summary"], ["--format", "markdown"], ["--format", "html"]):
        said = run("compare", *mondays, "--baseline", *more).stdout.decode()
        assert verdict.split(". ")[0] in said.replace("&#x27;", "'"), more
        assert "the median of 3 reports like it" in said, more
        assert "◆ above all 3" in said, more


def test_a_finding_against_the_median_is_one_to_fail_on(mondays: list[str]):
    assert run("compare", *mondays, "--baseline", "--ticket", "--fail-on", "warning").returncode == 1
    assert run("compare", *mondays[:3], mondays[0], "--baseline", "--ticket", "--fail-on", "critical").returncode == 0


def test_what_lies_outside_the_baseline_is_something_to_fail_on(mondays: list[str]):
    assert run("compare", *mondays, "--baseline", "--ticket", "--fail-on", "outside").returncode == 1
    assert run("compare", *mondays[:3], mondays[0], "--baseline", "--ticket", "--fail-on", "outside").returncode == 0
    assert "goes with --baseline" in refused("compare", *mondays, "--fail-on", "outside")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--sla", "10ms"], "the median of several is none"),
        (["--only", "nowhere"], "no section “nowhere”"),
    ],
)
def test_what_does_not_go_with_a_baseline(mondays: list[str], more: list[str], said: str):
    assert said in refused("compare", *mondays, "--baseline", *more)


def test_a_baseline_takes_two_reports():
    assert "two reports or more" in refused("compare", *PAIR, "--baseline")


def test_an_sla_is_said_for_each_report():
    verdicts = json.loads(run("compare", *PAIR, "--sla", "600us").stdout)["commit_latency"]["sla"]
    assert [v["sla_s"] for v in verdicts] == [0.0006, 0.0006]
    assert [v["verdict"] for v in verdicts] == ["within", "probably breached"]
    text = run("compare", *PAIR, "--summary", "--sla", "0.4ms").stdout.decode()
    assert "report 2: breached" in text
    assert "report 1: within" in text
    for form in ("markdown", "html"):
        whole = run("compare", *PAIR, "--sla", "0.4ms", "--format", form).stdout.decode()
        assert "Second: breached (400 µs)." in whole
    for wrong in ("10", "fast", "-3ms", "0ms"):
        assert "10ms" in refused("compare", *PAIR, f"--sla={wrong}")


def test_fail_on():
    findings = json.loads(run("compare", *PAIR).stdout)["findings"]
    fired = findings[0]["rule"]
    quiet = next(r.id for r in RULES_OF_TWO if r.id not in {f["rule"] for f in findings})
    assert run("compare", *PAIR, "--fail-on", fired, "--summary").returncode == 1
    assert run("compare", *PAIR, "--fail-on", quiet, "--summary").returncode == 0
    severities = {f["severity"] for f in findings}
    worst = run("compare", *PAIR, "--fail-on", "critical", "--summary").returncode
    assert worst == int("critical" in severities)
    warned = run("compare", *PAIR, "--fail-on", "warning", "--summary").returncode
    assert warned == int(bool(severities & {"critical", "warning"}))
    assert "parse-failures" in refused("compare", *PAIR, "--fail-on", "parse-failure")


def test_standard_input_folders_and_archives(tmp_path: Path):
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "a.html").write_bytes(BEFORE.read_bytes())
    (folder / "b.html").write_bytes(AFTER.read_bytes())
    (folder / ".hidden").write_bytes(b"nothing")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.html", BEFORE.read_bytes())
        archive.writestr("readme.txt", "what these are")
        archive.writestr("b.html", AFTER.read_bytes())
    (tmp_path / "both.zip").write_bytes(packed.getvalue())
    expected = json.loads(run("compare", *PAIR).stdout)["findings"]
    by_zip = run("compare", str(tmp_path / "both.zip"))
    assert "readme.txt: left out" in by_zip.stderr.decode()
    for done in (run("compare", str(folder)), by_zip, run("compare", PAIR[0], "-", stdin=AFTER.read_bytes())):
        assert json.loads(done.stdout)["findings"] == expected
    assert len(run("parse", str(folder)).stdout.splitlines()) == 2
    for name, data in (("README.md", b"An AWR SQL report."), ("old.pdf", b"%PDF-1.7"), ("empty.txt", b"")):
        (folder / name).write_bytes(data)
    for done in (run("compare", str(folder)), run("single", str(folder)), run("parse", str(folder))):
        assert done.returncode == 0
        named = [line.partition(": left out: ") for line in done.stderr.decode().splitlines()]
        assert [Path(name).name for name, said, _ in named if said] == ["README.md", "empty.txt", "old.pdf"]
    assert "a PDF document" in refused("compare", PAIR[0], str(folder / "old.pdf"))
    assert json.loads(run("parse", "-", stdin=BEFORE.read_bytes()).stdout)["file"] == "standard input"


def test_a_pasted_form_comes_by_standard_input(tmp_path: Path):
    """Copied from a browser: cells apart by tabs. Commits wait longer against more waits, not against itself."""
    good, bad = (paste("tabs", [*HEAD, LOAD, (EVENTS[0], [*EVENTS[1][:-1], row])]) for row in (QUICK, SLOW))
    (tmp_path / "good.txt").write_bytes(good)
    waits = {}
    for name, data in (("good", good), ("bad", bad)):
        done = run("compare", str(tmp_path / "good.txt"), "-", stdin=data)
        document = json.loads(done.stdout)
        assert [report["source"] for report in document["reports"]] == ["copy", "copy"]
        waits[name] = [finding for finding in document["findings"] if finding["rule"] == "commit-latency"]
    assert not waits["good"]
    assert waits["bad"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", PAIR[0]], "second report"),
        (["compare", PAIR[0], "/nowhere/x.html"], "/nowhere/x.html"),
        (["compare"], "--help"),
        ([], "Missing command. See awrdiff --help."),
        (["compare", *PAIR, "--summary", "--format", "html"], "Markdown"),
        (["compare", *PAIR, "--format", "pdf"], "pdf"),
        (["compare", *PAIR, "--summary", "--format", "csv"], "Markdown"),
        (["compare", *PAIR, "--ticket", "--format", "csv"], "--ticket"),
        (["compare", *PAIR, "--output", "/nowhere/out.json"], "/nowhere/out.json"),
        (["compute"], "compute"),
        (["--colour"], "--colour"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_status_2(arguments: list[str], said: str):
    assert said in refused(*arguments)


def test_a_process_ends_as_the_command_does():
    assert "second report" in refused("compare", PAIR[0], by=start)
    assert start("compare", *PAIR, "--fail-on", "no-such-rule").returncode == 2
    fired = json.loads(run("compare", *PAIR).stdout)["findings"][0]["rule"]
    done = start("compare", PAIR[0], "-", "--fail-on", fired, stdin=AFTER.read_bytes())
    assert (done.returncode, done.stderr) == (1, b"")
    assert json.loads(done.stdout)["schema"] == "awrdiff.comparison/1"


def test_output_is_utf_8_whatever_the_locale(tmp_path: Path):
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
    done = start("compare", *PAIR, "--format", "markdown", **ascii_only)
    assert "→" in done.stdout.decode("utf-8")
    target = tmp_path / "out.md"
    assert start("compare", *PAIR, "--format", "markdown", "--output", str(target), **ascii_only).returncode == 0
    assert target.read_bytes() == done.stdout


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("out.md", "# "),
        ("out.MARKDOWN", "# "),
        ("out.csv", "pair,"),
        ("out.htm", "<!DOCTYPE"),
        ("out.html", "<!DOCTYPE"),
        ("out.json", '{"schema"'),
        ("out.txt", '{"schema"'),
    ],
)
def test_the_ending_of_a_file_names_its_format(tmp_path: Path, name: str, begins: str):
    assert run("compare", *PAIR, "--output", str(tmp_path / name)).returncode == 0
    assert (tmp_path / name).read_text("utf-8").lstrip("\ufeff").startswith(begins)


def test_a_format_that_is_named_goes_before_the_ending(tmp_path: Path):
    target = tmp_path / "out.md"
    run("compare", *PAIR, "--format", "json", "--output", str(target))
    assert json.loads(target.read_text())
    run("compare", *PAIR, "--summary", "--output", str(tmp_path / "out.json"))
    assert (tmp_path / "out.json").read_text("utf-8").startswith("# ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        f"-m awrdiff.cli.main compare {' '.join(PAIR)}",
        f"-m awrdiff.cli.main single {PAIR[0]}",
        f"-m awrdiff.cli.main parse {PAIR[0]}",
        "-m awrdiff.cli.main --version",
        f"-m parsers {PAIR[0]}",
        f"manage.py compare {' '.join(PAIR)}",
        f"-m awrdiff.cli.main compare {' '.join(PAIR)} --output /dev/full",
    ],
)
def test_a_full_disk_is_one_sentence(command: str):
    full = subprocess.run(
        f"{sys.executable} {command} >/dev/full", shell=True, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert full.returncode == 2
    assert "No space left on device" in full.stderr
    assert len(full.stderr.splitlines()) == 1


def test_a_reader_that_has_enough_ends_it_quietly():
    done = subprocess.run(
        f"{sys.executable} -m awrdiff.cli.main parse {PAIR[0]} {PAIR[1]} {PAIR[0]} | head -c 10",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert len(done.stdout) == 10
    assert done.stderr == b""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str):
    assert b"_AWRDIFF_COMPLETE" in run("completion", shell).stdout
    offered = start(_AWRDIFF_COMPLETE="bash_complete", COMP_WORDS="awrdiff compare --fo", COMP_CWORD="2").stdout
    assert b"--format" in offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("compare --only top_timed_e", ["top_timed_events"]),
        ("compare --only io_profile,top_timed_e", ["io_profile,top_timed_events"]),
        ("compare --fail-on crit", ["critical"]),
        ("compare --fail-on out", ["outside"]),
        ("single --fail-on out", []),
        ("push --compare --fail-on out", []),
        ("single --fail-on read-", ["read-latency", "read-tail"]),
        ("push --compare --fail-on db-", ["db-cpu"]),
    ],
)
def test_sections_and_rules_are_completed(words: str, offered: list[str]):
    at = str(len(words.split()))
    done = start(_AWRDIFF_COMPLETE="bash_complete", COMP_WORDS=f"awrdiff {words}", COMP_CWORD=at)
    assert [line.partition(",")[2] for line in done.stdout.decode().split()] == offered


def test_the_pages_are_served_as_python_serves_anything(monkeypatch):
    """A command ends soon: it looks for no cycles, and a closed pipe ends it. Neither is for processes that stay."""
    found: list[object] = []
    monkeypatch.setattr(
        "awrdiff.serve.main", lambda **_: found.extend([gc.isenabled(), signal.getsignal(signal.SIGPIPE)])
    )
    run("serve")
    assert found == [True, signal.SIG_IGN]
