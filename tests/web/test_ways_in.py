"""Which ways in there are: passwords switched off, an address by whoever runs the server, accounts that are disabled."""

from __future__ import annotations

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.conf import settings
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from awrdiff.accounts import api_tokens, members_and_invitations, offboarding
from awrdiff.accounts.access import NotFound
from awrdiff.accounts.models import ApiToken, Invitation, Membership, User
from awrdiff.accounts.services import nobody_can_sign_in
from awrdiff.audit.models import AuditLine
from awrdiff.logs import masked
from awrdiff.notices import notice_sentences
from awrdiff.notices.models import Notice
from awrdiff.sharing.models import ShareLink
from awrdiff.web.sign_in.one_time_sign_in_address import use_up, user_of
from awrdiff.web.sign_in.password_sign_in_switch import instead
from tests.web.conftest import context_of
from tests.web.share import create_link
from tests.web.test_account_pages import ADDRESS, NEW, PASSWORD, is_in, mailed_path, olivia, sign_in  # noqa: F401

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}


@pytest.fixture
def no_passwords(settings, olivia):  # noqa: F811
    settings.AWRDIFF_PASSWORD_SIGN_IN = False
    settings.AWRDIFF_OTHER_WAYS_IN = "Example SSO"


def made_address(name: str, capsys) -> str:
    """Its path."""
    call_command("sign_in", name)
    server, said, path = capsys.readouterr().out.strip().partition("/login/")
    assert server == settings.AWRDIFF_NOTICES_ADDRESS
    return said + path


class TestWithoutPasswords:
    def test_none_lets_anybody_in(self, no_passwords, settings):
        answer = sign_in().answer
        assert (answer.status_code, "sign in with Example SSO" in answer.content.decode()) == (403, True)
        page = Client().get("/login/", headers=HTML).content.decode()
        assert 'type="password"' not in page
        settings.AWRDIFF_PASSWORD_SIGN_IN = True
        assert is_in(sign_in())

    def test_none_is_chosen_by_joining_by_mail_or_in_ones_account(self, no_passwords, owner, olivia, settings):  # noqa: F811
        made, token = members_and_invitations.invite(owner, "ines@example.com", "member", by_mail=True)
        client = Client()
        page = client.get(f"/join/{token}/", follow=True).content.decode()
        assert "Join the team" in page
        assert 'type="password"' not in page
        joined = client.post("/join/", {"username": "ines", "email": made.email, "password1": NEW})
        assert (joined.status_code, User.objects.filter(username="ines").exists()) == (403, False)
        client.force_login(olivia)
        for path in ("/password/", "/password/1-x-y/", "/account/password/", "/account/password/set/"):
            assert client.post(path, {"email": ADDRESS}).status_code == 403, path
        assert mail.outbox == []
        assert "/account/password/" not in client.get("/account/sessions/", headers=HTML).content.decode()

    def test_whoever_runs_the_server_makes_an_address_that_works_once(self, no_passwords, capsys):
        path = made_address("olivia", capsys)
        client = Client()
        assert "Sign in as olivia" in client.get(path, headers=HTML).content.decode()
        assert not is_in(client)
        assert client.post(path).status_code == 302
        assert is_in(client)
        assert Client().get(path).status_code == Client().post(path).status_code == 404
        assert AuditLine.objects.filter(action="signed in").count() == 1
        assert path.split("/")[3] not in masked(f'GET "{path}" 200')

    def test_none_is_asked_for_on_the_command_line(self, no_passwords, monkeypatch):
        monkeypatch.setattr("getpass.getpass", lambda *_: pytest.fail("asked for a password"))
        call_command("add_user", "ines", "--team", "Payments", "--email", "ines@example.com", verbosity=0)
        assert not User.objects.get(username="ines").has_usable_password()
        User.objects.filter(username="olivia").delete()
        assert not nobody_can_sign_in()
        User.objects.filter(username="ines").delete()
        assert nobody_can_sign_in()

    def test_nobody_is_told_to_use_or_change_one_here(self, no_passwords, olivia, settings):  # noqa: F811
        told = Notice(user=olivia, what="codes", kind="account", thing=str(olivia.pk))
        assert notice_sentences.path_of("account", told.thing) == reverse("usersessions_list")
        assert "with Example SSO" in notice_sentences.sentence(told)
        assert "password" not in instead()
        settings.AWRDIFF_PASSWORD_SIGN_IN = True
        assert "with Example SSO" not in notice_sentences.sentence(told)
        assert "password" in instead()


class TestAddressForOnce:
    def test_of_two_at_the_same_moment_one_is_let_in(self, olivia, capsys):  # noqa: F811
        token = made_address("olivia", capsys).split("/")[3]
        first, second = user_of(token), user_of(token)
        use_up(first)
        with pytest.raises(NotFound):
            use_up(second)

    def test_it_does_not_stand_for_the_second_factor(self, olivia, capsys):  # noqa: F811
        RecoveryCodes.activate(olivia)
        totp.TOTP.activate(olivia, totp.generate_totp_secret())
        client = Client()
        path = made_address("olivia", capsys)
        answer = client.post(path)
        assert (answer.status_code, answer.url) == (302, "/login/second-factor/")
        assert not is_in(client)
        assert Client().post(path).status_code == 404

    def test_another_is_not_to_be_had_with_it(self, olivia, colleague, capsys):  # noqa: F811
        uid, _, key = made_address("olivia", capsys).split("/")[3].partition("-")
        other = made_address("carl", capsys).split("/")[3].partition("-")[0]
        for path in (f"{other}-{key}", f"{uid}-{key[:-1]}x", f"{uid}-{key}-", f"zzzzzzzzzzzzzzz-{key}", "é-x"):
            assert Client().post(f"/login/once/{path}/").status_code == 404, path

    def test_it_ends(self, olivia, capsys, settings):  # noqa: F811
        path = made_address("olivia", capsys)
        settings.PASSWORD_RESET_TIMEOUT = -1
        assert Client().get(path).status_code == 404

    def test_there_is_none_for_nobody_nor_for_whoever_is_alone(self, olivia, settings):  # noqa: F811
        with pytest.raises(CommandError):
            call_command("sign_in", "nobody")
        settings.AWRDIFF_LOCAL_USER = True
        with pytest.raises(CommandError):
            call_command("sign_in", "olivia")


class TestDisabled:
    """Every door, at once; what was open does not open again by itself."""

    def test_all_doors_are_shut(self, olivia, owner, comparison, capsys):  # noqa: F811
        client, once = sign_in(), made_address("olivia", capsys)
        Client().post("/password/", {"email": ADDRESS})
        by_mail = mailed_path("password")
        _, token = api_tokens.make_own(owner, "ci", ["read"], 7)
        _, calendar = api_tokens.make_calendar(owner)
        link = create_link(owner, comparison, days=7)[1]
        over = create_link(owner, comparison, days=7)[0]
        ShareLink.objects.filter(pk=over.pk).update(expires_at=over.created_at)
        by_token = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

        def doors() -> list[int]:
            asked = [Client().get("/people/", headers=by_token)]
            asked += [Client().get(path, headers=HTML) for path in (f"/calendar/{calendar}.ics", link)]
            return [client.get("/").status_code, *(one.status_code for one in asked)]

        assert doors() == [200, 200, 200, 200]
        call_command("disable_user", "olivia")
        assert "1 calendar, 1 link, 1 session, 1 token ended" in capsys.readouterr().out
        assert doors() == [302, 401, 404, 404]
        assert not is_in(sign_in())
        assert Client().get(once).status_code == Client().post(once).status_code == 404
        mail.outbox.clear()
        Client().post("/password/", {"email": ADDRESS})
        assert not any("/password/" in one.body for one in mail.outbox)
        Client().get(by_mail, follow=True)
        taken = Client()
        taken.post(taken.get(by_mail, follow=True).request["PATH_INFO"], {"password1": NEW, "password2": NEW})
        assert User.objects.get(pk=olivia.pk).check_password(PASSWORD)
        with pytest.raises(CommandError):
            call_command("sign_in", "olivia")
        call_command("enable_user", "olivia")
        assert doors() == [302, 401, 404, 404]
        assert is_in(sign_in())
        told = AuditLine.objects.filter(team=owner.team, who="server").order_by("id").values_list("action", "kind")
        assert list(told) == [
            *(("revoked", "token"), ("revoked", "token"), ("revoked", "link")),
            *(("disabled", "person"), ("enabled", "person")),
        ]

    def test_a_sign_in_that_waits_for_its_second_factor_ends_too(self, olivia):  # noqa: F811
        totp.TOTP.activate(olivia, totp.generate_totp_secret())
        codes = RecoveryCodes.activate(olivia).get_unused_codes()
        client = sign_in()
        call_command("disable_user", "olivia")
        client.post("/login/second-factor/", {"code": codes[0]})
        assert not is_in(client)
        call_command("enable_user", "olivia")
        assert not is_in(client)

    def test_nobody_joins_by_what_they_had_invited(self, owner, accounts, capsys):
        colleague = context_of("carl", "Payments", "owner")
        mine, token = members_and_invitations.invite(owner, "another.olivia@example.com", "owner", by_mail=False)
        other, _ = members_and_invitations.invite(colleague, "carls.friend@example.com", "reader", by_mail=False)
        over, _ = members_and_invitations.invite(owner, "late@example.com", "reader", by_mail=False)
        Invitation.objects.filter(pk=over.pk).update(expires_at=over.created_at)
        call_command("disable_user", "olivia")
        assert "disabled; 1 invitation ended" in capsys.readouterr().out
        assert Client().get(f"/join/{token}/").status_code == 404
        with pytest.raises(NotFound):
            members_and_invitations.accept(colleague.user, mine, signing_up=True)
        assert members_and_invitations.live_invitation(pk=other.pk)
        told = AuditLine.objects.filter(who="server", action="revoked", kind="invitation")
        assert list(told.values_list("team", "thing")) == [(owner.team.pk, str(mine.pk))]

    def test_what_they_were_just_making_is_not_made(self, owner, comparison, accounts):
        call_command("disable_user", "olivia")
        for make in (
            lambda: create_link(owner, comparison, days=7),
            lambda: api_tokens.make_own(owner, "ci", ["read"], 7),
            lambda: api_tokens.make_calendar(owner),
            lambda: api_tokens.make_of_team(owner, "nightly", ["read"], 7),
            lambda: members_and_invitations.invite(owner, "ines@example.com", "owner", by_mail=False),
            lambda: members_and_invitations.invite_all(owner, "ines@example.com", "owner", by_mail=True),
        ):
            with pytest.raises(PermissionDenied):
                make()
        assert [model.objects.count() for model in (ApiToken, ShareLink, Invitation)] == [0, 0, 0]

    @pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite a transaction that writes is alone")
    @pytest.mark.django_db(transaction=True)
    def test_making_waits_for_disabling_and_not_for_rows_that_point_to_them(self, owner):
        other = connection.copy()
        row = f"SELECT id FROM {User._meta.db_table} WHERE id = {owner.user.pk}"
        try:
            with transaction.atomic(), other.cursor() as cursor:
                offboarding.hold(owner.user, owner.team)
                cursor.execute(f"{row} FOR KEY SHARE NOWAIT")
                with pytest.raises(Exception, match="could not obtain lock"):
                    cursor.execute(f"{row} FOR NO KEY UPDATE NOWAIT")
        finally:
            other.close()

    def test_it_is_said_which_teams_have_nobody_and_what_of_theirs_goes_on(self, owner, colleague, accounts, capsys):
        _, text = api_tokens.make_of_team(owner, "nightly", ["read"], None)
        service = User.objects.get(username__startswith="nightly")
        call_command("disable_user", "olivia")
        said = capsys.readouterr().out
        assert "“Payments” has no owner who can sign in" in said
        assert "“nightly” of a service of “Payments”" in said
        assert api_tokens.access_by(text).user == service
        for command in ("disable_user", "enable_user"):
            with pytest.raises(CommandError):
                call_command(command, service.username)

    def test_who_cannot_sign_in_is_no_owner_that_a_team_is_left_to(self, owner, colleague, sign_in):
        members_and_invitations.change_role(owner, Membership.objects.get(pk=colleague.membership), "owner")
        call_command("disable_user", "carl")
        with pytest.raises(members_and_invitations.PeopleRefused):
            members_and_invitations.remove(owner, Membership.objects.get(pk=owner.membership))
        page = sign_in(owner).get("/people/", headers=HTML).content.decode()
        assert page.count("cannot sign in") == 1
