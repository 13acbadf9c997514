"""Two people in the same form: what they changed is put together field by field, and what was there before is kept."""

from __future__ import annotations

import pytest
from django.test import Client

from awrdiff.incidents import action_items, comparisons_and_reports, services, timeline
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import ActionItem, Incident, Revision, TimelineEvent
from awrdiff.incidents.services import ChangedMeanwhile, Typed, merge
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.errors import SavedMeanwhile
from awrdiff.postmortems.models import PostmortemSection
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
HTML, JSON = {"Accept": "text/html"}, {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner) -> Incident:
    typed = Typed("Slow Monday", begins_at="2024-01-01T11:05", ends_at="2024-01-01T12:20", time_zone="Europe/Vienna")
    return services.make(owner, typed)


def form(incident: Incident, **typed: str) -> dict[str, str]:
    """As a browser sends the form that was filled with what is there now: datetime fields leave out zero seconds."""
    shown = Typed.of(incident)
    filled = {name: getattr(shown, name) for name in Typed.__slots__}
    filled |= {name: filled[name].removesuffix(":00") for name in ("begins_at", "ends_at")}
    return {**filled, "version": str(incident.version), **typed}


def test_of_each_field_the_one_who_changed_it_is_heard():
    base = {"title": "Slow", "severity": "3", "tags": ""}
    merged = merge(base, {**base, "title": "Slow Monday"}, {**base, "severity": "1"})
    assert merged.texts == {"title": "Slow Monday", "severity": "1", "tags": ""}
    assert (merged.mine, merged.conflicts) == ({"title"}, {})
    both = merge(base, {**base, "title": "Slow Monday"}, {**base, "title": "Slow Tuesday", "tags": "redo"})
    assert (both.texts, both.conflicts) == ({**base, "title": "Slow Monday", "tags": "redo"}, {"title": "Slow Tuesday"})
    same = merge(base, {**base, "title": "Slow Monday"}, {**base, "title": "Slow Monday"})
    assert (same.texts["title"], same.conflicts) == ("Slow Monday", {})
    assert merge({}, base, {**base, "title": "Other"}).conflicts == {"title": "Other"}  # nobody knows what it was


def test_two_who_change_different_fields_both_have_them(client, sign_in, colleague, incident):
    path = f"/incidents/{incident.pk}/edit/"
    his = form(incident, severity="1", ends_at="2024-01-01T13:00", tags="san, redo")
    hers = form(incident, title="Slow all day", summary="log file sync")
    assert sign_in(colleague).post(path, his, headers=HTML).status_code == 302
    assert client.post(path, hers, headers=HTML).status_code == 302
    now = Typed.of(Incident.objects.get())
    assert (now.title, now.summary, now.severity, now.ends_at, now.tags) == (
        "Slow all day",
        "log file sync",
        "1",
        "2024-01-01T13:00:00",
        "redo, san",
    )


def test_only_the_field_that_both_changed_is_asked_about(client, sign_in, colleague, incident):
    path = f"/incidents/{incident.pk}/edit/"
    his = form(incident, title="Carl's title", severity="1")
    hers = form(incident, title="Olivia's title", summary="log file sync")
    sign_in(colleague).post(path, his, headers=HTML)
    answer = client.post(path, hers, headers=HTML)
    html = answer.content.decode()
    check_markup(html)
    assert answer.status_code == 409
    assert html.count("Saved meanwhile") == 1
    assert all(text in html for text in ('value="Olivia&#x27;s title"', "Carl&#x27;s title", "log file sync"))
    assert '<option value="1" selected>' in html  # his, which saving again leaves as it is
    asked = client.post(path, hers, headers=JSON)
    assert asked.status_code == 409
    assert asked.json()["fields"] == {"title": {"now": "Carl's title", "typed": "Olivia's title"}}
    assert Incident.objects.get().title == "Carl's title"


def test_a_form_older_than_what_is_known_overwrites_nothing(owner, colleague, incident):
    services.update(colleague, incident, 1, Typed.of(Incident.objects.get()))
    assert not Revision.objects.exists()  # saved as it was
    for title in ("Slow Tuesday", "Slow Wednesday"):
        found = Incident.objects.get()
        services.update(colleague, found, found.version, Typed(title, begins_at="2024-01-01T11:05", time_zone="UTC"))
    Revision.objects.filter(version=1).delete()  # as before changes were kept
    for version in (0, 1, 7):
        with pytest.raises(ChangedMeanwhile):
            services.update(owner, incident, version, Typed("Mine", begins_at="2024-01-01T11:05", time_zone="UTC"))
    assert Incident.objects.get().title == "Slow Wednesday"


def test_a_zone_put_right_meanwhile_takes_the_clocks_that_were_typed(owner, colleague, incident):
    before = Typed.of(incident)
    services.update(colleague, incident, 1, Typed(before.title, "3", before.begins_at, before.ends_at, "UTC"))
    found = services.update(owner, incident, 1, Typed("Slow", "3", before.begins_at, before.ends_at, before.time_zone))
    assert (found.title, found.time_zone, found.begins_at.hour) == ("Slow", "UTC", 11)


def test_what_the_incident_said_before_is_kept_and_shown(client, sign_in, owner, colleague, comparison, incident):
    path = f"/incidents/{incident.pk}/edit/"
    sign_in(colleague).post(path, form(incident, title="Slow all day", severity="1"), headers=HTML)
    services.set_status(owner, incident, "mitigated")
    role = services.give_role(owner, incident, str(owner.user.pk), "lead")
    services.give_role(owner, incident, str(colleague.user.pk), "Lead")
    services.take_role(owner, incident, role.pk)
    kept = [(one.user.username, one.changes) for one in reversed(services.revisions_of(incident))]
    assert kept == [
        ("carl", {"title": ["Slow Monday", "Slow all day"], "severity": ["3", "1"]}),
        ("olivia", {"status": ["open", "mitigated"]}),
        ("olivia", {"role: lead": ["", "olivia"]}),
        ("olivia", {"role: lead": ["olivia", "olivia, carl"]}),
        ("olivia", {"role: lead": ["olivia, carl", "carl"]}),
    ]
    html = client.get(path, headers=HTML).content.decode()
    check_markup(html)
    for text in ("What it said before", "Slow Monday", "3 moderate", "1 critical", "nobody", "olivia, carl"):
        assert text in html


def test_a_window_that_follows_the_chosen_hour_is_kept_too(client, owner, comparison):
    made = client.post(f"/comparisons/{comparison.pk}/incident/", headers={"Accept": "application/json"}).json()
    incident = Incident.objects.get(pk=made["id"])
    services.give_role(owner, incident, str(owner.user.pk), "lead")
    client.post(f"/incidents/{incident.pk}/comparisons/{comparison.pk}/hour/", {"place": "0"}, headers=HTML)
    changed = [one.changes for one in services.revisions_of(incident) if one.version is not None]
    assert changed[0]["begins_at"] == ["2024-01-01T11:00:00", "2024-01-01T10:00:00"]
    assert comparisons_and_reports.MOST_COMPARISONS >= 1


def test_action_items_of_two_are_put_together_and_say_what_they_said(client, owner, colleague, incident):
    item = action_items.add(owner, incident, TypedAction("larger redo logs", owner=str(owner.user.pk)))
    action_items.change(colleague, item, 1, TypedAction("larger redo logs", owner=str(colleague.user.pk)))
    action_items.set_state(colleague, item, "done")
    mine = TypedAction("larger redo logs", owner=str(owner.user.pk), due="2190-01-01")
    now = action_items.change(owner, item, 1, mine)
    assert (now.owner, now.state, now.due.year, now.version) == (colleague.user, "done", 2190, 4)
    with pytest.raises(ChangedMeanwhile, match="carl changed this at"):
        action_items.change(owner, item, 1, TypedAction("larger redo logs"))  # nobody, where he took it
    assert [one.changes for one in reversed(services.revisions_of(now))] == [
        {"owner": ["olivia", "carl"]},
        {"state": ["open", "done"]},
        {"due": ["", "2190-01-01"]},
    ]
    html = client.get(f"/incidents/{incident.pk}/actions/{item.pk}/", headers=HTML).content.decode()
    assert all(text in html for text in ("What it said before", "2190-01-01"))
    assert "#before-h" in client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
    assert not services.revisions_of(incident)  # its own, and not the incident's


def test_an_event_of_two_is_put_together(owner, colleague, incident):
    made = timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "failover"))
    timeline.change(colleague, made, 1, TypedEvent("2024-01-01T11:32", "failover"))
    now = timeline.change(owner, made, 1, TypedEvent("2024-01-01T11:30", "failover to node 2", "action"))
    assert TypedEvent.of(now, "Europe/Vienna") == TypedEvent("2024-01-01T11:32:00", "failover to node 2", "action")
    with pytest.raises(ChangedMeanwhile, match="olivia"):
        timeline.change(colleague, made, 2, TypedEvent("2024-01-01T11:32", "failover to node 3"))
    assert TimelineEvent.objects.get(pk=made.pk).text == "failover to node 2"


def test_a_section_in_which_nothing_was_typed_is_not_in_the_way(owner, colleague, incident):
    document = postmortems.draft(owner, incident)
    section = PostmortemSection.objects.get(postmortem=document, key="summary")
    postmortems.save(colleague, document, "summary", "As Carl saw it.", base=section.number)
    now = postmortems.save(owner, document, "summary", section.text, base=section.number)
    assert now.text == "As Carl saw it."
    with pytest.raises(SavedMeanwhile):
        postmortems.save(owner, document, "summary", "As Olivia saw it.", base=section.number)


def test_what_is_kept_has_an_end(owner, incident, monkeypatch):
    item = action_items.add(owner, incident, TypedAction("larger redo logs"))
    monkeypatch.setattr(services, "MOST_REVISIONS", 2)
    for version, text in enumerate(("a", "b"), 1):
        action_items.change(owner, item, version, TypedAction(text))
    with pytest.raises(IncidentRefused, match="changed 2 times"):
        action_items.change(owner, item, 3, TypedAction("c"))
    assert ActionItem.objects.get().text == "b"
