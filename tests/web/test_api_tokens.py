"""Tokens: made, told once, noted, limited, revoked; test_token_scopes.py has what each may do."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from awrdiff.accounts import api_tokens, members_and_invitations
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import ApiToken, User
from awrdiff.audit.models import AuditLine

pytestmark = pytest.mark.django_db


def machine(text: str) -> Client:
    return Client(headers={"authorization": f"Bearer {text}"}, enforce_csrf_checks=True)


def own(access: AccessContext, *scopes: str, days: int | None = 30) -> str:
    return api_tokens.make_own(access, "script", scopes, days)[1]


def test_it_is_told_once_and_kept_as_a_hash(sign_in, owner):
    client = sign_in(owner)
    for address in ("/account/tokens/", "/team/tokens/"):
        page = client.post(address, {"name": "nightly", "scope": ["read", "upload"], "days": "30"}).content.decode()
        text = page.split('value="awr_')[1].split('"')[0]
        assert text not in client.get(address).content.decode()
        found = ApiToken.objects.latest("created_at")
        assert text not in str(vars(found))
        assert (found.scopes, found.is_service) == (["read", "upload"], address == "/team/tokens/")
        assert machine(f"awr_{text}").get("/").status_code == 200
    lines = AuditLine.objects.filter(kind="token").values_list("who", "action")
    assert list(lines) == [(f"user {owner.user.pk}", "made")] * 2


def test_that_it_was_used_is_noted_once_a_minute(accounts, owner, django_assert_num_queries):
    client = machine(own(owner, "read"))
    client.get("/links/")
    first = ApiToken.objects.get().last_used_at
    client.get("/links/")
    assert ApiToken.objects.get().last_used_at == first is not None


def test_too_many_requests_are_told_when_to_come_again(accounts, owner, settings, one_minute):
    settings.AWRDIFF_TOKEN_RATE = 2
    client = machine(own(owner, "read"))
    answers = [client.get("/links/") for _ in range(3)]
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    assert answers[2]["Content-Type"] == "application/problem+json"
    assert machine(own(owner, "read")).get("/links/").status_code == 200, "another has its own"
    sender = machine(own(owner, "upload"))
    sent = [
        sender.post(path, {"file": "no file"}) for path in ("/reports/", "/reports/", "/reports/", "/api/v1/reports")
    ]
    assert [one.status_code for one in sent] == [400, 400, 429, 429], "said before a body is looked at"
    assert 0 < int(sent[3]["Retry-After"]) <= 60


@pytest.mark.parametrize(
    "given", [{"name": ""}, {"name": "x" * 61}, {"scope": ""}, {"scope": "read,root"}, {"days": "0"}, {"days": "x"}]
)
def test_what_is_no_token_is_refused(sign_in, owner, given):
    typed = {"name": "nightly", "scope": "read", "days": "30"} | given
    answer = sign_in(owner).post("/account/tokens/", typed, headers={"accept": "application/json"})
    assert (answer.status_code, ApiToken.objects.count()) == (400, 0)


def test_a_member_sees_no_token_of_the_team_and_an_owner_revokes_everybodys(sign_in, owner, colleague):
    own(colleague, "read")
    assert sign_in(colleague).get("/team/tokens/").status_code == 403
    found = ApiToken.objects.get()
    foreign = reverse("token-revoke", args=[found.pk])
    assert sign_in(owner).post(foreign).status_code == 404
    assert sign_in(owner).post(reverse("team-token-revoke", args=[found.pk])).status_code == 302
    assert list(api_tokens.own_tokens(colleague)) == []


def made_by_command(*given: str) -> str:
    said = StringIO()
    call_command("token", *given, stdout=said)
    return said.getvalue().split()[-1]


def test_whoever_runs_the_server_makes_one(accounts, owner, colleague):
    service = made_by_command("--name", "nightly push", "--scope", "read,upload")
    assert machine(service).get("/").status_code == 200
    again = made_by_command("--name", "nightly push", "--scope", "read", "--team", "payments", "--days", "7")
    assert machine(again).get("/").status_code == 200
    person = made_by_command("--name", "laptop", "--scope", "read", "--person", "carl")
    assert machine(person).get("/").status_code == 200
    found = {one.name: (one.user.username, one.is_service) for one in ApiToken.objects.order_by("created_at")}
    assert found == {"nightly push": ("nightly push (service 2)", True), "laptop": ("carl", False)}


@pytest.mark.parametrize(
    "given",
    [("--scope", "root"), ("--scope", "read", "--team", "None"), ("--scope", "read", "--person", "nobody")],
)
def test_a_command_that_asks_for_what_is_not_there_makes_none(owner, given):
    with pytest.raises(CommandError):
        made_by_command("--name", "x", *given)
    assert not ApiToken.objects.exists()


def test_of_several_teams_it_asks_which(owner, stranger):
    with pytest.raises(CommandError, match="--team"):
        made_by_command("--name", "x", "--scope", "read")


def test_nobody_signs_in_as_a_service(accounts, owner):
    made_by_command("--name", "cron", "--scope", "read")
    user = User.objects.get(username="cron (service)")
    assert (user.is_active, user.has_usable_password()) == (False, False)
    assert user.pk not in members_and_invitations.people_of(owner).values_list("user", flat=True)
