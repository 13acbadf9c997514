"""Tickets of incidents and action items: addresses, and references that a team's pattern makes addresses of."""

from __future__ import annotations

import pytest

from awrdiff.accounts import ticket_references
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import Team
from awrdiff.incidents import action_items, services
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.incident_material import material_of
from awrdiff.postmortems.live_tables import _actions as action_table
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
PATTERN = "https://jira.example.com/browse/{}?from=awr"


@pytest.fixture
def incident(owner) -> Incident:
    typed = services.Typed("Slow Monday", begins_at="2024-01-01T11:05", ticket="INC0012345")
    return services.make(owner, typed)


def items(client, incident) -> dict[str, str]:
    found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["actions"]
    return {one["ticket"]: one["link"] for one in found}


def test_a_reference_leads_where_the_team_says(sign_in, owner, incident):
    client = sign_in(owner)
    typed = ("JIRA-123", "#45", "https://elsewhere.example.com/7")
    for one in typed:
        action_items.add(owner, incident, TypedAction(f"of {one}", link=one))
    assert items(client, incident) == {"JIRA-123": "", "#45": "", typed[2]: typed[2]}
    assert "· JIRA-123" in " ".join(client.get("/incidents/actions/", headers=HTML).content.decode().split())
    assert client.post("/team/tickets/", {"pattern": PATTERN}, headers=JSON).status_code == 204
    jira = "https://jira.example.com/browse/{}?from=awr"
    leads = {"JIRA-123": jira.format("JIRA-123"), "#45": jira.format("45"), typed[2]: typed[2]}
    assert items(client, incident) == leads
    for path in (f"/incidents/{incident.pk}/", "/incidents/actions/"):
        html = client.get(path, headers=HTML).content.decode()
        check_markup(html)
        assert all(f'href="{url}"' in html for url in leads.values())
        assert ("INC0012345?from=awr" in html) == (path != "/incidents/actions/")
    incident.refresh_from_db()
    (table,) = action_table(material_of(incident))
    assert {row[-1].text: row[-1].address for row in table.rows} == leads
    found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()
    assert found["ticket"] == {"text": "INC0012345", "url": jira.format("INC0012345")}


def test_what_is_changed_of_an_incident_is_kept(sign_in, owner, incident):
    client = sign_in(owner)
    path = f"/incidents/{incident.pk}/edit/"
    assert client.post(path, {"version": 1, "ticket": "INC-2"}, headers=JSON).status_code == 204
    html = client.get(path, headers=HTML).content.decode()
    assert "INC0012345" in html
    assert 'value="INC-2"' in html


@pytest.mark.parametrize(
    "text",
    [
        "JIRA",
        "#",
        "../1",
        "a 1",
        "1/2",
        "%2e1",
        "1{}",
        "java\tscript:1",
        "1" * 70,
        "#javascript:1",
        "A-1 B-2",
        "A-1 javascript:1",
        "A 1 https://a.example/1",
        "https://a.example/1 A-1",
        "A-1 https://x@a.example/",
    ],
)
def test_what_is_no_reference(owner, incident, text):
    with pytest.raises(IncidentRefused):
        action_items.add(owner, incident, TypedAction("x", link=text))


@pytest.mark.parametrize(
    "pattern",
    [
        "http://jira.example.com/{}",
        "javascript:alert({})",
        "//jira.example.com/{}",
        "https:///{}",
        "https://{}/x",
        "https://{}.example.com/x",
        "https://jira.example.com/",
        "https://jira.example.com/{}/{}",
        "https://jira.example.com/{0}{}",
        "https://jira.example.com@evil.example/{}",
        'https://jira.example.com/"onmouseover="{}',
        "https://jira.example.com\\@evil.example/{}",
        "https://jira.example.com:0/{}",
        "https://jira.ex\u0430mple.com/{}",
        "https://jira.example.com/" + "x" * 300 + "{}",
    ],
)
def test_a_pattern_shows_where_it_leads(sign_in, owner, pattern):
    with pytest.raises(PeopleRefused):
        ticket_references.clean_pattern(pattern)
    answer = sign_in(owner).post("/team/tickets/", {"pattern": pattern}, headers=JSON)
    assert answer.status_code == 400
    assert Team.objects.get(pk=owner.team.pk).ticket_pattern == ""


def test_a_reference_cannot_leave_its_place():
    """However a reference came in."""
    assert ticket_references.address_of("https://a.example/{}", "../x?y#z") == "https://a.example/..%2Fx%3Fy%23z"
    assert ticket_references.address_of("", "A-1") == ""
