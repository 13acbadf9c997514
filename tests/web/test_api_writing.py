"""What is written through /api/v1: an incident from its first minute to its review, each key once, nothing overwritten."""

from __future__ import annotations

from copy import deepcopy
from datetime import datetime
from typing import Any

import pytest
from django.core.cache import cache

from awrdiff.incidents.models import ActionItem, Incident, TimelineEvent
from awrdiff.sharing.models import ShareLink
from awrdiff.threads.models import Comment
from tests.web.cast import Cast, cast_of
from tests.web.conftest import context_of
from tests.web.test_api import is_as_described
from tests.web.test_api_tokens import machine, own

pytestmark = pytest.mark.django_db
SCOPES = ("write", "share", "admin")


@pytest.fixture(scope="module")
def world(lasting) -> Cast:
    with lasting():
        return cast_of(context_of("olivia", "Payments"))


@pytest.fixture
def cast(db, world, settings) -> Cast:
    settings.AWRDIFF_TOKEN_RATE = 100_000
    return deepcopy(world)


class Api:
    def __init__(self, client: Any) -> None:
        self.client = client

    def post(self, path: str, body: dict[str, Any] | None = None, status: int = 0, *, key: str = "") -> Any:
        headers = {"Idempotency-Key": key} if key else {}
        answer = self.client.post(f"/api/v1/{path}", body or {}, content_type="application/json", headers=headers)
        assert answer.status_code == (status or answer.status_code), answer.content
        return answer.json() if answer.content else None

    def get(self, path: str) -> Any:
        answer = self.client.get(f"/api/v1/{path}")
        assert answer.status_code == 200, answer.content
        return answer.json()


@pytest.fixture
def api(accounts, owner, cast) -> Api:
    return Api(machine(own(owner, *SCOPES)))


def test_an_incident_from_its_first_minute_to_its_review(api, cast, owner):
    made = api.post(
        "incidents", {"title": "Slow", "begins_at": "2024-01-01T12:05:00+01:00", "tags": ["pay", "db"]}, 201
    )
    here = f"incidents/{made['id']}"
    api.post(f"{here}/comparisons", {"comparison": str(cast.comparison.pk)}, 204)
    event = api.post(f"{here}/events", {"at": "2024-01-01T11:30:00Z", "text": "failover", "kind": "impact"}, 201)
    action = api.post(
        f"{here}/actions", {"text": "larger logs", "owner": owner.user.username, "due": "2024-02-01"}, 201
    )
    evidence = {"comparison": str(cast.comparison.pk), "anchor": "init_parameters"}
    api.post(f"{here}/evidence", evidence, 201)
    api.post(f"{here}/status", {"status": "resolved"}, 204)
    found = api.get(here)
    assert (found["status"], found["tags"], found["begins_at"]) == (
        "resolved",
        ["db", "pay"],
        "2024-01-01T11:05:00+00:00",
    )
    assert [one["text"] for one in found["timeline"] if one.get("id") == event["id"]] == ["failover"]
    (listed,) = (one for one in api.get("actions?state=open&limit=200")["items"] if one["id"] == action["id"])
    assert (listed["owner"], listed["due"], listed["version"]) == (owner.user.username, "2024-02-01", 1)
    assert len(api.get(f"{here}/evidence")["items"]) == 1
    drafted = api.post(f"{here}/postmortem", status=201)
    section = drafted["sections"][0]
    saved = api.post(
        f"{here}/postmortem/sections/{section['id']}", {"text": "We were slow.", "seen": section["number"]}, 200
    )
    assert saved["text"] == "We were slow."
    refused = {"text": "Mine.", "seen": section["number"]}
    api.post(f"{here}/postmortem/sections/{section['id']}", refused, 409)
    version = api.get(f"{here}/postmortem")["version"]
    assert api.post(f"{here}/postmortem/review", {"seen": version}, 200)["state"] == "reviewed"


def test_what_others_saved_meanwhile_is_put_together_or_told(api, cast):
    incident = Incident.objects.get(pk=cast.incident.incident.pk)
    here, was = f"incidents/{incident.pk}", incident.version
    api.post(here, {"version": was, "summary": "slow since noon"}, 204)
    api.post(here, {"version": was, "title": "Slow payments"}, 204)
    incident.refresh_from_db()
    assert (incident.title, incident.summary) == ("Slow payments", "slow since noon")
    said = api.post(here, {"version": was, "summary": "slow since one"}, 409)
    assert said["detail"]
    incident.refresh_from_db()
    assert incident.summary == "slow since noon"


@pytest.mark.parametrize("forgets", [False, True])
def test_a_key_makes_one_row_also_after_the_cache_was_emptied(api, cast, forgets):
    here = f"incidents/{cast.incident.incident.pk}"
    bodies = {
        "incidents": {"title": "Slow", "begins_at": "2024-01-01T11:05:00Z"},
        f"{here}/events": {"at": "2024-01-01T11:30:00Z", "text": "failover"},
        f"{here}/actions": {"text": "larger redo logs"},
        f"{here}/threads": {"anchor": "begins", "body": "When?"},
        f"comparisons/{cast.comparison.pk}/threads": {"anchor": "foreground_wait_events", "body": "Why?"},
    }
    rows = (Incident, TimelineEvent, ActionItem, Comment)
    for path, body in bodies.items():
        first = api.post(path, body, 201, key=f"nightly {path}")
        before = [model.objects.count() for model in rows]
        if forgets:
            cache.clear()
        assert api.post(path, body, key=f"nightly {path}")["id"] == first["id"], path
        assert [model.objects.count() for model in rows] == before, path
        assert api.post(path, body, 201, key=f"another of {path}")["id"] != first["id"]


def test_a_key_is_its_persons_and_no_colleagues(api, cast):
    """Two scripts of a team that count their runs alike write two incidents."""
    body = {"title": "Slow", "begins_at": "2024-01-01T11:05:00Z"}
    mine = api.post("incidents", body, 201, key="run 1")
    colleague = Api(machine(own(context_of("petra", cast.access.team.name), *SCOPES[:1])))
    assert colleague.post("incidents", body, 201, key="run 1")["id"] != mine["id"]
    assert colleague.post("incidents", {**body, "title": "Other"}, 409, key="run 1")


def test_a_key_with_another_body_is_a_mistake(api):
    body = {"title": "Slow", "begins_at": "2024-01-01T11:05:00Z"}
    api.post("incidents", body, 201, key="k")
    assert "Idempotency-Key" in api.post("incidents", {**body, "title": "Slower"}, 409, key="k")["detail"]


def test_the_key_of_what_was_refused_is_good_for_what_is_mended(api):
    body = {"title": "Slow", "begins_at": "2024-01-01T11:05:00Z"}
    api.post("incidents", {**body, "ends_at": "2023-01-01T11:05:00Z"}, 400, key="k")
    api.post("incidents", body, 201, key="k")


def test_a_form_is_not_taken_for_json(accounts, owner, cast, sign_in):
    before = Incident.objects.count()
    browser = sign_in(owner)
    browser.handler.enforce_csrf_checks = True  # by which the form is read before the view asks for the body
    browser.cookies["csrftoken"] = token = "a" * 32
    for client in (machine(own(owner, *SCOPES)), browser):
        form = {"title": "Slow", "begins_at": "2024-01-01T11:05:00Z", "csrfmiddlewaretoken": token}
        answer = client.post("/api/v1/incidents", form)
        assert (answer.status_code, "JSON" in answer.json()["detail"]) == (400, True)
    assert Incident.objects.count() == before


TWICE = ("2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00.250000+01:00")  # clocks in Vienna show 02:30 both times


def test_the_moments_of_an_incident_stay_what_was_sent(api):
    began, ends = TWICE
    zone = {"time_zone": "Europe/Vienna"}
    here = (
        f"incidents/{api.post('incidents', {'title': 'Slow', 'begins_at': began, 'ends_at': ends, **zone}, 201)['id']}"
    )
    event = f"{here}/events/{api.post(f'{here}/events', {'at': began, 'text': 'failover'}, 201)['id']}"

    def moments() -> list[datetime]:
        incident = Incident.objects.get(pk=here.partition("/")[2])
        return [incident.begins_at, incident.ends_at, TimelineEvent.objects.get(by_system=False, incident=incident).at]

    first, second = map(datetime.fromisoformat, TWICE)
    assert moments() == [first, second, first]
    api.post(here, {"version": 1, "begins_at": ends}, 204)
    api.post(event, {"version": 1, "at": ends}, 204)
    assert moments() == [second, second, second]
    api.post(here, {"version": 1, "title": "Slow, twice"}, 204)  # which nobody else changed
    api.post(event, {"version": 2, "at": began}, 204)
    api.post(here, {"version": 3, "begins_at": began}, 204)
    for version, name in ((4, "America/New_York"), (5, "UTC")):
        api.post(here, {"version": version, "time_zone": name}, 204)
        assert moments() == [first, second, first], name
    api.post(here, {"version": 1, "time_zone": "Europe/London"}, 409)  # others changed it since
    api.post(here, {"version": 6, "title": "Slower"}, 204)
    assert moments() == [first, second, first]


def test_another_zone_overwrites_no_time_that_others_saved_meanwhile(api):
    made = api.post("incidents", {"title": "Slow", "begins_at": TWICE[0], "time_zone": "Europe/Vienna"}, 201)
    here = f"incidents/{made['id']}"
    api.post(here, {"version": 1, "begins_at": "2024-10-27T05:00:00Z"}, 204)
    api.post(here, {"version": 1, "time_zone": "UTC"}, 204)
    found = Incident.objects.get(pk=made["id"])
    assert (found.begins_at.isoformat(), found.time_zone) == ("2024-10-27T05:00:00+00:00", "UTC")


@pytest.mark.parametrize("what", ["comparisons", "incidents"])
def test_a_link_is_made_once_also_where_another_process_is_asked_again(api, cast, what):
    about = cast.comparison if what == "comparisons" else cast.incident.incident
    api.post(f"{what}/{about.pk}/links", {"days": 7}, 201, key="k")
    count = ShareLink.objects.count()
    cache.clear()  # each process has its own
    api.post(f"{what}/{about.pk}/links", {"days": 7}, 409, key="k")
    assert ShareLink.objects.count() == count
    api.post(f"{what}/{about.pk}/links", {"days": 7}, 201, key="another")


def test_the_address_of_a_link_is_told_once(api, cast):
    here = f"comparisons/{cast.comparison.pk}/links"
    made = api.post(here, {"days": 7, "for_whom": "Oracle support"}, 201, key="k")
    assert ShareLink.objects.get(pk=made["id"]).for_whom == "Oracle support"
    assert api.client.get(made["url"].partition("testserver")[2]).status_code == 200
    count = ShareLink.objects.count()
    assert "once" in api.post(here, {"days": 7, "for_whom": "Oracle support"}, 409, key="k")["detail"]
    assert ShareLink.objects.count() == count
    assert made["id"] in {one["id"] for one in api.get(here)["items"]}
    assert api.client.delete(f"/api/v1/links/{made['id']}").status_code == 204
    assert made["id"] not in {one["id"] for one in api.get(here)["items"]}


def test_a_link_that_asks_for_pseudonyms_has_them(api, cast):
    here = f"comparisons/{cast.comparison.pk}/links"
    assert api.post(here, {"redact": True, "days": None}, 201)["redacted"] is True
    assert ShareLink.objects.latest("created_at").expires_at is None
    assert api.post(here, {}, 201)["redacted"] is False


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"title": "Slow", "begins_at": "yesterday"}, "begins_at"),
        ({"title": "Slow", "begins_at": "2024-01-01T11:05:00"}, "begins_at"),
        ({"title": " ", "begins_at": "2024-01-01T11:05:00Z"}, "title"),
        ({"title": "Slow", "begins_at": "2024-01-01T11:05:00Z", "sevrity": 1}, "sevrity"),
        ({"title": "Slow", "begins_at": "2024-01-01T11:05:00Z", "severity": "1"}, "severity"),
        ({"title": "Slow", "begins_at": "2024-01-01T11:05:00Z", "ends_at": "2023-01-01T11:05:00Z"}, "end"),
        ({"title": "Slow", "begins_at": "2024-01-01T11:05:00Z", "time_zone": "Mars/Olympus"}, "time zone"),
    ],
)
def test_what_makes_no_incident_is_refused_by_name(api, body, said):
    before = Incident.objects.count()
    answer = api.client.post("/api/v1/incidents", body, content_type="application/json")
    assert answer.status_code == 400
    assert said in is_as_described("incidents", "post", answer)["detail"]
    assert Incident.objects.count() == before


def test_nobody_of_another_team_is_given_work(api, cast):
    context_of("stella", "Elsewhere")
    said = api.post(f"incidents/{cast.incident.incident.pk}/actions", {"text": "ask", "owner": "stella"}, 404)
    assert "stella" in said["detail"]
    api.post(f"incidents/{cast.incident.incident.pk}/actions", {"text": "ask", "owner": "a\0b"}, 400)


def test_whom_the_team_has_is_told_to_those_alone_who_read_it(accounts, owner, cast, guest, sign_in):
    path = f"/api/v1/incidents/{cast.incident.incident.pk}/actions"
    for client in (machine(own(owner, "upload")), sign_in(guest)):
        said = [
            client.post(path, {"text": "ask", "owner": name}, content_type="application/json")
            for name in (owner.user.username, "nobody")
        ]
        assert said[0].status_code == said[1].status_code
        assert said[0].json()["detail"] == said[1].json()["detail"]


def test_the_audit_log_leads_on(api, cast):
    seen, address = [], "/api/v1/audit?limit=2"
    while address and len(seen) < 8:
        page = api.client.get(address).json()
        seen += [one["id"] for one in page["items"]]
        address = page["next"]
    assert len(seen) >= 4
    assert seen == sorted(set(seen), reverse=True)
