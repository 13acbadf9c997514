"""A backup that is made while people work, restored into an empty place: every page there is the page it was."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.harness import s3
from tests.harness.server import ROOT, Client, Server
from tests.processes.files import two_reports

pytestmark = [pytest.mark.processes]
CHANGES = re.compile(
    rb'csrf\w*"? (?:name|value|content)="[^"]*"|value="[A-Za-z0-9]{64}"|nonce="[^"]*"|X-CSRFToken[^}]*'
)


@dataclass(frozen=True)
class Place:
    env: dict[str, str]
    target: str


@pytest.fixture(params=["embedded", pytest.param("services", marks=pytest.mark.postgres)])
def places(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Place]]:
    """Where it is made and where it is restored; where to, is the first one's. The second time with PostgreSQL and S3."""
    if request.param == "embedded":
        yield [Place({}, str(tmp_path / "kept.tar.gz")), Place({}, "")]
        return
    postgres = request.getfixturevalue("postgres")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    store = s3.S3()
    store.start()
    store.make_bucket()
    in_s3 = {"AWRDIFF_S3_ENDPOINT": store.url, "AWRDIFF_S3_BUCKET": s3.BUCKET}
    path = {"PATH": f"{postgres.bin}{os.pathsep}{os.environ['PATH']}"}
    try:
        yield [
            Place({**in_s3, **path, "DATABASE_URL": postgres.migrated_database()}, f"s3://{s3.BUCKET}/kept/"),
            Place({**path, "DATABASE_URL": postgres.new_database(), "AWRDIFF_S3_ENDPOINT": store.url}, ""),
        ]
    finally:
        store.stop()


def manage(server: Server, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=server.env, capture_output=True, text=True, timeout=120)


@contextmanager
def at_work(client: Client) -> Iterator[list[str]]:
    """Somebody uploads and deletes until it is over, ten times a second at most; the reports that stay."""
    is_over = threading.Event()
    kept: list[str] = []

    def work() -> None:
        for number in itertools.count():
            if is_over.wait(0.1):
                return
            url = client.upload("more.html", two_reports()[0] + f"<!-- {number} -->".encode()).json["url"]
            if number % 2:
                client.post(f"{url}delete/", [])
            else:
                kept.append(url)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield kept
    finally:
        is_over.set()
        worker.join(60)


def pages_of(client: Client, *begun: str) -> dict[str, bytes]:
    """What there is to see below these addresses, but what tells of reports that came meanwhile."""
    found: dict[str, bytes] = {}
    for url in begun:
        document = client.get(url)
        found[url] = document.body
        below = [f"{url}commit/", *(f"{url}sections/{one['id']}/" for one in document.json["sections"][::4])]
        found |= {path: CHANGES.sub(b"", client.page(path).body) for path in below}
    return found


def test_what_was_backed_up_under_load_is_there_again(places: list[Place], tmp_path: Path) -> None:
    first = Server(tmp_path / "first", **places[0].env)
    first.start()
    try:
        client = first.client()
        reports = [client.upload(f"{n}.html", data).json["url"] for n, data in enumerate(two_reports())]
        compared = client.compare(*(url.split("/")[2] for url in reports))
        client.settled(compared)
        with at_work(first.client()) as kept:
            done = manage(first, "backup", places[0].target)
        assert done.returncode == 0, done.stderr
        assert "is not in the storage" not in done.stderr
        assert kept
        then = pages_of(client, *reports, compared)
    finally:
        first.stop()
    source = done.stdout.split(" (")[0]

    second = Server(tmp_path / "second", **places[1].env)
    second.var.mkdir()
    done = manage(second, "restore", source)
    assert done.returncode == 0, done.stderr
    second.start()
    try:
        client = second.client()
        assert len(then) > 20
        assert pages_of(client, *reports, compared) == then
        assert client.get(kept[0]).status == 200
        for url in kept:  # of those that were there by then, what was not read yet is read from its file
            assert client.get(url).status == 404 or client.settled(url)["state"] == "ready"
        refused = manage(second, "restore", source)
    finally:
        second.stop()
    assert refused.returncode == 1
    assert "not empty" in refused.stderr or "already running" in refused.stderr
    assert second.faults() == []
