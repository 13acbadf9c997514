"""Adding people, logging in and out."""

from __future__ import annotations

import io
import re

import pytest
from django.contrib.auth.forms import SetPasswordForm
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from awrdiff.accounts.models import Membership, Team, User
from awrdiff.accounts.services import local_membership
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def test_a_person_is_added_to_a_team_and_logs_in(accounts, monkeypatch, capsys):
    monkeypatch.setenv("AWRDIFF_PASSWORD", PASSWORD)
    call_command("add_user", "olivia", "--team", "Payments")
    assert "on the team" in capsys.readouterr().out
    client = Client()
    answer = client.post("/login/?next=/", {"login": "olivia", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/").status_code == 200
    client.post("/logout/")
    assert client.get("/").status_code == 302


def test_adding_twice_changes_nothing(monkeypatch):
    monkeypatch.setenv("AWRDIFF_PASSWORD", PASSWORD)
    for _ in range(2):
        call_command("add_user", "olivia", "--team", "Payments", verbosity=0)
    assert (User.objects.count(), Team.objects.count(), Membership.objects.count()) == (1, 1, 1)


WEAK = ["short", "password1234", "qwerty123456", "Password1234!", "passwordpassword", "123456789012", "P@ssw0rd12345"]
WEAK += ["olivia123456", "Welcome2026!", "aaaaaaaaaaaaaaaa", "qwertyuiop[]", "abc" * 40]


@pytest.mark.parametrize("password", WEAK)
def test_a_weak_password_is_refused_with_the_reason(monkeypatch, password):
    monkeypatch.setenv("AWRDIFF_PASSWORD", password)
    with pytest.raises(CommandError, match=r"password is too|easy to guess"):
        call_command("add_user", "olivia", "--team", "Payments")
    assert not User.objects.exists()


@pytest.mark.parametrize("password", WEAK[:4])
def test_nor_does_one_typed_in_or_changed_to_pass(monkeypatch, password):
    """Also by Django's own `changepassword`, whatever the form: the validators are the settings'."""
    monkeypatch.setattr("getpass.getpass", lambda *_, **_named: password)
    with pytest.raises(CommandError):
        call_command("add_user", "olivia", "--team", "Payments")
    olivia = User.objects.create(username="olivia")
    with pytest.raises(CommandError, match="Aborting"):
        call_command("changepassword", "olivia", stdout=io.StringIO(), stderr=io.StringIO())
    form = SetPasswordForm(olivia, {"new_password1": password, "new_password2": password})
    assert not form.is_valid()


@pytest.mark.parametrize("password", [PASSWORD, "x7Fq9w2Lm4Zt", "tin lamp seventy green", "é" * 6 + "-Regenschirm-Ω"])
def test_a_good_one_passes(monkeypatch, password):
    monkeypatch.setenv("AWRDIFF_PASSWORD", password)
    call_command("add_user", "olivia", "--team", "Payments", verbosity=0)
    assert User.objects.get().check_password(password)


def test_the_login_page_does_not_send_people_away(accounts, monkeypatch):
    monkeypatch.setenv("AWRDIFF_PASSWORD", PASSWORD)
    call_command("add_user", "olivia", "--team", "Payments", verbosity=0)
    answer = Client().post("/login/?next=https://evil.example/", {"login": "olivia", "password": PASSWORD})
    assert answer["Location"] == "/"


def test_the_local_user_is_one_without_a_password():
    first, again = local_membership(), local_membership()
    assert first == again
    assert not first.user.has_usable_password()
    assert User.objects.count() == 1


def signs_out(html: str) -> bool:
    return f'action="{reverse("account_logout")}"' in html


def test_whoever_signed_in_can_sign_out_on_every_page_and_nobody_else(sign_in, owner, comparison):
    client = sign_in(owner)
    first = reverse("comparison", args=[comparison.pk])
    pages = [first, f"{first}commit/", f"{first}sections/foreground_wait_events/", "/"]
    pages.append(reverse("report", args=[comparison.reports.all()[0].pk]))
    assert [url for url in pages if not signs_out(client.get(url).content.decode())] == []
    _, link = create_link(owner, comparison, days=1)
    for url in (link, f"{link}commit/", "/login/"):
        assert not signs_out(Client().get(url).content.decode())


def test_the_local_user_has_nothing_to_sign_out_of(settings):
    settings.AWRDIFF_LOCAL_USER = True
    page = Client().get("/").content.decode()
    assert 'type="file"' in page
    assert not signs_out(page)


def test_signing_out_ends_the_session(sign_in, owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    page = client.get("/").content.decode()
    assert client.post("/logout/").status_code == 403
    token = re.search(r'action="/logout/".*?name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
    assert client.post("/logout/", {"csrfmiddlewaretoken": token})["Location"] == "/"
    assert client.get("/")["Location"].startswith("/login/")


@pytest.mark.parametrize("key", ['"abcdefgh\\000ijklmnop"', "é" * 32, "A" * 32, "a" * 41, "short", ""])
def test_a_session_cookie_that_is_none_is_nobody_and_asks_no_database(accounts, django_assert_num_queries, key):
    """PostgreSQL answers a NUL with an error."""
    with django_assert_num_queries(0):
        answer = Client().get("/", headers={"Cookie": f"sessionid={key}"})
    assert answer["Location"] == "/login/?next=/"
