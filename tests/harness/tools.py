"""System programs that some tests need, and skipping without them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


def chromium() -> str | None:
    """Prefers the headless shell, which takes half the processor time."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def redis_server() -> str | None:
    return shutil.which("redis-server")


def postgres_bin() -> Path | None:
    """Folder of the newest PostgreSQL's programs (Debian keeps them off the PATH)."""
    folders = [p.parent for p in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if folders:
        return max(folders, key=lambda p: int(p.parent.name.split(".")[0]))
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def nginx() -> str | None:
    """Debian keeps it off the PATH of ordinary users."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def curl() -> str | None:
    return shutil.which("curl")


def strace() -> str | None:
    return shutil.which("strace")


FINDERS = {
    "chromium": chromium,
    "redis-server": redis_server,
    "postgresql": postgres_bin,
    "nginx": nginx,
    "curl": curl,
}


def need(tool: str) -> None:
    """Skip the test where `tool` is missing; with CI=true that is a failure."""
    if FINDERS[tool]() is not None:
        return
    reason = f"{tool} is not installed"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
