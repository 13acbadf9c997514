"""Incidents: made with a click, changed by several at once, their timeline and action items."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from importlib import import_module
from uuid import uuid4

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from awrdiff.accounts import members_and_invitations
from awrdiff.accounts.models import Membership
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import overview
from awrdiff.incidents import comparisons_and_reports, finding_verdicts, services, timeline
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import (
    ActionItem,
    EventKind,
    Incident,
    IncidentComparison,
    IncidentTag,
    TimelineEdit,
    TimelineEvent,
)
from awrdiff.incidents.services import ChangedMeanwhile, Typed
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.notices.models import Notice
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}
HOSTILE = "<script>alert(1)</script>\u202e\x00"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner) -> Incident:
    typed = Typed("Slow Monday", begins_at="2024-01-01T11:05", ends_at="2024-01-01T12:20", time_zone="Europe/Vienna")
    return services.make(owner, typed)


def page(client: Client, path: str) -> str:
    answer = client.get(path, headers=HTML)
    assert answer.status_code == 200, answer.content
    html = answer.content.decode()
    check_markup(html)
    return html


def post(client: Client, path: str, expected: int = 201, /, **fields):
    answer = client.post(path, fields, headers=JSON)
    assert answer.status_code == expected, answer.content
    return answer.json() if answer.content else {}


def test_a_comparison_becomes_an_incident_with_a_click(client, comparison):
    made = post(client, f"/comparisons/{comparison.pk}/incident/")
    found = client.get(made["url"], headers=JSON).json()
    assert (found["title"], found["status"], found["severity"]) == ("PAY · 1 Jan 2024 11:00 – 12:00", "open", 3)
    assert (found["begins_at"], found["ends_at"]) == ("2024-01-01T11:00:00+00:00", "2024-01-01T12:00:00+00:00")
    assert [one["url"] for one in found["comparisons"]] == [f"/comparisons/{comparison.pk}/"]
    assert "Part of" in page(client, f"/comparisons/{comparison.pk}/")


def test_the_click_sent_twice_makes_one(client, comparison):
    key = str(uuid4())
    first, second = (post(client, f"/comparisons/{comparison.pk}/incident/", key=key) for _ in range(2))
    assert first == second
    assert (Incident.objects.count(), IncidentComparison.objects.count()) == (1, 1)


def test_it_is_attached_to_one_there_is(client, comparison, incident):
    for _ in range(2):
        post(client, f"/comparisons/{comparison.pk}/incident/", incident=incident.pk)
    assert Incident.objects.count() == IncidentComparison.objects.count() == 1


def test_its_page_shows_windows_to_scale_in_its_zone(client, comparison, incident):
    post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=comparison.pk)
    html = page(client, f"/incidents/{incident.pk}/")
    for text in ("Compared: 1 Jan 2024 10:00 – 11:00", "Compared: 1 Jan 2024 11:00 – 12:00"):
        assert text in html
    assert "Reports print local times without a zone: they are taken to be in Europe/Vienna." in html
    found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()
    assert found["begins_at"] == "2024-01-01T10:05:00+00:00"  # 11:05 in Vienna
    at = [line["at"] for line in found["timeline"] if line["kind"] == "Compared"]
    assert at[0] == "2024-01-01T09:00:00+00:00"


def test_what_the_timeline_shows_is_chosen(client, comparison, incident):
    post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=comparison.pk)
    post(client, f"/incidents/{incident.pk}/events/", at="2024-01-01T11:30", text="failover", kind="action")

    def kinds(group: str) -> set[str]:
        found = client.get(f"/incidents/{incident.pk}/?show={group}", headers=JSON).json()["timeline"]
        return {line["group"] for line in found}

    assert kinds("") == kinds("nonsense") == {"typed", "reports", "review"}
    assert [kinds(group) for group in ("typed", "reports", "review")] == [{"typed"}, {"reports"}, {"review"}]


def test_what_happened_stands_apart_from_what_was_clicked(client, owner, comparison, incident):
    comparisons_and_reports.attach(owner, incident, comparison, "PAY")
    services.set_status(owner, incident, "mitigated")
    post(client, f"/incidents/{incident.pk}/edit/", 204, version="2", severity="1")
    post(client, f"/incidents/{incident.pk}/comparisons/{comparison.pk}/hour/", 204, place="1")
    finding_verdicts.give(
        owner, comparison, finding_verdicts.TypedVerdict(of_finding(overview(comparison).findings[0]), "confirmed")
    )
    found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["timeline"]
    parted = {
        clicked: {line["text"].partition(":")[0] for line in found if line["log"] is clicked}
        for clicked in (False, True)
    }
    assert parted[False] == {
        "The incident begins",
        "The incident ends",
        "The incident's hour",
        "Incident opened, severity 3 moderate",
        "Status open → mitigated",
    }
    assert parted[True] == {
        "Comparison attached",
        "Comparison made",
        "Confirmed",
        "For comparison",
        "Severity 3 moderate → 1 critical",
        "The incident's hour",
    }
    html = page(client, f"/incidents/{incident.pk}/")
    happened, log = html.split('<details class="log">')
    assert ("Comparison attached" in happened, "Comparison attached" in log) == (False, True)
    assert happened.index('id="actions"') < happened.index('id="timeline"')  # on a phone too


def test_a_line_says_once_what_its_hour_is_and_the_page_its_keys(client, owner, comparison, incident):
    comparisons_and_reports.attach(owner, incident, comparison, "PAY")
    post(client, f"/incidents/{incident.pk}/comparisons/{comparison.pk}/hour/", 204, place="1")
    html = unescape(page(client, f"/incidents/{incident.pk}/"))
    line = re.search(r'<li id="window-[^>]*class="second">.*?</li>', html, re.DOTALL)[0]
    assert line.count("The incident's hour") == 1
    assert '<span class="kind">incident</span>' in html
    keys = re.search(r'<dialog id="keys".*?</dialog>', html, re.DOTALL)[0]
    assert ("<kbd>m</kbd>" in keys, "data-keys" in html) == (True, True)


def test_what_was_noted_before_is_parted(owner, incident):
    services.set_status(owner, incident, "mitigated")
    services.note(incident, owner, "Comparison attached: PAY", EventKind.STATUS)
    import_module("awrdiff.incidents.migrations.0008_log").part(apps, None)
    assert [(one.text.split()[0], one.kind) for one in TimelineEvent.objects.order_by("pk")] == [
        ("Incident", "status"),
        ("Status", "status"),
        ("Comparison", "log"),
    ]


def test_what_was_typed_is_changed_and_what_it_said_before_is_kept(client, owner, incident):
    made = post(client, f"/incidents/{incident.pk}/events/", at="2024-01-01T11:30", text="failover", kind="action")
    path = f"/incidents/{incident.pk}/events/{made['id']}/"
    post(client, path, 204, at="2024-01-01T11:32", text="failover to node 2", version="1")
    event = TimelineEvent.objects.get(pk=made["id"])
    assert (event.text, event.kind, event.version) == ("failover to node 2", "action", 2)
    assert event.at == datetime(2024, 1, 1, 10, 32, tzinfo=UTC)
    before = TimelineEdit.objects.get()
    assert (before.text, before.edited_by) == ("failover", owner.user)
    html = page(client, path)
    assert "What it said before" in html
    assert "until olivia changed it" in html


def test_an_event_sent_twice_is_one(client, incident):
    fields = {"at": "2024-01-01T11:30", "text": "failover", "key": str(uuid4())}
    first, second = (post(client, f"/incidents/{incident.pk}/events/", **fields) for _ in range(2))
    assert first == second
    assert [one.pk for one in TimelineEvent.objects.filter(text="failover")] == [first["id"]]


def test_a_key_that_is_none_is_refused_and_nothing_is_made(client, comparison, incident):
    about = (Incident.objects.count(), TimelineEvent.objects.count(), ActionItem.objects.count())
    for path, fields in (
        ("/incidents/", {"title": "Slow", "begins_at": "2024-01-01T11:30"}),
        (f"/comparisons/{comparison.pk}/incident/", {}),
        (f"/incidents/{incident.pk}/events/", {"at": "2024-01-01T11:30", "text": "failover"}),
        (f"/incidents/{incident.pk}/actions/", {"text": "larger redo logs"}),
        (f"/comparisons/{comparison.pk}/threads/", {"anchor": "summary", "body": "Well?"}),
    ):
        assert post(client, path, 400, **fields, key="7") == {"error": "“key” must be a UUID."}
    assert about == (Incident.objects.count(), TimelineEvent.objects.count(), ActionItem.objects.count())
    assert not IncidentComparison.objects.exists()


def test_who_saves_over_another_is_told_and_keeps_their_text(client, sign_in, colleague, incident):
    path = f"/incidents/{incident.pk}/edit/"
    post(sign_in(colleague), path, 204, version="1", summary="Carl saw log file sync.")
    answer = client.post(path, {"version": "1", "summary": "Olivia saw cpu."}, headers=HTML)
    html = answer.content.decode()
    assert answer.status_code == 409
    check_markup(html)
    assert "carl changed this at" in html
    assert "Olivia saw cpu." in html  # hers, in the field
    assert "Carl saw log file sync." in html  # his, beside it
    assert Incident.objects.get().summary == "Carl saw log file sync."
    assert 'name="version" value="2"' in html
    post(client, path, 409, version="1", summary="Olivia saw cpu.")
    post(client, path, 204, version="2", summary="Olivia saw cpu.")
    assert Incident.objects.get().summary == "Olivia saw cpu."


def test_two_who_change_an_event_or_an_action_item_are_told(owner, client, incident):
    made = timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "failover"))
    timeline.change(owner, made, 1, TypedEvent("2024-01-01T11:30", "failover to 2"))
    with pytest.raises(ChangedMeanwhile, match="olivia"):
        timeline.change(owner, made, 1, TypedEvent("2024-01-01T11:30", "failover to 3"))
    action = post(client, f"/incidents/{incident.pk}/actions/", text="more redo log groups")["id"]
    path = f"/incidents/{incident.pk}/actions/{action}/"
    post(client, path, 204, version="1", text="larger redo logs")
    answer = client.post(path, {"version": "1", "text": "fewer commits"}, headers=HTML)
    assert answer.status_code == 409
    assert all(text in answer.content.decode() for text in ("larger redo logs", "fewer commits"))
    assert ActionItem.objects.get().text == "larger redo logs"


def test_a_zone_put_right_keeps_what_clocks_showed(owner, incident):
    made = timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "failover"))
    noted = TimelineEvent.objects.filter(by_system=True).latest("pk").at
    typed = Typed("Slow Monday", begins_at="2024-01-01T11:05", time_zone="America/New_York")
    services.update(owner, incident, 1, typed)
    made.refresh_from_db()
    assert made.at == datetime(2024, 1, 1, 16, 30, tzinfo=UTC)
    assert TimelineEvent.objects.filter(by_system=True, at=noted).exists()  # it did happen then


def test_status_changes_stand_on_the_timeline_and_resolving_ends_it(client, owner):
    found = services.make(owner, Typed("Slow", begins_at="2024-01-01T11:05"))
    for status in ("mitigated", "mitigated", "resolved"):
        post(client, f"/incidents/{found.pk}/status/", 204, status=status)
    found.refresh_from_db()
    assert found.status == "resolved"
    assert timezone.now() - found.ends_at < timedelta(minutes=1)
    said = [e.text for e in TimelineEvent.objects.filter(by_system=True)]
    assert said[1:] == ["Status open → mitigated", "Status mitigated → resolved"]
    post(client, f"/incidents/{found.pk}/status/", 400, status="gone")


def test_found_by_word_status_severity_tag_and_mine(client, sign_in, owner, colleague):
    base = {"begins_at": "2024-01-01T11:05"}
    services.make(owner, Typed("Slow Monday", severity="1", tags="Redo, San", **base))
    services.make(colleague, Typed("Slow Tuesday", severity="2", summary="the storage array", **base))
    services.set_status(owner, Incident.objects.get(severity=2), "resolved")

    def titles(query: str, who=client) -> list[str]:
        return sorted(one["title"] for one in who.get(f"/incidents/?{query}", headers=JSON).json()["incidents"])

    assert titles("") == titles("q=slow") == ["Slow Monday", "Slow Tuesday"]
    assert titles("q=storage+array") == titles("status=resolved") == titles("severity=2") == ["Slow Tuesday"]
    assert titles("q=redo") == titles("tag=san") == titles("status=unresolved") == titles("mine=1") == ["Slow Monday"]
    assert titles("mine=1", sign_in(colleague)) == ["Slow Tuesday"]
    assert titles("q=100%25") == titles("tag=none") == titles("severity=9") == titles("status=x") == []
    page(client, "/incidents/?q=slow&tag=san&severity=1&status=unresolved&mine=1")
    page(client, "/incidents/new/")


def test_a_role_makes_it_mine_and_guests_have_none(client, sign_in, owner, colleague, guest, incident):
    path = f"/incidents/{incident.pk}/roles/"
    post(client, path, 204, user=colleague.user.pk, role="Lead")
    post(client, path, 400, user=guest.user.pk, role="scribe")
    assert sign_in(colleague).get("/incidents/?mine=1", headers=JSON).json()["total"] == 1
    found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["roles"]
    assert [(one["name"], one["role"]) for one in found] == [("carl", "lead")]
    assert client.delete(f"{path}{found[0]['id']}/").status_code == 204
    assert client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["roles"] == []


def test_who_became_a_guest_hears_nothing_of_it(owner, colleague, incident):
    services.give_role(owner, incident, str(colleague.user.pk), "lead")
    services.set_status(owner, incident, "mitigated")
    members_and_invitations.change_role(owner, Membership.objects.get(pk=colleague.membership), "guest")
    services.set_status(owner, incident, "resolved")
    assert not Notice.objects.filter(user=colleague.user).exists()


def test_overdue_action_items_are_shown_across_incidents(client, owner, colleague, incident):
    path = f"/incidents/{incident.pk}/actions/"
    yesterday = (timezone.now() - timedelta(days=2)).date().isoformat()
    late = post(client, path, text="larger redo logs", due=yesterday, owner=colleague.user.pk)["id"]
    post(client, path, text="ask the storage team", due="2190-01-01", link="https://tickets.example.com/7")
    html = page(client, "/incidents/actions/")
    assert html.count(">overdue<") == 1
    assert 'href="https://tickets.example.com/7" rel="nofollow noopener noreferrer"' in html
    found = client.get("/incidents/actions/", headers=JSON).json()["actions"]
    assert [(one["text"], one["overdue"]) for one in found] == [
        ("larger redo logs", True),
        ("ask the storage team", False),
    ]
    post(client, f"{path}{late}/state/", 204, state="done")
    assert client.get("/incidents/actions/", headers=JSON).json()["total"] == 1
    done = client.get("/incidents/actions/?state=done", headers=JSON).json()["actions"]
    assert [(one["text"], one["overdue"]) for one in done] == [("larger redo logs", False)]
    assert client.get("/incidents/actions/?mine=1", headers=JSON).json()["total"] == 0
    page(client, f"{path}{late}/")
    former = client.get("/actions/?state=all&mine=1")
    assert (former.status_code, former["Location"]) == (301, "/incidents/actions/?state=all&mine=1")
    assert '<a href="/incidents/actions/" aria-current="page">Action items</a>' in html


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "ftp://a/b",
        "//a.example.com",
        "https://",
        "http://a b/",
        "https://[",
        "data:,x",
        "https://tickets.example.com@evil.example/",
        "https://user:pass@tickets.example.com/7",
        "https://@tickets.example.com/7",
        "https://tickets.example.com/\u202egpj.7",
        "https://tickets\u200b.example.com/",
        "https://tickets.example.com:99999/",
    ],
)
def test_a_ticket_that_is_no_reference_is_an_address_of_http(client, incident, link):
    post(client, f"/incidents/{incident.pk}/actions/", 400, text="x", link=link)
    assert not ActionItem.objects.exists()


@pytest.mark.parametrize(
    "link", ["https://münchen.example/a@b?q=@c#@d", "http://[2001:db8::1]:8080/", "HTTPS://a.example"]
)
def test_an_address_may_hold_what_leads_nowhere_else(client, incident, link):
    post(client, f"/incidents/{incident.pk}/actions/", text="x", link=link)
    assert ActionItem.objects.get().link == link


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"title": "x" * 201},
        {"severity": "0"},
        {"begins_at": "yesterday"},
        {"begins_at": "0001-01-01T00:00"},
        {"ends_at": "2023-01-01T00:00"},
        {"time_zone": "Mars/Olympus"},
        {"time_zone": "../etc/passwd"},
        {"summary": "x" * 10_001},
        {"tags": ",".join(map(str, range(13)))},
        {"tags": "x" * 41},
    ],
)
def test_what_cannot_be_is_refused_with_what_was_typed(client, fields):
    given = {"title": "Slow", "begins_at": "2024-01-01T11:05", "summary": "kept text", **fields}
    answer = client.post("/incidents/", given, headers=HTML)
    assert answer.status_code == 400
    assert "summary" in fields or "kept text" in answer.content.decode()
    assert client.post("/incidents/", given, headers=JSON).status_code == 400
    assert not Incident.objects.exists()


def test_hostile_text_is_text_everywhere(client, owner, comparison, incident):
    post(client, f"/incidents/{incident.pk}/edit/", 204, version="1", title=HOSTILE, summary=HOSTILE, tags=HOSTILE)
    post(client, f"/incidents/{incident.pk}/events/", at="2024-01-01T11:30", text=HOSTILE)
    post(client, f"/incidents/{incident.pk}/actions/", text=HOSTILE)
    post(client, f"/incidents/{incident.pk}/roles/", 204, user=owner.user.pk, role=HOSTILE[:30])
    post(client, f"/comparisons/{comparison.pk}/incident/", incident=incident.pk)
    paths = ["/incidents/", "/incidents/actions/", f"/comparisons/{comparison.pk}/"]
    below = ["", "edit/", "delete/", "attach/", f"events/{TimelineEvent.objects.get(by_system=False, kind='note').pk}/"]
    for path in [*paths, *(f"/incidents/{incident.pk}/{one}" for one in below)]:
        html = page(client, path)
        assert "<script>alert" not in html, path
        assert "&lt;script&gt;alert(1)" in html, path
    assert IncidentTag.objects.get().name == HOSTILE.lower().replace("\x00", "").strip()


def test_a_deleted_incident_leaves_comparisons(client, comparison, incident):
    post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=comparison.pk)
    page(client, f"/incidents/{incident.pk}/delete/")
    post(client, f"/incidents/{incident.pk}/delete/", 204)
    assert (Incident.objects.count(), Comparison.objects.count()) == (0, 1)
    assert client.get(f"/incidents/{incident.pk}/", headers=JSON).status_code == 404


def test_counts_are_bounded(owner, incident, monkeypatch):
    monkeypatch.setattr(timeline, "MOST_EVENTS", 2)
    timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "one"))  # the second: that it was opened is noted
    with pytest.raises(IncidentRefused, match="at most 2 events"):
        timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "two"))


def test_it_is_renamed_where_it_stands(client, incident):
    path = f"/incidents/{incident.pk}/"
    html = page(client, path)
    form = html[html.index("<summary>Rename</summary>") :]
    fields = dict(re.findall(r'name="(version|title)" value="([^"]*)"', form)[:2])
    assert fields == {"version": "1", "title": incident.title}
    assert client.post(f"{path}edit/", {**fields, "title": "Receipts"}).headers["Location"] == path
    assert "Receipts" in page(client, path)
