"""Whose account it is that somebody of a directory gets, and when: without a directory (tests/processes has a real one)."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.utils import timezone

from awrdiff.accounts import members_and_invitations, offboarding, teams
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.identity_provider_groups import Source
from awrdiff.accounts.models import Invitation, Membership, User
from awrdiff.env_variable_types import Place
from awrdiff.web.sign_in import directory_accounts
from awrdiff.web.sign_in.directory_accounts import Entry, NotSignedIn, account_of, entry_of, is_elsewhere, with_groups
from tests.web.conftest import context_of

pytestmark = pytest.mark.django_db
DBA = "cn=dba,ou=groups,dc=example,dc=com"


@pytest.fixture(autouse=True)
def of_a_directory(settings, accounts):
    settings.AWRDIFF_LDAP_URI = "ldaps://ldap.example.com"
    settings.AWRDIFF_LDAP_NAMES = ["uid"]
    settings.AWRDIFF_LDAP_TEAMS = (Place("DBA", "Payments", "member"), Place(DBA, "Warehouse", "reader"))


@pytest.fixture
def asked(rf):
    request = rf.post("/login/")
    request.session = {}
    return request


def hugo(**more) -> Entry:
    return Entry(**{"id": "entryuuid:1", "name": "hugo", "email": "hugo@example.com", "shown_name": "Hugo Lind", "groups": frozenset({"DBA"}), **more})  # fmt: skip


def theirs(user) -> dict[str, str]:
    return dict(Membership.objects.filter(user=user).values_list("team__name", "role"))


class TestWhoItIs:
    def test_by_what_stays_the_same_and_not_by_a_name(self, asked, owner):
        made = account_of(asked, hugo())
        assert (made.username, made.shown_name, made.has_usable_password()) == ("hugo", "Hugo Lind", False)
        assert account_of(asked, hugo(name="hugo.lind", email="other@example.com")) == made
        with pytest.raises(NotSignedIn, match="Somebody else has your name here") as refused:
            account_of(asked, hugo(id="entryuuid:2"))
        assert refused.value.status == 403
        assert User.objects.filter(username__startswith="hugo").count() == 1

    @pytest.mark.parametrize("name", ["olivia", "OLIVIA", "local", "a b", ""])
    def test_nobody_gets_an_account_that_others_have_nor_a_name_that_is_none(self, asked, owner, name):
        with pytest.raises(NotSignedIn, match="Somebody else has your name"):
            account_of(asked, hugo(name=name))
        owner.user.refresh_from_db()
        assert owner.user.directory_id is None

    def test_an_account_that_is_not_of_the_directory_is_none_of_its_business(self, asked, owner):
        assert is_elsewhere("olivia")
        assert is_elsewhere(" Olivia ")
        account_of(asked, hugo())
        assert not is_elsewhere("hugo")
        assert not is_elsewhere("stella")

    def test_an_address_is_theirs_once_it_is_confirmed_here(self, asked, owner):
        """Who may write their own address in the directory would get the mails and invitations of others."""
        made = account_of(asked, hugo())
        assert list(EmailAddress.objects.values_list("user", "email", "verified")) == [(made.pk, "hugo@example.com", False)]  # fmt: skip

    def test_who_is_disabled_is_put_on_no_team(self, asked, owner):
        made = account_of(asked, hugo())
        offboarding.disable(made)
        Membership.objects.filter(user=made).delete()
        made = account_of(asked, hugo())
        assert (made.is_active, theirs(made)) == (False, {})


class TestTeams:
    def test_by_the_code_of_all_groups(self, asked, owner):
        made = account_of(asked, hugo())
        assert theirs(made) == {"Payments": "member"}
        context_of("wilma", "Warehouse")
        assert theirs(account_of(asked, hugo(groups=frozenset({"DBA", DBA})))) == {"Payments": "member", "Warehouse": "reader"}  # fmt: skip
        assert theirs(account_of(asked, hugo(groups=frozenset()))) == {}

    def test_without_a_group_or_an_invitation_there_is_no_account(self, asked, owner, settings):
        for groups in (frozenset(), None):
            with pytest.raises(NotSignedIn, match="no group of yours is on a team here"):
                account_of(asked, hugo(groups=groups))
        assert not User.objects.filter(username="hugo").exists()

    def test_an_invitation_of_their_address_is_used_and_no_other(self, asked, owner):
        by_hand, _ = members_and_invitations.invite(owner, "hugo@example.com", "guest", by_mail=False)
        asked.session["invitation"] = str(by_hand.pk)
        with pytest.raises(NotSignedIn):
            account_of(asked, hugo(id="2", name="ines", email="ines@example.com", groups=None))
        with pytest.raises(NotSignedIn):
            account_of(asked, hugo(email="", groups=None))
        by_mail, _ = members_and_invitations.invite(owner, "hugo@example.com", "guest", by_mail=True)
        asked.session["invitation"] = str(by_mail.pk)
        made = account_of(asked, hugo(groups=None))
        assert theirs(made) == {"Payments": "guest"}
        assert EmailAddress.objects.get(user=made).verified
        by_mail.refresh_from_db()
        assert by_mail.used_by == made

    def test_an_invitation_by_mail_does_not_verify_an_address_that_another_account_owns(self, asked, owner):
        EmailAddress.objects.create(user=owner.user, email="Hugo@example.com", primary=True, verified=True)
        invitation = Invitation.objects.create(
            team=owner.team, email="hugo@example.com", role="guest", was_mailed=True, invited_by=owner.user,
            expires_at=timezone.now() + timedelta(days=1), token_hash="0" * 64,
        )  # fmt: skip
        asked.session["invitation"] = str(invitation.pk)
        made = account_of(asked, hugo(groups=None))
        assert not EmailAddress.objects.filter(user=made, verified=True).exists()

    def test_a_group_is_known_by_name_or_by_dn_however_it_is_written(self):
        told = with_groups(hugo(groups=None), lambda: {"dba", "CN=DBA, OU=Groups,dc=example,dc=com", "other"})
        assert told.groups == {"DBA", DBA}
        assert with_groups(hugo(groups=None), lambda: {"dba2"}).groups == frozenset()

    def test_without_teams_in_the_settings_no_group_is_asked_for(self, settings):
        settings.AWRDIFF_LDAP_TEAMS = ()
        assert with_groups(hugo(groups=None), lambda: pytest.fail("asked")).groups is None

    def test_the_name_of_such_a_team_is_kept(self, owner):
        with pytest.raises(PeopleRefused, match="choose another name"):
            teams.make(owner, "Warehouse")
        assert Source.LDAP.teams
        assert not Source.OIDC.teams


class TestEntries:
    def test_what_is_read_of_one(self):
        found = entry_of("HUGO", "uid=hugo", {"UID": ["Hugo"], "entryUUID": ["ab-1"], "displayName": [" Hugo L "], "mail": ["Hugo@Example.com"]})  # fmt: skip
        assert found == Entry("entryuuid:ab-1", "hugo", "Hugo L", "hugo@example.com")
        assert entry_of("hugo", "x", {"uid": ["hugo"], "mail": ["nonsense"]}).email == ""

    @pytest.mark.parametrize("typed", ["húgo", "hu\u00adgo", "hugo lind", "hugo*"])
    def test_what_is_found_by_another_spelling_is_nobody(self, typed):
        """Or each spelling would have attempts of its own."""
        assert entry_of(typed, "uid=hugo", {"uid": ["hugo"], "cn": ["hugo*"]}) is None

    def test_ids_are_text_whatever_they_are(self):
        def id_of(**values):
            return entry_of("hugo", "uid=hugo,dc=x", {"uid": ["hugo"], **values}).id

        binary = {id_of(objectGUID=[one]) for one in (b"\x00\xff" * 8, b"\x00\xfe" * 8, "\x00abc", "\x01abc")}
        assert len(binary) == 4
        assert all(one.isprintable() and one.isascii() and len(one) < 255 for one in binary)
        assert id_of().startswith("dn:")
        assert id_of(entryUUID=["1"], objectGUID=["2"]) == "entryuuid:1"


class TestSigningIn:
    @pytest.fixture
    def person(self, monkeypatch, settings):
        """Stands for the module that asks a directory, which needs an extra; `answer` is what it does."""
        import sys
        import types

        made = types.ModuleType("awrdiff.web.sign_in.directory_ldap")
        made.calls = []

        def ask(request, name, password):
            made.calls.append(name)
            return made.answer(request)

        made.person = ask
        monkeypatch.setitem(sys.modules, made.__name__, made)
        monkeypatch.setattr("awrdiff.web.sign_in.directory_ldap", made, raising=False)
        return made

    @staticmethod
    def away(_request):
        raise directory_accounts.Away

    def post(self, password="their own there", **more):
        client = Client(**more)
        client.answer = client.post("/login/", {"login": "hugo", "password": password})
        return client

    def test_it_is_said_that_the_directory_is_away_and_own_passwords_go_on(self, person, owner):
        person.answer = self.away
        owner.user.set_password("seven lamps of green tin")
        owner.user.save()
        answer = self.post().answer
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert "The directory that knows your password does not answer: try again later, or" in answer.content.decode()
        said = Client().post("/login/", {"login": "hugo", "password": "x"}, headers={"Accept": "application/json"})
        assert (said.status_code, "does not answer" in said.json()["error"]) == (503, True)
        mine = Client()
        mine.post("/login/", {"login": "olivia", "password": "seven lamps of green tin"})
        assert mine.get("/").status_code == 200
        assert person.calls == ["hugo", "hugo"]

    def test_attempts_are_counted_also_while_it_is_away(self, person):
        person.answer = lambda _request: None
        codes = [self.post().answer.status_code for _ in range(5)]
        assert codes == [200] * 5
        person.answer = self.away
        assert self.post().answer.status_code == 429
        assert len(person.calls) == 5

    def test_who_is_disabled_stays_out(self, person, owner):
        person.answer = lambda request: account_of(request, hugo())
        client = self.post()
        assert client.get("/").status_code == 200
        offboarding.disable(User.objects.get(username="hugo"))
        assert client.get("/").status_code == 302
        client = self.post()
        assert client.answer.url == "/login/inactive/"
        assert client.get("/").status_code == 302

    def test_a_second_factor_is_asked_for(self, person, owner, asked):
        from allauth.mfa.totp.internal import auth as totp

        totp.TOTP.activate(account_of(asked, hugo()), totp.generate_totp_secret())
        person.answer = lambda request: account_of(request, hugo())
        client = self.post()
        assert client.answer.url == "/login/second-factor/"
        assert client.get("/").status_code == 302

    def test_where_own_passwords_are_off_that_of_the_directory_goes(self, person, owner, settings):
        settings.AWRDIFF_PASSWORD_SIGN_IN = False
        owner.user.set_password("seven lamps of green tin")
        owner.user.save()
        person.answer = lambda request: account_of(request, hugo())
        page = Client().get("/login/").content.decode()
        assert 'type="password"' in page
        assert "Forgotten" not in page
        assert self.post().get("/").status_code == 200
        person.answer = lambda _request: None
        mine = Client()
        mine.post("/login/", {"login": "olivia", "password": "seven lamps of green tin"})
        assert mine.get("/").status_code == 302

    def test_they_choose_no_password_here(self, person, owner, asked):
        made = account_of(asked, hugo())
        EmailAddress.objects.update(verified=True)
        person.answer = lambda request: account_of(request, hugo())
        client = self.post()
        assert "/account/password/" not in client.get("/account/sessions/").content.decode()
        new = {"password1": "eleven boats under a tall pine", "password2": "eleven boats under a tall pine"}
        assert client.post("/account/password/set/", new).status_code == 403
        Client().post("/password/", {"email": "hugo@example.com"})
        assert not [one for one in mail.outbox if "/password/" in one.body]
        made.refresh_from_db()
        assert not made.has_usable_password()

    def test_who_joins_by_an_invitation_is_led_to_the_team(self, person, owner):
        _, token = members_and_invitations.invite(owner, "hugo@example.com", "guest", by_mail=True)
        person.answer = lambda request: account_of(request, hugo(groups=None))
        client = Client()
        assert "password of the directory" in client.get(f"/join/{token}/", follow=True).content.decode()
        answer = client.post("/login/?next=/join/", {"login": "hugo", "password": "x", "next": "/join/"})
        assert (answer.status_code, answer.url) == (302, "/")
        assert client.get("/").status_code == 200


def test_who_has_just_come_by_another_request_has_that_account(asked, owner, monkeypatch):
    """Between looking for an account and making one, where the name is looked at."""
    own, others = directory_accounts.invitation_session.held_invitation, []

    def after_the_other(request, entry):
        if not others:
            others.append(None)
            others[0] = account_of(request, hugo())
        return own(request, entry)

    monkeypatch.setattr(directory_accounts.invitation_session, "held_invitation", after_the_other)
    assert account_of(asked, hugo()) == others[0]


@pytest.mark.django_db(transaction=True)
def test_who_comes_twice_at_once_has_one_account(rf, owner, settings, accounts):
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        pytest.skip("an in-memory database is one connection's")
    together, found = threading.Barrier(2), []

    def come() -> None:
        from django.db import connection

        request = rf.post("/login/")
        request.session = {}
        together.wait(5)
        found.append(account_of(request, hugo()).pk)
        connection.close()

    threads = [threading.Thread(target=come) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(10)
    assert len(found) == 2
    assert len(set(found)) == 1
