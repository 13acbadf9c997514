"""Who may do what at every address there is: the list is the URL configuration's, and one without a row fails.

Kinds: `public` is for anyone; `member` for whoever is on a team, about the own team; `object` for the members of the team
it belongs to, for anyone else it is not there; `link` for whoever holds a link that is live.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse
from django.urls.resolvers import URLPattern, URLResolver
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.services import local_membership
from awrdiff.comparisons import services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.reports.models import Report
from awrdiff.sharing.models import ShareLink
from awrdiff.web.sign_in.local_user import PEER_UID
from parsers import parse_report
from tests.unit.analysis.traces import Slow, trace_text
from tests.web.conftest import store_parsed, store_report
from tests.web.pages import body
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
READ, WRITE, TAKE_AWAY = frozenset({"GET", "HEAD"}), frozenset({"POST"}), frozenset({"POST", "DELETE"})
FINE = frozenset({200, 201, 204, 302})
JSON = {"Accept": "application/json"}
Kind = Literal["public", "member", "object", "link"]


@dataclass(frozen=True)
class Cast:
    """What a team has: a ready comparison of two reports with a trace, a report and a trace beside it, a link."""

    comparison: Comparison
    report: Report
    attached: Report
    loose: Report
    link: ShareLink
    token: str


@dataclass(frozen=True)
class Row:
    kind: Kind
    methods: frozenset[str]
    place: Callable[[Cast], dict[str, object]] = lambda _: {}
    data: Callable[[Cast], dict[str, object]] = lambda _: {}
    fine: frozenset[int] = FINE


def of_comparison(c: Cast) -> dict[str, object]:
    return {"pk": c.comparison.pk}


def of_report(c: Cast) -> dict[str, object]:
    return {"pk": c.report.pk}


def of_token(c: Cast) -> dict[str, object]:
    return {"token": c.token}


def also(place: Callable[[Cast], dict[str, object]], **more: object) -> Callable[[Cast], dict[str, object]]:
    return lambda c: {**place(c), **more}


SECTION = {"section_id": "foreground_wait_events"}
ROWS = {
    "home": Row("member", READ),
    "report-upload": Row(
        "member", WRITE, data=lambda _: {"file": SimpleUploadedFile("a.html", b"<html>an AWR report")}
    ),
    "report": Row("object", READ, of_report),
    "report-retry": Row("object", WRITE, of_report),
    "report-delete": Row("object", WRITE, of_report),
    "report-commit": Row("object", READ, lambda c: {"pk": c.comparison.places.get(position=0).report_id}),
    "report-search": Row("object", READ, of_report),
    "report-section": Row("object", READ, also(of_report, **SECTION)),
    "comparison-create": Row(
        "member",
        WRITE,
        data=lambda c: {"report": [str(p.report_id) for p in c.comparison.places.order_by("position")[:2]]},
    ),
    "comparison": Row("object", READ, of_comparison),
    "comparison-status": Row("object", READ, of_comparison),
    "comparison-section": Row("object", READ, also(of_comparison, **SECTION)),
    "comparison-commit": Row("object", READ, of_comparison),
    "comparison-swap": Row("object", WRITE, of_comparison),
    "comparison-aspect": Row("object", WRITE, of_comparison, lambda _: {"place": "0", "aspect": ""}, frozenset({400})),
    "comparison-retry": Row("object", WRITE, of_comparison),
    "comparison-delete": Row("object", WRITE, of_comparison),
    "comparison-export": Row("object", READ, also(of_comparison, ending="json")),
    "trace-attach": Row("object", WRITE, of_comparison, lambda c: {"report": str(c.loose.pk)}),
    "trace-detach": Row("object", TAKE_AWAY, lambda c: {"pk": c.comparison.pk, "report_pk": c.attached.pk}),
    "comparison-search": Row("object", READ, of_comparison),
    "link-create": Row("object", WRITE, of_comparison),
    "link-revoke": Row("object", TAKE_AWAY, lambda c: {"pk": c.link.pk}),
    "shared-comparison": Row("link", READ, of_token),
    "shared-section": Row("link", READ, also(of_token, **SECTION)),
    "shared-export": Row("link", READ, also(of_token, ending="json")),
    "shared-commit": Row("link", READ, of_token),
    "shared-search": Row("link", READ, of_token),
    "login": Row("public", READ | WRITE),
    "logout": Row("public", WRITE),
    "healthz": Row("public", READ),
    "readyz": Row("public", READ),
}
# Django's own views answer these as well: they say what may be asked, or take what a form sends.
ALSO_ANSWERED = {"login": {"PUT", "OPTIONS"}, "logout": {"OPTIONS"}}


def served(patterns=None) -> list[URLPattern]:
    found: list[URLPattern] = []
    for one in get_resolver().url_patterns if patterns is None else patterns:
        found += served(one.url_patterns) if isinstance(one, URLResolver) else [one]
    return found


def test_every_address_has_a_row_and_every_row_an_address():
    assert sorted(str(p.name) for p in served()) == sorted(ROWS)


def stored_trace(access: AccessContext, name: str, elapsed_ms: int) -> Report:
    text = trace_text([Slow("2024-01-01 10:30:00", elapsed_ms)], instance="pay1", host="db01", unique="pay")
    return store_parsed(access, parse_report(text.encode(), name=name))


def cast_of(access: AccessContext) -> Cast:
    reports = [store_report(access, f"{n}.html", begin=f"2024-01-01T1{n}:00:00", waits=100.0 + n) for n in (0, 1)]
    attached, loose = stored_trace(access, "a.trc", 1500), stored_trace(access, "b.trc", 1600)
    made = services.create_comparison(access, [*reports, attached], order_by_time=False)
    compute_now(made.pk)
    link, path = create_link(access, made, days=1)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return Cast(made, store_report(access, "alone.html"), attached, loose, link, path.split("/")[2])


@pytest.fixture
def cast(owner) -> Cast:
    return cast_of(owner)


def ask(client: Client, name: str, method: str, cast: Cast):
    """One request whose doings are taken back, so that the next address finds everything as it was."""
    row = ROWS[name]
    address = reverse(name, kwargs=row.place(cast))
    data = row.data(cast) if method == "POST" else None
    with transaction.atomic():
        answer = getattr(client, method.lower())(address, data, headers=JSON)
        answer.whole, answer.changed = body(answer), state(cast)
        transaction.set_rollback(True)
    return answer


def statuses(client: Client, cast: Cast, *kinds: Kind) -> dict[str, set[int]]:
    """By address, of all methods that it answers."""
    found = {}
    for name, row in ROWS.items():
        if row.kind in kinds:
            found[name] = {ask(client, name, method, cast).status_code for method in sorted(row.methods)}
    assert found
    return found


def refused(client: Client, cast: Cast, status: int, *kinds: Kind) -> None:
    """Every one of these addresses answers so and changes nothing."""
    before = state(cast)
    for name, row in ROWS.items():
        for method in sorted(row.methods) if row.kind in kinds else ():
            answer = ask(client, name, method, cast)
            assert (name, method, answer.status_code) == (name, method, status)
            assert answer.changed == before, name


def state(cast: Cast) -> list[Any]:
    """All that a write could change."""
    return [
        list(Comparison.objects.order_by("pk").values_list("pk", "state", "attempt", "queued_at")),
        list(Report.objects.order_by("pk").values_list("pk", "state", "queued_at")),
        list(cast.comparison.places.order_by("position").values_list("report_id", "aspect")),
        list(ShareLink.objects.order_by("pk").values_list("pk", "revoked_at")),
    ]


def test_other_methods_are_refused_and_change_nothing(sign_in, owner, cast):
    client, before = sign_in(owner), state(cast)
    for name, row in ROWS.items():
        others = [m for m in METHODS if m not in row.methods | ALSO_ANSWERED.get(name, set())]
        assert others
        for method in others:
            answer = ask(Client() if row.kind == "public" else client, name, method, cast)
            assert (name, method, answer.status_code) == (name, method, 405)
            assert answer.changed == before, name


@pytest.mark.parametrize("who", ["owner", "colleague"])
def test_members_may(request, sign_in, cast, who):
    found = statuses(sign_in(request.getfixturevalue(who)), cast, "member", "object")
    assert {name: given for name, given in found.items() if not given <= ROWS[name].fine} == {}


def test_what_writes_does_write(sign_in, owner, cast):
    """Or the tests that nothing is changed could not fail."""
    client, before = sign_in(owner), state(cast)
    unchanged = {
        n for n, row in ROWS.items() if "POST" in row.methods and ask(client, n, "POST", cast).changed == before
    }
    # a retry of what is ready, a choice of what is not there, and sessions
    assert unchanged == {
        "report-retry",
        "comparison-retry",
        "comparison-aspect",
        "login",
        "logout",
    }


def test_for_another_team_it_is_not_there(sign_in, stranger, cast):
    refused(sign_in(stranger), cast, 404, "object")


def test_another_team_sees_and_uses_nothing_of_it(sign_in, stranger, cast):
    client = sign_in(stranger)
    expected = {"home": {200}, "report-upload": {201}, "comparison-create": {400}}
    assert statuses(client, cast, "member") == expected
    assert str(cast.comparison.pk).encode() not in ask(client, "home", "GET", cast).whole


def test_whoever_is_not_signed_in_is_asked_to(accounts, cast):
    refused(Client(), cast, 401, "member", "object")


def test_who_is_on_no_team_is_refused(accounts, django_user_model, cast):
    client = Client()
    client.force_login(django_user_model.objects.create(username="new"))
    refused(client, cast, 403, "member", "object")


def test_a_form_of_another_site_is_refused(sign_in, owner, cast):
    """A signed-in browser sends its cookie along with any form, but not the token."""
    client, before = sign_in(owner), state(cast)
    client.handler.enforce_csrf_checks = True
    for name in [name for name, row in ROWS.items() if "POST" in row.methods]:
        answer = ask(client, name, "POST", cast)
        assert (name, answer.status_code) == (name, 403)
        assert answer.changed == before


@pytest.mark.parametrize("who", ["anyone", "stranger"])
def test_a_live_link_opens_for_whoever_holds_it(sign_in, stranger, cast, who):
    found = statuses(sign_in(stranger) if who == "stranger" else Client(), cast, "link")
    assert set().union(*found.values()) == {200}


@pytest.mark.parametrize("end", ["expired", "revoked", "deleted", "guessed"])
@pytest.mark.parametrize("who", ["anyone", "owner"])
def test_a_link_that_has_ended_opens_for_nobody(sign_in, owner, cast, end, who):
    client = sign_in(owner) if who == "owner" else Client()
    assert client.get(f"/s/{cast.token}/", headers=JSON).status_code == 200
    refused(client, ended(cast, end), 404, "link")


def ended(cast: Cast, how: str) -> Cast:
    if how == "guessed":
        return replace(cast, token="A" * 43)
    if how == "deleted":
        cast.link.delete()
    else:
        past = timezone.now() - timedelta(seconds=1)
        ShareLink.objects.update(**{{"expired": "expires_at", "revoked": "revoked_at"}[how]: past})
    return cast


def test_a_link_opens_no_address_of_members(accounts, cast):
    client = Client()
    assert client.get(f"/s/{cast.token}/", headers=JSON).status_code == 200
    refused(client, cast, 401, "member", "object")


def test_public_addresses_ask_nobody_who_they_are(accounts, cast):
    found = statuses(Client(), cast, "public")
    # readyz is 503 where no worker runs
    assert found == {"login": {200}, "logout": {302}, "healthz": {200}, "readyz": {503}}


class TestWithoutAccounts:
    """The embedded default: whoever runs the server is its one member, and nobody else on the machine is."""

    @pytest.fixture
    def cast(self, db, settings, tmp_path) -> Cast:
        settings.VAR = tmp_path
        membership = local_membership()
        return cast_of(AccessContext(team=membership.team, user=membership.user))

    def test_whoever_runs_the_server_may(self, cast):
        found = statuses(Client(), cast, "member", "object")
        assert {name: given for name, given in found.items() if not given <= ROWS[name].fine} == {}

    @pytest.mark.parametrize("uid", [os.geteuid() + 1, None])
    def test_others_on_the_machine_may_not(self, cast, uid):
        refused(Client(**{PEER_UID: uid}), cast, 403, "member", "object")

    def test_a_link_opens_for_them(self, cast):
        found = statuses(Client(**{PEER_UID: os.geteuid() + 1}), cast, "link")
        assert set().union(*found.values()) == {200}
