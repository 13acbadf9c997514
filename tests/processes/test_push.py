"""`awrdiff push` against the real server, with a token that `manage.py token` made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from awrdiff.assistant.mcp_tools import server_of
from awrdiff.assistant.server_source import Remote
from awrdiff.cli.http_client import Server as Speaker
from tests.harness.assistant import Assistant, Refused, process, talk
from tests.harness.server import ROOT, Server, descendants
from tests.processes.files import two_reports

pytestmark = [pytest.mark.processes]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("push") / "var")
    made.start(120)
    yield made
    made.stop()


def token(server: Server, scope: str) -> str:
    server.client().page("/")  # the team is made by the first look
    command = [sys.executable, "manage.py", "token", "--name", "push", "--scope", scope]
    done = subprocess.run(command, cwd=ROOT, env=server.env, capture_output=True, check=True, text=True)
    return done.stdout.split()[-1]


def push(server: Server, text: str, *paths: Path | str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "awrdiff.cli", "push", *map(str, paths), "--server", server.url]
    env = {**os.environ, "AWRDIFF_TOKEN": text}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=900)


def test_each_file_is_kept_once_and_the_second_time_known(server: Server, tmp_path: Path) -> None:
    for name, data in zip(("a.html", "b.html"), two_reports(), strict=True):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "large.html").write_bytes(two_reports()[0] + b" " * 2_000_000)  # more than is taken from anybody
    text = token(server, "upload")
    first, again = push(server, text, tmp_path), push(server, text, tmp_path)
    assert (first.returncode, again.returncode) == (0, 0), first.stderr + again.stderr
    assert first.stdout.count(" new ") == again.stdout.count(" known ") == 3
    ids = [[line.split()[0] for line in done.stdout.splitlines()] for done in (first, again)]
    assert ids[0] == ids[1]
    for one in ids[0]:
        server.client().settled(f"/reports/{one}/")


def test_a_token_that_may_not_upload_is_refused(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(two_reports()[0])
    done = push(server, token(server, "read"), tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "scopes" in done.stderr
    assert push(server, "awr_none", tmp_path).returncode == 2


def test_while_the_server_is_killed_nothing_is_lost_and_nothing_doubled(server: Server, tmp_path: Path) -> None:
    data = two_reports()[0]
    for number in range(60):
        (tmp_path / f"{number:02}.html").write_bytes(data + b"<!-- killed, %d -->" % number)
    text = token(server, "upload")
    before = stored(server)
    command = [sys.executable, "-m", "awrdiff.cli", "push", str(tmp_path), "--server", server.url]
    env = {**os.environ, "AWRDIFF_TOKEN": text, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as pushing:
        assert pushing.stdout is not None
        told = []
        for line in pushing.stdout:
            told.append(line.split())
            if len(told) in (5, 30):
                kill(server)
                server.start()
    assert pushing.returncode == 0
    assert [words[2] for words in told] == sorted(path.name for path in tmp_path.iterdir())
    assert len({words[0] for words in told}) == len(told) == len(list(tmp_path.iterdir()))
    assert stored(server) - before == len(told), "what a killed server had kept is known when it is sent again"
    again = push(server, text, tmp_path)
    assert again.stdout.count(" known ") == len(told)


def test_an_assistant_reads_what_the_server_found_and_compares_where_its_token_may(
    server: Server, tmp_path: Path
) -> None:
    for name, data in zip(("a.html", "b.html"), two_reports(), strict=True):
        (tmp_path / name).write_bytes(data)
    ids = [line.split()[0] for line in push(server, token(server, "upload"), tmp_path).stdout.splitlines()]
    for one in ids:
        server.client().settled(f"/reports/{one}/")

    async def compare(assistant: Assistant) -> dict[str, Any]:
        return await assistant.ask("compare_reports", first=ids[0], second=ids[1])

    async def conversation(assistant: Assistant) -> tuple[dict[str, Any], ...]:
        (database,) = (await assistant.ask("list_databases"))["databases"]
        reports = await assistant.ask("list_reports", database=database["id"], limit=100)
        made = await compare(assistant)
        found = await assistant.ask("list_findings", comparison=made["id"], severity="critical", limit=1)
        section = await assistant.ask("read_section", comparison=made["id"], section="foreground_wait_events")
        thing = await assistant.ask("read_entity", comparison=made["id"], kind="event", key="log file sync")
        return reports, made, found, section, thing

    def read() -> Any:
        may_read = Remote(Speaker(server.url, token(server, "read")))
        return talk(server_of(may_read, writes=True), compare)

    with pytest.raises(Refused, match="not compared yet"):
        read()
    text = token(server, "write")
    reports, made, found, section, thing = talk(process("--server", server.url, AWRDIFF_TOKEN=text), conversation)
    assert set(ids) <= {one["id"] for one in reports["reports"]}
    assert (made["state"], made["summary"] != "") == ("ready", True)
    assert [one["database"] for one in made["reports"]] == [made["reports"][0]["database"]] * 2
    assert found["findings"][0]["evidence"][0]["unit"]
    assert section["rows"]
    assert thing["sections"]
    assert read()["id"] == made["id"], "once it is there, reading is enough"


def kill(server: Server) -> None:
    """All of its processes at once, as when the machine is switched off."""
    assert server.process is not None
    for pid in (server.process.pid, *descendants(server.process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    server.process.wait()
    server.process = None


def stored(server: Server) -> int:
    ((reports,),) = server.database("SELECT count(*) FROM reports_report WHERE NOT is_demo")
    return int(reports)
