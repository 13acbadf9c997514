"""What somebody opened of a team ends, or is handed over, with each way off it; and without confirmed groups."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module

import pytest
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from awrdiff.accounts import api_tokens, identity_provider_groups, members_and_invitations, offboarding
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import ApiToken, Invitation, Membership, User
from awrdiff.audit.models import AuditLine
from awrdiff.env_variable_types import Place
from awrdiff.incidents import chat_channel
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import Incident
from awrdiff.notices import services as notices
from awrdiff.notices.models import Notice, TeamNotices
from awrdiff.sharing.models import ShareLink
from awrdiff.web.sign_in.deactivation import end_unconfirmed
from tests.web.conftest import context_of
from tests.web.share import create_link
from tests.web.test_api_tokens import machine
from tests.web.test_people import membership

pytestmark = pytest.mark.django_db
HTML = {"accept": "text/html"}


@pytest.fixture
def oda(owner, accounts) -> AccessContext:
    """Another owner, who has opened one of each."""
    return context_of("oda", "Payments", "owner")


class Doors:
    """What `oda` opened, and whether it still opens."""

    def __init__(self, access: AccessContext, comparison) -> None:
        self.link, self.path = create_link(access, comparison, days=None)
        self.invitation, self.join = members_and_invitations.invite(
            access, f"friend.of.{access.user}@example.com", "owner", by_mail=False
        )
        self.token = api_tokens.make_own(access, "laptop", ["read"], None)[1]
        self.calendar = api_tokens.make_calendar(access)[1]
        self.service = api_tokens.make_of_team(access, "nightly", ["read"], None)[1]

    def open(self) -> dict[str, bool]:
        asked = {
            "link": Client().get(self.path, headers=HTML),
            "invitation": Client().get(f"/join/{self.join}/"),
            "token": machine(self.token).get("/"),
            "calendar": Client().get(f"/calendar/{self.calendar}.ics"),
            "service": machine(self.service).get("/"),
        }
        return {name: answer.status_code < 400 for name, answer in asked.items()}


@pytest.fixture
def doors(oda, comparison) -> Doors:
    made = Doors(oda, comparison)
    assert all(made.open().values())
    return made


def by_groups(oda: AccessContext, settings) -> None:
    settings.AWRDIFF_OIDC_TEAMS = (Place("dba", "Payments", "owner"),)
    Membership.objects.filter(pk=oda.membership).update(by_groups=True)
    identity_provider_groups.follow(oda.user, frozenset(), identity_provider_groups.Source.OIDC)


WAYS: dict[str, Callable[..., object]] = {
    "removed": lambda oda, owner, settings: members_and_invitations.remove(owner, membership(oda)),
    "left": lambda oda, owner, settings: members_and_invitations.remove(oda, membership(oda)),
    "groups": lambda oda, owner, settings: by_groups(oda, settings),
    "disabled": lambda oda, owner, settings: call_command("disable_user", "oda"),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_ends_with_each_way_off_the_team(doors, oda, owner, settings, way):
    bystander = Doors(owner, doors.link.comparison)
    WAYS[way](oda, owner, settings)
    assert doors.open() == dict.fromkeys(("link", "invitation", "token", "calendar"), False) | {"service": True}
    assert all(bystander.open().values()), "of others nothing ends"
    revoked = AuditLine.objects.filter(team=owner.team, action="revoked").values_list("kind", flat=True)
    assert sorted(revoked) == ["invitation", "link", "token", "token"]
    notices = Notice.objects.filter(what="closed").values_list("user__username", "about")
    ended = "1 calendar, 1 invitation, 1 link, 1 token ended; 1 service token not ended, which they may know"
    assert list(notices) == ([] if way == "removed" else [("olivia", f"oda: {ended}")])
    if way == "disabled":
        offboarding.enable(oda.user)
    else:
        context_of("oda", "Payments", "owner")
    assert not any(doors.open()[name] for name in ("link", "invitation", "token", "calendar")), "nor once they are back"


def test_other_owners_and_only_they_are_told_of_a_removal(doors, oda, owner, colleague):
    third = context_of("otto", "Payments", "owner")
    members_and_invitations.remove(third, membership(oda))
    assert list(Notice.objects.filter(what="closed").values_list("user__username", flat=True)) == ["olivia"]


@pytest.mark.parametrize(
    ("heir", "goes_on"), [("owner", {"link", "invitation", "service"}), ("member", {"link", "service"})]
)
def test_an_owner_hands_over_what_the_heirs_role_may_have(doors, oda, owner, heir, goes_on):
    to = context_of("hanna", "Payments", heir)
    members_and_invitations.remove(owner, membership(oda), opened_to=str(to.user.pk))
    assert {name for name, is_open in doors.open().items() if is_open} == goes_on
    assert ShareLink.objects.get(pk=doors.link.pk).created_by == to.user
    maker = ApiToken.objects.get(is_service=True).made_by
    inviter = Invitation.objects.get(pk=doors.invitation.pk).invited_by
    assert (maker, inviter) == ((to.user, to.user) if heir == "owner" else (oda.user, oda.user))
    assert AuditLine.objects.filter(action="handed over", kind="link", thing=str(doors.link.pk)).count() == 1
    assert "hanna" in Notice.objects.filter(what="closed").values_list("user__username", flat=True)


@pytest.mark.parametrize("who", ["reader", "elsewhere", "themselves", "x"])
def test_nobody_else_inherits(doors, oda, owner, stranger, who):
    reader = context_of("rita", "Payments", "reader")
    ids = {"reader": reader.user.pk, "elsewhere": stranger.user.pk, "themselves": oda.user.pk, "x": "x"}
    with pytest.raises(PeopleRefused):
        members_and_invitations.remove(owner, membership(oda), opened_to=str(ids[who]))
    assert all(doors.open().values())


def test_who_leaves_hands_nothing_over(doors, oda, owner):
    with pytest.raises(PeopleRefused):
        members_and_invitations.remove(oda, membership(oda), opened_to=str(owner.user.pk))
    assert all(doors.open().values())


def test_a_service_ends_where_the_owner_says_so(doors, oda, owner):
    members_and_invitations.remove(owner, membership(oda), services=True)
    assert not any(doors.open().values())


@pytest.mark.parametrize(
    ("role", "ends"),
    [("member", {"invitation"}), ("reader", {"invitation", "link"}), ("guest", {"invitation", "link", "calendar"})],
)
def test_a_lesser_role_keeps_what_it_may_have(doors, oda, owner, role, ends):
    """A calendar works again with the role that reads: it was not revoked."""
    members_and_invitations.change_role(owner, membership(oda), role)
    assert {name for name, is_open in doors.open().items() if not is_open} == ends
    members_and_invitations.change_role(owner, membership(oda), "owner")
    assert {name for name, is_open in doors.open().items() if not is_open} == ends - {"calendar"}


def test_what_they_were_just_making_is_not_made(oda, owner, comparison):
    members_and_invitations.remove(owner, membership(oda))
    for make in (
        lambda: create_link(oda, comparison, days=7),
        lambda: api_tokens.make_calendar(oda),
        lambda: api_tokens.make_of_team(oda, "nightly", ["read"], 7),
        lambda: members_and_invitations.invite(oda, "ines@example.com", "owner", by_mail=False),
    ):
        with pytest.raises((PermissionDenied, PeopleRefused)):
            make()


def test_the_page_names_them_first_and_says_what_became_of_them(doors, oda, owner, colleague, sign_in):
    client = sign_in(owner)
    page = client.get("/people/", headers=HTML).content.decode()
    form = page.split(f'action="/people/{oda.membership}/"')[1].split("</form>")[0]
    assert "4 that they opened" in form
    for label in (
        "link to a comparison, of",
        "invitation of friend.of.oda@example.com as owner",
        "token “laptop” (read)",
    ):
        assert label in form
    assert "address of a calendar" in form
    assert 'name="services" value="end"' in form
    assert "token of a service “nightly” (read)" in form
    assert "laptop" not in sign_in(colleague).get("/people/", headers=HTML).content.decode()
    own = sign_in(oda).get("/people/", headers=HTML).content.decode().split(f'action="/people/{oda.membership}/"')[1]
    assert "4 that you opened end" in own
    assert "opened_to" not in own.split("</form>")[0]
    answer = client.post(f"/people/{oda.membership}/", {"opened_to": "", "services": "end"}, follow=True)
    said = "oda is off the team: 1 calendar, 1 invitation, 1 link, 1 service token, 1 token ended."
    assert said in answer.content.decode()
    assert not any(doors.open().values())


def test_two_browsers_one_of_which_is_taken_off_the_team(doors, oda, owner, sign_in):
    theirs, owners = sign_in(oda), sign_in(owner)
    assert theirs.get("/people/").status_code == 200
    assert owners.post(f"/people/{oda.membership}/", headers={"accept": "application/json"}).status_code == 204
    assert theirs.get("/people/").status_code == 403
    assert theirs.get(doors.path, headers=HTML).status_code == 404


class TestAddressesForMessages:
    """They are the team's, and known to whoever opened them."""

    @pytest.fixture
    def opened_by_oda(self, oda, owner) -> Incident:
        incident = incidents.make(owner, incidents.Typed("Disks", begins_at="2024-01-01T11:05"))
        notices.choose_tracker(oda, "on")
        return chat_channel.choose_channel(oda, incident, "on")

    def open_now(self) -> tuple[bool, bool]:
        return bool(Incident.objects.get().channel_token), bool(TeamNotices.objects.get().tracker_secret)

    @pytest.mark.parametrize("way", WAYS)
    def test_they_are_named_with_each_way_off_the_team(self, opened_by_oda, oda, owner, settings, way):
        otto = context_of("otto", "Payments", "owner")
        WAYS[way](oda, owner, settings)
        assert self.open_now() == (True, True)
        notice = Notice.objects.get(what="closed", user=otto.user)
        assert notice.about == "oda: 1 channel, 1 tracker not ended, which they may know"

    def test_they_end_where_an_owner_says_so(self, opened_by_oda, oda, owner, sign_in):
        page = sign_in(owner).get("/people/", headers=HTML).content.decode()
        form = page.split(f'action="/people/{oda.membership}/"')[1].split("</form>")[0]
        assert "address for a channel&#x27;s messages of “Disks”" in form
        assert "secret of the tracker" in form
        members_and_invitations.remove(owner, membership(oda), services=True)
        assert self.open_now() == (False, False)
        lines = AuditLine.objects.filter(action__in=("channel closed", "tracker closed"), who=f"user {owner.user.pk}")
        assert lines.count() == 2

    def test_what_another_opens_instead_is_not_theirs(self, opened_by_oda, oda, owner):
        notices.choose_tracker(owner, "new")
        chat_channel.choose_channel(owner, opened_by_oda, "new")
        assert not members_and_invitations.remove(owner, membership(oda), services=True)
        assert self.open_now() == (True, True)

    @pytest.mark.parametrize(("role", "remain"), [("member", {"tracker": 1}), ("reader", {"channel": 1, "tracker": 1})])
    def test_a_lesser_role_is_told_of(self, opened_by_oda, oda, owner, role, remain):
        closed = offboarding.close(owner.team, oda.user, owner.user, role=role)
        assert closed.remaining == remain

    def test_an_heir_does_not_make_them_unknown(self, opened_by_oda, oda, owner):
        closed = members_and_invitations.remove(owner, membership(oda), opened_to=str(owner.user.pk))
        assert closed.remaining == {"channel": 1, "tracker": 1}


class TestConfirmedGroups:
    @pytest.fixture(autouse=True)
    def mapping(self, settings, accounts):
        settings.AWRDIFF_OIDC_TEAMS = (Place("dba", "Payments", "member"),)
        settings.AWRDIFF_GROUPS_DAYS = 7

    @pytest.fixture
    def gina(self, owner) -> AccessContext:
        user = User.objects.create(username="gina")
        identity_provider_groups.follow(user, frozenset(["dba"]), identity_provider_groups.Source.OIDC)
        return context_of("gina", "Payments")

    def doors(self, gina: AccessContext) -> Callable[[], list[int]]:
        browser, token = Client(), machine(api_tokens.make_own(gina, "laptop", ["read"], None)[1])
        browser.force_login(gina.user)
        key = browser.session.session_key
        UserSession.objects.create(user=gina.user, session_key=key, ip="127.0.0.1", user_agent="a browser")
        return lambda: [browser.get("/").status_code, token.get("/").status_code]

    def age(self, gina: AccessContext, days: float) -> None:
        then = timezone.now() - timedelta(days=days)
        Membership.objects.filter(pk=gina.membership).update(confirmed_at=then, created_at=then)

    def test_they_count_for_so_many_days_and_then_tokens_and_sessions_end(self, gina, owner):
        asked = self.doors(gina)
        UserSession.objects.update(created_at=timezone.now() - timedelta(days=8))
        self.age(gina, 6.9)
        assert (asked(), end_unconfirmed()) == ([200, 200], 0)
        self.age(gina, 7.1)
        assert asked() == [403, 401], "before anything was swept"
        assert (end_unconfirmed(), end_unconfirmed()) == (1, 0)
        assert asked() == [302, 401]
        identity_provider_groups.follow(gina.user, frozenset(["dba"]), identity_provider_groups.Source.OIDC)
        assert asked() == [302, 401], "once confirmed they make them anew"
        assert self.doors(context_of("gina", "Payments"))() == [200, 200]
        line = AuditLine.objects.get(action="unconfirmed")
        assert (line.who, line.thing) == ("server", str(gina.user.pk))
        (notice,) = Notice.objects.filter(what="closed")
        assert (notice.user, notice.about) == (owner.user, "gina: 1 session, 1 token ended")

    def test_each_sign_in_with_groups_confirms_them_and_none_without(self, gina):
        self.age(gina, 8)
        identity_provider_groups.follow(gina.user, None, identity_provider_groups.Source.OIDC)
        assert self.doors(gina)() == [403, 401]
        identity_provider_groups.follow(gina.user, frozenset(["dba"]), identity_provider_groups.Source.OIDC)
        assert self.doors(gina)() == [200, 200]

    @pytest.mark.parametrize("but", ["by hand", "never", "not named", "named by the directory"])
    def test_all_others_stay(self, gina, settings, but):
        asked = self.doors(gina)
        self.age(gina, 400)
        stays = True
        if but == "by hand":
            Membership.objects.filter(pk=gina.membership).update(by_groups=False)
        elif but == "never":
            settings.AWRDIFF_GROUPS_DAYS = 0
        else:
            settings.AWRDIFF_OIDC_TEAMS = ()
        if but == "named by the directory":
            settings.AWRDIFF_LDAP_TEAMS, stays = (Place("dba", "Payments", "member"),), False
        assert asked() == ([200, 200] if stays else [403, 401])
        assert end_unconfirmed() == (0 if stays else 1)

    def test_one_that_was_never_confirmed_counts_from_its_beginning(self, gina):
        asked = self.doors(gina)
        Membership.objects.filter(pk=gina.membership).update(confirmed_at=None)
        assert asked() == [200, 200]
        self.age(gina, 8)
        Membership.objects.filter(pk=gina.membership).update(confirmed_at=None)
        assert asked() == [403, 401]

    def test_a_session_since_then_and_links_stay(self, gina, comparison):
        """Whoever signs in otherwise is on other teams, and may ask for news of their account."""
        link, _ = create_link(gina, comparison, days=None)
        self.age(gina, 8)
        self.doors(gina)
        assert end_unconfirmed() == 1
        assert UserSession.objects.filter(user=gina.user).exists()
        assert end_unconfirmed() == 0
        assert ShareLink.objects.get(pk=link.pk).is_live

    def test_the_last_owner_is_confirmed_whatever_their_groups(self, gina, owner, settings):
        settings.AWRDIFF_OIDC_TEAMS = (Place("dba", "Payments", "owner"),)
        identity_provider_groups.follow(gina.user, frozenset(["dba"]), identity_provider_groups.Source.OIDC)
        members_and_invitations.remove(owner, membership(owner))
        self.age(gina, 8)
        identity_provider_groups.follow(gina.user, frozenset(), identity_provider_groups.Source.OIDC)
        assert self.doors(context_of("gina", "Payments"))() == [200, 200]

    def test_the_page_says_how_to_come_back(self, gina):
        browser = Client()
        browser.force_login(gina.user)
        self.age(gina, 8)
        assert b"no sign-in has confirmed for 7 days" in browser.get("/", headers=HTML).content

    def test_nobody_is_shut_out_by_the_new_version(self, gina, owner):
        Membership.objects.update(confirmed_at=None)
        import_module("awrdiff.accounts.migrations.0016_confirmed_at").confirm_all(apps, None)
        assert Membership.objects.get(pk=gina.membership).confirmed_at is not None
        assert Membership.objects.get(pk=owner.membership).confirmed_at is None
