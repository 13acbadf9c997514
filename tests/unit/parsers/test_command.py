"""`python -m parsers`: a document per line, the bad file named, the others still printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.unit.parsers.reports import report

ROOT = Path(__file__).resolve().parents[3]


def run(*paths: Path | str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "parsers", *map(str, paths)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_one_line_a_file_and_status_2_for_a_bad_one(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.html", tmp_path / "bad.png"
    good.write_bytes(report())
    bad.write_bytes(b"\x89PNG....")
    done = run(good, bad, tmp_path / "missing.html", good)
    assert done.returncode == 2
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    assert [d["file"] for d in documents] == [str(good), str(good)]
    errors = done.stderr.splitlines()
    assert len(errors) == 2
    assert "bad.png" in errors[0]
    assert "missing.html" in errors[1]
    assert done.stdout.isascii()


def test_a_file_that_cannot_be_read_keeps_none_back(tmp_path: Path) -> None:
    good = tmp_path / "good.html"
    good.write_bytes(report())
    done = run("/proc/self/mem", good)
    assert (done.returncode, len(done.stdout.splitlines())) == (2, 1)
    assert done.stderr.startswith("/proc/self/mem: ")


def test_a_folder_without_a_report_is_named(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Nothing here.")
    done = run(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{tmp_path}: there is no report in it." in done.stderr


def test_no_django_is_needed(tmp_path: Path) -> None:
    good = tmp_path / "good.html"
    good.write_bytes(report())
    code = (
        "import sys; sys.modules['django'] = None; sys.modules['celery'] = None\n"
        "from parsers.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(good)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert run().returncode == 2
