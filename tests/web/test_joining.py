"""Invitations: bound to an address, once, for some days; joining with and without an account."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client, override_settings
from django.utils import timezone

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.models import Invitation, Membership, PeopleSignIn, Team, User
from awrdiff.accounts.services import join, local_membership
from awrdiff.notices import outbox
from awrdiff.notices.mails import message_of
from awrdiff.notices.models import Delivery
from tests.web.conftest import context_of, store_report

pytestmark = pytest.mark.django_db
PASSWORD = "seven lamps of green tin"
JSON = {"Accept": "application/json"}
ADDRESS = "nina@example.com"


@pytest.fixture
def mails(settings):
    """As with AWRDIFF_SMTP."""
    settings.AWRDIFF_MAILS = True
    settings.AWRDIFF_NOTICES_ADDRESS = "http://testserver"


def send_all() -> None:
    """As the worker does."""
    for pk in Delivery.objects.values_list("pk", flat=True):
        outbox.deliver(pk)


def invite(client, email=ADDRESS, role="member"):
    return client.post("/people/invitations/", {"email": email, "role": role}, headers=JSON)


@pytest.fixture
def link(sign_in, owner) -> str:
    """The path of an invitation that was passed on by hand."""
    answer = invite(sign_in(owner))
    assert answer.status_code == 201, answer.content
    return answer.json()["address"].removeprefix("http://testserver")


def follow(path, client=None) -> Client:
    client = client or Client()
    assert client.get(path)["Location"] == "/join/"
    return client


def sign_up(client, name="nina", password=PASSWORD, **more):
    return client.post("/join/", {"username": name, "password1": password, **more})


def test_whoever_is_invited_signs_up_and_is_on_the_team(link, owner, comparison):
    client = follow(link)
    page = client.get("/join/").content.decode()
    assert "Join the team “Payments”" in page
    assert ADDRESS in page
    assert sign_up(client)["Location"] == "/"
    found = Membership.objects.get(user__username="nina")
    assert (found.team, found.role) == (owner.team, "member")
    assert client.get(f"/comparisons/{comparison.pk}/").status_code == 200
    assert Client().post("/login/", {"login": "nina", "password": PASSWORD}).status_code == 302


def test_it_works_once(link):
    sign_up(follow(link))
    assert Client().get(link, headers=JSON).status_code == 404
    second = Client()
    assert second.get("/join/", headers=JSON).status_code == 404
    assert "was used or revoked" in Client().get(link, headers=JSON).json()["error"]


def test_two_browsers_with_the_same_invitation_make_one_person(link):
    first, second = follow(link), follow(link)
    assert sign_up(first).status_code == 302
    assert sign_up(second, "other").status_code == 404
    assert not User.objects.filter(username="other").exists()


def test_one_that_is_used_between_looking_and_joining_makes_nobody(link, monkeypatch):
    client = follow(link)
    held = members_and_invitations.live_invitation(pk=Invitation.objects.get().pk)
    Invitation.objects.update(used_at=timezone.now())
    # In this order: loaded after the other was replaced, the adapter would keep what is put here.
    monkeypatch.setattr("awrdiff.web.sign_in.allauth_adapter.held_invitation", lambda _: held)
    monkeypatch.setattr("awrdiff.web.views.signing_in.invitation_session.held_invitation", lambda _: held)
    assert sign_up(client).status_code == 404
    assert not User.objects.filter(username="nina").exists()


@pytest.mark.parametrize("end", ["expired", "revoked"])
def test_one_that_has_ended_opens_nothing(sign_in, owner, link, end):
    client = follow(link)
    if end == "expired":
        Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    else:
        assert sign_in(owner).delete(f"/people/invitations/{Invitation.objects.get().pk}/").status_code == 204
    assert Client().get(link).status_code == 404
    assert client.get("/join/").status_code == 404
    assert sign_up(client).status_code == 404
    assert not User.objects.filter(username="nina").exists()


@pytest.mark.parametrize("token", ["A" * 43, "x", "%00", "é", "ud800"])
def test_a_guessed_one_opens_nothing(accounts, link, token):
    assert Client().get(f"/join/{token}/", headers=JSON).status_code == 404


def test_without_one_nobody_signs_up(accounts):
    assert Client().get("/join/").status_code == 404
    assert sign_up(Client()).status_code == 404
    for path in ("/signup/", "/accounts/signup/", "/account/signup/"):
        assert Client().get(path).status_code == 404


def test_only_the_hash_of_its_token_is_kept(link):
    token = link.split("/")[2]
    kept = Invitation.objects.get()
    assert token not in str(vars(kept))
    assert len(kept.token_hash) == 64


def test_the_address_cannot_be_exchanged(link):
    client = follow(link)
    sign_up(client, email="eve@evil.example")
    assert User.objects.get(username="nina").email == ADDRESS


def test_inviting_again_ends_the_earlier_one(sign_in, owner, link):
    second = invite(sign_in(owner), ADDRESS.upper()).json()["address"]
    assert Client().get(link).status_code == 404
    assert Client().get(second).status_code == 302
    assert members_and_invitations.pending(owner).count() == 1


@pytest.mark.parametrize(
    "email",
    [
        "",
        "nina",
        "nina@",
        "a@b",
        "nina@example.com, eve@evil.example",
        "nina@example.com\r\nBcc: eve@evil.example",
        "nina@example.com\nSubject: x",
        "<nina@example.com>",
        '"Nina" <nina@example.com>',
        "nina@example.com\0",
        f"{'a' * 60}@{'b' * 250}.example",
        "nina@exam\ud7ffple.c",
    ],
)
def test_what_is_no_address_is_refused_in_a_sentence(sign_in, owner, email):
    answer = invite(sign_in(owner), email)
    assert answer.status_code == 400, email
    assert "e-mail address" in answer.json()["error"]
    assert not mail.outbox


def test_who_is_on_the_team_is_not_invited(sign_in, owner, colleague):
    EmailAddress.objects.create(user=colleague.user, email=ADDRESS, verified=True, primary=True)
    assert invite(sign_in(owner)).json()["error"] == f"{ADDRESS} is on the team already."


def test_there_is_a_bound_on_how_many_are_open(sign_in, owner, monkeypatch):
    monkeypatch.setattr(members_and_invitations, "MOST_PENDING", 2)
    client = sign_in(owner)
    assert [invite(client, f"a{n}@example.com").status_code for n in range(3)] == [201, 201, 400]


class TestByMail:
    def test_the_address_is_told_to_nobody_else_and_proves_the_mailbox(self, mails, sign_in, owner):
        answer = invite(sign_in(owner))
        assert answer.json()["address"] is None
        assert not mail.outbox
        send_all()
        (sent,) = mail.outbox
        assert (sent.to, sent.subject) == ([ADDRESS], "[awrdiff] Invitation to the team Payments")
        path = re.search(r"http://testserver(/join/\S+/)", sent.body)[1]
        sign_up(follow(path))
        address = EmailAddress.objects.get(user__username="nina")
        assert (address.email, address.verified) == (ADDRESS, True)
        assert len(mail.outbox) == 1

    def test_it_leads_to_the_servers_own_address(self, mails, sign_in, owner, settings):
        settings.AWRDIFF_NOTICES_ADDRESS = "https://awr.example.com"
        invite(sign_in(owner))
        send_all()
        assert re.search(r"^https://awr\.example\.com/join/[\w-]{43}/$", mail.outbox[-1].body, re.M)

    def test_one_that_was_passed_on_by_hand_does_not(self, link):
        sign_up(follow(link))
        assert not EmailAddress.objects.get(user__username="nina").verified
        assert "/confirm-email/" in mail.outbox[-1].body

    @pytest.mark.parametrize("name", ["Pay\r\nBcc: eve@evil.example", "a\nb", "<b>&amp;", "x" * 100, "Zahlungen ✓"])
    def test_a_teams_name_is_one_line_of_a_subject(self, mails, sign_in, owner, name):
        Team.objects.filter(pk=owner.team.pk).update(name=name)
        User.objects.filter(pk=owner.user.pk).update(username=name[:150])
        assert invite(sign_in(owner)).status_code == 201
        send_all()
        message = mail.outbox[-1].message()
        assert message.get_all("To") == [ADDRESS]
        assert message["Bcc"] is None
        assert mail.outbox[-1].recipients() == [ADDRESS]
        assert "&lt;" not in mail.outbox[-1].body

    def test_a_mail_server_that_is_away_is_tried_again(self, mails, sign_in, owner):
        away = {"EMAIL_BACKEND": "awrdiff.web.mail.SmtpBackend", "EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": 9}
        with override_settings(**away):
            assert invite(sign_in(owner)).status_code == 201
            send_all()
        said = "the mail server has not taken the mail yet"
        assert said in sign_in(owner).get("/people/", headers={"Accept": "text/html"}).content.decode()
        Delivery.objects.update(due_at=timezone.now())
        send_all()
        path = re.search(r"http://testserver(/join/\S+/)", mail.outbox[-1].body)[1]
        assert said not in sign_in(owner).get("/people/", headers={"Accept": "text/html"}).content.decode()
        assert sign_up(follow(path)).status_code == 302

    def test_each_try_sends_the_same_address_and_none_of_it_is_kept(self, mails, sign_in, owner, settings):
        invite(sign_in(owner))
        waiting = Delivery.objects.get()
        first, second = (re.search(r"/join/(\S+)/", message_of(waiting).body)[1] for _ in range(2))
        assert first == second
        kept = [*Delivery.objects.values(), *Invitation.objects.values()]
        assert first not in str(kept)
        settings.SECRET_KEY = "another"
        path = re.search(r"/join/\S+/", message_of(waiting).body)[0]
        assert first not in path
        follow(path)

    def test_of_a_revoked_one_no_mail_is_sent(self, mails, sign_in, owner):
        invite(sign_in(owner))
        members_and_invitations.revoke(owner, Invitation.objects.get())
        send_all()
        assert not mail.outbox
        assert not Delivery.objects.exists()


def test_a_second_one_that_is_refused_leaves_the_first(link, sign_in, owner, monkeypatch):
    client = sign_in(owner)
    assert invite(client, role="king").status_code == 400
    invite(client, "other@example.com")
    monkeypatch.setattr(members_and_invitations, "MOST_PENDING", 1)
    assert invite(client).status_code == 400
    follow(link)


class TestWithAnAccount:
    @pytest.fixture
    def nina(self) -> User:
        found = context_of("nina", "Logistics").user
        found.set_password(PASSWORD)
        found.save()
        return found

    def test_whoever_has_the_address_joins_by_a_click(self, link, nina, owner):
        EmailAddress.objects.create(user=nina, email=ADDRESS, verified=True, primary=True)
        client = Client()
        client.force_login(nina)
        page = follow(link, client).get("/join/").content.decode()
        assert "stay on the teams you are on" in page
        assert client.post("/join/")["Location"] == "/"
        assert set(nina.teams.values_list("name", flat=True)) == {"Logistics", "Payments"}
        assert client.get("/people/", headers=JSON).json()["team"]["name"] == "Payments"
        assert client.get(link).status_code == 404

    def test_signing_up_with_a_known_address_says_what_to_do(self, link, nina):
        EmailAddress.objects.create(user=nina, email=ADDRESS, verified=True, primary=True)
        client = follow(link)
        page = sign_up(client, "other").content.decode()
        assert "sign in with it to join" in page
        assert not User.objects.filter(username="other").exists()
        answer = client.post("/login/?next=/join/", {"login": "nina", "password": PASSWORD})
        assert answer["Location"] == "/join/"
        assert client.post("/join/").status_code == 302
        assert nina.teams.filter(name="Payments").exists()

    def test_who_only_claims_an_address_keeps_nobody_out(self, link, nina):
        EmailAddress.objects.create(user=nina, email=ADDRESS, verified=False, primary=True)
        assert sign_up(follow(link), "the-other").status_code == 302
        assert Membership.objects.get(user__username="the-other").team.name == "Payments"

    @pytest.mark.parametrize("verified", [False, None])
    def test_another_persons_invitation_is_of_no_use(self, link, nina, verified):
        if verified is not None:
            EmailAddress.objects.create(user=nina, email=ADDRESS, verified=verified, primary=True)
        client = Client()
        client.force_login(nina)
        assert "has not confirmed that address" in follow(link, client).get("/join/").content.decode()
        answer = client.post("/join/", headers=JSON)
        assert (answer.status_code, answer.json()["error"]) == (400, f"This invitation is for {ADDRESS}.")
        assert not nina.teams.filter(name="Payments").exists()
        assert Client().get(link).status_code == 302

    def test_who_is_on_the_team_keeps_their_role(self, nina, owner):
        made, _ = members_and_invitations.invite(owner, ADDRESS, "guest", by_mail=False)
        EmailAddress.objects.create(user=nina, email=ADDRESS, verified=True, primary=True)
        join(nina, "Payments", "owner")
        assert members_and_invitations.accept(nina, made).role == "owner"


@pytest.mark.parametrize("name", ["local", "LOCAL", "nina@example.org", "a b", "", "x" * 151, "carl", "Carl", "<b>"])
def test_a_name_that_will_not_do_is_refused(link, colleague, name):
    client = follow(link)
    assert sign_up(client, name).status_code == 200
    assert not Membership.objects.filter(team__name="Payments", user__email=ADDRESS).exists()
    assert Client().get(link).status_code == 302


@pytest.mark.parametrize("password", ["short", "password1234", "", "nina@example.com"])
def test_so_is_a_weak_password(link, password):
    assert sign_up(follow(link), password=password).status_code == 200
    assert not User.objects.filter(username="nina").exists()


class TestLettingPeopleIn:
    """The embedded default: one local user, until people are let in; then everybody signs in and nothing is lost."""

    @pytest.fixture
    def work(self):
        local = local_membership()
        from awrdiff.accounts.access import AccessContext

        return store_report(AccessContext(team=local.team, user=local.user), "mine.html")

    def let_in(self, client, **more):
        assert client.post("/people/let-in/")["Location"] == "/join/"
        assert "You become the owner of all that is here" in client.get("/join/").content.decode()
        return sign_up(client, "olivia", **more)

    def test_the_local_user_becomes_a_person_with_all_they_have(self, work):
        client = Client()
        assert self.let_in(client)["Location"] == "/"
        olivia = User.objects.get(username="olivia")
        assert (work.uploaded_by, Membership.objects.get().user, User.objects.count()) == (olivia, olivia, 1)
        assert client.get(f"/reports/{work.pk}/").status_code == 200
        assert client.get("/people/", headers=JSON).json()["role"] == "owner"
        assert Client().post("/login/", {"login": "olivia", "password": PASSWORD}).status_code == 302

    @pytest.mark.parametrize(("typed", "name"), [("Payments DBAs", "Payments DBAs"), (" ", "Team of olivia")])
    def test_the_first_team_has_a_name(self, work, typed, name):
        client = Client()
        self.let_in(client, team=typed)
        work.team.refresh_from_db()
        assert work.team.name == name
        assert f"People of {name}" in client.get("/people/").content.decode()

    def test_from_then_on_nobody_is_let_in_without_signing_in(self, work):
        self.let_in(Client())
        assert Client().get("/")["Location"] == "/login/?next=/"
        assert Client().get(f"/reports/{work.pk}/", headers=JSON).status_code == 401
        assert Client().post("/people/let-in/", headers=JSON).status_code == 401

    def test_then_others_are_invited(self, work):
        client = Client()
        self.let_in(client, email="Olivia@example.com")
        link = invite(client).json()["address"]
        sign_up(follow(link))
        assert Membership.objects.get(user__username="nina").team == work.team

    def test_until_it_is_done_nothing_has_changed(self, work):
        client = Client()
        client.post("/people/let-in/")
        assert sign_up(client, "olivia", "short").status_code == 200
        assert Client().get(f"/reports/{work.pk}/").status_code == 200
        assert not PeopleSignIn.objects.exists()

    def test_it_is_done_once(self, work):
        first, second = Client(), Client()
        second.post("/people/let-in/")
        self.let_in(first)
        assert sign_up(second, "eve").status_code == 404
        assert User.objects.count() == 1

    def test_others_on_the_machine_cannot(self, settings, tmp_path):
        import os

        from awrdiff.web.sign_in.local_user import PEER_UID

        settings.VAR = tmp_path
        other = Client(**{PEER_UID: os.geteuid() + 1})
        assert other.post("/people/let-in/").status_code == 403
        client = Client()
        client.post("/people/let-in/")
        other.cookies = client.cookies  # a browser sends them to every port of the machine
        assert other.get("/join/").status_code == 403
        assert sign_up(other, "eve").status_code == 403
        assert not PeopleSignIn.objects.exists()

    def test_one_made_while_another_browser_takes_over_is_worth_nothing(self, work):
        self.let_in(Client())
        _late, token = members_and_invitations.invite_to_take_over(work.team)
        assert sign_up(follow(f"/join/{token}/"), "eve").status_code == 404
        assert User.objects.count() == 1

    def test_a_start_by_itself_looks_after_the_demos_of_the_team_it_became(self, work):
        from awrdiff.comparisons.management.commands import load_demo

        self.let_in(Client())
        assert load_demo._membership(None).team == work.team
        assert not User.objects.filter(username="local").exists()

    def test_where_everybody_signs_in_already_there_is_nothing_to_let_in(self, sign_in, owner):
        assert sign_in(owner).post("/people/let-in/", headers=JSON).status_code == 400
