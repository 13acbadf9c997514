"""A disk that is full, on a small file system of its own: said by name, waited for, and then everything goes on."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.server import Server, until
from tests.processes.files import two_reports

pytestmark = [pytest.mark.processes]
NEAR = 2 << 20  # left free: less than AWRDIFF_MIN_FREE_MB


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("disk")
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system to fill")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(scope="module")
def server(disk: Path) -> Iterator[Server]:
    made = Server(disk / "var", AWRDIFF_MIN_FREE_MB="4", AWRDIFF_TASK_DUE_AFTER_S="2", AWRDIFF_SWEEP_EVERY_S="1")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def filler(disk: Path) -> Iterator[Path]:
    yield disk / "filler"
    (disk / "filler").unlink(missing_ok=True)


def fill(filler: Path, leave: int) -> None:
    with filler.open("wb", buffering=0) as file:
        try:
            while shutil.disk_usage(filler.parent).free > leave:
                file.write(bytes(min(1 << 20, max(4096, shutil.disk_usage(filler.parent).free - leave))))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise


@pytest.mark.parametrize("leave", [NEAR, 0])
def test_an_upload_is_refused_with_the_cause_and_taken_once_there_is_room(server, filler, leave):
    client = server.client()
    until(lambda: client.get("/readyz").json["status"] == "ok", 30)
    fill(filler, leave)
    answer = client.upload("a.html", two_reports()[0])
    assert answer.status == 507
    assert "disk is full" in answer.json["error"]
    ready = client.get("/readyz")
    assert (ready.status, ready.json["disk"]) == (503, "full")
    assert client.get("/healthz").status == 200
    assert client.page("/").status == 200
    filler.unlink()
    made = client.upload("a.html", two_reports()[0] + b"<!-- %d -->" % leave)
    assert made.status == 201
    assert client.settled(made.json["url"])["state"] == "ready"
    until(lambda: client.get("/readyz").json["status"] == "ok", 60, what=lambda: str(client.get("/readyz").json))
    assert "Traceback" not in server.output()


def test_work_waits_for_room_and_is_done_then(server, filler):
    client = server.client()
    workers = server.children("worker")
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    made = client.upload("b.html", two_reports()[1] + b"<!-- waits -->").json
    fill(filler, NEAR)
    for pid in workers:
        os.kill(pid, signal.SIGCONT)
    time.sleep(8)  # more than three attempts would take
    assert client.get(made["url"]).json["state"] == "pending"
    filler.unlink()
    assert client.settled(made["url"])["state"] == "ready"
