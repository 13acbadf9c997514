"""Who is on which team by the groups that a sign-on service tells: joining, changing, leaving, and what stays."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from awrdiff.accounts import api_tokens, identity_provider_groups, members_and_invitations, teams
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Membership, Team, User
from awrdiff.audit.models import AuditLine
from awrdiff.env_variable_types import Place
from awrdiff.web.sign_in.allauth_adapter import AccountAdapter
from tests.web.conftest import context_of
from tests.web.test_people import membership

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mapping(settings):
    settings.AWRDIFF_OIDC_GROUPS_CLAIM = "groups"
    settings.AWRDIFF_OIDC_TEAMS = (
        Place("dba", "Payments", "member"),
        Place("leads", "Payments", "owner"),
        Place("all", "Payments", "guest"),
        Place("dba", "Warehouse", "reader"),
        Place("leads", "Warehouse", "owner"),
    )
    settings.AWRDIFF_OIDC_MAKE_TEAMS = False


@pytest.fixture
def gina(db) -> User:
    return User.objects.create(username="gina")


def theirs(user: User) -> dict[str, str]:
    return dict(Membership.objects.filter(user=user).values_list("team__name", "role"))


def follow(user: User, *names: str) -> dict[str, str]:
    identity_provider_groups.follow(user, frozenset(names), identity_provider_groups.Source.OIDC)
    return theirs(user)


def test_they_join_change_and_leave_as_their_groups_do_and_the_team_is_told(owner, gina):
    assert follow(gina, "all") == {"Payments": "guest"}
    assert follow(gina, "all", "dba", "somebody else's") == {"Payments": "member"}
    token, _ = api_tokens.make_own(context_of("gina", "Payments"), "ci", ["read"], 7)
    assert follow(gina, "all", "dba") == {"Payments": "member"}
    assert follow(gina) == {}
    lines = AuditLine.objects.filter(team=owner.team, kind="person", thing=str(gina.pk)).order_by("id")
    assert list(lines.values_list("who", "action")) == [("server", what) for what in ("added", "role", "removed")]
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert theirs(owner.user) == {"Payments": "owner"}


def test_what_was_given_by_hand_stays(owner, gina):
    context_of("gina", "Payments", "reader")
    assert follow(gina, "leads") == follow(gina) == {"Payments": "reader"}
    hugo = User.objects.create(username="hugo")
    follow(hugo, "dba")
    members_and_invitations.change_role(owner, Membership.objects.get(user=hugo), "reader")
    assert follow(hugo, "leads") == follow(hugo) == {"Payments": "reader"}
    for name, role in (("ida", "reader"), ("ines", None)):
        user = User.objects.create(username=name)
        follow(user, "dba")
        members_and_invitations.put_on_team(user, "Payments", role)
        assert follow(user) == {"Payments": role or "member"}


def test_who_accepts_an_invitation_stays_as_they_were(owner, gina):
    follow(gina, "dba")
    made, _ = members_and_invitations.invite(owner, "gina@example.com", "guest", by_mail=False)
    members_and_invitations.accept(gina, made, signing_up=True)
    assert follow(gina) == {"Payments": "member"}


def test_a_team_keeps_an_owner_whatever_the_groups_say(owner, gina):
    follow(gina, "leads")
    members_and_invitations.remove(owner, membership(owner))
    assert follow(gina) == follow(gina, "dba") == {"Payments": "owner"}
    hugo = User.objects.create(username="hugo")
    follow(hugo, "leads")
    assert follow(gina, "dba") == {"Payments": "member"}


def test_no_groups_told_is_not_to_be_in_none(owner, gina, caplog):
    follow(gina, "dba")
    texts = [{"groups": text} for text in ("dba,ops", '["dba"]', "")]
    for said in ({}, {"groups": None}, {"groups": 7}, {"groups": {"a": 1}}, {"groups": ["dba", 7]}, None, [], *texts):
        told = identity_provider_groups.groups_in([said, {"sub": "x"}])
        assert told is None, said
        identity_provider_groups.follow(gina, told, identity_provider_groups.Source.OIDC)
    assert theirs(gina) == {"Payments": "member"}
    assert all(repr(one["groups"]) in caplog.text for one in texts)
    assert f"told no groups of user {gina.pk} (groups)" in caplog.text
    assert identity_provider_groups.groups_in([{"groups": []}]) == frozenset()
    assert identity_provider_groups.groups_in([{"sub": "x"}, {"groups": "dba"}]) == {"dba"}


def test_a_claim_may_be_inside_of_others_or_be_an_address(settings):
    settings.AWRDIFF_OIDC_GROUPS_CLAIM = "realm_access.roles"
    assert identity_provider_groups.groups_in([{"realm_access": {"roles": ["a"]}}]) == {"a"}
    assert identity_provider_groups.groups_in([{"realm_access": ["a"]}]) is None
    settings.AWRDIFF_OIDC_GROUPS_CLAIM = "https://awr.example.com/groups"
    assert identity_provider_groups.groups_in([{"https://awr.example.com/groups": ["a"]}]) == {"a"}


def test_a_team_is_made_only_where_the_settings_say_so_and_begins_with_an_owner(owner, gina, settings):
    assert follow(gina, "leads") == {"Payments": "owner"}
    settings.AWRDIFF_OIDC_MAKE_TEAMS = True
    hugo = User.objects.create(username="hugo")
    assert follow(hugo, "dba") == {"Payments": "member"}
    assert not Team.objects.filter(name="Warehouse").exists()
    assert follow(gina, "leads") == {"Payments": "owner", "Warehouse": "owner"}
    assert follow(hugo, "dba") == {"Payments": "member", "Warehouse": "reader"}


def test_nobody_takes_the_name_of_a_team_that_people_are_sent_to(owner, settings):
    with pytest.raises(PeopleRefused, match="choose another name"):
        teams.make(owner, "Warehouse")
    with pytest.raises(PeopleRefused, match="know it by this name"):
        teams.rename(owner, "Payments and more")
    other = context_of("sten", "Somewhere else")
    with pytest.raises(PeopleRefused, match="choose another name"):
        teams.rename(other, "Warehouse")
    assert teams.rename(owner, " Payments ").name == "Payments"


def test_they_are_followed_before_anybody_is_signed_in_and_only_those_of_a_provider(rf, owner, gina):
    follow(gina, "dba")
    account = SimpleNamespace(extra_data={"userinfo": {"groups": ["dba"]}, "id_token": {"groups": []}})
    details = {"email_verification": "none", "email": None, "signup": False, "redirect_url": None}
    adapter, request = AccountAdapter(), rf.get("/")
    assert adapter.pre_login(request, gina, signal_kwargs=None, **details) is None
    assert theirs(gina) == {"Payments": "member"}
    assert (
        adapter.pre_login(request, gina, signal_kwargs={"sociallogin": SimpleNamespace(account=account)}, **details)
        is None
    )
    assert theirs(gina) == {}


def test_people_see_who_is_there_by_groups(sign_in, owner, gina):
    follow(gina, "dba")
    page = sign_in(owner).get("/people/", headers={"Accept": "text/html"}).content.decode()
    assert page.count(">by groups<") == 1
