"""Who is on a team: roles, removing, several teams, and what a guest sees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.html import escape

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.access import NotFound
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.accounts.services import join
from awrdiff.audit.models import AuditLine
from awrdiff.comparisons import guest_access, services
from awrdiff.comparisons.models import ShownComparison
from awrdiff.notices.models import Notice
from awrdiff.notices.services import notify
from tests.web.conftest import context_of

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}


def membership(access) -> Membership:
    return Membership.objects.get(pk=access.membership)


def test_whoever_makes_a_team_owns_it_and_who_comes_later_is_a_member(owner, colleague):
    assert (owner.role, colleague.role) == (Role.OWNER, Role.MEMBER)


def test_add_user_says_what_somebody_is(monkeypatch, capsys):
    monkeypatch.setenv("AWRDIFF_PASSWORD", "seven lamps of green tin")
    call_command("add_user", "olivia", "--team", "Payments")
    call_command("add_user", "gus", "--team", "Payments", "--role", "guest", "--email", "Gus@Example.com")
    assert dict(Membership.objects.values_list("user__username", "role")) == {"olivia": "owner", "gus": "guest"}
    address = User.objects.get(username="gus").emailaddress_set.get()
    assert (address.email, address.verified, address.primary) == ("gus@example.com", True, True)
    call_command("add_user", "gus", "--team", "Payments", "--role", "member")
    call_command("add_user", "olivia", "--team", "Payments")
    assert dict(Membership.objects.values_list("user__username", "role")) == {"olivia": "owner", "gus": "member"}


class TestAddUser:
    """By whoever runs the server."""

    @pytest.fixture(autouse=True)
    def password(self, monkeypatch):
        monkeypatch.setenv("AWRDIFF_PASSWORD", "seven lamps of green tin")

    def test_a_team_keeps_an_owner(self, owner):
        with pytest.raises(CommandError, match="at least one owner"):
            call_command("add_user", "olivia", "--team", "Payments", "--role", "guest")
        assert membership(owner).role == "owner"

    def test_the_team_is_told(self, owner):
        call_command("add_user", "carl", "--team", "Payments")
        call_command("add_user", "carl", "--team", "Payments", "--role", "owner")
        call_command("add_user", "carl", "--team", "Payments")
        carl = str(User.objects.get(username="carl").pk)
        lines = AuditLine.objects.filter(team=owner.team, kind="person", thing=carl).order_by("id")
        assert list(lines.values_list("who", "action")) == [("server", "added"), ("server", "role")]

    def test_who_becomes_a_guest_has_no_notice_of_what_they_saw(self, owner, colleague):
        notify(owner.team, "status", [colleague.user], kind="incident", thing="x")
        call_command("add_user", "carl", "--team", "Payments", "--role", "guest")
        assert not Notice.objects.exists()

    @pytest.mark.parametrize("name", ["a b", "bad\nname", "", "x" * 151, "local"])
    def test_a_name_that_is_none_is_refused(self, name):
        with pytest.raises(CommandError):
            call_command("add_user", name, "--team", "Payments")
        assert not User.objects.exists()

    def test_what_is_refused_leaves_nobody(self):
        for more in (["--email", "nonsense"], ["--team", "x" * 101]):
            with pytest.raises(CommandError):
                call_command("add_user", "zoe", "--team", "Payments", *more)
        assert not User.objects.exists()


class TestRoles:
    def test_an_owner_changes_them(self, sign_in, owner, colleague):
        client = sign_in(owner)
        assert client.post(f"/people/{colleague.membership}/role/", {"role": "owner"}, headers=JSON).status_code == 204
        assert membership(colleague).role == "owner"
        page = client.get("/people/", headers={"Accept": "text/html"}).content.decode()
        assert 'value="owner" selected' in page

    def test_it_counts_at_the_next_request(self, sign_in, owner, colleague):
        client = sign_in(colleague)
        assert client.post("/people/invitations/", {"email": "a@example.com"}, headers=JSON).status_code == 403
        members_and_invitations.change_role(owner, membership(colleague), "owner")
        assert client.post("/people/invitations/", {"email": "a@example.com"}, headers=JSON).status_code == 201

    @pytest.mark.parametrize("role", ["", "king", "OWNER", "owner\0"])
    def test_there_are_four(self, sign_in, owner, colleague, role):
        answer = sign_in(owner).post(f"/people/{colleague.membership}/role/", {"role": role}, headers=JSON)
        assert answer.status_code == 400
        assert answer.json()["error"] == "“role” must be owner, member, reader or guest."

    def test_members_and_guests_change_nothing(self, owner, colleague, guest):
        for who in (colleague, guest):
            for change in (
                lambda w: members_and_invitations.change_role(w, membership(owner), "guest"),
                _remove(owner),
            ):
                with pytest.raises(PermissionDenied):
                    change(who)

    def test_the_last_owner_stays_one(self, sign_in, owner, colleague):
        client = sign_in(owner)
        for path, data in (
            (f"/people/{owner.membership}/role/", {"role": "member"}),
            (f"/people/{owner.membership}/", {}),
        ):
            answer = client.post(path, data, headers=JSON)
            assert answer.status_code == 400
            assert "keeps at least one owner" in answer.json()["error"]
        members_and_invitations.change_role(owner, membership(colleague), "owner")
        assert client.post(f"/people/{owner.membership}/role/", {"role": "member"}, headers=JSON).status_code == 204

    def test_an_owner_of_another_team_finds_nobody(self, sign_in, stranger, colleague):
        assert stranger.can_invite
        client = sign_in(stranger)
        assert client.post(f"/people/{colleague.membership}/", headers=JSON).status_code == 404
        assert client.post(f"/people/{10**30}/", headers=JSON).status_code == 404
        with pytest.raises(PermissionDenied):
            members_and_invitations.remove(stranger, membership(colleague))


def _remove(of):
    return lambda who: members_and_invitations.remove(who, membership(of))


class TestRemoving:
    def test_whoever_is_removed_sees_nothing_from_then_on(self, sign_in, owner, colleague, comparison):
        client = sign_in(colleague)
        assert client.get(f"/comparisons/{comparison.pk}/", headers=JSON).status_code == 200
        assert sign_in(owner).delete(f"/people/{colleague.membership}/").status_code == 204
        answer = client.get(f"/comparisons/{comparison.pk}/", headers=JSON)
        assert (answer.status_code, answer.json()["error"]) == (
            403,
            "You are not on a team. Ask an owner of one to invite you.",
        )

    def test_anybody_may_leave(self, sign_in, colleague):
        assert sign_in(colleague).post(f"/people/{colleague.membership}/", headers=JSON).status_code == 204
        assert not Membership.objects.filter(pk=colleague.membership).exists()

    def test_so_may_a_guest(self, sign_in, guest, colleague):
        client = sign_in(guest)
        assert client.delete(f"/people/{colleague.membership}/").status_code == 404
        assert client.post(f"/people/{guest.membership}/role/", {"role": "owner"}).status_code == 403
        assert client.delete(f"/people/{guest.membership}/").status_code == 204
        assert client.get("/").status_code == 403

    def test_what_they_made_stays(self, owner, colleague, comparison):
        comparison.created_by = colleague.user
        comparison.save()
        members_and_invitations.remove(owner, membership(colleague))
        comparison.refresh_from_db()
        assert comparison.created_by == colleague.user


class TestSeveralTeams:
    @pytest.fixture
    def other(self, owner) -> Team:
        """A second team of the owner's, where somebody else is the owner."""
        context_of("zoe", "Logistics")
        return join(owner.user, "Logistics").team

    def test_one_looks_at_one_of_them_and_switches(self, sign_in, owner, other, comparison):
        client = sign_in(owner)
        path = f"/comparisons/{comparison.pk}/"
        assert client.get(path, headers=JSON).status_code == 200
        assert "Switch to Logistics" in client.get("/").content.decode()
        assert client.post(f"/teams/{other.pk}/")["Location"] == "/"
        assert client.get("/people/", headers=JSON).json()["team"]["name"] == "Logistics"
        assert client.get(path, headers=JSON).status_code == 404
        client.post(f"/teams/{owner.team.pk}/")
        assert client.get(path, headers=JSON).status_code == 200

    def test_what_another_of_them_has_is_offered_where_it_is_not_found(
        self, sign_in, owner, other, comparison, stranger
    ):
        client, path = sign_in(owner), f"/comparisons/{comparison.pk}/?pair=0"
        client.post(f"/teams/{other.pk}/")
        html = client.get(path, headers=HTML).content.decode()
        assert f'action="/teams/{owner.team.pk}/"' in html
        assert f'name="to" value="{path}"' in html
        assert client.post(f"/teams/{owner.team.pk}/", {"to": path})["Location"] == path
        assert client.get(path, headers=HTML).status_code == 200
        assert "/teams/" not in sign_in(stranger).get(path, headers=HTML).content.decode()

    @pytest.mark.parametrize(
        "to", ["//evil.example/x", "https://evil.example/", "/\\evil.example", "x", "javascript:alert(1)"]
    )
    def test_switching_leads_nowhere_else(self, sign_in, owner, other, to):
        assert sign_in(owner).post(f"/teams/{other.pk}/", {"to": to})["Location"] == "/"

    def test_the_role_is_that_of_the_team(self, sign_in, owner, other):
        client = sign_in(owner)
        assert client.get("/people/", headers=JSON).json()["role"] == "owner"
        client.post(f"/teams/{other.pk}/")
        assert client.get("/people/", headers=JSON).json()["role"] == "member"
        assert client.post("/people/invitations/", {"email": "a@example.com"}, headers=JSON).status_code == 403

    def test_nobody_switches_to_a_team_they_are_not_on(self, sign_in, owner, stranger):
        client = sign_in(owner)
        for pk in (stranger.team.pk, 0, 10**30):
            assert client.post(f"/teams/{pk}/", headers=JSON).status_code == 404
        assert client.get("/people/", headers=JSON).json()["team"]["name"] == "Payments"

    def test_whoever_leaves_the_team_they_look_at_looks_at_another(self, sign_in, owner, other):
        client = sign_in(owner)
        client.post(f"/teams/{other.pk}/")
        Membership.objects.filter(team=other, user=owner.user).delete()
        assert client.get("/people/", headers=JSON).json()["team"]["name"] == "Payments"

    def test_a_page_that_is_remembered_knows_the_switch(self, sign_in, owner, comparison):
        client = sign_in(owner)
        path = f"/comparisons/{comparison.pk}/"
        client.get("/")  # which brings the form token
        etag = client.get(path)["ETag"]
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 304
        join(owner.user, "Third")
        answer = client.get(path, headers={"If-None-Match": etag})
        assert answer.status_code == 200
        assert "Switch to Third" in answer.content.decode()


class TestGuests:
    def test_a_comparison_is_shown_and_hidden(self, sign_in, owner, guest, comparison):
        client, theirs = sign_in(owner), sign_in(guest)
        path = f"/comparisons/{comparison.pk}/"
        assert theirs.get(path).status_code == 404
        assert client.post(f"{path}guests/", {"guest": guest.membership})["Location"] == path
        page = theirs.get(path).content.decode()
        assert "whole report" not in page
        assert "data-share" not in page
        assert "Hide it from gus" in client.get(path).content.decode()
        assert client.post(f"{path}guests/{guest.membership}/")["Location"] == path
        assert theirs.get(path).status_code == 404

    def test_with_it_a_former_swap_of_the_same_reports_is_hidden(self, owner, guest, reports):
        one = services.create_comparison(owner, reports, order_by_time=False)
        swap, part = (
            services.create_comparison(owner, found, order_by_time=False, chosen_from=one.pk, aspects=aspects)
            for found, aspects in ((reports[::-1], None), (reports, ["instance:1", ""]))
        )
        for hidden, left in ((one, {part.pk}), (swap, {part.pk}), (part, {one.pk, swap.pk})):
            for shown in (one, swap, part):
                guest_access.show(owner, shown, guest.membership)
            guest_access.hide(owner, hidden, guest.membership)
            assert set(ShownComparison.objects.values_list("comparison", flat=True)) == left

    def test_a_page_that_is_remembered_is_not_shown_once_it_is_hidden(self, sign_in, owner, guest, comparison):
        guest_access.show(owner, comparison, guest.membership)
        theirs, path = sign_in(guest), f"/comparisons/{comparison.pk}/"
        theirs.get("/")
        etag = theirs.get(path)["ETag"]
        guest_access.hide(owner, comparison, guest.membership)
        assert theirs.get(path, headers={"If-None-Match": etag}).status_code == 404

    def test_the_dialog_of_a_remembered_page_knows_who_sees_it(self, sign_in, owner, guest, comparison):
        client, path = sign_in(owner), f"/comparisons/{comparison.pk}/"
        client.get("/")
        etag = client.get(path)["ETag"]
        client.post(f"{path}guests/", {"guest": guest.membership})
        assert "Hide it from gus" in client.get(path, headers={"If-None-Match": etag}).content.decode()

    def test_nothing_but_guests_of_the_team_can_be_shown_something(self, sign_in, owner, colleague, comparison):
        elsewhere = context_of("gwen", "Somewhere else", "guest")
        client = sign_in(owner)
        for pk in (colleague.membership, elsewhere.membership, "", "x", "9" * 30, "-1"):
            answer = client.post(f"/comparisons/{comparison.pk}/guests/", {"guest": pk}, headers=JSON)
            assert (pk, answer.status_code) == (pk, 404)

    def test_guests_do_not_see_each_other(self, sign_in, guest, colleague):
        client = sign_in(guest)
        assert client.get("/people/").status_code == 404
        assert '/people/"' not in client.get("/").content.decode()
        with pytest.raises(NotFound):
            members_and_invitations.membership_for(guest, colleague.membership)

    def test_a_guest_who_becomes_a_member_sees_all(self, sign_in, owner, guest, comparison):
        members_and_invitations.change_role(owner, membership(guest), "member")
        assert sign_in(guest).get(f"/comparisons/{comparison.pk}/").status_code == 200

    def test_a_removed_guest_takes_what_was_shown_along(self, owner, guest, comparison):
        guest_access.show(owner, comparison, guest.membership)
        members_and_invitations.remove(owner, membership(guest))
        assert not guest_access.guests(owner, comparison).exists()

    def test_a_guest_shows_nothing_to_others(self, owner, guest, comparison):
        guest_access.show(owner, comparison, guest.membership)
        second = context_of("greta", "Payments", "guest")
        with pytest.raises(PermissionDenied):
            guest_access.show(guest, comparison, second.membership)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a\"'>b", "{{ 7 }}", "\u202eevil"])
def test_a_name_is_only_ever_a_text(sign_in, owner, name):
    User.objects.filter(pk=owner.user.pk).update(username=name, email='"<b>"@example.com')
    Team.objects.filter(pk=owner.team.pk).update(name=name)
    for path in ("/people/", "/", "/account/email/"):
        page = sign_in(owner).get(path).content.decode()
        assert "<script>alert" not in page
        assert "a\"'>b" not in page
        assert '"<b>"@' not in page
        assert path != "/people/" or escape(name) in page


def test_who_is_not_signed_in_sees_nobody(accounts):
    assert Client().get("/people/", headers=JSON).status_code == 401


def test_the_local_user_owns_the_local_team_and_invites_nobody_yet():
    client = Client()
    page = client.get("/people/").content.decode()
    assert "Let people in" in page
    answer = client.post("/people/invitations/", {"email": "a@example.com"}, headers=JSON)
    assert answer.status_code == 400


def test_two_owners_who_step_down_at_once_leave_one(owner, colleague):
    """Each saw the other as an owner; the second is looked at under the lock."""
    members_and_invitations.change_role(owner, membership(colleague), "owner")
    other = replace(colleague, role="owner")
    seen = membership(owner), membership(colleague)
    members_and_invitations.change_role(owner, seen[0], "member")
    with pytest.raises(PeopleRefused):
        members_and_invitations.change_role(other, seen[1], "member")
