"""What an open page of an incident is told: that something on it changed, and who writes where."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.display_names import choose_shown_name
from awrdiff.accounts.models import Membership
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.queries import overview
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, finding_verdicts, services, timeline
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import Incident
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.postmortems import services as postmortems
from awrdiff.threads.queries import ASKED_AGAIN_ALONE_S, ASKED_AGAIN_S, IN_TALK
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner, comparison) -> Incident:
    made = services.make(owner, Typed("Slow Monday", begins_at="2024-01-01T11:05"))
    comparisons_and_reports.attach(owner, made, comparison, "PAY")
    return made


def live(client: Client, incident: Incident, typing: str = "", tag: str = ""):
    query, headers = f"?typing={typing}" if typing else "", {**JSON, **({"If-None-Match": tag} if tag else {})}
    return client.get(f"/incidents/{incident.pk}/threads/live/{query}", headers=headers)


def test_whatever_changes_on_its_page_is_told(client, owner, colleague, comparison, incident):
    anchor = of_finding(overview(comparison).findings[0])
    event = timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "failover"))
    item = action_items.add(owner, incident, TypedAction("larger redo logs", owner=str(colleague.user.pk)))
    document = postmortems.draft(owner, incident)
    judged = finding_verdicts.TypedVerdict(anchor, "confirmed")
    steps = [
        lambda: timeline.change(colleague, event, 1, TypedEvent("2024-01-01T11:30", "failover to 2")),
        lambda: action_items.set_state(colleague, item, "done"),
        lambda: action_items.set_state(colleague, item, "open"),
        lambda: services.set_status(colleague, incident, "mitigated"),
        lambda: services.give_role(colleague, incident, str(owner.user.pk), "lead"),
        lambda: evidence.keep(colleague, incident, comparison, anchor),
        lambda: finding_verdicts.give(colleague, comparison, judged),
        lambda: finding_verdicts.sign_off(owner, finding_verdicts.current(owner, comparison)[0], "dba"),
        lambda: postmortems.save(colleague, document, "summary", "It was the log.", base=1),
        lambda: members_and_invitations.remove(owner, Membership.objects.get(pk=colleague.membership)),
    ]
    for number, step in enumerate(steps):
        before = live(client, incident)
        step()
        after = live(client, incident, tag=before["ETag"])
        assert after.status_code == 200, number
        assert after.json()["changes"] > before.json()["changes"], number
        assert live(client, incident, tag=after["ETag"]).status_code == 304


def test_its_pages_know_of_which_change_they_are(client, owner, incident):
    postmortems.draft(owner, incident)
    told = live(client, incident).json()["changes"]
    for below in ("", "postmortem/"):
        html = client.get(f"/incidents/{incident.pk}/{below}").content.decode()
        check_markup(html)
        assert f'data-changes="{told}"' in html
    other = services.make(owner, Typed("Other", begins_at="2024-01-01T11:05"))
    timeline.add(owner, other, TypedEvent("2024-01-01T11:30", "failover"))
    assert live(client, incident).json()["changes"] == told


def test_a_comparison_that_nobody_judged_tells_of_no_change(client, comparison, incident):
    assert client.get(f"/comparisons/{comparison.pk}/threads/live/", headers=JSON).json()["changes"] == 0


def test_who_writes_in_a_line_is_seen_while_they_do(sign_in, client, colleague, incident):
    his = sign_in(colleague)
    live(his, incident)
    before = live(client, incident)
    assert before.json()["typing"] == []
    choose_shown_name(colleague.user, "Carl Berg")
    live(his, incident, typing="event-7")  # at once, though he was noted a moment ago
    now = live(client, incident, tag=before["ETag"])
    assert now.json()["typing"] == [{"name": "carl", "name_shown": "Carl Berg", "line": "event-7"}]
    live(his, incident)
    assert live(client, incident).json()["typing"] == []
    for bad in ("%3Cscript%3E", "x" * 41, "a%00b"):
        live(his, incident, typing=bad)
        assert live(client, incident).json()["typing"] == []


def test_where_something_changed_of_late_the_page_asks_soon(client, incident):
    assert live(client, incident)["X-Ask-Again"] == str(ASKED_AGAIN_S)
    Incident.objects.update(changed_at=timezone.now() - IN_TALK)
    assert live(client, incident)["X-Ask-Again"] == str(ASKED_AGAIN_ALONE_S)


def test_asking_stays_cheap(client, incident):
    tag = live(client, incident)["ETag"]
    with CaptureQueriesContext(connection) as asked:
        assert live(client, incident, tag=tag).status_code == 304
    assert len(asked) <= 9
