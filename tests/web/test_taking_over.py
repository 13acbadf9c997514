"""Who leaves the team leaves nothing behind that nobody sees to; and who is signed in can always sign out."""

from __future__ import annotations

import pytest

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Membership
from awrdiff.incidents import action_items, services
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import ActionItem, Incident, IncidentRole
from awrdiff.incidents.services import Typed
from awrdiff.notices.models import Notice
from awrdiff.postmortems import services as postmortems
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}
OUT = 'action="/logout/"'


@pytest.fixture
def incident(owner, colleague) -> Incident:
    """Carl leads it, and has an item that is open and one that is done."""
    made = services.make(owner, Typed("Slow Monday", begins_at="2024-01-01T11:05"))
    for role in ("lead", "scribe"):
        services.give_role(owner, made, str(colleague.user.pk), role)
    services.give_role(owner, made, str(owner.user.pk), "scribe")
    for text in ("larger redo logs", "faster disks"):
        action_items.add(owner, made, TypedAction(text, owner=str(colleague.user.pk)))
    action_items.set_state(colleague, ActionItem.objects.get(text="faster disks"), "done")
    return made


def membership(of) -> Membership:
    return Membership.objects.get(pk=of.membership)


def who(incident: Incident) -> tuple[dict[str, str], list[tuple[str, str]]]:
    items = {one.text: one.owner.username for one in ActionItem.objects.select_related("owner")}
    roles = IncidentRole.objects.filter(incident=incident).order_by("role", "user__username")
    return items, [(one.role, one.user.username) for one in roles.select_related("user")]


def test_what_somebody_had_is_given_on_as_they_are_removed(sign_in, owner, colleague, incident):
    nina = Membership.objects.create(team=owner.team, user=type(owner.user).objects.create(username="nina"))
    client = sign_in(owner)
    html = client.get("/people/", headers=HTML).content.decode()
    check_markup(html)
    assert "1 open action item and 2 roles in incidents: who takes over" in html
    answer = client.post(f"/people/{colleague.membership}/", {"heir": nina.user_id}, headers=HTML)
    assert answer.status_code == 302
    items, roles = who(incident)
    assert items == {"larger redo logs": "nina", "faster disks": "carl"}  # he did it
    assert roles == [("lead", "nina"), ("scribe", "nina"), ("scribe", "olivia")]
    assert [(n.user.username, n.what) for n in Notice.objects.filter(thing=str(incident.pk))][-1] == (
        "nina",
        "assigned",
    )
    kept = services.revisions_of(ActionItem.objects.get(text="larger redo logs"))[0]
    assert (kept.user, kept.changes) == (owner.user, {"owner": ["carl", "nina"]})


def test_without_a_choice_whoever_removes_them_has_it(owner, colleague, incident):
    members_and_invitations.remove(owner, membership(colleague))
    items, roles = who(incident)
    assert (items["larger redo logs"], roles) == ("olivia", [("lead", "olivia"), ("scribe", "olivia")])


def test_of_who_leaves_or_becomes_a_guest_an_owner_has_it(owner, colleague, incident):
    members_and_invitations.change_role(owner, membership(colleague), "owner")
    assert who(incident)[0]["larger redo logs"] == "carl"
    members_and_invitations.remove(colleague, membership(colleague))
    assert who(incident)[0]["larger redo logs"] == "olivia"


@pytest.mark.parametrize("role", ["guest", "reader"])
def test_who_may_only_read_has_nothing_to_do_in_one(owner, colleague, incident, role):
    members_and_invitations.change_role(owner, membership(colleague), role)
    assert who(incident)[0]["larger redo logs"] == "olivia"


def test_what_is_resolved_stays_as_it_was(owner, colleague, incident):
    services.set_status(owner, incident, "resolved")
    members_and_invitations.remove(owner, membership(colleague))
    assert who(incident)[1] == [("lead", "carl"), ("scribe", "carl"), ("scribe", "olivia")]


@pytest.mark.parametrize("heir", ["guest", "stranger", "colleague", "7777", "x"])
def test_nobody_who_cannot_have_it_has_it(request, owner, colleague, incident, heir):
    pk = str(request.getfixturevalue(heir).user.pk) if heir.isalpha() and len(heir) > 1 else heir
    with pytest.raises(PeopleRefused, match="Who takes over"):
        members_and_invitations.remove(owner, membership(colleague), pk)
    assert membership(colleague)


def test_who_is_on_no_team_can_sign_out(sign_in, owner, colleague):
    client = sign_in(colleague)
    members_and_invitations.remove(owner, membership(colleague))
    for path in ("/", "/account/email/", "/nothing/"):
        html = client.get(path, headers=HTML).content.decode()
        check_markup(html)
        assert OUT in html, path
    assert client.post("/logout/").status_code == 302
    assert OUT not in client.get("/nothing/", headers=HTML).content.decode()


def test_what_is_refused_leads_back_to_its_document(sign_in, owner, incident):
    client, own = sign_in(owner), f"/incidents/{incident.pk}/"
    postmortems.draft(owner, incident)
    for path, status, to in (
        (f"{own}postmortem/review/", 409, f"{own}postmortem/"),
        (f"{own}status/", 400, own),
    ):
        answer = client.post(path, {}, headers=HTML)
        html = answer.content.decode()
        check_markup(html)
        assert (answer.status_code, f'href="{to}"' in html) == (status, True)
    assert "Back to the" not in client.get(f"{own}nothing/", headers=HTML).content.decode()


def test_so_can_who_finds_nothing_or_sends_a_page_that_is_too_old(sign_in, owner, incident):
    client = sign_in(owner)
    assert OUT in client.get("/nothing/", headers=HTML).content.decode()
    client.handler.enforce_csrf_checks = True
    answer = client.post("/logout/", {"csrfmiddlewaretoken": "x" * 64}, headers=HTML)
    assert (answer.status_code, OUT in answer.content.decode()) == (403, True)
