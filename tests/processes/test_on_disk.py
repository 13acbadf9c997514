"""What is answered 201 is on the disk: the calls are counted that the kernel sees (tests/web/test_storage.py has those
of the files where there is no strace)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import prepared, tools

pytestmark = [pytest.mark.processes]
SYNCED = re.compile(r"f(?:data)?sync\(\d+<([^>]*)>\)\s+= 0")
LOG = "awrdiff.sqlite3-wal"


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Of each request the paths that were synced before its answer, in order."""
    strace = tools.strace()
    if strace is None:
        pytest.skip("strace is not installed")
    folder = tmp_path_factory.mktemp("synced")
    log = folder / "log"
    command = [strace, "-f", "-qq", "-y", "-e", "trace=fsync,fdatasync", "-o", str(log)]
    command += [sys.executable, "-m", "tests.processes.on_disk", str(folder)]
    env = prepared.without_settings(os.environ)
    done = subprocess.run(command, env=env, cwd=prepared.ROOT, capture_output=True, text=True)
    if "ptrace" in done.stderr:
        pytest.skip("strace may not look at other processes here")
    assert done.stdout == "done\n", done.stderr
    found: dict[str, list[str]] = {}
    request: list[str] = []
    for path in SYNCED.findall(log.read_text()):
        if Path(path).name.startswith("mark-"):
            request = found.setdefault(Path(path).name.removeprefix("mark-"), [])
        else:
            request.append(path)
    return found


@pytest.mark.parametrize("request_", ["upload", "event", "comment"])
def test_every_answer_has_synced_the_databases_log(synced, request_):
    assert [Path(path).name for path in synced[request_]].count(LOG) >= 1


def test_a_file_and_the_way_to_it_are_synced_between_its_two_rows(synced):
    """The one that says that it is loose comes before it, the report's after it."""
    places = [Path(path) for path in synced["upload"]]
    logs = [number for number, path in enumerate(places) if path.name == LOG]
    way = [number for number, path in enumerate(places) if "files" in path.parts]
    assert logs[0] < way[0]
    assert way[-1] < logs[-1]
    assert len(way) == 5  # the file, reports/<team>/<two letters>, and files itself
    var = places[way[-1]].parent
    assert var in places
