"""The calendar of what somebody owes: what stands in it, and who reaches it."""

from __future__ import annotations

from datetime import date

import pytest
from django.test import Client

from awrdiff.accounts import api_tokens
from awrdiff.accounts.models import ApiToken, Membership
from awrdiff.incidents import action_items, services
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.models import ActionItem, Incident
from tests.web.pages import check_markup
from tests.web.test_api_tokens import machine

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
LONG = "Añade 日本 grupos; de redo, \\ y más " + "ü" * 200


@pytest.fixture
def incident(owner) -> Incident:
    return services.make(owner, services.Typed("Slow, again", begins_at="2024-01-01T11:05"))


@pytest.fixture
def item(owner, colleague, incident) -> ActionItem:
    for whose, text, due in (("", "nobody's", "2026-12-01"), (colleague.user.pk, "some day", "")):
        action_items.add(owner, incident, TypedAction(text, owner=str(whose), due=due))
    return action_items.add(owner, incident, TypedAction(LONG, owner=str(colleague.user.pk), due="2026-12-31"))


@pytest.fixture
def url(sign_in, colleague) -> str:
    answer = sign_in(colleague).post("/account/tokens/calendar/", headers=JSON)
    assert answer.status_code == 201
    return answer.json()["url"].removeprefix("http://testserver")


def events(body: bytes) -> list[dict[str, str]]:
    """Read as RFC 5545 says: lines unfolded, values unescaped."""
    assert body.endswith(b"END:VCALENDAR\r\n")
    lines = body.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert b"\n" not in b"".join(lines)
    for line in lines:
        line.decode()  # no character is cut in two
    whole = body.replace(b"\r\n ", b"").decode().split("\r\n")
    found: list[dict[str, str]] = []
    for line in whole:
        name, _, value = line.partition(":")
        if line == "BEGIN:VEVENT":
            found.append({})
        elif found:
            for escaped, plain in (("\\,", ","), ("\\;", ";"), ("\\\\", "\\")):
                value = value.replace(escaped, plain)
            found[-1].setdefault(name, value)
    return found


def test_ones_own_open_items_on_the_days_they_are_due(item, url):
    answer = Client().get(url)
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert (answer["Cache-Control"], answer["X-Robots-Tag"]) == ("private, no-store", "noindex, nofollow")
    (event,) = events(answer.content)
    assert (event["SUMMARY"], event["DESCRIPTION"]) == (LONG, "Slow, again")
    assert (event["DTSTART;VALUE=DATE"], event["DTEND;VALUE=DATE"]) == ("20261231", "20270101")
    assert event["DTSTAMP"] == f"{item.updated_at:%Y%m%dT%H%M%SZ}"
    assert event["URL"] == f"http://testserver/incidents/{item.incident_id}/#action-{item.pk}"


def test_it_is_the_same_event_after_a_change(owner, item, url):
    (before,) = events(Client().get(url).content)
    due = date(2027, 1, 5).isoformat()
    changed = TypedAction("Another text", owner=str(item.owner_id), due=due)
    item = action_items.change(owner, item, item.version, changed)
    (after,) = events(Client().get(url).content)
    assert after["UID"] == before["UID"]
    assert (before["SEQUENCE"], after["SEQUENCE"]) == ("0", "1")
    assert after["DTSTART;VALUE=DATE"] == "20270105"
    action_items.set_state(owner, item, "done")
    assert events(Client().get(url).content) == []


def test_no_text_ends_a_line_early(owner, item, url):
    ActionItem.objects.update(text="a\r\nEND:VEVENT\nb\rc\x07\x7fd")
    (event,) = events(Client().get(url).content)
    assert event["SUMMARY"] == "a\\nEND:VEVENT\\nb\\ncd"


@pytest.mark.parametrize("end", ["revoked", "removed", "inactive", "a guest", "another"])
def test_one_that_has_ended_is_not_there(sign_in, colleague, item, url, end):
    assert Client().get(url).status_code == 200
    found = ApiToken.objects.get()
    if end == "revoked":
        assert sign_in(colleague).delete(f"/account/tokens/{found.pk}/", headers=JSON).status_code == 204
    elif end == "removed":
        Membership.objects.filter(user=colleague.user).delete()
    elif end == "inactive":
        type(colleague.user).objects.filter(pk=colleague.user.pk).update(is_active=False)
    elif end == "a guest":
        Membership.objects.filter(user=colleague.user).update(role="guest")
    else:
        url = url.replace(".ics", "x.ics")
    assert Client().get(url).status_code == 404


def test_its_token_does_nothing_else_and_no_other_is_one(accounts, colleague, item, url):
    text = url.rpartition("/")[2].removesuffix(".ics")
    assert machine(text).get(f"/incidents/{item.incident_id}/", headers=JSON).status_code == 401
    _, script = api_tokens.make_own(colleague, "script", ["read", "write"], 1)
    assert Client().get(f"/calendar/{script}.ics").status_code == 404
    assert text not in str(ApiToken.objects.values())  # a hash of it is kept


def test_it_is_asked_so_often_and_no_more(settings, item, url):
    settings.AWRDIFF_TOKEN_RATE = 2
    assert [Client().get(url).status_code for _ in range(3)] == [200, 200, 429]


def test_the_page_shows_it_once(sign_in, colleague):
    client = sign_in(colleague)
    html = client.post("/account/tokens/calendar/", headers=HTML).content.decode()
    check_markup(html)
    assert "/calendar/awr_" in html
    assert 'action="/account/tokens/"' in html
    html = client.get("/account/tokens/", headers=HTML).content.decode()
    assert "/calendar/awr_" not in html
    assert "Revoke the token Calendar" in html
