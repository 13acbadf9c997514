"""bin/serve itself: starts everything, is quick again, revives what dies, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.server import ROOT, Server, descendants, is_running, until
from tests.processes.files import two_reports

pytestmark = [pytest.mark.processes]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("serve"))
    yield made
    made.stop()


@pytest.fixture
def server(shared: Server) -> Server:
    """The one of all these tests, started again where a test has ended it."""
    if shared.process is None:
        shared.start()
    return shared


def all_processes(server: Server) -> list[int]:
    """Two web servers, Celery with its two, sweeper."""
    until(lambda: len(descendants(server.process.pid)) >= 6, 20)
    return descendants(server.process.pid)


def test_the_first_page_answers_without_redirect(server):
    answer = server.client().page("/")
    assert answer.status == 200
    assert b'type="file"' in answer.body
    assert server.client().get("/healthz").json == {"status": "ok"}


def ended(server: Server, how: signal.Signals) -> int:
    """The exit status; none of its processes is left behind."""
    pids = all_processes(server)
    server.process.send_signal(how)
    status = server.process.wait(timeout=30)
    server.process = None
    until(lambda: not any(map(is_running, pids)), 15, what=lambda: str([p for p in pids if is_running(p)]))
    return status


def readable_by_others(server: Server) -> list[Path]:
    found = [p for p in (server.var, *server.var.rglob("*")) if mode_of(p) & 0o077]
    return [p for p in found if p != server.log]  # the harness opens that one


def mode_of(path: Path) -> int:
    """0 of what is gone by now: messages come and go."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return 0


def test_the_second_start_finds_everything_done_and_mends_what_others_could_read(server):
    collected = (server.var / "static" / ".collected").stat().st_mtime_ns
    assert "Traceback" not in server.output()
    assert ended(server, signal.SIGINT) == 0
    for path in (server.var, *server.var.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    server.start()
    assert (server.var / "static" / ".collected").stat().st_mtime_ns == collected
    assert readable_by_others(server) == []
    assert len([line for line in server.output().splitlines() if "could read" in line]) == 1
    assert ended(server, signal.SIGTERM) == 0
    server.start()
    assert "could read" not in server.output()


def test_even_kill_9_leaves_no_process_behind(server):
    assert ended(server, signal.SIGKILL) == -signal.SIGKILL


@pytest.mark.parametrize("words", ["web server", "sweeper", "worker"])
def test_a_process_that_dies_is_started_again(server, words):
    before, said = len(server.children(words)), len(server.output())
    os.kill(server.children(words)[0], signal.SIGKILL)
    until(lambda: "stopped (SIGKILL) and is started again in 1 s." in server.output()[said:], 10)
    until(lambda: len(server.children(words)) >= before, 20)
    client = server.client
    until(lambda: _answers(client), 10)


def test_a_web_server_that_stops_takes_no_request_with_it(server):
    """The other one answers meanwhile, and where both are gone what comes in waits."""
    client = server.client()
    for pid in server.children("web server"):
        os.kill(pid, signal.SIGKILL)
    assert client.get("/healthz").status == 200


def _answers(client) -> bool:
    try:
        return client().get("/healthz").status == 200
    except OSError:
        return False


def test_a_second_one_on_the_same_files_is_refused(server):
    done = subprocess.run(
        [sys.executable, "-m", "awrdiff.serve"], cwd=ROOT, env={**server.env, "PORT": "1"}, capture_output=True
    )
    assert done.returncode == 1
    assert b"already running" in done.stderr


def test_a_taken_port_is_said(server, tmp_path):
    env = {**server.env, "AWRDIFF_VAR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", "awrdiff.serve"], cwd=ROOT, env=env, capture_output=True)
    assert done.returncode == 1
    assert b"cannot be used" in done.stderr
    assert str(server.port).encode() in done.stderr


def test_nobody_else_can_read_what_is_kept(server):
    server.client().upload("a.html", two_reports()[0])
    assert readable_by_others(server) == []


def test_it_says_what_it_is_doing(tmp_path):
    fresh = Server(tmp_path / "a #b%20c? d", fresh=True)
    fresh.start()
    try:
        steps = ("Preparing", "up to date", "Collecting", "demo", "Starting", f"awrdiff is at {fresh.url}/")
        said = fresh.output()
        assert [said.find(step) for step in steps] == sorted(said.find(step) for step in steps)
        assert -1 not in [said.find(step) for step in steps]
        assert (fresh.var / "awrdiff.sqlite3").is_file()  # below this very name
        assert list(tmp_path.iterdir()) == [fresh.var]
    finally:
        fresh.stop()


def test_health_and_readiness_by_any_name(server):
    client = server.client()
    until(lambda: client.get("/readyz").json["status"] == "ok", 30, what=lambda: str(client.get("/readyz").json))
    for path in ("/healthz", "/readyz"):
        answer = client.get(path, Host="probe.example")
        assert answer.status == 200
        assert "figures" not in answer.json
    assert client.get("/", Host="probe.example").status == 400
    assert client.get("/readyz").json["figures"]["free_bytes"] > 0
    # A worker that a test before has killed is back after a pause, and then says so every ten seconds.
    until(lambda: client.get("/readyz").json["figures"]["worker_age_s"] < 15, 60)


def test_pages_carry_their_policy(server):
    headers = server.client().page("/").headers
    policy = headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe-inline" not in policy.split("style-src")[0]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_plotly_comes_compressed_out_of_its_wheel(server):
    client = server.client()
    name = next(p.name for p in (server.var / "static" / "plotly").glob("plotly.min.*.js"))
    answer = client.get(f"/static/plotly/{name}", Accept_Encoding="gzip")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "immutable" in answer.headers["Cache-Control"]
