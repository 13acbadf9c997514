"""Inviting several at once: what is pasted, what becomes of each, and that all or none are invited."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.members_and_invitations import extract_addresses
from awrdiff.accounts.models import Invitation, Team
from awrdiff.audit.models import AuditLine
from awrdiff.notices.models import Delivery
from tests.web.test_joining import mails, send_all  # noqa: F401

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
PATH = "/people/invitations/several/"


def several(client: Client, emails: str, role: str = "reader", headers: dict[str, str] = JSON):
    return client.post(PATH, {"emails": emails, "role": role}, headers=headers)


def outcomes(answer) -> dict[str, str]:
    assert answer.status_code == 200, answer.content
    return {one["email"]: one["outcome"] for one in answer.json()["invitations"]}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a@x.org, b@x.org;c@x.org\r\n\td@x.org  e@x.org", ["a@x.org", "b@x.org", "c@x.org", "d@x.org", "e@x.org"]),
        ('Olivia Berg <o@x.org>; "Holt, Carl" <c@x.org>,<g@x.org>', ["o@x.org", "c@x.org", "g@x.org"]),
        ("a@x.org a@x.org\na@x.org", ["a@x.org"]),
        ("a@x.org <b@x.org> carl <", ["a@x.org", "b@x.org"]),
        ("carl " + "y" * 100, ["carl", "y" * 80]),
        (' ,;\n" " <>', []),
        ('"a@x.org","Anna"\nc@x.org', ["a@x.org", "c@x.org"]),
        ("[\"a@x.org\", 'b@x.org'] (c@x.org) {}", ["a@x.org", "b@x.org", "c@x.org"]),
        ('"a@x.org; b@x.org" "c@x.org', ["a@x.org", "b@x.org", "c@x.org"]),
        ('"o@x.org" <o@x.org>, "Holt, Carl (c@x.org)" <d@x.org>', ["o@x.org", "c@x.org", "d@x.org"]),
        ("carl <>", ["carl"]),
    ],
)
def test_addresses_are_found_as_people_paste_them(text, found):
    assert extract_addresses(text) == found


@pytest.mark.parametrize("shape", ["<", '"', "a", "<a", '"\n', "a@", ", <"])
def test_finding_them_takes_time_in_proportion(shape):
    began = time.process_time()
    extract_addresses(shape * 200_000)
    assert time.process_time() - began < 2


def test_each_is_told_what_became_of_it(mails, sign_in, owner, colleague):  # noqa: F811
    EmailAddress.objects.create(user=colleague.user, email="carl@example.com", verified=True, primary=True)
    client = sign_in(owner)
    client.post("/people/invitations/", {"email": "old@example.com", "role": "guest"})
    text = "new@example.com; Carl <Carl@Example.com>\nnobody\n old@example.com New@example.com <b>@x"
    assert outcomes(several(client, text)) == {
        "new@example.com": "invited",
        "carl@example.com": "on the team already",
        "nobody": "not an e-mail address",
        "old@example.com": "invited again",
        "@x": "not an e-mail address",
        "b": "not an e-mail address",
    }
    live = Invitation.objects.filter(revoked_at=None).values_list("email", "role")
    assert sorted(live) == [("new@example.com", "reader"), ("old@example.com", "reader")]
    assert AuditLine.objects.filter(action="invited").count() == 3
    send_all()
    assert sorted(one.to[0] for one in mail.outbox) == ["new@example.com", "old@example.com"]


def test_the_same_once_more_sends_nothing_and_later_it_does(mails, sign_in, owner):  # noqa: F811
    client = sign_in(owner)
    several(client, "a@example.com b@example.com")
    assert set(outcomes(several(client, "a@example.com b@example.com")).values()) == {"invited a moment ago"}
    assert set(outcomes(several(client, "a@example.com", "guest")).values()) == {"invited again"}
    assert Delivery.objects.count() == 3
    for one in Invitation.objects.filter(revoked_at=None):
        Invitation.objects.filter(pk=one.pk).update(created_at=one.created_at - timedelta(minutes=2))
    assert set(outcomes(several(client, "a@example.com b@example.com")).values()) == {"invited again"}


def test_without_mail_the_addresses_are_shown_once_and_work(sign_in, owner):
    told = several(sign_in(owner), "a@example.com b@example.com nobody").json()["invitations"]
    assert [bool(one["address"]) for one in told] == [True, True, False]
    assert Client().get(told[1]["address"], follow=True).status_code == 200
    page = several(sign_in(owner), "c@example.com <script>", headers=HTML).content.decode()
    assert "1 invited, 1 not an e-mail address" in page
    assert page.count("/join/") == 1
    assert "<b>script</b>" in page


@pytest.mark.parametrize("text", ["", " ,; ", " ".join(f"a{n}@example.com" for n in range(201))])
def test_none_or_too_many_invite_nobody(sign_in, owner, text):
    answer = several(sign_in(owner), text, headers=HTML)
    assert answer.status_code == 400
    assert "Give 1 to 200 e-mail addresses" in answer.content.decode()
    assert not Invitation.objects.exists()
    assert not text.strip(" ,;") or "a200@example.com</textarea>" in answer.content.decode()


def test_what_is_refused_half_way_has_invited_nobody(sign_in, owner, monkeypatch):
    monkeypatch.setattr(members_and_invitations, "MOST_PENDING", 2)
    assert several(sign_in(owner), "a@example.com b@example.com c@example.com").status_code == 400
    assert not Invitation.objects.exists()
    assert outcomes(several(sign_in(owner), "a@example.com b@example.com"))
    assert set(outcomes(several(sign_in(owner), "a@example.com b@example.com")).values()) == {"invited again"}
    assert not Delivery.objects.exists()


def test_so_many_an_hour_and_then_429(sign_in, owner, monkeypatch):
    monkeypatch.setattr(members_and_invitations, "MOST_AN_HOUR", 3)
    client = sign_in(owner)
    several(client, "a@example.com b@example.com")
    for path, data in (
        (PATH, {"emails": "c@example.com d@example.com"}),
        ("/people/invitations/", {"email": "x@y.org"}),
    ):
        expected = 429 if path == PATH else 201
        assert client.post(path, {**data, "role": "guest"}, headers=JSON).status_code == expected
    answer = client.post("/people/invitations/", {"email": "z@y.org", "role": "guest"}, headers=HTML)
    assert answer.status_code == 429
    assert Invitation.objects.count() == 3


def test_two_hundred_at_once_are_soon_invited(mails, sign_in, owner):  # noqa: F811
    text = "\n".join(f"Person {n} <p{n}@example.com>" for n in range(200))
    began = time.process_time()
    assert set(outcomes(several(sign_in(owner), text)).values()) == {"invited"}
    assert time.process_time() - began < 5
    assert Team.objects.get(pk=owner.team.pk).invitations.count() == 200


def test_members_invite_nobody(sign_in, colleague):
    assert several(sign_in(colleague), "a@example.com").status_code == 403
