"""Who may do what at every address there is: the list is the URL configuration's, and one without a row fails."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client
from django.urls import get_resolver
from django.urls.resolvers import URLPattern, URLResolver
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Team
from awrdiff.sharing import services as sharing
from awrdiff.sharing.models import ShareLink, Shows
from tests.web.addresses import ALSO_ANSWERED, GUESTS_READ, GUESTS_WRITE, LINKS_OPEN, METHODS, ROWS, WRITERS_ASK
from tests.web.asking import ask
from tests.web.cast import JSON, Cast, cast_of, talk_of
from tests.web.conftest import context_of
from tests.web.places import FINE, READ, Kind
from tests.web.redacted import redacted_link
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
# What is answered to a guest elsewhere: a comparison of reports they do not see, and what is of no use.
OF_A_GUEST = {
    "comparison-create": {400},
    "series": {400},
    "series-compare": {400},
    "trace-attach": {400},
    "people-let-in": {400},
    "team-look": {204},
}
OF_A_GUEST |= {"tokens": {200, 201}, "notices": {200}, "notices-read": {204}, "notices-choice": {204}}  # their own

# The same of a reader: what is their own, and of no use.
OF_A_READER = {
    "people-let-in": {400},
    "team-look": {204},
    "notices-read": {204},
    "notices-choice": {204},
    "notice-open": {404},
    "pin-remove": {404},
    "api-comparison-pin": {404},
    "tokens": {200, 201},
    "calendar-make": {201},
    "token-revoke": {404},
    "postmortem-section": {200, 403},  # its text is read, and not saved
}


def served(patterns=None) -> list[URLPattern]:
    found: list[URLPattern] = []
    for one in get_resolver().url_patterns if patterns is None else patterns:
        found += served(one.url_patterns) if isinstance(one, URLResolver) else [one]
    return found


def test_every_address_has_a_row_and_every_row_an_address():
    assert sorted(str(p.name) for p in served()) == sorted(ROWS)


@pytest.fixture(scope="module")
def world(lasting) -> Cast:
    with lasting():
        return cast_of(context_of("olivia", "Payments"))


@pytest.fixture
def cast(db, world) -> Cast:
    return deepcopy(world)


def statuses(client: Client, cast: Cast, *kinds: Kind, head: bool = False) -> dict[str, set[int]]:
    """By address, of all methods that it answers."""
    found = {}
    for name, row in ROWS.items():
        if row.kind in kinds:
            methods = sorted(row.methods) if head else row.asked
            found[name] = {ask(client, name, method, cast).status_code for method in methods}
    assert found
    return found


def refused(client: Client, cast: Cast, status: int, *kinds: Kind, but: str = "") -> None:
    """Every one of these addresses answers so and changes nothing."""
    for name, row in ROWS.items():
        for method in row.asked if row.kind in kinds and name != but else ():
            answer = ask(client, name, method, cast)
            assert (name, method, answer.status_code) == (name, method, status)
            assert not answer.changed, name


def test_other_methods_are_refused_and_change_nothing(sign_in, owner, cast):
    client = sign_in(owner)
    for name, row in ROWS.items():
        others = [m for m in METHODS if m not in row.methods | ALSO_ANSWERED.get(name, set())]
        assert others
        for method in others:
            answer = ask(Client() if row.kind == "public" else client, name, method, cast)
            assert (name, method, answer.status_code) == (name, method, 405)
            assert not answer.changed, name


def test_members_may(sign_in, colleague, cast):
    found = statuses(sign_in(colleague), cast, "member", "object", "account", head=True)
    expected = {n: {403} if ROWS[n].owners else ROWS[n].fine for n in found}
    assert {name: given for name, given in found.items() if not given <= expected[name]} == {}


def test_owners_may_what_members_may_not(sign_in, owner, cast):
    """What else they do, nearly every other test does as one of them."""
    client = sign_in(owner)
    theirs = {name: row for name, row in ROWS.items() if row.owners}
    found = {name: {ask(client, name, m, cast).status_code for m in row.methods} for name, row in theirs.items()}
    assert found
    assert {name: given for name, given in found.items() if not given <= ROWS[name].fine} == {}


@pytest.mark.parametrize("who", ["owner", "colleague", "guest", "stranger"])
def test_to_administer_the_server_is_no_role_of_a_team(request, sign_in, cast, who):
    refused(sign_in(request.getfixturevalue(who)), cast, 404, "server")


def test_a_reader_reads_all_that_a_member_does_and_writes_nothing(sign_in, owner, cast):
    client = sign_in(context_of("rita", "Payments", "reader"))
    for name, row in ROWS.items():
        for method in row.asked if row.kind in ("member", "object", "account") else ():
            answer = ask(client, name, method, cast)
            reads = method in READ and not row.owners and name not in WRITERS_ASK
            own = row.kind == "account" or name in OF_A_READER
            allowed = OF_A_READER.get(name, row.fine) if reads or own else {403}
            assert answer.status_code in allowed, (name, method, answer.status_code)
            assert not answer.changed or row.kind == "account" or name in ("tokens", "calendar-make"), name


def test_a_guest_reads_what_is_shown_to_them_and_nothing_else(sign_in, cast):
    client = sign_in(AccessContext(cast.access.team, cast.guest.user))
    for name, row in ROWS.items():
        for method in row.asked if row.kind in ("member", "object") else ():
            answer = ask(client, name, method, cast)
            reads = name in GUESTS_READ | {"home", "reports-progress"} and method in READ
            if name in GUESTS_WRITE and method not in READ:
                assert answer.status_code in FINE, (name, method, answer.status_code)
                assert method == "DELETE" or answer.changed, name
                continue
            allowed = {200} if reads else OF_A_GUEST.get(name, {403, 404})
            assert answer.status_code in allowed, (name, method, answer.status_code)
            assert not answer.changed or name == "tokens", name


def test_for_a_guest_to_whom_it_is_not_shown_it_is_not_there(sign_in, guest, cast):
    client = sign_in(guest)
    for name, row in ROWS.items():
        for method in row.asked if row.kind == "object" and name != "team-look" else ():
            answer = ask(client, name, method, cast)
            assert (name, method, answer.status_code) == (name, method, 404)
            assert not answer.changed or name == "tokens", name
    page = ask(client, "home", "GET", cast).whole
    assert str(cast.comparison.pk).encode() not in page
    assert b'type="file"' not in page


def test_a_guest_finds_what_is_shown_to_them_on_the_first_page(sign_in, cast):
    client = sign_in(AccessContext(cast.access.team, cast.guest.user))
    page = client.get("/", headers={"Accept": "text/html"}).content
    assert str(cast.comparison.pk).encode() in page
    assert str(cast.report.pk).encode() not in page
    assert b"Rename" not in page
    assert b'type="file"' not in page


def test_what_writes_does_write(sign_in, owner, cast):
    """Or the tests that nothing is changed could not fail."""
    client = sign_in(owner)
    unchanged = {n for n, row in ROWS.items() if "POST" in row.methods and not ask(client, n, "POST", cast).changed}
    # one's own notices, a webhook that is not there, a retry of what is ready, a choice of what is not there, and sessions
    assert unchanged == {
        *("report-retry", "api-report-retry"),
        *("series", "reports-known"),  # they look, and have more to look at than an address holds
        "comparison-retry",
        "link-copy",
        "comparison-aspect",
        "comparison-without",
        "people-let-in",
        "incident-redacted",  # is looked at, where nobody says that the link is to be made
        "postmortem-redacted",
        "team-look",
        "guest-show",
        *("incident-comparison-attach", "api-incident-comparisons"),  # it is attached already
        *("postmortem", "api-postmortem"),  # drafted already, and not reviewed
        *("postmortem-answer", "api-postmortem-answer"),  # nobody asked them
        *("postmortem-reopen", "api-postmortem-reopen"),
        *("notices-read", "notices-choice", "notice-open", "team-webhook-secret", "team-webhook-test"),
        "incident-action-ticket",  # nobody makes them
        "team-second-factor",  # it required none before
        "postmortem-tick",  # no line says it
        "incident-comment-suggestion",  # it suggests nothing
        "database-compare",  # none of its reports is there
        "shared-password",
        *(name for name, row in ROWS.items() if "POST" in row.methods and row.kind in ("public", "account", "server")),
    }


def test_a_team_that_requires_a_second_factor_answers_nobody_without_one(sign_in, cast):
    Team.objects.filter(pk=cast.access.team.pk).update(second_factor_required=True)
    refused(sign_in(cast.access), cast, 403, "member", "object", but="team-look")


def test_for_another_team_it_is_not_there(sign_in, stranger, cast):
    refused(sign_in(stranger), cast, 404, "object")


def test_another_team_sees_and_uses_nothing_of_it(sign_in, stranger, cast):
    client = sign_in(stranger)
    expected = {"home": {200}, "report-upload": {201}, "comparison-create": {400}, "links": {200}}
    expected |= {"api-reports": {200, 201}, "api-comparisons": {200, 404}, "api-databases": {200}, "api-fleet": {200}}
    expected |= {"api-links": {200}, "api-incidents": {200, 201}, "api-actions": {200}}
    expected |= {"api-people": {200}, "api-audit": {200}}
    expected |= {"reports-known": {200}, "reports-progress": {200}, "series": {400}, "series-compare": {400}}
    expected |= {"people": {200}, "people-let-in": {400}, "invite": {201}, "invite-all": {200}}
    expected |= {"incidents": {200, 201}, "incident-new": {200}, "actions": {200}, "actions-moved": {301}}
    expected |= {"audit": {200}, "audit-csv": {200}, "notices": {200}, "notices-read": {204}, "notices-choice": {204}}
    expected |= {"team": {200}, "team-export": {200}, "team-make": {201}, "team-name": {204}, "team-webhook": {204}}
    expected |= {"team-threads": {204}, "team-tickets": {204}, "team-second-factor": {204}, "team-tracker": {204}}
    expected |= {"tokens": {200, 201}, "team-tokens": {200, 201}}
    expected |= {
        "team-postmortems": {200},
        "calendar-make": {201},
        "incident-statistics": {200},
        "incident-week": {301},
    }
    expected |= {
        "team-new-reports": {204},
        "team-old-reports": {200, 204},
        "databases": {200},
        "databases-digest": {204},
    }
    expected |= {"team-webhook-secret": {204}, "team-webhook-test": {400}}
    assert statuses(client, cast, "member") == expected


def test_another_team_reads_nothing_of_it(sign_in, owner, stranger, cast):
    """Each of these things is read somewhere by whose they are, or this could not fail."""
    own = (cast.comparison, cast.report, cast.loose, cast.link, cast.incident.incident)
    names = (cast.access.team.name, cast.access.user.username, cast.incident.action.text, cast.databases[0].name)
    things = {str(one.pk).encode() for one in own} | {f'"{name}"'.encode() for name in names}
    places = [name for name, row in ROWS.items() if row.kind == "member" and "GET" in row.methods]

    def read(client: Client) -> set[tuple[str, bytes]]:
        texts = {name: ask(client, name, "GET", cast).whole for name in places}
        return {(name, thing) for name, text in texts.items() for thing in things if thing in text}

    assert {thing for _, thing in read(sign_in(owner))} == things
    assert read(sign_in(stranger)) == set()


def test_whoever_is_not_signed_in_is_asked_to(accounts, cast):
    refused(Client(), cast, 401, "member", "object", "account", "server")


def test_who_is_on_no_team_is_refused(accounts, django_user_model, cast):
    client = Client()
    client.force_login(django_user_model.objects.create(username="new"))
    refused(client, cast, 403, "member", "object")


def test_a_form_of_another_site_is_refused(sign_in, owner, cast):
    """A signed-in browser sends its cookie along with any form, but not the token."""
    client = sign_in(owner)
    client.handler.enforce_csrf_checks = True
    by_themselves = {"tracker": 401, "channel": 404}  # they read no cookie
    for name in [name for name, row in ROWS.items() if "POST" in row.methods]:
        answer = ask(client, name, "POST", cast)
        assert (name, answer.status_code) == (name, by_themselves.get(name, 403))
        assert not answer.changed


@pytest.mark.parametrize("who", ["anyone", "stranger"])
def test_a_live_link_opens_for_whoever_holds_it(sign_in, stranger, cast, who):
    found = statuses(sign_in(stranger) if who == "stranger" else Client(), cast, "link", head=True)
    assert found == {name: {204} if name == "shared-password" else {200} for name in found}


@pytest.mark.parametrize("who", ["anyone", "stranger"])
def test_by_a_link_to_comment_whoever_holds_it_does(sign_in, stranger, cast, who):
    found = statuses(sign_in(stranger) if who == "stranger" else Client(), cast, "talk", head=True)
    assert {name: given for name, given in found.items() if not given <= FINE} == {}


def test_by_a_redacted_link_to_comment_too(cast):
    link, path = redacted_link(cast.access, cast.comparison, may_comment=True)
    found = statuses(Client(), replace(cast, talk=talk_of(cast.access, link, path)), "talk")
    assert found.pop("shared-attachment") == {404}  # nobody knows what names a picture shows
    assert {name: given for name, given in found.items() if not given <= FINE} == {}


@pytest.mark.parametrize("who", ["anyone", "owner"])
def test_by_a_link_to_read_nobody_comments(sign_in, owner, cast, who):
    """Nor by another link to comment, in what was not begun there."""
    client = sign_in(owner) if who == "owner" else Client()
    refused(client, replace(cast, talk=replace(cast.talk, token=cast.token)), 404, "talk")
    other = create_link(owner, cast.comparison, days=1, may_comment=True)[1].split("/")[2]
    elsewhere = replace(cast, talk=replace(cast.talk, token=other))
    for name, method in (("shared-thread", "GET"), ("shared-thread", "POST"), ("shared-comment", "DELETE")):
        answer = ask(client, name, method, elsewhere)
        assert (name, method, answer.status_code, answer.changed) == (name, method, 404, False)
    own = replace(cast, talk=replace(cast.talk, comment=cast.comment))
    for name, method in (("shared-thread", "GET"), ("shared-thread", "POST"), ("shared-comment", "DELETE")):
        assert ask(client, name, method, own).status_code == 404, "a thread of the team's"


@pytest.mark.parametrize("end", ["expired", "revoked", "deleted", "guessed"])
@pytest.mark.parametrize("who", ["anyone", "owner"])
def test_a_link_that_has_ended_opens_for_nobody(sign_in, owner, cast, end, who):
    client = sign_in(owner) if who == "owner" else Client()
    assert client.get(f"/s/{cast.token}/", headers=JSON).status_code == 200
    refused(client, ended(cast, end), 404, "link", "talk")


@pytest.mark.parametrize("who", ["anyone", "owner"])
def test_a_link_with_a_password_asks_whoever_holds_it(sign_in, owner, cast, who):
    ShareLink.objects.update(password=make_password("horse battery"))
    refused(sign_in(owner) if who == "owner" else Client(), cast, 401, "link", "talk")


@pytest.mark.parametrize("end", ["", "expired", "revoked", "deleted"])
def test_a_redacted_link_is_one_as_any_other(cast, end):
    link, path = redacted_link(cast.access, cast.comparison)
    seen = replace(cast, link=link, token=path.split("/")[2])
    if end:
        refused(Client(), ended(seen, end), 404, "link")
        return
    found = statuses(Client(), seen, "link")
    assert found == {name: {204} if name == "shared-password" else {200} for name in found}


@pytest.mark.parametrize("end", ["", "expired", "revoked", "deleted"])
def test_so_is_one_to_a_report(accounts, cast, end):
    link, path = redacted_link(cast.access, cast.report)
    token = path.split("/")[2]
    seen = replace(cast, link=link, token=token, talk=replace(cast.talk, token=token))
    refused(Client(), seen, 404, "talk")
    if end:
        refused(Client(), ended(seen, end), 404, "link")
        return
    found = statuses(Client(), seen, "link")
    opened = {name: {200} if name in LINKS_OPEN[Shows.REPORT] else {404} for name in found}
    assert found == opened | {"shared-password": {204}}
    refused(Client(), replace(seen, report=link.report_copy), 401, "object")


def link_to(cast: Cast, shows: Shows, **more: object) -> Cast:
    """The cast with a link to another of its things."""
    things = {
        Shows.REPORT: cast.report,
        Shows.INCIDENT: cast.incident.incident,
        Shows.POSTMORTEM: cast.postmortem.incident,
    }
    about = things[shows]
    link, token = sharing.create_link(cast.access, about, days=1, shows=shows, **more)
    return replace(cast, link=link, token=token, talk=replace(cast.talk, token=token))


@pytest.mark.parametrize("who", ["anyone", "owner"])
@pytest.mark.parametrize("shows", LINKS_OPEN)
def test_a_link_opens_what_it_is_about_and_nothing_else(request, sign_in, cast, shows, who):
    client = Client() if who == "anyone" else sign_in(request.getfixturevalue(who))
    seen = link_to(cast, shows)
    refused(client, seen, 404, "talk")
    found = statuses(client, seen, "link")
    opened = {name: {200} if name in LINKS_OPEN[shows] else {404} for name in found}
    assert found == opened | {"shared-password": {204}}


@pytest.mark.parametrize("shows", LINKS_OPEN)
@pytest.mark.parametrize("end", ["expired", "revoked", "deleted", "guessed"])
def test_of_every_kind_one_that_has_ended_opens_for_nobody(accounts, cast, shows, end):
    refused(Client(), ended(link_to(cast, shows), end), 404, "link", "talk")


@pytest.mark.parametrize("shows", LINKS_OPEN)
def test_of_every_kind_one_with_a_password_asks(accounts, cast, shows):
    refused(Client(), link_to(cast, shows, password="horse battery"), 401, "link", "talk")


def test_links_open_no_address_of_members(accounts, cast):
    """Whoever has opened one of every kind reaches neither what it is about nor its redacted copy."""
    client = Client()
    redacted, path = redacted_link(cast.access, cast.comparison)
    tokens = [cast.token, cast.talk.token, *(link_to(cast, shows).token for shows in LINKS_OPEN)]
    for opened in (path, *(f"/s/{token}/" for token in tokens)):
        assert client.get(opened, headers=JSON).status_code == 200
    refused(client, cast, 401, "member", "object", "account")
    refused(client, replace(cast, comparison=redacted.copy), 401, "object")


def test_no_member_finds_a_copy(sign_in, owner, cast):
    link, _ = redacted_link(cast.access, cast.comparison)
    copies = replace(cast, comparison=link.copy, report=link.copy.places.get(position=0).report)
    client = sign_in(owner)
    for name in ("comparison", "comparison-section", "comparison-export", "report", "report-section", "link-create"):
        assert ask(client, name, min(ROWS[name].methods), copies).status_code == 404, name
    assert str(link.copy.pk).encode() not in client.get("/").content


def ended(cast: Cast, how: str) -> Cast:
    if how == "guessed":
        return replace(cast, token="A" * 43, talk=replace(cast.talk, token="A" * 43))
    if how == "deleted":
        cast.link.delete()
        cast.talk.link.delete()
    else:
        past = timezone.now() - timedelta(seconds=1)
        ShareLink.objects.update(**{{"expired": "expires_at", "revoked": "revoked_at"}[how]: past})
    return cast


def test_public_addresses_ask_nobody_who_they_are(accounts, cast):
    found = statuses(Client(), cast, "public", head=True)
    # Nobody signs up who was not invited, or has a second factor to show
    other = {"account_logout": {302}, "join-link": {302}, "account_signup": {404}}
    other |= {"mfa_authenticate": {302}, "account_confirm_email": {200, 404}, "calendar": {404}, "metrics": {404}}
    other |= {"sign-in-once": {404}, "tracker": {401}, "channel": {404}}
    assert found == {name: other.get(name, {200}) for name in found}
