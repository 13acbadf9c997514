"""Times of incidents where clocks are put forward or back, and in zones that nobody knows any more."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from awrdiff.incidents import field_validation, services, timeline
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import Incident, TimelineEvent
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.postmortems.incident_material import material_of
from awrdiff.postmortems.live_tables import tables_of
from awrdiff.web.presenters.incident.time_zone_clock import Clock

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
VIENNA = "Europe/Vienna"
FIRST = datetime(2026, 10, 25, 0, 50, tzinfo=UTC)  # clocks show 02:50 for the first time
SECOND = datetime(2026, 10, 25, 1, 10, 7, 123, tzinfo=UTC)  # and 02:10 for the second


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner) -> Incident:
    """It begins before clocks are put back and ends after."""
    made = services.make(owner, Typed("Slow", begins_at="2026-10-24T11:05", time_zone=VIENNA))
    Incident.objects.filter(pk=made.pk).update(begins_at=FIRST, ends_at=SECOND)
    made.refresh_from_db()
    return made


def test_what_a_form_shows_stays_the_moment_it_was(owner, incident):
    typed = Typed.of(incident)
    assert (typed.begins_at, typed.ends_at) == ("2026-10-25T02:50:00", "2026-10-25T02:10:07")
    saved = services.update(owner, incident, 1, Typed("Slower", "2", typed.begins_at, typed.ends_at, VIENNA))
    assert (saved.title, saved.begins_at, saved.ends_at) == ("Slower", FIRST, SECOND)


def test_an_event_keeps_its_moment_when_its_text_is_changed(owner, incident):
    event = timeline.add(owner, incident, TypedEvent(SECOND.isoformat(), "failover"))
    typed = TypedEvent.of(event, incident.time_zone)
    assert typed.at == "2026-10-25T02:10:07"
    assert timeline.change(owner, event, 1, TypedEvent(typed.at, "failover to node 2")).at == SECOND
    moved = timeline.change(owner, event, 2, TypedEvent("2026-10-25T04:10", "failover to node 2"))
    assert moved.at == datetime(2026, 10, 25, 3, 10, tzinfo=UTC)


def test_the_hour_that_comes_twice_is_told_by_its_offset_where_only_that_was_changed(client, owner, incident):
    typed = replace(Typed.of(incident), begins_at="2026-10-25T02:50:00+01:00", ends_at="")
    saved = services.update(owner, incident, 1, typed)
    assert saved.begins_at == FIRST + timedelta(hours=1)
    assert "2026-10-25 02:50:00+01:00" in client.get(f"/incidents/{incident.pk}/edit/").content.decode()


def test_another_zone_keeps_what_clocks_showed(owner, incident):
    typed = Typed.of(incident)
    begins = "2026-10-25T01:00"
    saved = services.update(owner, incident, 1, Typed("Slow", "3", begins, typed.ends_at, "UTC"))
    assert saved.ends_at == datetime(2026, 10, 25, 2, 10, 7, tzinfo=UTC)


def test_another_zone_keeps_what_earlier_texts_said_too(owner, incident):
    event = timeline.add(owner, incident, TypedEvent("2026-10-24T14:05", "failover"))
    timeline.change(owner, event, 1, TypedEvent("2026-10-24T14:20", "failover to node 2"))
    services.update(owner, incident, 1, Typed("Slow", begins_at="2026-10-24T11:05", time_zone="UTC"))
    event.refresh_from_db()
    clocks = [f"{one.at.astimezone(UTC):%H:%M}" for one in (event.edits.get(), event)]
    assert clocks == ["14:05", "14:20"]


def test_what_is_resolved_before_it_begins_ends_as_it_begins(owner):
    """Announced work that is called off, say: an end before the beginning could not be saved again."""
    ahead = datetime.now(UTC) + timedelta(days=2)
    planned = services.make(owner, Typed("Planned work", begins_at=f"{ahead:%Y-%m-%dT%H:%M}"))
    resolved = services.set_status(owner, planned, "resolved")
    assert resolved.ends_at == planned.begins_at
    typed = Typed.of(resolved)
    services.update(owner, resolved, resolved.version, Typed("Called off", "3", typed.begins_at, typed.ends_at))


def test_a_time_that_no_clock_showed_is_refused(owner, incident):
    with pytest.raises(IncidentRefused) as said:
        timeline.add(owner, incident, TypedEvent("2026-03-29T02:30", "failover"))
    sentence = "The time of the event cannot be: clocks in Europe/Vienna did not show 02:30 on 29 Mar 2026."
    assert str(said.value) == sentence
    assert timeline.add(owner, incident, TypedEvent("2026-03-29T02:30+01:00", "failover")).at.hour == 1


def test_a_post_mortem_tells_in_the_order_in_which_it_happened(owner, incident):
    (table,) = tables_of(material_of(incident))["timeline"]
    said = [row[1].text for row in table.rows]
    assert said.index("The incident begins") < said.index("The incident ends")


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [
        ("11:30:05", "12:31:35", "11 Jan 2018 11:30 – 12:31"),
        ("11:30:05", "11:30:35", "11 Jan 2018 11:30:05 – 11:30:35"),
    ],
)
def test_both_ends_of_a_window_are_told_alike(begin, end, said):
    first, last = (datetime.fromisoformat(f"2018-01-11T{at}+00:00") for at in (begin, end))
    assert Clock(UTC).window(first, last) == said


def test_what_is_typed_of_an_incident_that_is_over_was_then(client, owner, incident):
    page = client.get(f"/incidents/{incident.pk}/").content.decode()
    assert 'name="at" value="2026-10-25T02:50"' in page
    Incident.objects.filter(pk=incident.pk).update(ends_at=None)
    page = client.get(f"/incidents/{incident.pk}/").content.decode()
    assert f'name="at" value="{datetime.now(field_validation.zone_of(VIENNA)):%Y-%m-%dT}' in page


@pytest.mark.parametrize(
    ("begin", "end", "minutes"),
    [
        ("2026-10-25T02:50:00", "2026-10-25T02:20:00", 30),
        ("2026-10-25T02:10:00", "2026-10-25T02:50:00", 40),
        ("2026-10-25T05:00:00", "2026-10-25T04:00:00", 0),
    ],
)
def test_a_window_over_the_hour_that_comes_twice_lasts_as_long_as_it_did(begin, end, minutes):
    first, last = Clock(field_validation.zone_of(VIENNA)).span(begin, end)
    assert (last - first).total_seconds() == minutes * 60


def test_a_zone_that_is_not_known_here_is_utc_and_can_be_mended(client, owner, incident, comparison):
    Incident.objects.update(time_zone="Mars/Olympus")
    path = f"/incidents/{incident.pk}/"
    html = client.get(path).content.decode()
    assert "UTC (Mars/Olympus is not known here)" in html
    assert client.post(f"{path}events/", {"at": "2026-10-25T02:30", "text": "x"}, headers=JSON).status_code == 201
    assert TimelineEvent.objects.get(by_system=False).at == datetime(2026, 10, 25, 2, 30, tzinfo=UTC)
    assert client.get("/incidents/new/").status_code == 200
    assert client.post(f"/comparisons/{comparison.pk}/incident/", headers=JSON).status_code == 201
    assert Incident.objects.order_by("created_at").last().time_zone == "UTC"
    assert client.post(f"{path}edit/", {"version": "1", "time_zone": VIENNA}, headers=JSON).status_code == 204
    assert TimelineEvent.objects.get(by_system=False, incident=incident).at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_where_a_machine_knows_no_zones_there_is_utc(monkeypatch):
    monkeypatch.setattr(field_validation, "available_timezones", set)
    field_validation.zones.cache_clear()
    try:
        assert field_validation.zone("UTC") == "UTC"
    finally:
        field_validation.zones.cache_clear()
