"""Every address of /api/v1 by a token of each scope, of whoever is on the team and of others; and that what is answered
is what is described."""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from dataclasses import replace

import pytest

from awrdiff.accounts.access import SCOPES, AccessContext
from awrdiff.accounts.services import join
from awrdiff.web.api.v1.endpoint_table import ADDRESSES
from tests.web.addresses import GUESTS_READ, ROWS
from tests.web.asking import ask
from tests.web.cast import Cast, cast_of
from tests.web.conftest import context_of
from tests.web.places import READ
from tests.web.test_api import is_as_described
from tests.web.test_api_tokens import machine, own
from tests.web.test_token_scopes import BLIND

pytestmark = pytest.mark.django_db
NAMES = [address.name for address in ADDRESSES]
GUESTS_TALK = {"api-comparison-threads", "api-comparison-thread"}  # in what is shown to them
NOTHING_OF = ("api-incident-links", "api-fleet")  # no report of the cast was measured: tests/web/test_fleet_page.py


@pytest.fixture(scope="module")
def world(lasting) -> Cast:
    with lasting():
        return cast_of(context_of("olivia", "Payments"))


@pytest.fixture
def cast(db, world, settings) -> Cast:
    settings.AWRDIFF_TOKEN_RATE = 100_000
    return deepcopy(world)


def methods_of(name: str, scope: str) -> list[str]:
    """HEAD is as GET: with one scope that reads, and those that read nothing."""
    return sorted(ROWS[name].methods - (set() if scope in ("read", *BLIND) else {"HEAD"}))


def asked(client, cast: Cast, scope: str, *, but: Collection[str] = ()) -> list[tuple[str, str, int]]:
    """By address and method what was answered; nothing was changed."""
    found = []
    for name in NAMES:
        for method in methods_of(name, scope):
            if name in but and method not in READ:
                continue
            answer = ask(client, name, method, cast)
            assert not answer.changed, (name, method)
            found.append((name, method, answer.status_code))
    return found


@pytest.mark.parametrize("scope", SCOPES)
def test_a_readers_token_reads_and_does_no_more(accounts, cast, scope):
    client = machine(own(context_of("rita", "Payments", "reader"), scope))
    for name, method, status in asked(client, cast, scope):
        reads = method in READ and scope not in BLIND and not ROWS[name].owners
        assert status == 200 if reads else status in (403, 404), (name, method)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_guests_reads_what_is_shown_to_them(accounts, cast, scope):
    guest = AccessContext(cast.access.team, cast.guest.user, role="guest", membership=cast.guest.pk)
    for name, method, status in asked(machine(own(guest, scope)), cast, scope, but=GUESTS_TALK):
        if method in READ and scope not in BLIND and (name != "api-audit" or scope == "admin"):
            talk = "-thread" in name and scope != "write"  # they see threads as they may comment
            assert status == (200 if name in GUESTS_READ and not talk else 404), (name, method)
        else:
            assert status in (403, 404), (name, method)


@pytest.mark.parametrize("scope", SCOPES)
def test_of_another_team_nothing_is_there(accounts, owner, cast, scope):
    elsewhere = join(owner.user, "Ledger", "owner")
    there = AccessContext(elsewhere.team, owner.user, role="owner", membership=elsewhere.pk)
    client = machine(own(there, scope))
    for name in NAMES:
        if ROWS[name].kind == "object":
            for method in methods_of(name, scope):
                answer = ask(client, name, method, cast)
                reads = method in READ and scope not in BLIND
                assert answer.status_code == 404 if reads else answer.status_code in (403, 404), (name, method)
                assert not answer.changed, (name, method)
        elif scope not in BLIND and name not in ("api-people", "api-audit"):
            found = client.get(f"/api/v1/{name.removeprefix('api-')}").json()
            assert {**found, "next": None} == found or name == "api-fleet", name
            assert (found["items"], found.get("databases", 0)) == ([], 0), name


def test_what_is_answered_is_what_is_described(accounts, owner, cast):
    """Where there is something of each."""
    client = machine(own(owner, *SCOPES))
    first = cast.comparison.places.get(position=0).report
    for address in ADDRESSES:
        for method in address.by:
            answer = ask(client, address.name, method, replace(cast, report=first) if method == "GET" else cast)
            described = answer.status_code in address.by[method].answers
            assert described or answer.status_code in (403, 404, 409), (address.name, answer.content)
            if method == "GET":
                assert answer.status_code == 200, (address.name, answer.content)
            if answer.status_code != 204:
                said = is_as_described(address.path, method.lower(), answer, answer.whole)
                assert said.get("items", said) or address.name in NOTHING_OF, address.name
    held = "baseline=0&second=1"
    for path in ("sections/foreground_wait_events", "export.json"):
        answer = client.get(f"/api/v1/comparisons/{cast.comparison.pk}/{path}?{held}")
        assert (answer.status_code, b"baseline" in b"".join(answer)) == (200, True)


@pytest.mark.parametrize("query", ["baseline=0,1&second=9", "baseline=1&second=1", "second=1", "baseline=0"])
def test_a_baseline_that_is_none_is_not_there(accounts, owner, cast, query):
    client = machine(own(owner, "read"))
    answer = client.get(f"/api/v1/comparisons/{cast.comparison.pk}/export.json?{query}")
    assert answer.status_code == 404
    assert "baseline" in answer.json()["detail"]


def test_what_is_not_ready_is_waited_for(accounts, owner, cast):
    client = machine(own(owner, "read"))
    type(cast.comparison).objects.filter(pk=cast.comparison.pk).update(state="running")
    type(cast.report).objects.filter(pk=cast.report.pk).update(state="running")
    for name in NAMES:
        if "GET" in ROWS[name].methods and name.endswith(("section", "entity", "commit", "trend", "export")):
            assert ask(client, name, "GET", cast).status_code == 409, name
