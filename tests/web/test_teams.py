"""Teams: making and naming them, a guest who leaves, and joining as somebody else."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from awrdiff.accounts import local_user_token, members_and_invitations, teams
from awrdiff.accounts.models import Membership, Team
from awrdiff.audit.models import AuditLine
from tests.web.conftest import context_of
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}


@pytest.mark.parametrize(
    ("path", "typed"),
    [
        ("/team/name/", {"name": "Somewhere else"}),
        ("/team/tickets/", {"pattern": "http://tickets.example.com/"}),
        ("/team/webhook/", {"url": "hooks.example.com", "shape": "teams", "contents": "on"}),
        ("/people/invitations/", {"email": "carl at example", "role": "reader"}),
    ],
)
def test_a_form_that_is_refused_keeps_what_was_typed(sign_in, owner, stranger, path, typed):
    client = sign_in(owner)
    assert client.post(path, typed, headers=JSON).status_code == 400
    answer = client.post(path, typed)
    page = answer.content.decode()
    check_markup(page)
    assert (answer.status_code, page.count('role="alert"'), page.count('aria-invalid="true"')) == (400, 1, 1)
    assert all(re.search(rf'value="{re.escape(text)}"', page) for name, text in typed.items() if name != "contents")
    chosen = typed.get("shape", typed.get("role", ""))
    assert not chosen or re.search(rf'value="{chosen}"\s+selected', page)


def test_an_owner_names_the_team(sign_in, owner, colleague, stranger):
    client = sign_in(owner)
    assert client.post("/team/name/", {"name": " Pay\r\nments  2 "}, headers=JSON).status_code == 204
    assert Team.objects.get(pk=owner.team.pk).name == "Pay ments 2"
    assert AuditLine.objects.filter(action="renamed", kind="team", thing=str(owner.team.pk)).exists()
    assert sign_in(colleague).post("/team/name/", {"name": "x"}, headers=JSON).status_code == 403
    for name, said in (("", "1 to 100"), ("x" * 101, "1 to 100"), ("Somewhere else", "already")):
        answer = client.post("/team/name/", {"name": name}, headers=JSON)
        assert (answer.status_code, said in answer.json()["error"]) == (400, True)


def test_a_member_makes_a_team_of_their_own_and_looks_at_it(sign_in, owner, colleague):
    client = sign_in(colleague)
    answer = client.post("/teams/", {"name": "Ledger"}, headers=JSON)
    assert answer.status_code == 201
    found = client.get("/people/", headers=JSON).json()
    assert (found["team"]["name"], found["role"], len(found["people"])) == ("Ledger", "owner", 1)
    assert client.post("/teams/", {"name": "Payments"}, headers=JSON).status_code == 400
    assert Membership.objects.filter(user=colleague.user).count() == 2


def test_a_guest_makes_none_and_nobody_makes_very_many(sign_in, guest, colleague, monkeypatch):
    assert sign_in(guest).post("/teams/", {"name": "Ledger"}, headers=JSON).status_code == 403
    monkeypatch.setattr(teams, "MOST_OWNED", 1)
    client = sign_in(colleague)
    assert [client.post("/teams/", {"name": n}, headers=JSON).status_code for n in ("A", "B")] == [201, 400]


def test_a_guest_has_a_button_to_leave(sign_in, owner, guest):
    page = sign_in(guest).get("/", headers=HTML).content.decode()
    assert f'action="/people/{guest.membership}/"' in page
    assert "Leave Payments" in page
    assert "Leave Payments" not in sign_in(owner).get("/", headers=HTML).content.decode()
    sign_in(guest).post(f"/people/{guest.membership}/", headers=HTML)
    assert not Membership.objects.filter(pk=guest.membership).exists()


def test_signing_out_to_join_keeps_the_invitation(sign_in, owner, stranger):
    _, token = members_and_invitations.invite(owner, "nina@example.com", "member", by_mail=False)
    client = sign_in(stranger)
    client.get(f"/join/{token}/")
    assert b"Sign out and join" in client.get("/join/", headers=HTML).content
    answer = client.post("/logout/", {"join": ""})
    assert (answer.status_code, answer["Location"]) == (302, "/join/")
    page = client.get("/join/", headers=HTML).content.decode()
    assert 'name="username"' in page
    assert "nina@example.com" in page
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("data", [{}, {"join": ""}])
def test_signing_out_otherwise_keeps_none(sign_in, owner, stranger, data):
    _, token = members_and_invitations.invite(owner, "nina@example.com", "member", by_mail=False)
    client = sign_in(stranger)
    if not data:
        client.get(f"/join/{token}/")
    client.post("/logout/", data)
    assert client.get("/join/", headers=HTML).status_code == 404


def test_once_people_sign_in_no_local_token_is_made(tmp_path):
    local_user_token.announcement(tmp_path, "http://localhost/")
    assert (tmp_path / local_user_token.FILE).exists()
    local_user_token.note_people(tmp_path, sign_in=True)
    assert local_user_token.announcement(tmp_path, "http://localhost/") == []
    assert not (tmp_path / local_user_token.FILE).exists()
    local_user_token.note_people(tmp_path, sign_in=False)
    local_user_token.announcement(tmp_path, "http://localhost/")
    assert (tmp_path / local_user_token.FILE).exists()


def test_a_team_of_two_roles(sign_in, owner):
    """Who is a guest here and an owner there makes teams from there."""
    context_of("olivia", "Ledger", "guest")
    client: Client = sign_in(owner)
    assert client.post("/teams/", {"name": "Third"}, headers=JSON).status_code == 201
