"""Signing in with an OpenID Connect provider, and mail by SMTP: both real, started here."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from email.message import EmailMessage
from http.cookiejar import CookieJar
from types import SimpleNamespace
from typing import Any

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
SECRET = "a secret of the client, of a length that signs: thirty-two bytes and more, for each of the three"


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
    """`lies`: what it says otherwise than it should, by the end of an address: a function of its JSON."""
    import oidc_provider_mock  # its libraries warn as they are imported

    with ExitStack() as running:
        started = running.enter_context(oidc_provider_mock.run_server_in_thread())
        made = SimpleNamespace(url=f"http://localhost:{started.server_port}", stop=running.close, lies={}, asked=[])
        honest = started.app

        def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            path = environ["PATH_INFO"]
            lie = next((one for end, one in made.lies.items() if path.endswith(end)), None)
            made.asked.append(f"{path}?{environ['QUERY_STRING']}")
            return honest(environ, start_response) if lie is None else _lying(honest, environ, start_response, lie)

        started.app = answer
        yield made


def _lying(honest: Any, environ: dict[str, Any], start_response: Any, lie: Callable[[Any], Any]) -> list[bytes]:
    begun: list[Any] = []
    truth = b"".join(honest(environ, lambda *given: begun.append(given)))
    told = json.dumps(lie(json.loads(truth))).encode()
    start_response(begun[0][0], [("Content-Type", "application/json"), ("Content-Length", str(len(told)))])
    return [told]


@pytest.fixture(scope="module")
def server(tmp_path_factory, post, provider) -> Iterator[Server]:
    given = {
        "AWRDIFF_LOCAL_USER": "False",
        "AWRDIFF_HTTPS": "False",
        "AWRDIFF_ALLOWED_HOSTS": "localhost",
        "AWRDIFF_SMTP": post.url,
        "AWRDIFF_MAIL_FROM": "awrdiff <awrdiff@example.com>",
        "AWRDIFF_OIDC_ISSUER": provider.url,
        "AWRDIFF_OIDC_CLIENT_ID": "awrdiff",
        "AWRDIFF_OIDC_CLIENT_SECRET": SECRET,
        "AWRDIFF_OIDC_NAME": "Example SSO",
        "AWRDIFF_OIDC_GROUPS_CLAIM": "groups",
        "AWRDIFF_OIDC_TEAMS": "cn=dba,ou=it=Payments:member; leads=Payments:owner; watch=Payments:reader",
        "NO_PROXY": "localhost,127.0.0.1",
    }
    made = Server(tmp_path_factory.mktemp("sso"), **given)
    made.given = given  # for another like it
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


def person(provider: SimpleNamespace, sub: str, email: str, *, verified: bool = True, **more: object) -> str:
    """Somebody the provider knows."""
    body = json.dumps({"email": email, "email_verified": verified, "preferred_username": sub, **more}).encode()
    request = urllib.request.Request(f"{provider.url}/users/{sub}", body, {"Content-Type": "application/json"})
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


def test_an_address_is_confirmed_by_true_and_by_nothing_else(server, provider, monkeypatch) -> None:
    """Some providers write it as a text: "false" is one."""
    person(provider, "o3", "olivia@example.com")
    for said in ("false", "no", 1.5, ["true"], {"a": 1}):
        monkeypatch.setitem(provider.lies, "/userinfo", lambda told, said=said: {**told, "email_verified": said})
        assert "There is no account here for you" in Browser(server).sso("o3").text, said
    monkeypatch.setitem(provider.lies, "/userinfo", lambda told: {**told, "email_verified": "true"})
    assert 'type="file"' in Browser(server).sso("o3").text


def test_of_a_provider_that_never_says_so_addresses_are_taken_where_the_settings_trust_it(
    tmp_path_factory, server, provider, monkeypatch
) -> None:
    """And then, too, none that it says is not verified."""
    person(provider, "o4", "olivia@example.com")
    silent = _without("email_verified")
    monkeypatch.setitem(provider.lies, "/userinfo", silent)
    assert "There is no account here for you" in Browser(server).sso("o4").text
    trusting = Server(tmp_path_factory.mktemp("trusting"), **{**server.given, "AWRDIFF_OIDC_TRUST_ADDRESSES": "True"})
    trusting.start(120)
    try:
        manage(
            trusting,
            "add_user",
            "olivia",
            "--team",
            "Payments",
            "--email",
            "olivia@example.com",
            AWRDIFF_PASSWORD=PASSWORD,
        )
        for said in (False, "false", None, ""):
            monkeypatch.setitem(provider.lies, "/userinfo", lambda told, said=said: {**told, "email_verified": said})
            assert "There is no account here for you" in Browser(trusting).sso("o4").text, said
        monkeypatch.setitem(provider.lies, "/userinfo", silent)
        assert 'type="file"' in Browser(trusting).sso("o4").text
    finally:
        trusting.stop()
    assert not trusting.faults()


def _without(left_out: str) -> Callable[[Any], Any]:
    return lambda told: {name: value for name, value in told.items() if name != left_out}


@pytest.mark.parametrize(
    ("end", "lie"),
    [
        ("/.well-known/openid-configuration", lambda told: {**told, "issuer": "https://evil.example"}),
        ("/userinfo", lambda told: {**told, "sub": "somebody else"}),
        ("/userinfo", lambda told: [told]),
        ("/oauth2/token", _without("id_token")),
        ("/.well-known/openid-configuration", lambda told: [told]),
        ("/.well-known/openid-configuration", _without("userinfo_endpoint")),
        ("/.well-known/openid-configuration", _without("jwks_uri")),
    ],
    ids=["issuer", "another person", "no person", "no token", "no object", "no userinfo", "no keys"],
)
def test_a_provider_whose_answers_do_not_belong_together_lets_nobody_in(
    server, provider, monkeypatch, end, lie
) -> None:
    browser = Browser(server)
    asked = browser.get("/login/with/sso/")
    monkeypatch.setitem(provider.lies, end, lie)
    form = urllib.parse.urlencode({"sub": person(provider, "o1", "olivia@example.com")}).encode()
    answer = browser._open(asked.url, form)
    assert (answer.status, "You are not signed in" in answer.text) == (401, True)
    assert "/login/" in browser.get("/").url
    assert browser.get("/login/with/sso/").status in ((401,) if "well-known" in end else (200,))


def _signed(change: dict[str, Any], key: str = SECRET, algorithm: str = "HS256") -> Callable[[Any], Any]:
    """The provider's answer with an ID token that says something else, signed by the secret of the client."""
    import jwt

    def lie(told: dict[str, Any]) -> dict[str, Any]:
        claims = jwt.decode(told["id_token"], options={"verify_signature": False})
        return {**told, "id_token": jwt.encode({**claims, **change}, key, algorithm)}

    return lie


def _with_signature(change: Callable[[str], str]) -> Callable[[Any], Any]:
    return lambda told: {**told, "id_token": change(told["id_token"])}


def test_an_id_token_is_signed_by_the_provider_for_this_server_and_now(server, provider, monkeypatch) -> None:
    person(provider, "o1", "olivia@example.com")
    wrong = {
        "another signature": _with_signature(lambda token: token[:-8] + "AAAAAAAA"),
        "none": _with_signature(lambda token: token.rpartition(".")[0] + "."),
        "said to be none": _signed({}, "", "none"),
        "another secret": _signed({}, SECRET + "x"),
        "for another": _signed({"aud": "somebody else"}),
        "by another": _signed({"iss": "https://evil.example"}),
        "that has ended": _signed({"exp": int(time.time()) - 60}),
        "of another sign-in": _signed({"nonce": "0" * 64}),
        "of no sign-in": _signed({"nonce": None}),
        "of later": _signed({"iat": int(time.time()) + 600}),
        "that is none": lambda told: {**told, "id_token": "x"},
        "of another kind": lambda told: {**told, "id_token": {"sub": "o1"}},
    }
    for what, lie in wrong.items():
        monkeypatch.setitem(provider.lies, "/oauth2/token", lie)
        answer = Browser(server).sso("o1")
        assert (answer.status, "You are not signed in" in answer.text) == (401, True), what
    for right in (_signed({}), _signed({}, SECRET, "HS512"), lambda told: told):
        monkeypatch.setitem(provider.lies, "/oauth2/token", right)
        assert 'type="file"' in Browser(server).sso("o1").text


def test_an_address_says_nothing_but_where_to_go_afterwards(server, provider) -> None:
    """A link that somebody is sent would have them ask the provider for more, or be led elsewhere with the code."""
    more = urllib.parse.quote("redirect_uri=https://evil.example/&state=theirs&client_id=x")
    browser = Browser(server)
    asked = browser.get(f"/login/with/sso/?auth_params={more}&scope=offline_access&next=https://evil.example/")
    sent = urllib.parse.parse_qs(urllib.parse.urlsplit(asked.url).query)
    assert sent["redirect_uri"] == [f"{server.url}/login/with/sso/back/"]
    assert sent["client_id"] == ["awrdiff"]
    assert set(sent["scope"][0].split()) == {"openid", "profile", "email"}
    assert sent["state"] != ["theirs"]
    assert len(sent["nonce"][0]) == 64
    assert (
        sent["nonce"]
        != urllib.parse.parse_qs(urllib.parse.urlsplit(browser.get("/login/with/sso/").url).query)["nonce"]
    )
    assert sent["code_challenge_method"] == ["S256"]
    led = browser._open(asked.url, urllib.parse.urlencode({"sub": "o1"}).encode())
    assert (led.status, led.url) == (200, f"{server.url}/")


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def test_a_code_that_one_was_sent_is_another_browsers(server, provider) -> None:
    """Somebody signs in with the provider, and has another follow the way back: who follows is nobody here. The state
    of one browser counts in no other, and once."""
    person(provider, "o1", "olivia@example.com")
    mine, theirs = Browser(server), Browser(server)
    asked = mine.get("/login/with/sso/").url
    with pytest.raises(urllib.error.HTTPError) as led:
        urllib.request.build_opener(_Stay).open(asked, urllib.parse.urlencode({"sub": "o1"}).encode())
    with led.value:
        back = led.value.headers["Location"]
    assert "/login/with/sso/back/?code=" in back
    theirs.get("/login/with/sso/")
    assert theirs.get(back).status == 401
    assert "/login/" in theirs.get("/").url
    assert 'type="file"' in mine.get(back).text
    assert Browser(server).get(back).status == mine.get(back).status == 401


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


def test_groups_let_people_in_and_out_at_each_sign_in(server, provider, owner) -> None:
    def signs_in(**told: object) -> SimpleNamespace:
        name = "greta.h@corp.example.com"
        return Browser(server).sso(person(provider, "g1", "greta@example.com", preferred_username=name, **told))

    def is_on_it_as() -> str | None:
        return _of(owner, "greta@example.com").get("role")

    for told in ({}, {"groups": []}, {"groups": ["somebody else's"]}, {"groups": ["leads"], "email_verified": False}):
        assert "There is no account here for you" in signs_in(**told).text, told
    assert 'type="file"' in signs_in(groups=["cn=dba,ou=it"]).text
    assert _of(owner, "greta@example.com")["name"] == "greta.h"
    assert is_on_it_as() == "member"
    signs_in(groups=["watch"])
    assert is_on_it_as() == "reader"
    signs_in()
    assert is_on_it_as() == "reader"
    assert f"told no groups of user {_user(server, 'greta.h')} (groups)" in server.output()
    assert "You are not on a team" in signs_in(groups=[]).text
    assert is_on_it_as() is None


def _user(server: Server, name: str) -> str:
    code = f"from awrdiff.accounts.models import User; print('id', User.objects.get(username='{name}').pk)"
    return re.search(r"id (\d+)", manage(server, "shell", "-c", code).decode())[1]


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
    until(lambda: server.output().count("route=join-link") >= 2, 10, what=server.output)
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
