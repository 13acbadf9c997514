"""Signing in with an OpenID Connect provider, and mail by SMTP: both real, started here."""

from __future__ import annotations

import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from email.message import EmailMessage
from http.cookiejar import CookieJar
from types import SimpleNamespace

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from aiosmtpd.smtp import AuthResult, LoginPassword

from tests.harness.server import Client, Server, until
from tests.harness.services import free_port
from tests.robustness.takeover.make import manage, sign_in

pytestmark = [
    pytest.mark.processes,
    pytest.mark.filterwarnings("ignore:Requiring AUTH:UserWarning"),  # the mail server is for this machine
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of the provider's own libraries
]
PASSWORD = "seven lamps of green tin"


class Kept(Message):
    """Every message that came, with whom it was for."""

    def __init__(self) -> None:
        super().__init__(EmailMessage)
        self.messages: list[EmailMessage] = []

    def handle_message(self, message: EmailMessage) -> None:
        self.messages.append(message)

    def last(self, to: str) -> str:
        """A worker sends it, soon."""
        until(lambda: any(m["To"] == to for m in self.messages), 30)
        return next(m for m in reversed(self.messages) if m["To"] == to).get_payload()


@pytest.fixture(scope="module")
def post() -> Iterator[SimpleNamespace]:
    """A mail server that asks for a password."""

    def authenticate(_server, _session, _envelope, _mechanism, data) -> AuthResult:
        right = isinstance(data, LoginPassword) and (data.login, data.password) == (b"awrdiff", b"p@ss:/word")
        return AuthResult(success=right, handled=right)

    kept = Kept()
    settings = {"auth_required": True, "auth_require_tls": False, "authenticator": authenticate}
    controller = Controller(kept, hostname="127.0.0.1", port=free_port(), **settings)
    controller.start()
    yield SimpleNamespace(kept=kept, url=f"smtp://awrdiff:p%40ss%3A%2Fword@127.0.0.1:{controller.port}")
    controller.stop()


@pytest.fixture(scope="module")
def provider() -> Iterator[SimpleNamespace]:
    import oidc_provider_mock  # its libraries warn as they are imported

    with ExitStack() as running:
        port = running.enter_context(oidc_provider_mock.run_server_in_thread()).server_port
        yield SimpleNamespace(url=f"http://localhost:{port}", stop=running.close)


@pytest.fixture(scope="module")
def server(tmp_path_factory, post, provider) -> Iterator[Server]:
    made = Server(
        tmp_path_factory.mktemp("sso"),
        AWRDIFF_LOCAL_USER="False",
        AWRDIFF_HTTPS="False",
        AWRDIFF_ALLOWED_HOSTS="localhost",
        AWRDIFF_SMTP=post.url,
        AWRDIFF_MAIL_FROM="awrdiff <awrdiff@example.com>",
        AWRDIFF_OIDC_ISSUER=provider.url,
        AWRDIFF_OIDC_CLIENT_ID="awrdiff",
        AWRDIFF_OIDC_CLIENT_SECRET="secret",
        AWRDIFF_OIDC_NAME="Example SSO",
        NO_PROXY="localhost,127.0.0.1",
    )
    made.start(120)
    for name in ("olivia", "uma"):
        more = ["--email", f"{name}@example.com"] if name == "olivia" else []
        manage(made, "add_user", name, "--team", "Payments", *more, AWRDIFF_PASSWORD=PASSWORD)
    yield made
    made.stop()
    assert not made.faults()


@pytest.fixture
def owner(server) -> Client:
    client = Client(server.url)
    sign_in(client, "olivia", PASSWORD)
    return client


def invited(owner: Client, post: SimpleNamespace, email: str) -> str:
    """The path in the mail that came."""
    made = owner.post("/people/invitations/", [("email", email), ("role", "member")])
    assert (made.status, made.json["address"]) == (201, None)
    return re.search(r"http://localhost:\d+(/join/\S+/)", post.kept.last(email))[1]


class Browser:
    """Follows redirects between this server and the provider, as whom it is told to."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def get(self, path: str) -> SimpleNamespace:
        return self._open(path if path.startswith("http") else self.server.url + path)

    def _open(self, url: str, data: bytes | None = None) -> SimpleNamespace:
        try:
            with self.opener.open(urllib.request.Request(url, data, {"Accept": "text/html"}), timeout=30) as answer:
                return SimpleNamespace(status=answer.status, url=answer.url, text=answer.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return SimpleNamespace(status=error.code, url=error.url, text=error.read().decode())

    def sso(self, sub: str, start: str = "/login/with/sso/", **more: str) -> SimpleNamespace:
        asked = self.get(start)
        assert "/oauth2/authorize" in asked.url, asked.text
        return self._open(asked.url, urllib.parse.urlencode({"sub": sub, **more}).encode())


def person(provider: SimpleNamespace, sub: str, email: str, *, verified: bool = True) -> str:
    """Somebody the provider knows."""
    body = f'{{"email": "{email}", "email_verified": {str(verified).lower()}, "preferred_username": "{sub}"}}'
    request = urllib.request.Request(f"{provider.url}/users/{sub}", body.encode(), {"Content-Type": "application/json"})
    request.method = "PUT"
    urllib.request.urlopen(request).close()
    return sub


def test_whoever_has_the_address_here_signs_in(server, provider) -> None:
    browser = Browser(server)
    assert "Sign in with Example SSO" in browser.get("/login/").text
    answer = browser.sso(person(provider, "o1", "olivia@example.com"), "/login/with/sso/?next=/people/")
    assert (answer.status, answer.url) == (200, f"{server.url}/people/")
    assert "olivia" in answer.text
    again = Browser(server).sso("o1")
    assert 'type="file"' in again.text


def test_an_address_that_the_provider_does_not_vouch_for_is_nobodys(server, provider) -> None:
    answer = Browser(server).sso(person(provider, "o2", "olivia@example.com", verified=False))
    assert "There is no account here for you" in answer.text


def test_an_address_that_somebody_here_only_named_is_not_theirs(server, provider, owner) -> None:
    """uma names an address that is not hers: whoever it belongs to does not come into her account."""
    manage(
        server,
        "shell",
        "-c",
        "from awrdiff.accounts.models import User; User.objects.filter(username='uma').update(email='vera@example.com')",
    )
    answer = Browser(server).sso(person(provider, "vera", "vera@example.com"))
    assert "There is no account here for you" in answer.text


def test_a_stranger_is_told_to_ask_for_an_invitation(server, provider) -> None:
    answer = Browser(server).sso(person(provider, "stella", "stella@example.com"))
    assert "There is no account here for you" in answer.text
    assert server.client().get("/people/").status == 401


def test_whoever_is_invited_joins_with_it(server, provider, owner, post) -> None:
    path = invited(owner, post, "ines@example.com")
    browser = Browser(server)
    assert "Join with Example SSO" in browser.get(path).text
    person(provider, "ines", "ines@example.com")
    assert 'type="file"' in browser.sso("ines").text
    assert {"name": "ines", "role": "member"}.items() <= _of(owner, "ines@example.com").items()
    assert Browser(server).get(path).status == 404
    assert 'type="file"' in Browser(server).sso("ines").text


def test_an_invitation_of_another_address_does_not_help(server, provider, owner, post) -> None:
    browser = Browser(server)
    browser.get(invited(owner, post, "wanda@example.com"))
    answer = browser.sso(person(provider, "xena", "xena@example.com"))
    assert "There is no account here for you" in answer.text
    assert _of(owner, "xena@example.com") == {}


def _of(owner: Client, email: str) -> dict[str, str]:
    return next((p for p in owner.get("/people/").json["people"] if p["email"] == email), {})


def test_who_changes_their_mind_is_not_let_in_and_told_so(server) -> None:
    browser = Browser(server)
    answer = browser.sso("nobody", action="deny")
    assert answer.status == 401  # this provider sends no state back with it
    assert "You are not signed in" in answer.text
    assert "/login/" in browser.get("/").url


@pytest.mark.parametrize(
    "path", ["?process=connect", "back/", "back/?code=x&state=y", "back/?error=server_error", "back/?code=%00&state="]
)
def test_an_invented_return_lets_nobody_in(server, path) -> None:
    browser = Browser(server)
    answer = browser.get(f"/login/with/sso/{path}")
    assert answer.status < 500
    assert "/login/" in browser.get("/").url


def test_there_is_no_other_provider(server) -> None:
    assert Browser(server).get("/login/with/google/").status == 404


def test_a_forgotten_password_comes_by_mail_with_names_as_they_are(server, post) -> None:
    client = Client(server.url)
    client.page("/password/")
    client.post("/password/", [("email", "olivia@example.com")])
    message = next(m for m in reversed(post.kept.messages) if m["To"] == "olivia@example.com")
    assert message["From"] == "awrdiff <awrdiff@example.com>"
    path = re.search(r"http://localhost:\d+(/password/\S+)", message.get_payload())[1]
    assert b"A new password" in client.page(path).body
    assert path.split("/")[2] not in server.output()
    assert b"new password" in message.get_payload().encode() or b"password" in message.get_payload().encode()


def test_no_token_of_a_mail_stands_in_the_log(server, owner, post) -> None:
    path = invited(owner, post, "tom@example.com")
    Client(server.url).page(path)
    Client(server.url).page(path[:-3] + "/")  # not found, which is logged
    until(lambda: "/join/****/" in server.output(), 10, what=server.output)
    assert path.split("/")[2][:-3] not in server.output()


def test_a_mail_server_that_refuses_is_said_and_tried_again(server, owner, post, monkeypatch) -> None:
    async def refuse(*_: object) -> str:
        return "550 no such mailbox"

    monkeypatch.setattr(post.kept, "handle_RCPT", refuse, raising=False)
    made = owner.post("/people/invitations/", [("email", "zoe@example.com"), ("role", "guest")])
    assert made.status == 201
    until(lambda: b"has not taken the mail yet" in owner.page("/people/").body, 30)
    monkeypatch.undo()
    until(lambda: any(m["To"] == "zoe@example.com" for m in post.kept.messages), 90)
    until(lambda: b"has not taken the mail yet" not in owner.page("/people/").body, 10)


def test_a_provider_that_is_away_is_said(server, provider) -> None:
    """The last of these tests: it is not started again."""
    provider.stop()
    answer = Browser(server).get("/login/with/sso/")
    assert answer.status == 503
    assert "The sign-on service does not answer" in answer.text
