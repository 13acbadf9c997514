"""What browsers are told, what a session and a password are, and what an answer never shows."""

from __future__ import annotations

import re

import pytest
from django.conf import settings as configured
from django.conf.global_settings import PASSWORD_HASHERS
from django.contrib.auth.hashers import identify_hasher, make_password
from django.contrib.sessions.models import Session
from django.test import Client, RequestFactory

from awrdiff.accounts.models import User
from awrdiff.web.streamed_downloads import download
from awrdiff.web.views import home
from tests.web.test_account_pages import PASSWORD, is_in, olivia, sign_in

__all__ = ["olivia"]
pytestmark = pytest.mark.django_db
HTML, JSON = {"Accept": "text/html"}, {"Accept": "application/json"}


@pytest.mark.parametrize(
    ("path", "asks", "kind"),
    [
        ("/", HTML, "text/html; charset=utf-8"),
        ("/", JSON, "application/json"),
        ("/login/", HTML, "text/html; charset=utf-8"),
        ("/nothing/", HTML, "text/html; charset=utf-8"),
        ("/api/v1/reports", JSON, "application/problem+json"),
        ("/healthz", JSON, "application/json"),
    ],
)
def test_every_answer_says_what_browsers_are_to_do(accounts, path, asks, kind):
    answer = Client().get(path, headers=asks)
    assert answer["Content-Type"] == kind
    policy = dict(one.strip().partition(" ")[::2] for one in answer["Content-Security-Policy"].split(";"))
    assert {name: policy[name] for name in ("default-src", "script-src", "form-action")} == {
        "default-src": "'self'",
        "script-src": "'self'",
        "form-action": "'self'",
    }
    assert [policy[name] for name in ("object-src", "base-uri", "frame-ancestors")] == ["'none'"] * 3
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert not answer.has_header("Access-Control-Allow-Origin")


def test_cookies_are_kept_from_scripts_and_other_sites(olivia, settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = settings.HTTPS = True
    client = sign_in()
    kept = {name: (one["httponly"], one["samesite"], one["secure"]) for name, one in client.cookies.items()}
    session = kept.pop(settings.SESSION_COOKIE_NAME)
    assert session == (True, "Lax", True)
    assert all(samesite in ("Lax", "Strict") and secure for _, samesite, secure in kept.values()), kept


def test_a_sign_in_is_a_session_of_its_own(olivia):
    client = Client()
    client.get("/login/")
    keys = []
    for _ in range(2):
        client.post("/login/", {"login": "olivia", "password": PASSWORD})
        keys.append(client.cookies[configured.SESSION_COOKIE_NAME].value)
        again = Client()
        again.cookies[configured.SESSION_COOKIE_NAME] = keys[0]
        client.post("/logout/")
        assert not is_in(again)
    assert keys[0] != keys[1]
    assert all(re.fullmatch("[a-z0-9]{32}", key) for key in keys)  # 165 bits


def test_a_session_from_before_a_sign_in_is_not_the_one_after_it(olivia):
    client = Client()
    client.session.save()
    before = client.cookies[configured.SESSION_COOKIE_NAME].value
    client.post("/login/", {"login": "olivia", "password": PASSWORD})
    assert is_in(client)
    assert client.cookies[configured.SESSION_COOKIE_NAME].value != before
    assert not Session.objects.filter(session_key=before).exists()


def test_who_is_disabled_is_out_at_once(olivia):
    client = sign_in()
    assert is_in(client)
    User.objects.filter(pk=olivia.pk).update(is_active=False)
    assert not is_in(client)
    assert not is_in(sign_in())


def test_a_password_is_masked_and_may_be_filled_in(olivia):
    (field,) = re.findall(r"<input[^>]*name=\"password\"[^>]*>", Client().get("/login/").content.decode())
    assert 'type="password"' in field
    assert 'autocomplete="current-password"' in field
    assert "onpaste" not in field
    assert "maxlength" not in field


def test_a_password_counts_to_its_last_sign(olivia):
    long = " " + "Ünder a tall pine 11 boats " * 4
    assert len(long) > 100
    sign_in().post("/account/password/", {"oldpassword": PASSWORD, "password1": long, "password2": long})
    assert is_in(sign_in(password=long))
    for other in (long[:-1], long.strip(), long.upper(), long[:72]):
        assert not is_in(sign_in(password=other)), other


def test_passwords_are_kept_as_they_should_be(settings):
    """As a server has it: these tests' own way is quick and worth nothing."""
    settings.PASSWORD_HASHERS = PASSWORD_HASHERS
    kept = make_password(PASSWORD)
    assert identify_hasher(kept).algorithm == "pbkdf2_sha256"
    assert int(kept.split("$")[1]) >= 600_000


def test_trace_is_refused(sign_in, owner, accounts):
    for path in ("/", "/login/", "/api/v1/reports"):
        for client in (Client(), sign_in(owner)):
            answer = client.trace(path, headers={"X-Mine": "echoed"})
            assert answer.status_code in (302, 401, 405)
            assert b"echoed" not in answer.content


@pytest.mark.parametrize("asks", [HTML, JSON], ids=["page", "script"])
def test_a_fault_of_ours_tells_nothing_of_the_inside(sign_in, owner, monkeypatch, asks):
    def fails(*_args, **_kwargs):
        raise RuntimeError("planted-secret in SELECT * FROM accounts_user")

    monkeypatch.setattr(home, "comparisons_by_database", fails)
    client = sign_in(owner)
    client.raise_request_exception = False
    answer = client.get("/", headers=asks)
    assert answer.status_code == 500
    assert not re.search(rb"planted-secret|SELECT|Traceback|RuntimeError|site-packages", answer.content)


@pytest.mark.parametrize("name", ['a"; filename="b.exe', "a\r\nX-Evil: 1", "../../etc/passwd", "é<b>", "\x00\ud800"])
def test_a_name_of_a_file_is_no_header(name):
    answer = download(RequestFactory().get("/"), name, "md", lambda: ["text"])
    said = answer["Content-Disposition"]
    assert said.startswith("attachment; filename")
    assert said.count('"') in (0, 2)
    assert not re.search(r"[\r\n\x00/\\<]|\.exe", said)
