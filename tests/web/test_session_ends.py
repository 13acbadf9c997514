"""When a sign-in ends by itself, and that what browsers keep of it comes from this server alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.web.share import create_link
from tests.web.test_account_pages import PASSWORD, is_in, olivia, sign_in  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def later(monkeypatch) -> Callable[..., None]:
    """The clock goes on."""
    now, passed = timezone.now(), timedelta()

    def go_on(**by: float) -> None:
        nonlocal passed
        passed += timedelta(**by)

    monkeypatch.setattr(timezone, "now", lambda: now + passed)
    return go_on


class TestIdle:
    @pytest.fixture(autouse=True)
    def half_an_hour(self, settings):
        settings.AWRDIFF_SESSION_IDLE_MINUTES = 30

    def test_it_ends_where_nobody_does_anything(self, olivia, later):  # noqa: F811
        client = sign_in()
        assert 0 < client.cookies["sessionid"]["max-age"] <= 30 * 60
        for _ in range(4):
            later(minutes=29)
            assert is_in(client)
        later(minutes=31)
        assert not is_in(client)

    def test_an_open_page_that_looks_for_news_does_nothing(self, olivia, comparison, later):  # noqa: F811
        client = sign_in()
        for _ in range(3):
            later(minutes=14)
            live = client.get(f"/comparisons/{comparison.pk}/threads/live/", headers={"Accept": "application/json"})
        assert live.status_code == 401
        assert not is_in(client)

    def test_it_is_kept_once_a_minute(self, olivia, later):  # noqa: F811
        client = sign_in()
        stored = client.session.get("seen_s")
        later(seconds=59)
        assert is_in(client)
        assert client.session["seen_s"] == stored
        later(seconds=2)
        assert is_in(client)
        assert client.session["seen_s"] == stored + 61


def test_without_a_shorter_time_nothing_is_kept_and_it_ends_after_two_weeks(olivia, later):  # noqa: F811
    client = sign_in()
    stored = client.session["seen_s"]
    for _ in range(2):
        later(days=6, hours=23)
        assert is_in(client)
        client.post("/teams/1/", {"to": "/"})
        session = client.session
        session["x"] = timezone.now().isoformat()
        session.save()
    assert client.session["seen_s"] == stored
    later(hours=3)
    assert not is_in(client)
    assert is_in(sign_in())


def test_signing_in_again_begins_anew(olivia, later):  # noqa: F811
    client = sign_in()
    later(days=13)
    client.post("/logout/")
    client.post("/login/", {"login": "olivia", "password": PASSWORD})
    later(days=13)
    assert is_in(client)


@pytest.fixture
def https(settings):
    settings.HTTPS = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.AWRDIFF_COOKIE_PREFIX = "__Host-"
    settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"


def test_cookies_of_the_server_are_taken_from_it_alone(olivia, owner, https):  # noqa: F811
    client = Client()
    client.get("/login/", secure=True)
    client.post("/login/", {"login": "olivia", "password": PASSWORD}, secure=True)
    assert client.get("/", secure=True).status_code == 200
    made = client.post("/account/name/", {"name": "Olivia Berg"}, secure=True)
    assert made.status_code == 302
    names = set(client.cookies)
    assert {"__Host-sessionid", "__Host-csrftoken", "__Host-awrdiff_browser", "__Host-messages"} <= names
    for name, one in client.cookies.items():
        assert name.startswith("__Host-"), name
        assert (one["secure"], one["path"], one["domain"]) == (True, "/", ""), name


def test_cookies_below_a_path_are_named_after_it_and_go_nowhere_else(olivia, owner, settings):  # noqa: F811
    settings.AWRDIFF_COOKIE_PREFIX = "awr-"
    settings.SESSION_COOKIE_PATH = settings.CSRF_COOKIE_PATH = "/awr/"
    settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME = "awr-sessionid", "awr-csrftoken"
    client = Client()
    client.get("/login/")
    client.post("/login/", {"login": "olivia", "password": PASSWORD})
    client.post("/account/name/", {"name": "Olivia Berg"})
    assert {"awr-sessionid", "awr-csrftoken", "awr-awrdiff_browser", "awr-messages"} <= set(client.cookies)
    assert {name: one["path"] for name, one in client.cookies.items() if one["path"] != "/awr/"} == {}
    client.get("/")  # what was said is shown, and its cookie ended where it is
    assert (client.cookies["awr-messages"].value, client.cookies["awr-messages"]["path"]) == ("", "/awr/")


def test_cookies_of_a_link_are_taken_by_https_alone(owner, comparison, https):
    _, path = create_link(owner, comparison, days=1, may_comment=True)
    client = Client()

    def says(client: Client, **more: str) -> int:
        said = {"anchor": "summary", "body": "Seen here too.", **more}
        return client.post(f"{path}threads/", said, secure=True, headers={"Accept": "application/json"}).status_code

    assert says(client, name="Vera") == 201
    kept = {name: one for name, one in client.cookies.items() if "guest-" in name}
    assert kept
    for name, one in kept.items():
        assert name.startswith("__Secure-guest-")
        assert (one["secure"], one["path"]) == (True, path)
    from_before = Client()
    (value,) = kept.values()
    from_before.cookies[next(iter(kept)).removeprefix("__Secure-")] = value.value
    assert (says(from_before), says(Client())) == (201, 400)
