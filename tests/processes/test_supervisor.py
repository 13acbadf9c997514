"""What bin/serve does about processes that keep dying or hang, and about trouble on the way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.harness import prepared
from tests.harness.server import ROOT, Client, Server, until

pytestmark = [pytest.mark.processes]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    made = Server(tmp_path_factory.mktemp("supervised"))
    made.start()
    yield made
    made.stop()


def test_a_child_that_keeps_dying_comes_back_later_each_time_and_the_site_stays(server):
    for pause in (1, 2, 4):
        until(lambda: bool(server.children("sweeper")), 20)
        os.kill(server.children("sweeper")[0], signal.SIGKILL)
        until(
            lambda said=f"The sweeper stopped (SIGKILL) and is started again in {pause} s.": said in server.output(), 10
        )
        assert server.client().get("/healthz").status == 200
    until(lambda: bool(server.children("sweeper")), 20)


def test_while_the_worker_hangs_readyz_says_so(server):
    """Stopped, its sign of life grows old; the row is aged by hand, so that nobody waits a minute."""
    client = server.client()
    until(lambda: client.get("/readyz").json["worker"] == "ok", 30)
    main = server.children("worker")[0]
    os.kill(main, signal.SIGSTOP)
    try:
        server.database("UPDATE processing_heartbeat SET at = '2020-01-01 00:00:00' WHERE part = 'worker'")
        answer = client.get("/readyz")
        assert (answer.status, answer.json["status"]) == (200, "degraded")
        assert answer.json["worker"] == "silent"
        assert answer.json["database"] == "ok"
    finally:
        os.kill(main, signal.SIGCONT)
    until(lambda: client.get("/readyz").json["status"] == "ok", 30)


def serve(
    var: Path | str, where: Path = ROOT, command: tuple[str, ...] = (sys.executable, "-m", "awrdiff.serve"), **more: str
) -> tuple[subprocess.Popen[str], dict[str, str]]:
    dropped = ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL")
    kept = {k: v for k, v in os.environ.items() if k not in dropped and not k.startswith("AWRDIFF_")}
    env = {**kept, "AWRDIFF_VAR": str(var), "PORT": str(Server(Path(var)).port), **more}
    return subprocess.Popen(
        command,
        cwd=where,
        env=env,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ), env


@pytest.mark.parametrize("after_s", [0.02, 0.3, 1.0, 3.0])
def test_ctrl_c_at_any_time_ends_without_a_traceback(tmp_path, after_s):
    """As a terminal sends it, to all of its group; started as bin/serve's last two lines do."""
    started = f"trap '' INT; exec '{sys.executable}' -m awrdiff.serve"
    process, _ = serve(tmp_path / "var", command=("bash", "-c", started))
    time.sleep(after_s)
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(1)  # where it came before there was a Python to hear it, a person presses again
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=40)
    assert "Traceback" not in said
    assert process.returncode in (0, 130, -signal.SIGINT)


def test_where_nobody_listens_to_it_it_serves_on(tmp_path):
    Server(tmp_path / "var").prepare()
    process, env = serve(tmp_path / "var")
    process.stdout.close()
    client = Client(f"http://localhost:{env['PORT']}")
    try:
        until(lambda: answers(client), 60)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=40) == 0


def answers(client: Client) -> bool:
    try:
        return client.get("/healthz").status == 200
    except OSError:
        return False


def test_a_checkout_may_have_any_name(tmp_path):
    checkout = tmp_path / "a #b%20c? d"
    for name in ("awrdiff", "parsers", "templates", "static", "fixtures"):
        shutil.copytree(ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "manage.py", checkout)
    prepared.put_into(checkout / "var", {})
    process, env = serve("", checkout)
    client = Client(f"http://localhost:{env['PORT']}")
    try:
        until(lambda: answers(client), 60)
        assert client.page("/").status in (200, 403)  # 403 where the system does not tell whose a connection is
        assert (checkout / "var" / "local_address").is_file()
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=40)
    assert "Traceback" not in said


def test_in_accounts_mode_the_address_is_one_it_answers_to(tmp_path):
    accounts = {"AWRDIFF_LOCAL_USER": "False", "AWRDIFF_ALLOWED_HOSTS": "localhost", "AWRDIFF_HTTPS": "False"}
    Server(tmp_path / "var", **accounts).prepare()
    process, env = serve(tmp_path / "var", **accounts)
    client = Client(f"http://localhost:{env['PORT']}")
    try:
        until(lambda: answers(client), 60)
        assert client.get("/healthz", Host="any.example").status == 200
        assert client.request("POST", "/reports/", b"", Content_Type="multipart/form-data; boundary=x").status == 401
        time.sleep(0.5)
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=40)
    assert f"awrdiff is at http://localhost:{env['PORT']}/ " in said
    assert "DisallowedHost" not in said
    assert "Traceback" not in said
