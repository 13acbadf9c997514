"""Bugs put in one at a time into a copy of the project: does a fast test fail?

    python -m tests.planted_bugs            each bug against the tests that are said to catch it
    python -m tests.planted_bugs --all      against all fast tests: names those that fail
    python -m tests.planted_bugs NAME…      some of them

They are listed in tests/bugs/. The corpus is left out: what is caught only with real reports is not caught.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bugs import BUGS
from tests.bugs.bug import Bug

ROOT = Path(__file__).parents[1]
FAST = ("-m", "not e2e and not processes and not hostile and not thorough", "tests/unit", "tests/golden", "tests/web")
QUICK = ("-n", "2", "--dist", "loadfile")


def copied(to: Path) -> Path:
    """The files of the checkout as they are, without what git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    return to


def failing(root: Path, arguments: tuple[str, ...]) -> list[str]:
    """The tests that fail. Raises RuntimeError where none could be run."""
    environment = {k: v for k, v in os.environ.items() if k not in ("AWRDIFF_CORPUS", "AWRDIFF_TALLY")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)


def tried(bug: Bug, *, everything: bool) -> list[str]:
    """What fails with this bug in a copy of the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        root = copied(Path(folder))
        bug.plant(root)
        return failing(root, (*QUICK, *FAST) if everything else (bug.caught_by,))


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("names", nargs="*", help="part of a bug's name")
    reader.add_argument("--all", action="store_true", help="run every fast test, not only those that are to fail")
    asked = reader.parse_args()
    wanted = [b for b in BUGS if not asked.names or any(part in b.name for part in asked.names)]
    sound = failing(ROOT, (*QUICK, *FAST) if asked.all else tuple(b.caught_by for b in wanted))
    survivors = 0
    for bug in wanted:
        found = [test for test in tried(bug, everything=asked.all) if test not in sound]
        survivors += not found
        print(f"{'caught  ' if found else 'SURVIVES'}  {bug.name}: {', '.join(found[:3])}", flush=True)
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
