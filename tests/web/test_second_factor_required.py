"""A second factor that a team requires: who passes, who does not, and that nobody locks the team out."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client

from awrdiff.accounts import api_tokens, teams
from awrdiff.accounts.access import AccessContext, local_member
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.accounts.services import join
from awrdiff.audit.models import AuditLine
from awrdiff.web.sign_in.allauth_adapter import AccountAdapter
from awrdiff.web.sign_in.permission_helpers import PROVIDER_FACTOR
from tests.web.test_account_pages import PASSWORD, code
from tests.web.test_api_tokens import machine

pytestmark = pytest.mark.django_db
JSON = {"accept": "application/json"}
SET = "/team/second-factor/"


def give_factor(user: User | None, kind: str = "totp") -> None:
    Authenticator.objects.create(user=user, type=kind, data={})


def show_factor(client: Client, user: User | None) -> None:
    """The records that a sign-in with a second factor leaves in its session."""
    request = SimpleNamespace(session=client.session)
    record_authentication(request, user, "mfa", type="totp")
    request.session.save()


def password_only(user: User) -> Client:
    if not user.check_password(PASSWORD):
        user.set_password(PASSWORD)
        user.save()
    client = Client(headers={"accept": "text/html"})
    client.post("/login/", {"login": user.username, "password": PASSWORD})
    return client


def enrol_app(client: Client) -> None:
    client.post("/account/confirm/", {"password": PASSWORD})
    form = client.get("/account/second-factor/app/").content.decode()
    secret = re.search(r'value="([A-Z2-7]{32})"', form)
    assert secret is not None
    client.post("/account/second-factor/app/", {"code": code(secret[1])})


@pytest.fixture
def strict(owner) -> Team:
    Team.objects.filter(pk=owner.team.pk).update(second_factor_required=True)
    return Team.objects.get(pk=owner.team.pk)


class TestSwitch:
    def test_an_owner_who_has_one_switches_it_on_and_off_and_both_are_audited(self, sign_in, owner):
        give_factor(owner.user)
        client = sign_in(owner)
        show_factor(client, owner.user)
        for sent, required in (({"required": "1"}, True), ({}, False)):
            assert client.post(SET, sent, headers=JSON).status_code == 204
            assert Team.objects.get(pk=owner.team.pk).second_factor_required is required
            assert client.get("/team/", headers=JSON).json()["second_factor_required"] is required
        lines = AuditLine.objects.filter(kind="team").order_by("pk").values_list("who", "action")
        assert list(lines) == [(f"user {owner.user.pk}", text) for text in ("factor required", "factor not required")]
        page = client.get("/audit/", headers={"accept": "text/html"}).content.decode()
        assert "required a second factor of the people of" in page

    def test_an_owner_without_one_does_not(self, sign_in, owner):
        answer = sign_in(owner).post(SET, {"required": "1"}, headers={"accept": "text/html"})
        assert (answer.status_code, "to your own account first" in answer.content.decode()) == (400, True)
        give_factor(owner.user, "recovery_codes")
        assert sign_in(owner).post(SET, {"required": "1"}, headers=JSON).status_code == 400
        assert not Team.objects.get(pk=owner.team.pk).second_factor_required

    def test_an_owner_whose_provider_asked_for_several_does(self, owner):
        by_provider = AccessContext(owner.team, owner.user, role=Role.OWNER, provider_factor=True)
        assert teams.require_second_factor(by_provider, required=True).second_factor_required

    def test_nobody_else_does(self, sign_in, colleague):
        give_factor(colleague.user)
        assert sign_in(colleague).post(SET, {"required": "1"}, headers=JSON).status_code == 403

    @pytest.mark.parametrize("of_service", [True, False])
    def test_no_token_does_and_none_switches_it_off(self, accounts, owner, strict, of_service):
        give_factor(owner.user)
        make = api_tokens.make_of_team if of_service else api_tokens.make_own
        client = machine(make(owner, "script", ["read", "admin"], 30)[1])
        for sent in ({}, {"required": "1"}):
            assert client.post(SET, sent, headers=JSON).status_code == 403
        assert Team.objects.get(pk=owner.team.pk).second_factor_required

    def test_whoever_runs_the_server_alone_does_not(self, db):
        with pytest.raises(PeopleRefused):
            teams.require_second_factor(local_member(), required=True)

    def test_its_page_names_who_has_none(self, sign_in, owner, colleague):
        give_factor(owner.user)
        page = sign_in(owner).get("/team/", headers={"accept": "text/html"}).content.decode()
        names = re.search(r"Without one here:(.*?)</p>", page, re.S)
        assert names is not None
        assert names[1].split() == ["carl."]
        give_factor(colleague.user, "webauthn")
        page = sign_in(owner).get("/team/", headers={"accept": "text/html"}).content.decode()
        assert "Everybody on the team has one." in page


class TestPeople:
    @pytest.mark.parametrize(("kind", "status"), [("totp", 200), ("webauthn", 200), ("recovery_codes", 403)])
    def test_an_app_or_a_key_counts(self, sign_in, owner, strict, kind, status):
        client = sign_in(owner)
        assert client.get("/").status_code == 403, "also one who signed in before"
        give_factor(owner.user, kind)
        assert client.get("/").status_code == 403, "the account has one, which this session has not shown"
        show_factor(client, owner.user)
        assert client.get("/").status_code == status

    def test_one_that_was_removed_counts_no_more(self, sign_in, owner, strict):
        client = sign_in(owner)
        give_factor(owner.user)
        show_factor(client, owner.user)
        Authenticator.objects.all().delete()
        assert client.get("/").status_code == 403

    def test_records_of_somebody_else_do_not(self, sign_in, owner, colleague, strict):
        client = sign_in(owner)
        give_factor(owner.user)
        show_factor(client, colleague.user)
        assert client.get("/").status_code == 403

    def test_a_password_is_no_record_of_one(self, sign_in, owner, strict):
        client = sign_in(owner)
        give_factor(owner.user)
        request = SimpleNamespace(session=client.session)
        record_authentication(request, owner.user, "password")
        request.session.save()
        assert client.get("/").status_code == 403

    def test_a_session_that_has_not_shown_it_may(self, accounts, owner, strict):
        secret, client = generate_totp_secret(), password_only(owner.user)
        TOTP.activate(owner.user, secret)
        page = client.get("/incidents/")
        assert (page.status_code, "this sign-in has shown none" in page.content.decode()) == (403, True)
        assert 'href="/account/second-factor/confirm/?next=/"' in page.content.decode()
        answer = client.post("/account/second-factor/confirm/?next=/", {"code": code(secret)})
        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert client.get("/incidents/").status_code == 200

    @pytest.mark.django_db(transaction=True)  # allauth tells of an enrolment once it is kept
    def test_another_key_proves_no_more(self, accounts, owner, strict):
        client = password_only(owner.user)
        give_factor(owner.user, "webauthn")
        enrol_app(client)
        assert Authenticator.objects.filter(type="totp").exists()
        assert client.get("/incidents/").status_code == 403

    def test_one_of_somebody_else_does_not(self, sign_in, owner, colleague, strict):
        give_factor(colleague.user)
        assert sign_in(owner).get("/").status_code == 403

    @pytest.mark.parametrize("role", Role.values)
    def test_it_is_asked_of_every_role(self, sign_in, owner, colleague, strict, role):
        Membership.objects.filter(user=colleague.user).update(role=role)
        assert sign_in(colleague).get("/").status_code == 403

    def test_a_team_that_requires_none_asks_for_none(self, sign_in, owner):
        assert sign_in(owner).get("/").status_code == 200

    @pytest.mark.django_db(transaction=True)  # allauth tells of an enrolment once it is kept
    def test_the_page_leads_to_enrolment_and_then_to_the_team(self, accounts, owner, strict):
        client, other = password_only(owner.user), password_only(owner.user)
        page = client.get("/incidents/")
        assert page.status_code == 403
        text = page.content.decode()
        assert "requires a second factor" in text
        assert 'href="/account/second-factor/"' in text
        assert client.get("/account/second-factor/").status_code == 200
        enrol_app(client)
        assert client.get("/incidents/").status_code == 200
        assert other.get("/incidents/").status_code == 302, "it has ended: a sign-in asks for the factor"

    def test_another_team_of_theirs_is_looked_at_from_there(self, sign_in, owner, stranger, strict):
        join(owner.user, stranger.team.name)
        client = sign_in(owner)
        page = client.get("/", headers={"accept": "text/html"})
        assert (page.status_code, f"/teams/{stranger.team.pk}/" in page.content.decode()) == (403, True)
        assert client.post(f"/teams/{stranger.team.pk}/").status_code == 302
        assert client.get("/").status_code == 200
        assert client.post(f"/teams/{owner.team.pk}/").status_code == 302
        assert client.get("/").status_code == 403

    def test_a_script_is_told_why(self, sign_in, owner, strict):
        answer = sign_in(owner).get("/incidents/", headers=JSON)
        assert answer.json() == {"error": "The team “Payments” requires a second factor, and your account has none."}


def by_provider(**answers: object) -> dict[str, object]:
    return {"sociallogin": SimpleNamespace(account=SimpleNamespace(extra_data=answers))}


class TestProvider:
    @pytest.mark.parametrize(
        ("signal_kwargs", "passes"),
        [
            (by_provider(id_token={"amr": ["pwd", "mfa"]}), True),
            (by_provider(id_token={"amr": ["pwd", "otp"]}), False),
            (by_provider(id_token={"amr": "mfa"}), False),
            (by_provider(id_token={}), False),
            (by_provider(id_token="mfa"), False),
            (by_provider(userinfo={"amr": ["mfa"]}), False),
            (None, False),
        ],
    )
    def test_its_signed_token_says_so(self, sign_in, rf, owner, strict, signal_kwargs, passes):
        client, request = sign_in(owner), rf.get("/")
        request.user, request.session = owner.user, client.session
        request.session[PROVIDER_FACTOR] = True  # of the sign-in before
        details = {"email_verification": "none", "email": None, "signup": False, "redirect_url": "/"}
        AccountAdapter().post_login(request, owner.user, signal_kwargs=signal_kwargs, **details)
        request.session.save()
        assert client.get("/").status_code == (200 if passes else 403)


class TestTokens:
    def test_those_of_people_without_one_do_not_work(self, accounts, owner, strict):
        text = api_tokens.make_own(owner, "script", ["read"], 30)[1]
        answer = machine(text).get("/api/v1/incidents")
        assert (answer.status_code, "requires a second factor" in answer.json()["detail"]) == (403, True)
        give_factor(owner.user)
        assert machine(text).get("/api/v1/incidents").status_code == 200

    def test_those_made_in_a_sign_in_with_several_do(self, accounts, owner, strict):
        by = AccessContext(owner.team, owner.user, role=Role.OWNER, provider_factor=True)
        text = api_tokens.make_own(by, "script", ["read"], 30)[1]
        assert machine(text).get("/api/v1/incidents").status_code == 200

    def test_those_of_services_do(self, accounts, owner, strict):
        text = api_tokens.make_of_team(owner, "nightly", ["read"], 30)[1]
        assert machine(text).get("/api/v1/incidents").status_code == 200

    def test_those_of_calendars_are_as_those_of_people(self, accounts, owner, strict):
        text = api_tokens.make_calendar(owner)[1]
        assert Client().get(f"/calendar/{text}.ics").status_code == 403
        give_factor(owner.user)
        assert Client().get(f"/calendar/{text}.ics").status_code == 200
