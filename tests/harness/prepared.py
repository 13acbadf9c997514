"""Result of bin/serve's first start, made once in a run and copied for the servers of other tests.

Migrating, collecting styles and making the demos is most of a first start, and always the same. `Server(…, fresh=True)`
does it all itself.
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
    """Workers of a run, and the parts of bin/test, share what the first of them makes."""
    base = factory.getbasetemp()
    of_this_run = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "prepared"
    os.environ.setdefault(FOLDER, str(of_this_run))


def put_into(var: Path, env: Mapping[str, str]) -> None:
    """Copy a first start's files, for accounts or for a local user with demos, unless `var` has them."""
    accounts = env.get("AWRDIFF_LOCAL_USER") == "False"
    source = shared_folder("accounts" if accounts else "local", lambda folder: _make(folder, env, accounts=accounts))
    if source is None:
        return
    files_only = (var / "awrdiff.sqlite3").exists() or "DATABASE_URL" in env
    for entry in [source / "static"] if files_only else source.iterdir():
        if not (var / entry.name).exists():
            (shutil.copytree if entry.is_dir() else shutil.copy2)(entry, var / entry.name)


def shared_folder(name: str, make: Callable[[Path], None]) -> Path | None:
    """Folder of that name, made by the first process that needs it; None where nothing is shared."""
    if not os.environ.get(FOLDER):
        return None
    folder = Path(os.environ[FOLDER]) / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            make(folder.with_suffix(".new"))
            folder.with_suffix(".new").rename(folder)
    return folder


def _make(folder: Path, env: Mapping[str, str], *, accounts: bool) -> None:
    """The local user's is made from the one with accounts, so that tables and styles are made once."""
    if not accounts:
        begun = shared_folder("accounts", lambda begun: _make(begun, env, accounts=True))
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
