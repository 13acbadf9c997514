"""What bin/serve's first start makes, made once in a run: the servers of other tests begin with a copy of it.

Migrating, collecting styles and making the demos is most of the work of a first start, and comes out the same each time.
`Server(…, fresh=True)` does it all by itself.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "AWRDIFF_PREPARED"  # the variable that names it; without one nothing is shared


def keep_below(factory: pytest.TempPathFactory) -> None:
    """The workers of one run share what the first of them makes, and so do the parts of bin/test."""
    base = factory.getbasetemp()
    of_this_run = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "prepared"
    os.environ.setdefault(FOLDER, str(of_this_run))


def put_into(var: Path, env: Mapping[str, str]) -> None:
    """The files of a first start, for accounts or with the demos of a local user; what `var` has already, it keeps."""
    accounts = env.get("AWRDIFF_LOCAL_USER") == "False"
    made = kept("accounts" if accounts else "local", lambda folder: _make(folder, env, accounts=accounts))
    if made is None:
        return
    files_only = (var / "awrdiff.sqlite3").exists() or "DATABASE_URL" in env
    for one in [made / "static"] if files_only else made.iterdir():
        if not (var / one.name).exists():
            (shutil.copytree if one.is_dir() else shutil.copy2)(one, var / one.name)


def kept(name: str, make: Callable[[Path], None]) -> Path | None:
    """The folder of that name, made by the first who asks; None where nothing is shared."""
    if not os.environ.get(FOLDER):
        return None
    made = Path(os.environ[FOLDER]) / name
    made.parent.mkdir(parents=True, exist_ok=True)
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            make(made.with_suffix(".new"))
            made.with_suffix(".new").rename(made)
    return made


def _make(folder: Path, env: Mapping[str, str], *, accounts: bool) -> None:
    """That of a local user is made of that with accounts, so that tables and styles are made once."""
    if not accounts:
        begun = kept("accounts", lambda begun: _make(begun, env, accounts=True))
        assert begun is not None
        shutil.copytree(begun, folder)
    settings = {"AWRDIFF_VAR": str(folder), "AWRDIFF_LOCAL_USER": str(not accounts)}
    manage({**without_settings(env), **settings}, "prepare")
    shutil.rmtree(folder / "broker", ignore_errors=True)  # messages about the demos, which are ready


def without_settings(env: Mapping[str, str]) -> dict[str, str]:
    dropped = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    return {k: v for k, v in env.items() if not k.startswith("AWRDIFF_") and k not in dropped}


def manage(env: dict[str, str], *arguments: str) -> None:
    command = [sys.executable, "-m", "awrdiff.manage", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
