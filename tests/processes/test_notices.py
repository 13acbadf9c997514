"""Mails and webhooks of a real server, whose worker is killed before it sends and while it does."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from aiosmtpd.controller import Controller

from tests.harness.server import Client, Server, until
from tests.harness.services import free_port
from tests.robustness.takeover.make import manage, sign_in

pytestmark = [pytest.mark.processes]
PASSWORD = "seven lamps of green tin"


@pytest.fixture(scope="module")
def post() -> Iterator[SimpleNamespace]:
    came = []

    class Kept:
        async def handle_DATA(self, _server, _session, envelope) -> str:  # noqa: N802 - what aiosmtpd calls
            came.append(message_from_bytes(envelope.content))
            return "250 OK"

    controller = Controller(Kept(), hostname="127.0.0.1", port=free_port())
    controller.start()
    yield SimpleNamespace(came=came, url=f"smtp://127.0.0.1:{controller.port}")
    controller.stop()


@pytest.fixture(scope="module")
def hook() -> Iterator[SimpleNamespace]:
    """`before`: what is done with a message that came, before it is answered."""
    state = SimpleNamespace(came=[], before=lambda: None)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.came.append((self.headers["X-Awrdiff-Delivery"], json.loads(body)))
            state.before()
            with suppress(OSError):
                self.send_response(204)
                self.end_headers()

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield state
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def server(tmp_path_factory, post) -> Iterator[Server]:
    made = Server(
        tmp_path_factory.mktemp("notices"),
        AWRDIFF_LOCAL_USER="False",
        AWRDIFF_HTTPS="False",
        AWRDIFF_ALLOWED_HOSTS="localhost",
        AWRDIFF_SMTP=post.url,
        AWRDIFF_WEBHOOK_PRIVATE="True",
        AWRDIFF_TASK_TIME_LIMIT_S="12",
        AWRDIFF_TASK_DUE_AFTER_S="2",
        AWRDIFF_SWEEP_EVERY_S="1",
    )
    made.start(120)
    manage(made, "add_user", "olivia", "--team", "Payments", AWRDIFF_PASSWORD=PASSWORD)
    yield made
    made.stop()
    assert not made.faults()


@pytest.fixture(scope="module")
def owner(server) -> Client:
    client = Client(server.url)
    sign_in(client, "olivia", PASSWORD)
    return client


def kill_the_worker(server: Server) -> None:
    for pid in server.children("worker"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def waiting(server: Server) -> int:
    ((deliveries,),) = server.database("SELECT count(*) FROM notices_delivery")
    return int(deliveries)


def test_a_mail_waits_for_a_worker_and_comes_once(server, owner, post):
    kill_the_worker(server)
    assert owner.post("/people/invitations/", [("email", "nina@example.com"), ("role", "member")]).status == 201
    until(lambda: bool(post.came), 60)
    until(lambda: waiting(server) == 0, 30)
    assert [message["To"] for message in post.came] == ["nina@example.com"]
    assert "/join/" in post.came[0].get_payload()


def test_a_worker_that_is_killed_while_it_sends_is_followed_by_another(server, owner, hook):
    assert owner.post("/team/webhook/", [("url", hook.url), ("shape", "generic")]).status == 204

    def once() -> None:
        hook.before = lambda: None
        kill_the_worker(server)

    hook.before = once
    assert owner.post("/team/webhook/test/", []).status == 204
    until(lambda: len(hook.came) == 2, 60, server.output)
    until(lambda: waiting(server) == 0, 30)
    first, second = hook.came
    assert first == second  # under one number, by which a receiver knows it
    assert first[1]["event"] == "test"
