"""When the impact began, was detected, mitigated and resolved: set by people, suggested by reports and events."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from awrdiff.incidents import comparisons_and_reports, services, timeline
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import Incident
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent
from tests.web.incident_hours import hour, stored
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
DAY = "2024-03-05"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner) -> Incident:
    typed = Typed("Slow", begins_at=f"{DAY}T10:00", ends_at=f"{DAY}T11:00", time_zone="Europe/Vienna")
    return services.make(owner, typed)


def path(incident: Incident) -> str:
    return f"/incidents/{incident.pk}/"


def times(client: Client, incident: Incident) -> dict[str, dict]:
    return {time["name"]: time for time in client.get(path(incident), headers=JSON).json()["times"]}


def save(client: Client, incident: Incident, version: int, **fields: str) -> int:
    answer = client.post(f"{path(incident)}edit/", {"version": version, **fields}, headers=JSON)
    return answer.status_code


def test_whoever_sets_one_is_named_and_the_window_is_no_duration(sign_in, client, colleague, incident):
    assert all(time["at"] is None for time in times(client, incident).values())
    html = client.get(path(incident), headers=HTML).content.decode()
    check_markup(html)
    assert "1 h" not in html
    assert save(client, incident, 1, impact_at=f"{DAY}T10:05") == 204
    assert save(sign_in(colleague), incident, 2, resolved_at=f"{DAY}T10:50") == 204
    found = times(client, incident)
    assert (found["impact_at"]["at"], found["impact_at"]["by"]) == (f"{DAY}T09:05:00Z", "olivia")
    assert found["resolved_at"]["by"] == "carl"
    html = client.get(path(incident), headers=HTML).content.decode()
    check_markup(html)
    assert "impact 45 min" in html
    assert "impact 45 min" in client.get("/incidents/", headers=HTML).content.decode()
    lines = [line["text"] for line in client.get(path(incident), headers=JSON).json()["timeline"]]
    assert lines.index("Impact began") < lines.index("Resolved")
    client.post(f"{path(incident)}postmortem/", headers=JSON)
    sections = client.get(f"{path(incident)}postmortem/", headers=JSON).json()["sections"]
    impact = next(section["text"] for section in sections if section["id"] == "impact")
    assert impact.startswith("- Impact: 45 min, 5 Mar 2024 10:05 – 10:50 (Europe/Vienna)")


def test_two_people_set_different_ones_at_once_and_one_takes_its_own_back(client, incident):
    assert save(client, incident, 1, impact_at=f"{DAY}T10:05") == 204
    assert save(client, incident, 1, detected_at=f"{DAY}T10:10") == 204, "another field of the same version"
    assert save(client, incident, 1, impact_at=f"{DAY}T10:07") == 409
    assert save(client, incident, 3, impact_at="") == 204
    found = times(client, incident)
    assert (found["impact_at"]["at"], found["detected_at"]["at"]) == (None, f"{DAY}T09:10:00Z")


@pytest.mark.parametrize("name", ["mitigated_at", "resolved_at"])
def test_nothing_is_over_before_its_impact(owner, incident, name):
    typed = Typed("Slow", begins_at=f"{DAY}T10:00", impact_at=f"{DAY}T10:05")
    for minute, is_refused in ((4, True), (5, False)):
        late = {name: f"{DAY}T10:{minute:02}"}
        values = Typed(**{**{n: getattr(typed, n) for n in Typed.__slots__}, **late})
        if is_refused:
            with pytest.raises(IncidentRefused, match="before “Impact began”"):
                values.values()
        else:
            values.values()


def test_reports_and_events_suggest_them_with_who_said_so(client, owner, colleague, incident):
    comparisons_and_reports.attach(owner, incident, stored(owner, hour(9), hour(10, sick=True), hour(11)), "PAY")
    timeline.add(colleague, incident, TypedEvent(f"{DAY}T10:12", "Users call", "impact"))
    timeline.add(owner, incident, TypedEvent(f"{DAY}T10:40", "Added swap", "action"))
    services.set_status(owner, incident, "resolved")
    suggested = {
        name: [(s["at"], s["why"]) for s in time["suggested"]] for name, time in times(client, incident).items()
    }
    seen = (f"{DAY}T10:12:00", "“Users call”, carl")
    assert suggested["impact_at"] == [(f"{DAY}T10:00:00", "the report of the bad hour begins"), seen]
    assert suggested["detected_at"] == [seen]
    assert suggested["mitigated_at"] == [(f"{DAY}T10:40:00", "“Added swap”, olivia")]
    assert [why for _, why in suggested["resolved_at"]] == [
        "“Status open → resolved”, olivia",
        "the first report without trouble begins",
    ]
    assert all(time["at"] is None for time in times(client, incident).values()), "a suggestion sets nothing"
    assert save(client, incident, Incident.objects.get().version, detected_at=seen[0]) == 204
    assert times(client, incident)["detected_at"]["suggested"] == []


def test_another_zone_keeps_what_clocks_showed(client, incident):
    save(client, incident, 1, impact_at=f"{DAY}T10:05")
    assert save(client, incident, 2, time_zone="UTC") == 204
    incident.refresh_from_db()
    assert incident.impact_at == datetime(2024, 3, 5, 10, 5, tzinfo=UTC)
