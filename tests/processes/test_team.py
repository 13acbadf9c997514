"""bin/serve --team: whoever started it becomes the owner of what the local user had, and invites the others."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.harness.server import ROOT, Client, Server
from tests.processes.files import two_reports

pytestmark = [pytest.mark.processes]
PASSWORD = "seven lamps of green tin"


@pytest.fixture
def var(tmp_path: Path) -> Path:
    return tmp_path / "var"


@pytest.fixture
def running() -> Iterator[list[Server]]:
    servers: list[Server] = []
    yield servers
    for server in servers:
        server.stop()


def started(running: list[Server], var: Path, *arguments: str) -> Server:
    while running:
        running.pop().stop()
    server = Server(var, *arguments, fresh=bool(arguments))
    server.start(120)
    running.append(server)
    return server


def sign_up(server: Server, path: str, name: str) -> Client:
    client = Client(server.url)
    assert b"<form" in client.page(path).body
    made = client.post("/join/", [("username", name), ("password1", PASSWORD)])
    assert made.status == 200, made.body
    return client


def test_what_was_there_before_is_the_owners_and_everybody_signs_in(running, var) -> None:
    alone = started(running, var)
    client = alone.client()
    data, _ = two_reports()
    report = client.upload("before.html", data).json["url"]
    client.settled(report)

    team = started(running, var, "--team")
    assert Client(team.url).get(report).status == 401
    whole = (var / "owner_address").read_text().strip()
    assert (var / "owner_address").stat().st_mode & 0o777 == 0o600
    assert whole not in team.output()
    assert str(var / "owner_address") in team.output()
    owner = sign_up(team, urlsplit(whole).path, "olivia")
    assert owner.get(report).json["state"] == "ready"
    assert Client(team.url).get(urlsplit(whole).path).status == 404

    made = owner.post("/people/invitations/", [("email", "nina@example.com"), ("role", "member")])
    assert made.status == 201
    nina = sign_up(team, urlsplit(made.json["address"]).path, "nina")
    assert nina.get(report).status == 200

    again = started(running, var, "--team")
    assert not (var / "owner_address").exists()
    assert "To become the owner" not in again.output()

    without = started(running, var)
    assert Client(without.url).get(report).status == 401
    assert not (var / "local_address").exists()  # nobody is let in by a token any more
    back = Client(without.url)
    back.page("/login/")
    back.post("/login/", [("login", "olivia"), ("password", PASSWORD)])
    assert back.get(report).status == 200
    assert not without.faults()


def test_a_first_start_has_the_demos_for_the_owner(running, var) -> None:
    server = started(running, var, "--team")
    assert re.search(r"awrdiff is at http://localhost:\d+/", server.output())
    owner = sign_up(server, urlsplit((var / "owner_address").read_text().strip()).path, "olivia")
    assert b"See it on a demo" in owner.page("/").body


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["--team"], {"AWRDIFF_LOCAL_USER": "True"}, "use one of them"),
        (["--teams"], {}, "takes nothing but --team"),
        (["--team", "x"], {}, "takes nothing but --team"),
    ],
)
def test_what_makes_no_sense_is_said(var, arguments, env, said) -> None:
    command = [sys.executable, "-m", "awrdiff.serve", *arguments]
    server = Server(var)
    found = subprocess.run(command, cwd=ROOT, env={**server.env, **env}, capture_output=True, text=True)
    assert found.returncode != 0
    assert said in found.stderr
    assert "Traceback" not in found.stderr
