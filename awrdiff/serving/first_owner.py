"""bin/serve --team: everybody signs in; its starter learns how to become first owner.

Runs before Django is there: imports its exceptions alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from awrdiff import private_var_folder, server_env_variables
from awrdiff.serving.console import fail

FILE = "owner_address"
_HERE = "localhost,127.0.0.1,[::1]"


def everybody_signs_in() -> None:
    """Switch the local user off; without allowed hosts, serve this machine without HTTPS."""
    if server_env_variables.LOCAL_USER.read():
        fail("--team lets nobody in without signing in, and AWRDIFF_LOCAL_USER=True does: use one of them.")
    os.environ["AWRDIFF_LOCAL_USER"] = "False"
    if not server_env_variables.ALLOWED_HOSTS.read():
        os.environ["AWRDIFF_ALLOWED_HOSTS"] = _HERE
        os.environ.setdefault("AWRDIFF_HTTPS", "False")


def keep(var: Path, address: str) -> None:
    """Keep the address, private to the server's user; "" removes it."""
    if address:
        private_var_folder.write_whole(var / FILE, address + "\n")
    else:
        (var / FILE).unlink(missing_ok=True)


def announcement(var: Path) -> list[str]:
    """Address, or its file where output is a log."""
    try:
        address = (var / FILE).read_text().strip()
    except OSError:
        return []
    place = address if sys.stdout.isatty() else f"the address in {(var / FILE).resolve()}"
    return [f"To become the owner, open once: {place}"]
