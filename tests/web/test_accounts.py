"""Adding people, logging in and out."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize("password", ["short", "password1234", "qwerty123456"])
def test_a_weak_password_is_refused(monkeypatch, password):
    monkeypatch.setenv("AWRDIFF_PASSWORD", password)
    with pytest.raises(CommandError):
        call_command("add_user", "olivia", "--team", "Payments")
    assert not User.objects.exists()


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
