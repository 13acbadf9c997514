"""Schemathesis, over a running server with a token of each scope: what /api/v1 answers is what its description says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from urllib.request import Request, urlopen

import pytest

from tests.harness.client import client_of
from tests.harness.server import ROOT, Server

pytestmark = [pytest.mark.processes]
ENV = {
    "AWRDIFF_LOCAL_USER": "False",
    "AWRDIFF_HTTPS": "False",
    "AWRDIFF_ALLOWED_HOSTS": "localhost",
    "AWRDIFF_TOKEN_RATE": "100000",
    "AWRDIFF_UPLOAD_RATE": "100000",
}
# In a form a file that holds a number is a file all the same. A body that is well formed may say what cannot be (an end before its beginning, a zone there is not): 400, in a sentence.
CONFIG = """
[[operations]]
include-name = "POST /api/v1/reports"
[operations.checks.negative_data_rejection]
enabled = false
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", 400, 401, 403, 404, 409, 415, 429]

[[operations]]
include-method = "POST"
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", 400, 401, 403, 404, 409, 415, 429]
"""
MAKE = """
from awrdiff.accounts.api_tokens import make
from awrdiff.accounts.access import SCOPES
from awrdiff.accounts.models import Team
team = Team.objects.create(name="Payments")
for scope in SCOPES:
    print(scope, make(team, None, scope, [scope], None, made_by=None)[1])
"""
# What each scope alone may do; and by one that may do little, that the rest is refused as described.
ASKED = {
    "read": ["--include-method", "GET", "-n", "2"],
    "write": ["--exclude-method", "GET", "-n", "2"],
    "share": ["--include-path-regex", "links", "-n", "2"],
    "admin": ["--include-path-regex", "audit|people", "-n", "2"],
    "audit": ["--include-path-regex", "audit|people", "-n", "2"],
    "upload": ["--include-path-regex", "/(reports|comparisons|incidents|links)$", "-n", "2"],
}


@pytest.fixture(scope="module")
def tokens(server: Server) -> dict[str, str]:
    """By scope, each of a service that may do that alone."""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", MAKE]
    done = subprocess.run(command, cwd=ROOT, env=server.env, capture_output=True, text=True, check=True)
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("description") / "var", **ENV)
    made.start(120)
    yield made
    made.stop()


def test_schemathesis_finds_nothing(server: Server, tokens: dict[str, str], tmp_path: Path) -> None:
    assert tokens.keys() == ASKED.keys()
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    running = {
        scope: subprocess.Popen(
            [
                *(
                    sys.executable,
                    "-m",
                    "schemathesis.cli",
                    "--config-file",
                    str(tmp_path / "schemathesis.toml"),
                    "run",
                ),
                *(f"{server.url}/api/v1/openapi.json", "-H", f"Authorization: Bearer {tokens[scope]}"),
                *(
                    "--phases",
                    "fuzzing",
                    "--seed",
                    "1",
                    "--no-shrink",
                    "--suppress-health-check",
                    "too_slow",
                    "--request-timeout",
                    "60",
                    *asked,
                ),
            ],
            cwd=tmp_path,
            env=os.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for scope, asked in ASKED.items()
    }
    said = {scope: one.communicate(timeout=240)[0] for scope, one in running.items()}
    for scope, one in running.items():
        assert one.returncode == 0, f"{scope}: {said[scope]}"
        assert "passed" in said[scope]
    assert not server.faults()


def test_a_client_generated_from_it_runs(
    server: Server, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tokens["write"]

    def send(method: str, path: str, body: bytes | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with urlopen(Request(f"{server.url}{path}", body, headers, method=method), timeout=60) as answer:
            return answer.read()

    module = ModuleType("generated_client")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    source = client_of(json.loads(send("GET", "/api/v1/openapi.json")))
    exec(compile(source, "generated_client.py", "exec"), module.__dict__)
    new = module.NewIncident(title="Slow commits", begins_at="2026-11-22T14:05:00+01:00")
    made = module.post_incidents(send, new)
    assert module.get_incident(send, made.id).title == new.title
    assert [one.id for one in module.get_incidents(send, {"limit": 1}).items] == [made.id]
