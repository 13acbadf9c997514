"""A team's webhook, against a real HTTP server: what is posted, how it is signed, and to whom it never is."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from types import SimpleNamespace

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from awrdiff.notices import outbox, services, webhook_address_check, webhooks
from awrdiff.notices.models import Delivery, TeamNotices
from awrdiff.notices.webhook_address_check import NoticeRefused

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}


@pytest.fixture
def hook() -> Iterator[SimpleNamespace]:
    """What came, and the status and bytes to answer with; a number of seconds to drip for; a place to redirect to."""
    state = SimpleNamespace(came=[], status=200, answer=b"", drip=0, location="", url="")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.came.append(SimpleNamespace(path=self.path, headers=self.headers, body=body))
            self.send_response(state.status)
            if state.location:
                self.send_header("Location", state.location)
            self.end_headers()
            self.wfile.write(state.answer)
            for _ in range(state.drip * 10):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.1)

        do_GET = do_POST  # noqa: N815 - what http.server calls

        def log_message(self, *_args: object) -> None:
            pass

        def handle_one_request(self) -> None:
            with suppress(OSError):
                super().handle_one_request()

    server = HTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/hook?a=b"
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def private(settings):
    settings.AWRDIFF_WEBHOOK_PRIVATE = True
    settings.AWRDIFF_NOTICES_ADDRESS = "https://awr.example.com"


def _drip(listening: socket.socket, times: int) -> None:
    """The begin of a long TLS record, byte after byte."""
    taken, _ = listening.accept()
    with taken, suppress(OSError):
        for byte in b"\x16\x03\x03\x40\x00\x02" + bytes(times):
            taken.sendall(bytes([byte]))
            time.sleep(0.1)


def deliver(owner, colleague, hook, shape="generic", *, contents=False, about="Zebra"):
    services.set_team(owner, url=hook.url, shape=shape, contents=contents)
    services.notify(
        owner.team,
        "mentioned",
        [colleague.user],
        kind="comparison",
        thing="5",
        place="#thread=7",
        actor=owner.user,
        about=about,
    )
    outbox.deliver(Delivery.objects.get().pk)


class TestWhatIsPosted:
    @pytest.fixture(autouse=True)
    def allowed(self, private):
        pass

    def test_json_with_a_sentence_and_a_link_and_no_contents(self, owner, colleague, hook):
        deliver(owner, colleague, hook)
        (got,) = hook.came
        assert got.path == "/hook?a=b"
        said = json.loads(got.body)
        assert said.pop("at")
        assert said == {
            "id": got.headers["X-Awrdiff-Delivery"],
            "event": "mentioned",
            "team": "Payments",
            "said": "olivia mentioned carl.",
            "about": None,
            "url": "https://awr.example.com/comparisons/5/#thread=7",
        }
        assert not Delivery.objects.exists()

    def test_it_is_signed(self, owner, colleague, hook):
        deliver(owner, colleague, hook)
        (got,) = hook.came
        at, signed = (part.partition("=")[2] for part in got.headers["X-Awrdiff-Signature"].split(","))
        secret = TeamNotices.objects.get().secret
        assert hmac.new(secret.encode(), f"{at}.".encode() + got.body, hashlib.sha256).hexdigest() == signed
        assert abs(time.time() - int(at)) < 60
        assert secret not in str(list(TeamNotices.objects.values()))
        services.new_secret(owner)
        assert TeamNotices.objects.get().secret != secret

    @pytest.mark.parametrize("shape", ["slack", "mattermost", "teams"])
    def test_in_other_shapes_names_are_inert(self, owner, colleague, hook, shape):
        hostile = "<!channel> @all [x](http://evil.example) *b*"
        deliver(owner, colleague, hook, shape, contents=True, about=hostile)
        said = json.loads(hook.came[0].body)
        if shape == "teams":
            card = said["attachments"][0]["content"]
            assert hostile in card["body"][0]["inlines"][0]["text"]
            assert card["actions"][0]["url"] == "https://awr.example.com/comparisons/5/#thread=7"
            return
        text, _, url = said["text"].partition("\n")
        assert text.startswith("olivia mentioned carl")
        assert url == "https://awr.example.com/comparisons/5/#thread=7"
        assert "<!channel>" not in text
        assert "[x](" not in text or shape == "slack"
        assert "@all" not in text or shape == "slack"

    def test_a_test(self, sign_in, owner, hook):
        client = sign_in(owner)
        assert client.post("/team/webhook/test/", headers=JSON).status_code == 400
        assert client.post("/team/webhook/", {"url": hook.url, "shape": "generic"}, headers=JSON).status_code == 204
        assert client.post("/team/webhook/test/", headers=JSON).status_code == 204
        outbox.deliver(Delivery.objects.get().pk)
        assert json.loads(hook.came[0].body)["event"] == "test"
        assert client.get("/team/", headers=JSON).json()["webhook"]["sent"]


class TestWhatGoesWrong:
    @pytest.fixture(autouse=True)
    def allowed(self, private):
        pass

    @pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 429, 500, 503])
    def test_what_is_not_taken_is_tried_again_and_redirects_are_not_followed(self, owner, colleague, hook, status):
        hook.status, hook.location = status, hook.url
        deliver(owner, colleague, hook)
        assert len(hook.came) == 1
        waiting = Delivery.objects.get()
        assert (waiting.attempts, waiting.error) == (1, f"The webhook answered {status}.")
        assert waiting.due_at > timezone.now() + timedelta(seconds=20)
        first = hook.came[0].headers["X-Awrdiff-Delivery"]
        hook.status = 204
        Delivery.objects.update(due_at=timezone.now())
        outbox.deliver(waiting.pk)
        assert [one.headers["X-Awrdiff-Delivery"] for one in hook.came] == [first, first]
        assert not Delivery.objects.exists()
        assert TeamNotices.objects.get().last_error == ""

    def test_one_that_is_gone_is_given_up(self, owner, colleague, hook):
        hook.status = 410
        deliver(owner, colleague, hook)
        assert Delivery.objects.get().due_at is None
        assert TeamNotices.objects.get().last_error == "The webhook answered 410. It was given up."

    def test_the_page_says_what_becomes_of_it(self, sign_in, owner, colleague, hook):
        hook.status = 500
        deliver(owner, colleague, hook)
        html = sign_in(owner).get("/team/", headers=HTML).content.decode()
        assert "The last try failed: The webhook answered 500. It is tried again." in html

    def test_of_many_addresses_that_do_not_answer_none_is_waited_for_longer_than_all_may_take(self, monkeypatch):
        now, waited = [1000.0], []

        def silent(_address, timeout):
            waited.append(timeout)
            now[0] += timeout
            raise TimeoutError

        monkeypatch.setattr(webhooks.time, "monotonic", lambda: now[0])
        monkeypatch.setattr(webhooks.socket, "create_connection", silent)
        monkeypatch.setattr(webhook_address_check, "resolve", lambda *_: ["192.0.2.1", "192.0.2.2", "192.0.2.3"])
        with pytest.raises(OSError, match="Nobody answers"):
            webhooks.post("http://hooks.example.com/x", b"{}", {})
        assert sum(waited) <= webhooks.ALL_S
        assert waited

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (socket.gaierror(-2, "Name or service not known"), "Nobody knows the name in the webhook's address."),
            (
                ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]"),
                "The webhook's address speaks no TLS that this server takes.",
            ),
            (TimeoutError("timed out"), "The webhook took the connection and gave no answer."),
        ],
    )
    def test_what_the_system_says_is_said_in_a_sentence(self, owner, colleague, hook, monkeypatch, error, said):
        def post(*_):
            raise error

        monkeypatch.setattr(webhooks, "post", post)
        deliver(owner, colleague, hook)
        assert Delivery.objects.get().error == said

    def test_nobody_there(self, owner, colleague, hook):
        hook.url = "http://127.0.0.1:9/"
        deliver(owner, colleague, hook)
        assert Delivery.objects.get().error == "Nobody answers at the webhook's address."

    def test_one_that_drips_is_not_waited_for(self, owner, colleague, hook, monkeypatch):
        monkeypatch.setattr(webhooks, "ALL_S", 1)
        hook.drip = 6
        begun = time.monotonic()
        deliver(owner, colleague, hook)
        assert time.monotonic() - begun < 5

    def test_one_that_drips_while_it_should_begin_tls_is_not_waited_for(self, owner, colleague, monkeypatch):
        monkeypatch.setattr(webhooks, "ALL_S", 1)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            dripping = threading.Thread(target=_drip, args=(listening, 60), daemon=True)
            dripping.start()
            begun = time.monotonic()
            deliver(owner, colleague, SimpleNamespace(url=f"https://127.0.0.1:{listening.getsockname()[1]}/"))
            assert time.monotonic() - begun < 4
        assert Delivery.objects.get().attempts == 1
        dripping.join()

    def test_it_is_taken_away(self, owner, colleague, hook):
        hook.status = 500
        deliver(owner, colleague, hook)
        services.set_team(owner, url="", shape="generic", contents=False)
        assert not Delivery.objects.exists()


class TestWhomItNeverAsks:
    @pytest.mark.parametrize(
        "address",
        [
            "127.0.0.1",
            "192.0.0.8",
            "::127.0.0.1",
            "64:ff9b:1::a01:203",
            "::ffff:0:a01:203",
            "::ffff:0:5db8:d822",
            "fec0::1",
            "5f00::1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::a00:1",
            "2002:7f00:1::",
        ],
    )
    def test_private_addresses(self, owner, address, settings):
        assert not webhook_address_check.is_allowed(ip_address(address))
        url = f"http://{f'[{address}]' if ':' in address else address}/"
        with pytest.raises(NoticeRefused, match="own network"):
            services.set_team(owner, url=url, shape="generic", contents=False)
        settings.AWRDIFF_WEBHOOK_PRIVATE = True
        assert webhook_address_check.is_allowed(ip_address(address))

    @pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
    def test_public_ones_it_may(self, address):
        assert webhook_address_check.is_allowed(ip_address(address))

    @pytest.mark.parametrize("name", ["localhost", "127.1", "2130706433", "0x7f.1", "0177.0.0.1"])
    def test_names_that_lead_there(self, owner, colleague, hook, name, settings):
        """However it is written: what the system makes of it counts."""
        hook.url = hook.url.replace("127.0.0.1", name)
        deliver(owner, colleague, hook)
        assert hook.came == []
        assert Delivery.objects.get().due_at is None
        assert "own network" in TeamNotices.objects.get().last_error

    def test_a_name_that_leads_elsewhere_the_second_time(self, monkeypatch, hook):
        """What was looked at is what is connected to: the name is looked up once."""
        asked = []

        def looked_up(host, port, **_):
            asked.append(host)
            return [(2, 1, 6, "", ("93.184.216.34" if len(asked) == 1 else "127.0.0.1", port))]

        connected = []

        def connect(address, timeout):
            connected.append(address)
            raise OSError

        monkeypatch.setattr(webhook_address_check.socket, "getaddrinfo", looked_up)
        monkeypatch.setattr(webhooks.socket, "create_connection", connect)
        with pytest.raises(OSError, match="Nobody answers"):
            webhooks.post("http://rebind.example/", b"{}", {})
        assert (len(asked), connected) == (1, [("93.184.216.34", 80)])

    def test_what_is_looked_up_is_the_host_that_is_called(self, monkeypatch):
        asked = []

        def looked_up(host, port, **how):
            asked.append((host, port, how))
            return [(2, 1, 6, "", ("93.184.216.34", port))] * 2

        monkeypatch.setattr(webhook_address_check.socket, "getaddrinfo", looked_up)
        assert webhook_address_check.resolve("hooks.example.com", 8443) == ["93.184.216.34"]
        assert asked == [("hooks.example.com", 8443, {"type": socket.SOCK_STREAM})]

    def test_one_private_address_of_several_spoils_all(self, monkeypatch):
        both = [(2, 1, 6, "", (one, 80)) for one in ("93.184.216.34", "10.0.0.1")]
        monkeypatch.setattr(webhook_address_check.socket, "getaddrinfo", lambda *_, **__: both)
        with pytest.raises(NoticeRefused):
            webhook_address_check.resolve("both.example", 80)

    @pytest.mark.parametrize(
        "url",
        [
            "ftp://hooks.example.com/",
            "file:///etc/passwd",
            "gopher://hooks.example.com/",
            "javascript:alert(1)",
            "https://",
            "https:///x",
            "//hooks.example.com/",
            "https://user:pass@hooks.example.com/",
            "https://hooks.example.com:99999/",
            "https://hooks.example.com:0/",
            "https://hooks.example.com/\r\nX-Evil: 1",
            "https://hooks.example.com/ x",
            "https://hooks.example.com\\@10.0.0.1/",
            "https://[::1",
            f"https://hooks.example.com/{'x' * 500}",
            "https://höoks.example.com/",
        ],
    )
    def test_odd_addresses_are_refused_in_a_sentence(self, sign_in, owner, url):
        answer = sign_in(owner).post("/team/webhook/", {"url": url}, headers=JSON)
        assert answer.status_code == 400
        assert "webhook" in answer.json()["error"]


def test_owners_alone_say_where_it_goes(sign_in, owner, colleague, guest):
    for who in (colleague, guest):
        with pytest.raises(PermissionDenied):
            services.set_team(who, url="https://hooks.example.com/", shape="generic", contents=True)
        assert sign_in(who).get("/team/", headers=JSON).status_code == 403
    page = sign_in(owner).get("/team/", headers=HTML).content.decode()
    assert "hook-secret" not in page
    services.set_team(owner, url="https://hooks.example.com/", shape="slack", contents=True)
    page = sign_in(owner).get("/team/", headers=HTML).content.decode()
    assert TeamNotices.objects.get().secret in page
    assert '<option value="slack" selected>' in page
