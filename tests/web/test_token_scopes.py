"""What each scope of a token may do at every address there is, and that one that has ended does nothing."""

from __future__ import annotations

import hashlib
from copy import deepcopy
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from awrdiff.accounts import api_tokens, members_and_invitations
from awrdiff.accounts.access import SCOPES, AccessContext
from awrdiff.accounts.models import ApiToken, Membership, User
from awrdiff.accounts.services import join
from awrdiff.reports.models import Report
from tests.web.addresses import ROWS, WRITERS_ASK
from tests.web.asking import ask
from tests.web.cast import Cast, cast_of
from tests.web.conftest import context_of
from tests.web.places import READ
from tests.web.test_api_tokens import machine, own

pytestmark = pytest.mark.django_db
# What is about whoever signs in: no token does it for them.
OF_A_PERSON = {
    *("tokens", "token-revoke", "calendar-make", "team-tokens", "team-token-revoke"),
    *("team-look", "team-make", "team-second-factor", "notices-read", "notices-choice", "notice-open"),
}
SHARES = {
    *("link-create", "report-link-create", "incident-link-create", "postmortem-link-create"),
    *("incident-redacted", "postmortem-redacted", "link-revoke", "link-copy", "guest-show", "guest-hide"),
    *("api-comparison-links", "api-incident-links", "api-link"),
}


AUDIT = {"audit", "audit-csv", "api-audit"}
BLIND = ("upload", "audit")  # read nothing of what the team has


def scope_for(name: str) -> str:
    """That by which it is written."""
    if name in ("report-upload", "reports-known", "api-reports"):
        return "upload"
    if name in SHARES:
        return "share"
    return "admin" if ROWS[name].owners else "write"


@pytest.fixture(scope="module")
def world(lasting) -> Cast:
    with lasting():
        return cast_of(context_of("olivia", "Payments"))


@pytest.fixture
def cast(db, world) -> Cast:
    return deepcopy(world)


@pytest.mark.parametrize("of", ["person", "service"])
@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_does_what_it_names_and_nothing_else(accounts, owner, cast, settings, scope, of):
    settings.AWRDIFF_TOKEN_RATE = 100_000
    make = api_tokens.make_own if of == "person" else api_tokens.make_of_team
    client = machine(make(owner, "script", [scope], 30)[1])
    # What all but these read is read with `read`; that readers read with each of them: tests/web/test_api_addresses.py.
    others_read = scope not in ("read", *BLIND)
    for number, (name, row) in enumerate(ROWS.items(), [*SCOPES].index(scope)):
        methods = row.methods - READ if others_read and not row.owners else row.methods
        for method in sorted(methods) if row.kind in ("member", "object") and name != "people-let-in" else ():
            reads = method in READ and scope not in BLIND and (scope == "admin" or not row.owners)
            reads = reads or (method in READ and scope == "audit" and name in AUDIT)
            asks = name in WRITERS_ASK and method in READ and scope != "write"  # a page to write on
            writes = method not in READ and scope == scope_for(name)
            may = name not in OF_A_PERSON and (reads or writes) and not asks
            # Who may not is told so by the scopes alone: of the two kinds one asks, at each address another by turns.
            if (not may and (of == "person") == (number % 2 == 0)) or (method == "HEAD" and of == "person"):
                continue
            answer = ask(client, name, method, cast)
            if may:
                allowed = row.fine | ({404} if name.startswith(("pin", "api-comparison-pin")) else set())
                assert answer.status_code in allowed, (name, method, answer.status_code)
            else:
                assert answer.status_code in (400, 403, 404), (name, method, answer.status_code)
                assert not answer.changed, name
            assert "sessionid" not in answer.cookies, name


def test_it_opens_nothing_of_an_account(accounts, owner, cast):
    client = machine(own(owner, *SCOPES))
    for name, row in ROWS.items():
        for method in sorted(row.methods) if row.kind == "account" else ():
            answer = ask(client, name, method, cast)
            assert answer.status_code == (403 if name == "account_name" else 401), name  # it knows whose token it is
            assert not answer.changed, name


def test_it_may_never_more_than_its_person(accounts, owner, cast):
    reader = context_of("rita", "Payments", "reader")
    client = machine(own(reader, *SCOPES))
    assert ask(client, "comparison", "GET", cast).status_code == 200
    for name in ("report-upload", "comparison-title", "link-create", "threads", "team-name"):
        answer = ask(client, name, "POST", cast)
        assert (name, answer.status_code, answer.changed) == (name, 403, False)


def test_a_guests_reads_what_is_shown_to_them(accounts, cast):
    guest = AccessContext(cast.access.team, cast.guest.user, role="guest", membership=cast.guest.pk)
    client = machine(own(guest, *SCOPES))
    assert ask(client, "comparison", "GET", cast).status_code == 200
    assert ask(client, "report", "GET", cast).status_code == 404


def test_who_uploads_alone_sees_nothing(accounts, owner, cast):
    cast.comparison.shown.all().delete()
    for make in (api_tokens.make_own, api_tokens.make_of_team):
        client = machine(make(owner, "drop box", ["upload"], 30)[1])
        assert ask(client, "report-upload", "POST", cast).status_code == 201
        sent = [client.post("/reports/", {"file": SimpleUploadedFile("a", b"<html>"), "same": "reuse"}) for _ in "12"]
        assert [one.status_code for one in sent] == [201, 200], "what was sent before is known to it all the same"
        assert sent[0].json()["id"] == sent[1].json()["id"]
        digests = [hashlib.sha256(data).hexdigest() for data in (b"<html>", b"never sent")]
        known = client.post("/reports/known/", {"sha256": digests}).json()["known"]
        assert {digest: one["id"] for digest, one in known.items()} == {digests[0]: sent[0].json()["id"]}
        Report.objects.filter(pk=sent[0].json()["id"]).delete()
        for name in ("home", "comparison", "report", "incidents", "threads"):
            assert ask(client, name, "GET", cast).status_code == 403, name


@pytest.mark.parametrize("end", ["revoked", "expired", "removed", "inactive", "another", "cut", "empty"])
def test_one_that_has_ended_is_none(accounts, owner, colleague, cast, end):
    text = own(colleague, *SCOPES)
    client, found = machine(text), ApiToken.objects.latest("created_at")
    assert ask(client, "comparison", "GET", cast).status_code == 200
    if end == "revoked":
        api_tokens.revoke(owner, found.pk, api_tokens.team_tokens(owner))
    elif end == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "removed":
        members_and_invitations.remove(owner, Membership.objects.get(pk=colleague.membership))
        join(colleague.user, "Payments")  # and let in again
    elif end == "inactive":
        User.objects.filter(pk=colleague.user.pk).update(is_active=False)
    else:
        client = machine({"another": "awr_" + "A" * 43, "cut": text[:-1], "empty": ""}[end])
    for name, method in (("comparison", "GET"), ("report-upload", "POST"), ("home", "GET")):
        answer = ask(client, name, method, cast)
        assert (name, answer.status_code, answer.changed) == (name, 401, False)
        assert answer["Content-Type"] == "application/problem+json"
        assert (answer.json()["status"], answer["WWW-Authenticate"][:6]) == (401, "Bearer")


def test_nobody_is_somebody_else_by_a_token_beside_a_session(sign_in, owner, colleague, cast):
    """A browser's cookie is dropped: with a bad token its owner is nobody."""
    client = sign_in(owner)
    answer = client.get("/people/", headers={"authorization": "Bearer none", "accept": "application/json"})
    assert answer.status_code == 401
    text = own(colleague, "read")
    refused = client.post("/team/name/", {"name": "Mine"}, headers={"authorization": f"Bearer {text}"})
    assert refused.status_code == 403


def test_where_nobody_signs_in_a_bad_token_is_no_local_user(settings, db):
    settings.AWRDIFF_LOCAL_USER = True
    for text in ("none", ""):
        assert machine(text).get("/").status_code == 401


def test_a_token_of_one_team_sees_nothing_of_another(accounts, owner, cast):
    elsewhere = join(owner.user, "Ledger", "owner")
    there = AccessContext(elsewhere.team, owner.user, role="owner", membership=elsewhere.pk)
    client = machine(own(there, *SCOPES))
    assert ask(client, "comparison", "GET", cast).status_code == 404
    assert client.get("/").status_code == 200


def test_one_for_the_audit_log_reads_it_and_nothing_else(accounts, owner, cast):
    client = machine(api_tokens.make_of_team(owner, "archive", ["audit"], 30)[1])
    for path in ("/audit/", "/api/v1/audit"):
        found = client.get(path, headers={"accept": "application/json"}).json()
        assert "archive" not in str(found.get("lines", found.get("items")))
        assert [one["action"] for one in found.get("lines", found.get("items"))][:1] == ["made"]
    assert b"made" in b"".join(client.get("/audit/lines.csv"))
    assert client.get("/audit/", headers={"accept": "text/html"}).status_code == 200
    for path in ("/", "/people/", "/links/", "/notices/", "/api/v1/people", "/team/", "/team/export/"):
        assert client.get(path).status_code in (403, 404), path
    assert client.post("/audit/").status_code == 405
    assert client.post("/notices/read/").status_code == 403


@pytest.mark.parametrize("role", ["member", "reader", "guest"])
def test_the_audit_log_stays_its_owners(accounts, owner, cast, role):
    theirs = context_of("rita", "Payments", role)
    client = machine(own(theirs, *SCOPES))
    assert client.get("/audit/").status_code == 403
    assert client.get("/api/v1/audit").status_code == (404 if role == "guest" else 403)


ROLES_BY_SCOPES = {
    ("admin",): {"reader"},
    ("admin", "share", "upload"): {"reader"},
    ("admin", "write"): {"reader", "guest"},
    ("admin", "write", "share"): {"reader", "guest"},
    ("admin", "write", "upload"): {"reader", "guest"},
    ("admin", "write", "share", "upload"): {"reader", "guest", "member", "owner"},
    ("write", "share", "upload", "audit"): set(),
}


@pytest.mark.parametrize("of", ["person", "service"])
@pytest.mark.parametrize("scopes", ROLES_BY_SCOPES, ids="+".join)
def test_no_token_gives_a_role_that_may_more_than_it_may(accounts, owner, cast, scopes, of):
    make = api_tokens.make_own if of == "person" else api_tokens.make_of_team
    client = machine(make(owner, "script", scopes, 30)[1])
    ways = {
        "/people/invitations/": {"email": "new@example.com"},
        "/people/invitations/several/": {"emails": "some@example.com"},
        f"/people/{cast.guest.pk}/role/": {},
    }
    for role in ("owner", "member", "reader", "guest"):
        for path, data in ways.items():
            Membership.objects.filter(pk=cast.guest.pk).update(role="guest")
            given = client.post(path, {**data, "role": role}, headers={"accept": "application/json"})
            is_theirs_already = role == "guest" and path.endswith("role/") and "admin" in scopes
            expected = role in ROLES_BY_SCOPES[scopes] or is_theirs_already
            assert (given.status_code < 300) is expected, (path, role, given.status_code, given.content)
            assert given.status_code < 300 or given.status_code == 403


def test_a_token_takes_of_a_role_what_it_may_not_give(accounts, owner, colleague, cast):
    """From owner to member nobody gains what a token may not give."""
    Membership.objects.filter(pk=colleague.membership).update(role="owner")
    client = machine(own(owner, "admin"))
    path = f"/people/{colleague.membership}/role/"
    assert client.post(path, {"role": "member"}, headers={"accept": "application/json"}).status_code == 204
    assert client.post(path, {"role": "owner"}, headers={"accept": "application/json"}).status_code == 403
    assert Membership.objects.get(pk=colleague.membership).role == "member"


def test_no_token_lets_others_comment_that_may_not_itself(accounts, owner, cast):
    path = f"/comparisons/{cast.comparison.pk}/links/"
    for scopes, status in ((("share",), 403), (("share", "write"), 201)):
        client = machine(own(owner, *scopes))
        assert client.post(path, {"comment": "yes"}).status_code == status
        assert client.post(path, {"comment": "no"}).status_code == 201
