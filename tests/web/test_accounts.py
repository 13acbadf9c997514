"""Adding people, logging in and out."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.forms import SetPasswordForm
from django.core.management import CommandError, call_command
from django.test import Client

from awrdiff.accounts.models import Membership, Team, User
from awrdiff.accounts.services import local_membership

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def test_a_person_is_added_to_a_team_and_logs_in(accounts, monkeypatch, capsys):
    monkeypatch.setenv("AWRDIFF_PASSWORD", PASSWORD)
    call_command("add_user", "olivia", "--team", "Payments")
    assert "on the team" in capsys.readouterr().out
    client = Client()
    answer = client.post("/login/?next=/", {"username": "olivia", "password": PASSWORD})
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
    answer = Client().post("/login/?next=https://evil.example/", {"username": "olivia", "password": PASSWORD})
    assert answer["Location"] == "/"


def test_the_local_user_is_one_without_a_password():
    first, again = local_membership(), local_membership()
    assert first == again
    assert not first.user.has_usable_password()
    assert User.objects.count() == 1
