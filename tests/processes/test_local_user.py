"""The local user of a real bin/serve is whoever runs it: not another user of the machine, nor a proxy of one."""

from __future__ import annotations

import json
import os
import pty
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from awrdiff.accounts import loopback_peer_user
from tests.harness import tools
from tests.harness.nginx import Nginx
from tests.harness.server import ROOT, Client, Server, until

pytestmark = [pytest.mark.processes]
told = pytest.mark.skipif(
    not loopback_peer_user.system_tells(), reason="this system or user (nobody) is not told whose a connection is"
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be a second user of the system")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("local"))
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def token_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """As where the system tells nothing: every browser needs the token."""
    made = Server(tmp_path_factory.mktemp("token"), AWRDIFF_LOCAL_TOKEN="True")
    made.start()
    yield made
    made.stop()


def fetch(server: Server, path: str = "/", cookie: str = "", user: str | None = None) -> tuple[int, str, str]:
    """Status, body and cookie as curl gets them, run by another user of the system where one is named."""
    tools.need("curl")
    command = ["curl", "-s", "-i", "-H", "Accept: application/json", "-H", f"Cookie: {cookie}", server.url + path]
    groups: list[str] | None = None if user is None else []
    done = subprocess.run(command, cwd="/", user=user, extra_groups=groups, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    head, _, body = done.stdout.partition("\n\n")
    cookies = re.search(r"^set-cookie: *(awrdiff_local_\d+=\w+)", head, re.I | re.M)
    return int(head.split()[1]), body, cookies[1] if cookies else ""


@told
def test_the_same_user_is_let_in(server):
    answer = Client(server.url).page("/")
    assert answer.status == 200
    assert fetch(server)[0] == 200
    assert server.client().upload("a.html", b"no report").status in (201, 400)


@told
def test_the_same_user_needs_no_token(server):
    assert "token=" not in server.output()
    assert "first visit" not in server.output()


@as_root
def test_another_user_is_refused_with_a_sentence(server):
    status, body, _ = fetch(server, user="nobody")
    assert status == 403
    assert "whoever started it" in json.loads(body)["error"]
    assert str(server.var / "local_address") in json.loads(body)["error"]
    assert fetch(server, "/healthz", user="nobody")[0] == 200


@as_root
def test_a_plain_proxy_of_another_user_is_refused(server):
    tools.need("nginx")
    nginx = Nginx(f"proxy_pass http://127.0.0.1:{server.port};")
    nginx.start()
    try:
        through = Client(nginx.url)
        assert through.get("/").status == 403
        assert through.page("/").status == 403
        assert through.get("/healthz").status == 200
        style = next((server.var / "static" / "css").glob("base.*.css")).name
        assert through.get(f"/static/css/{style}").status == 200
    finally:
        nginx.close()


@told
def test_an_ipv6_peer_is_looked_up_too(tmp_path):
    server = Server(tmp_path, AWRDIFF_BIND="::1")
    server.start()
    try:
        assert Client(f"http://[::1]:{server.port}").page("/").status == 200
    finally:
        server.stop()


def test_the_token_becomes_a_cookie(token_server):
    assert stat.S_IMODE((token_server.var / "local_address").stat().st_mode) == 0o600
    stranger = Client(token_server.url)
    refused = stranger.get("/")
    assert refused.status == 403
    assert str(token_server.var / "local_address") in refused.json["error"]
    assert "local_address" in stranger.page("/").body.decode()
    browser = Client(token_server.url)
    landed = browser.opener.open(token_server.url + token_server.token_path())
    assert (landed.status, landed.url) == (200, f"{token_server.url}/")  # the token is not in the address any more
    cookie = next(c for c in browser.cookies if c.name == f"awrdiff_local_{token_server.port}")
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "Strict"
    assert browser.get("/").status == 200
    assert browser.upload("a.html", b"no report").status in (201, 400)


@pytest.mark.parametrize("wrong", ["x", "", "A" * 43])
def test_a_wrong_token_opens_nothing(token_server, wrong):
    browser = Client(token_server.url)
    assert browser.page(f"/?token={wrong}").status == 403
    right = token_server.token_path()
    assert browser.page(right[:-1]).status == 403
    assert browser.get("/").status == 403


@as_root
def test_a_cookie_is_worth_nothing_to_another_user(token_server):
    browser = Client(token_server.url)
    browser.page(token_server.token_path())
    cookie = "; ".join(f"{c.name}={c.value}" for c in browser.cookies)
    assert fetch(token_server, "/", cookie, user="nobody")[0] == 403


@as_root
def test_another_user_who_was_told_the_token_is_let_in(server):
    status, _, cookie = fetch(server, server.token_path(), user="nobody")
    assert status == 302
    assert fetch(server, "/", cookie, user="nobody")[0] == 200


def test_the_token_of_an_earlier_start_opens_nothing(token_server):
    server = token_server
    before, browser = server.token_path(), Client(server.url)
    assert browser.page(before).status == 200
    server.stop()
    server.start()
    assert browser.page("/").status == 403
    assert browser.page(before).status == 403
    assert browser.page(server.token_path()).status == 200
    token = server.token_path().rpartition("=")[2]
    assert token not in server.output()
    assert f"the address in {server.var / 'local_address'}" in server.output()


def test_a_terminal_is_told_the_address_with_the_token(tmp_path):
    server = Server(tmp_path, AWRDIFF_LOCAL_TOKEN="True")
    server.prepare()
    ours, theirs = pty.openpty()
    server.process = subprocess.Popen(
        [sys.executable, "-m", "awrdiff.serve"], cwd=ROOT, env=server.env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + 60
    try:
        while b"token=" not in shown.replace(b"\r\n", b"") and time.monotonic() < deadline:
            shown += os.read(ours, 4096)
        assert b"awrdiff is at http://localhost" in shown
        until(lambda: server.token_path() != "/", 5)
        assert f"http://localhost:{server.port}{server.token_path()}".encode() in shown
    finally:
        server.stop()
        os.close(ours)
