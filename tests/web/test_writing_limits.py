"""Somebody writes about incidents at most so often a minute, whatever they write and whichever process counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.test import Client

from awrdiff.accounts import rate_limits
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.models import Spent
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import overview
from awrdiff.incidents import comparisons_and_reports, finding_verdicts, services, timeline
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.finding_verdicts import TypedVerdict
from awrdiff.incidents.models import Incident, TimelineEvent, Verdict
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent
from tests.web.pages import store_comparison

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
MOST = rate_limits.CHANGES.most
SENTENCE = "You have made 60 changes within a minute: try again in 42 s."


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 1, 5, 10, 0, 18, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at


@pytest.fixture
def clock(monkeypatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(rate_limits, "timezone", SimpleNamespace(now=made.now))
    return made


@pytest.fixture
def comparison(owner, reports) -> Comparison:
    return store_comparison(owner, reports)


@pytest.fixture
def incident(owner, comparison) -> Incident:
    """With the comparison and one event."""
    made = services.make(owner, Typed("Slow Monday", begins_at="2024-01-01T11:05", ends_at="2024-01-01T12:20"))
    comparisons_and_reports.attach(owner, made, comparison, "the comparison")
    timeline.add(owner, made, TypedEvent("2024-01-01T11:30", "failover"))
    return made


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def written(owner, clock: Clock, changes: int) -> None:
    """As if other processes had counted them."""
    Spent.objects.update_or_create(key=key(owner), defaults={"last_at": clock.now(), "times": changes})


def key(access) -> str:
    return rate_limits.key_of("changes", access.user.pk)


def add(access, incident: Incident, text: str = "failover") -> TimelineEvent:
    return timeline.add(access, incident, TypedEvent("2024-01-01T11:30", text))


def test_sixty_a_minute_of_one_person(owner, colleague, incident, clock):
    written(owner, clock, MOST - 1)
    add(owner, incident)
    with pytest.raises(TooMuch) as said:
        add(owner, incident)
    assert (str(said.value), said.value.retry_s) == (SENTENCE, 42)
    add(colleague, incident)
    clock.at += timedelta(seconds=42)
    add(owner, incident)
    assert Spent.objects.get(key=key(owner)).times == 1


def test_what_is_refused_does_not_count(owner, incident, clock):
    written(owner, clock, 7)
    with pytest.raises(IncidentRefused):
        add(owner, incident, text="")
    assert Spent.objects.get(key=key(owner)).times == 7


def test_every_way_of_writing_waits_and_leaves_nothing(client, owner, colleague, comparison, incident, clock):
    finding = of_finding(overview(comparison, 0).findings[0])
    event = TimelineEvent.objects.get(by_system=False)
    verdict = finding_verdicts.give(colleague, comparison, TypedVerdict(finding, "confirmed"))
    assert client.post(f"/incidents/{incident.pk}/postmortem/", headers=JSON).status_code == 201
    written(owner, clock, MOST)
    before = (Incident.objects.count(), TimelineEvent.objects.count(), Verdict.objects.count())
    own = f"/incidents/{incident.pk}"
    for path, fields in {
        "/incidents/": {"title": "Another", "begins_at": "2024-01-01T11:30"},
        f"{own}/edit/": {"version": "1", "summary": "The array was slow."},
        f"{own}/status/": {"status": "mitigated"},
        f"{own}/roles/": {"user": owner.user.pk, "role": "lead"},
        f"{own}/events/": {"at": "2024-01-01T11:30", "text": "failover"},
        f"{own}/events/{event.pk}/": {"version": "1", "text": "failover to node 2"},
        f"{own}/events/{event.pk}/remove/": {},
        f"{own}/actions/": {"text": "larger redo logs"},
        f"{own}/evidence/": {"comparison": comparison.pk, "anchor": "summary"},
        f"/comparisons/{comparison.pk}/verdicts/": {"anchor": finding, "state": "rejected", "why": "no"},
        f"/comparisons/{comparison.pk}/verdicts/{verdict.pk}/": {"role": "dba"},
        f"{own}/postmortem/sections/summary/": {"text": "It was slow.", "seen": "1"},
    }.items():
        answer = client.post(path, fields, headers=JSON)
        assert (answer.status_code, answer.json()) == (429, {"error": SENTENCE}), path
        assert answer["Retry-After"] == "42"
    assert before == (Incident.objects.count(), TimelineEvent.objects.count(), Verdict.objects.count())
    incident.refresh_from_db()
    assert (incident.version, incident.status) == (1, "open")
