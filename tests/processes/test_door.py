"""A real server with accounts: tokens of links stand in no line of its output, failed sign-ins count for all of it."""

from __future__ import annotations

import math
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

import pytest

from tests.harness.server import ROOT, Answer, Client, Server, until

pytestmark = [pytest.mark.processes]
CASES = ROOT / "fixtures" / "cases" / "invented"
PASSWORD, WRONG = "seven lamps of green tin", "wrong-horse-Battery"
ACCOUNTS = {
    "AWRDIFF_LOCAL_USER": "False",
    "AWRDIFF_HTTPS": "False",
    "AWRDIFF_ALLOWED_HOSTS": "localhost,127.0.0.1",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("door"), **ACCOUNTS)
    made.start()
    for name in ("olivia", "carl"):
        command = [sys.executable, "manage.py", "add_user", name, "--team", "Payments"]
        subprocess.run(command, cwd=ROOT, env={**made.env, "AWRDIFF_PASSWORD": PASSWORD}, check=True)
    yield made
    made.stop()


def sign_in(server: Server, password: str, name: str = "olivia") -> tuple[Client, Answer]:
    client = Client(server.url)
    client.page("/login/")
    body = urlencode({"login": name, "password": password}).encode()
    return client, client.request("POST", "/login/", body, Content_Type="application/x-www-form-urlencoded")


def raw(server: Server, request: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


@pytest.fixture(scope="module")
def link(server: Server) -> str:
    """The path of a live share link."""
    client, _ = sign_in(server, PASSWORD, "carl")
    ids = [client.upload(name, (CASES / name).read_bytes()).json["id"] for name in ("before.html", "after.html")]
    made = client.compare(*ids)
    assert client.settled(made)["state"] == "ready"
    answer = client.post(f"{made}links/", [("days", "1")])
    assert answer.status == 201
    return urlsplit(answer.json["url"]).path


def test_no_token_of_a_link_stands_in_the_output(server, link):
    token, guest = link.split("/")[2], Client(server.url)
    assert guest.get(link).status == 200
    assert guest.get(f"{link}sections/none/").status == 404
    assert guest.get(f"{link}nothing/").status == 404
    assert guest.get(f"{link}export.exe").status == 404
    assert guest.request("DELETE", link).status in (403, 405)
    assert guest.request("POST", link, b"x=1").status in (403, 405)
    guest.get("/nothing/", Referer=server.url + link)
    guest.get(f"/login/?next={link}")
    guest.get(link, Host="evil.example")
    for request in (b"GET %s\r\n\r\n", b"GET %s HTTP/9.9\r\n\r\n", b"BAD! %s HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n"):
        raw(server, request % link.encode())
    server.database("UPDATE comparisons_comparisonsection SET payload = x'00'")
    assert guest.get(f"{link}sections/foreground_wait_events/").status == 500
    until(lambda: "Traceback" in server.output(), 10, what=server.output)
    assert "Internal Server Error: shared-section" in server.output()
    assert token not in server.output()
    assert token[:20] not in server.output()


def test_unknown_hosts_and_refusals_leave_no_traceback(server):
    before = len(server.output())
    for number in range(20):
        answer = Client(server.url).get("/", Host=f"evil{number}.example")
        assert answer.status == 400
        assert "does not answer to the name" in answer.json["error"]
    # What a web server says comes through the pipe of whoever looks after it.
    until(lambda: server.output()[before:].count("status=400") >= 20, 60, what=server.output)
    said = server.output()[before:]
    assert "Traceback" not in said
    assert 1 <= said.count("refused a request for the host") <= 3  # one a minute


def test_many_sign_ins_at_once_count_one_by_one(server):
    server.database("DELETE FROM accounts_spent")
    begun = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: sign_in(server, WRONG)[1].status, range(24)))
    # Five are free. Each later one waits twice as long as the one before it, from 2 s on: a slow machine lets some through.
    waited = int(math.log2((time.monotonic() - begun) / 2 + 1))
    assert 5 <= answers.count(200) <= 5 + waited
    assert answers.count(429) == 24 - answers.count(200)


def test_failures_are_logged_and_outlast_the_process(server):
    sign_in(server, WRONG)
    until(lambda: "sign-in failed: user 'olivia', from 127.0.0.1" in server.output(), 10, what=server.output)
    assert WRONG not in server.output()
    server.database("UPDATE accounts_spent SET times = 30")
    server.database("UPDATE accounts_spent SET last_at = datetime('now')")
    server.stop()
    server.start()
    answer = sign_in(server, PASSWORD)[1]
    assert answer.status == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 300
    server.database("UPDATE accounts_spent SET last_at = datetime('now', '-10 minutes')")
    client, answer = sign_in(server, PASSWORD)
    assert answer.status == 200  # the first page, after the redirect
    assert client.get("/").status == 200
