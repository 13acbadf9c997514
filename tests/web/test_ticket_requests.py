"""Tickets that a team's webhook makes of action items, against a real HTTP server."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from awrdiff.audit.models import AuditLine
from awrdiff.incidents import action_items, action_tickets
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import ActionItem, Incident
from awrdiff.notices import outbox, services
from awrdiff.notices.models import Delivery
from awrdiff.notices.webhook_address_check import NoticeRefused
from tests.web.pages import check_markup
from tests.web.test_incidents import HTML, JSON, client, incident
from tests.web.test_webhooks import hook, private

__all__ = ["client", "hook", "incident", "private"]
pytestmark = pytest.mark.django_db
MADE = b'{"ticket": "JIRA-123", "url": "https://jira.example.com/browse/JIRA-123"}'


@pytest.fixture
def item(owner, colleague, incident, private, hook) -> ActionItem:
    services.set_team(owner, url=hook.url, shape="generic", contents=False, tickets=True)
    made = action_items.add(owner, incident, TypedAction("larger <redo> logs", str(colleague.user.pk), "2024-02-03"))
    Delivery.objects.all().delete()
    return made


def ask(client, item, expected=204) -> None:
    path = f"/incidents/{item.incident_id}/actions/{item.pk}/ticket/"
    answer = client.post(path, headers=JSON)
    assert answer.status_code == expected, answer.content


def deliver() -> None:
    Delivery.objects.update(due_at=timezone.now())
    outbox.deliver(Delivery.objects.get().pk)


def line(client, item) -> dict[str, str]:
    found = client.get(f"/incidents/{item.incident_id}/", headers=JSON).json()["actions"]
    return next(one for one in found if one["id"] == item.pk)


def html(client, path) -> str:
    found = client.get(path, headers=HTML).content.decode()
    check_markup(found)
    return found


def test_what_is_asked_and_what_is_answered(client, owner, colleague, item, hook):
    hook.answer = MADE
    assert "Ask for a ticket" in html(client, f"/incidents/{item.incident_id}/")
    ask(client, item)
    ask(client, item)  # clicked twice
    assert "no answer yet" in line(client, item)["ticket_asked"]
    page = html(client, "/incidents/actions/")
    assert "no answer yet" in page
    assert "Ask for a ticket" not in page
    changed = Incident.objects.get().changed_at
    deliver()
    (got,) = hook.came
    assert "v1=" in got.headers["X-Awrdiff-Signature"]
    said = json.loads(got.body)
    assert (said["event"], said["about"]) == ("ticket.wanted", None)
    assert said["url"] == f"https://awr.example.com/incidents/{item.incident_id}/#action-{item.pk}"
    assert said["wanted"] == {
        "item": item.pk,
        "title": "Slow Monday",
        "text": "larger <redo> logs",
        "due": "2024-02-03",
        "assignee": "carl",
    }
    found = line(client, item)
    assert (found["link"], found["ticket_asked"], found["version"]) == (
        "https://jira.example.com/browse/JIRA-123",
        "",
        2,
    )
    assert Incident.objects.get().changed_at > changed
    shown = html(client, f"/incidents/{item.incident_id}/")
    assert '<a href="https://jira.example.com/browse/JIRA-123" rel="nofollow noopener noreferrer"' in shown
    assert ">JIRA-123<span" in shown
    assert "JIRA-123" in html(
        client, f"/incidents/{item.incident_id}/actions/{item.pk}/"
    )  # what it said before: nothing
    lines = AuditLine.objects.filter(thing=str(item.incident_id), action__startswith="ticket ")
    assert sorted(lines.values_list("action", "who")) == [
        ("ticket asked", f"user {owner.user.pk}"),
        ("ticket written", "server"),
    ]
    ask(client, item, 400)  # it has one


def test_a_reference_is_kept_where_the_teams_pattern_leads_to_the_same_place(owner, client, item, hook):
    pattern = "https://jira.example.com/browse/{}"
    client.post("/team/tickets/", {"pattern": pattern}, headers=JSON)
    hook.answer = MADE
    ask(client, item)
    deliver()
    assert line(client, item)["ticket"] == "JIRA-123"


@pytest.mark.parametrize(
    ("answer", "pattern", "kept"),
    [
        (MADE, "https://elsewhere.example.com/{}", "JIRA-123 https://jira.example.com/browse/JIRA-123"),
        (b'{"ticket": "https://b.example/1", "url": "https://a.example/1"}', "", "https://a.example/1"),
        (b'{"ticket": "A-1", "url": "https://a.example/' + b"x" * 480 + b'"}', "", "https://a.example/" + "x" * 480),
        (b'{"ticket": "#45"}', "", "#45"),
        (b'{"url": "http://t.example.com/1"}', "", "http://t.example.com/1"),
        (b'{"ticket": "JIRA-1", "url": "javascript:alert(1)"}', "", "JIRA-1"),
        (b'{"ticket": "<b>1</b>", "url": "https://a.example@evil.example/"}', "", ""),
        (b'{"ticket": 45}', "", ""),
        (b'{"url": "JIRA-1"}', "", ""),
        (b'["JIRA-1"]', "", ""),
        (b"ok", "", ""),
        (b"", "", ""),
        (b"\xff\xfe", "", ""),
        (b"[" * 16_000, "", ""),
        (b'{"ticket": "A-1", "url": "https://a.example/' + b"x" * 600 + b'"}', "", "A-1"),
    ],
)
def test_what_an_answer_may_be(answer, pattern, kept):
    assert action_tickets.ticket_in(answer, pattern) == kept


def test_an_answer_without_one_and_one_that_is_given_up_can_be_asked_again(client, item, hook):
    hook.answer = b"ok"
    ask(client, item)
    deliver()
    assert "the answer named none" in line(client, item)["ticket_asked"]
    hook.status = 410
    ask(client, item)
    first = Delivery.objects.get().pk
    deliver()
    assert "answered 410" in line(client, item)["ticket_asked"]
    hook.status, hook.answer = 200, MADE
    assert "Ask for a ticket" in html(client, "/incidents/actions/")
    ask(client, item)
    assert Delivery.objects.get().pk == first  # whoever took it knows it
    deliver()
    assert line(client, item)["link"]


def test_what_is_typed_meanwhile_stays(client, owner, item, hook):
    hook.answer = MADE
    ask(client, item)
    sent = Delivery.objects.get()
    action_items.change(owner, item, 1, TypedAction(item.text, str(item.owner_id), "2024-02-03", link="BY-HAND-1"))
    assert not Delivery.objects.exists()
    action_tickets.answered(sent, MADE)  # it was on its way
    assert line(client, item)["ticket"] == "BY-HAND-1"


def test_nothing_is_asked_of_what_is_done_or_removed_nor_once_the_owner_says_no(client, owner, item, hook):
    ask(client, item)
    action_items.set_state(owner, item, "done")
    assert not Delivery.objects.exists()
    ask(client, item, 400)
    action_items.set_state(owner, item, "open")
    ask(client, item)
    services.set_team(owner, url=hook.url, shape="generic", contents=True, tickets=False)
    assert not Delivery.objects.exists()
    ask(client, item, 400)
    assert "Ask for a ticket" not in html(client, "/incidents/actions/")
    with pytest.raises(NoticeRefused):
        services.set_team(owner, url=hook.url, shape="slack", contents=True, tickets=True)
    services.set_team(owner, url=hook.url, shape="generic", contents=True, tickets=True)
    ask(client, item)
    action_items.remove(owner, item)
    assert not Delivery.objects.exists()


def test_nobody_is_said_to_have_answered_who_was_never_reached(client, owner, item, hook):
    ask(client, item)
    action_items.set_state(owner, item, "done")
    action_items.set_state(owner, item, "open")
    assert line(client, item)["ticket_asked"] == ""
    ask(client, item)
    for tickets in (False, True):
        services.set_team(owner, url=hook.url, shape="generic", contents=True, tickets=tickets)
    assert line(client, item)["ticket_asked"] == ""
    assert "Ask for a ticket" in html(client, "/incidents/actions/")
