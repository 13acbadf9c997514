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
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_folder: list[Path] = []


def keep_below(factory: pytest.TempPathFactory) -> None:
    """The workers of one run share what the first of them makes."""
    base = factory.getbasetemp()
    _folder[:] = [(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "prepared"]


def put_into(var: Path, env: dict[str, str]) -> None:
    """The files of a first start, for accounts or with the demos of a local user; what `var` has already, it keeps."""
    if not _folder:
        return
    made = _made(env)
    names = ["static"] if (var / "awrdiff.sqlite3").exists() or "DATABASE_URL" in env else os.listdir(made)
    for name in names:
        if not (var / name).exists():
            (shutil.copytree if (made / name).is_dir() else shutil.copy2)(made / name, var / name)


def _made(env: dict[str, str]) -> Path:
    accounts = env.get("AWRDIFF_LOCAL_USER") == "False"
    made = _folder[0] / ("accounts" if accounts else "local")
    _folder[0].mkdir(parents=True, exist_ok=True)
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(made.with_suffix(".new"), env, accounts=accounts)
            made.with_suffix(".new").rename(made)
    return made


def _make(folder: Path, env: dict[str, str], *, accounts: bool) -> None:
    kept = {k: v for k, v in env.items() if not k.startswith("AWRDIFF_") and k not in ("DATABASE_URL", "REDIS_URL")}
    settings = {"AWRDIFF_VAR": str(folder), "AWRDIFF_LOCAL_USER": str(not accounts)}
    command = [sys.executable, "-m", "awrdiff.manage", "prepare"]
    done = subprocess.run(command, cwd=ROOT, env={**kept, **settings}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
