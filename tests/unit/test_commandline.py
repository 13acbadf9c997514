"""manage.py where something foreseeable is wrong: one sentence about the right thing, no traceback; private files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.processes  # manage.py itself, each time
ROOT = Path(__file__).resolve().parents[2]
ACCOUNTS = {"AWRDIFF_LOCAL_USER": "False", "AWRDIFF_SECRET_KEY": "a key of the tests"}
PAIR = [str(ROOT / "fixtures" / "cases" / "adaptive-switch" / name) for name in ("before.html", "after.html")]


def run(var: Path | str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AWRDIFF_", "DATABASE_", "REDIS_", "DJANGO_"))}
    env = {**kept, "AWRDIFF_VAR": str(var), "PYTHONIOENCODING": "ascii", **more}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"AWRDIFF_DEBUG": "2"}, "awrdiff: AWRDIFF_DEBUG must be True or False"),
        ({"DATABASE_URL": "postgres://u@127.0.0.1:1/gone"}, "awrdiff: The database gone at 127.0.0.1 (DATABASE_URL)"),
        ({"AWRDIFF_VAR": "/dev/null/x"}, "is a file, a folder is needed there"),
        ({"AWRDIFF_VAR": "/proc/nowhere"}, "The folder /proc/nowhere cannot be used"),
    ],
)
def test_trouble_is_a_sentence(tmp_path, more, words):
    done = run(tmp_path, "migrate", **more)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_none_is_named(tmp_path):
    (tmp_path / "awrdiff.sqlite3").write_bytes(b"no database" * 1000)
    done = run(tmp_path, "migrate")
    assert f"The database {tmp_path}/awrdiff.sqlite3 cannot be used: file is not a database" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_folder_is_made_private_whatever_its_name_and_output_is_never_a_reason_to_fail(tmp_path):
    var = tmp_path / "new #b%20c? d"
    assert run(var, "prepare", **ACCOUNTS).returncode == 0
    private = [p for p in (var, *var.rglob("*")) if "static" not in p.parts]  # which every visitor is given
    assert [p for p in private if p.lstat().st_mode & 0o077] == []
    password = {"AWRDIFF_PASSWORD": "long enough for anyone 7"}
    added = run(var, "add_user", "olivia", "--team", "Payments", **ACCOUNTS, **password)
    assert added.returncode == 0, added.stderr
    assert "olivia is on the team ?Payments?" in added.stdout  # this terminal has no “”


def test_a_group_may_share_the_folder_on_purpose(tmp_path):
    var = tmp_path / "shared"
    assert run(var, "migrate", "contenttypes", "--verbosity", "0", AWRDIFF_VAR_GROUP="True").returncode == 0
    assert oct((var / "awrdiff.sqlite3").stat().st_mode & 0o777) in ("0o640", "0o660")
    assert var.stat().st_mode & 0o777 == 0o770


@pytest.mark.parametrize("arguments", [["help"], ["compare", *PAIR]])
def test_a_reader_that_leaves_ends_it_quietly(tmp_path, arguments):
    env = {**os.environ, "AWRDIFF_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "awrdiff.settings"}
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    assert done.returncode == 141
    assert done.stderr == b""
