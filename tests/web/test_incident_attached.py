"""Comparisons and reports of an incident: attached, detached, deleted."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.test import Client

from awrdiff.accounts.access import NotFound
from awrdiff.comparisons import services as comparisons
from awrdiff.incidents import comparisons_and_reports, services, timeline
from awrdiff.incidents.models import (
    EventKind,
    Incident,
    IncidentComparison,
    TimelineEvent,
)
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.reports import services as report_services
from awrdiff.reports.models import Report
from awrdiff.threads.models import Thread
from tests.web.conftest import store_report
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


def test_of_a_deleted_comparison_the_timeline_keeps_the_line_and_not_the_title(client, owner, comparison, incident):
    comparisons.rename(owner, comparison, "Black Friday: before, after")
    pair = [comparison.reports.first(), store_report(owner, "third.html", begin="2024-01-01T13:00:00")]
    other = comparisons.create_comparison(owner, pair, order_by_time=False, title="Cyber Monday")
    path = f"/incidents/{incident.pk}/comparisons/"
    for one in (comparison, other):
        post(client, path, 204, comparison=one.pk)
    assert client.delete(f"{path}{comparison.pk}/").status_code == 204
    post(client, path, 204, comparison=comparison.pk)
    own = IncidentComparison.objects.get(comparison=comparison)
    noted = TimelineEvent.objects.filter(comparison=comparison).order_by("pk")
    for anchor in (f"event-{noted[0].pk}", f"made-{own.pk}"):
        post(client, f"/incidents/{incident.pk}/threads/", anchor=anchor, body="Which one is it?")
    typed = timeline.add(owner, incident, TypedEvent("2024-01-01T11:30", "See Black Friday: before, after"))
    assert [t.title for t in Thread.objects.order_by("pk")] == [
        "Comparison attached: Black Friday: before, after",
        "Comparison made: Black Friday: before, after",
    ]
    comparisons.delete(owner, comparison)
    found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["timeline"]
    said = [line["text"] for line in found if line["text"].startswith("Comparison ")]
    assert sorted(said) == [
        "Comparison attached, and deleted since",
        "Comparison attached, and deleted since",
        "Comparison attached: Cyber Monday",
        "Comparison detached, and deleted since",
        "Comparison made: Cyber Monday",
    ]
    typed.delete()  # what somebody typed is theirs
    for below in ("", "threads/"):
        assert "Black Friday" not in page(client, f"/incidents/{incident.pk}/{below}")
    assert [t.title for t in Thread.objects.order_by("pk")] == [
        "Comparison attached, and deleted since",
        "Comparison made, and deleted since",
    ]


def test_what_was_noted_before_knows_its_comparison(owner, comparison, incident):
    comparisons_and_reports.attach(owner, incident, comparison, "PAY")
    later = services.make(owner, Typed("Later", begins_at="2024-01-02T11:05"))
    services.note(later, owner, "Comparison attached: gone since", EventKind.STATUS)
    TimelineEvent.objects.update(comparison=None)
    import_module("awrdiff.incidents.migrations.0004_notes_of_comparisons").tie(apps, None)
    named = TimelineEvent.objects.exclude(comparison=None)
    assert [(one.text, one.comparison) for one in named] == [("Comparison attached: PAY", comparison)]


def test_reports_are_attached_and_detached(client, owner, comparison, incident):
    report = store_report(owner, "alone.html")
    html = page(client, f"/incidents/{incident.pk}/attach/")
    assert str(report.pk) in html
    assert str(comparison.pk) in html
    post(client, f"/incidents/{incident.pk}/reports/", 204, report=report.pk)
    assert str(report.pk) not in page(client, f"/incidents/{incident.pk}/attach/?q=alone")
    assert str(report.pk) in page(client, f"/incidents/{incident.pk}/")
    assert client.delete(f"/incidents/{incident.pk}/reports/{report.pk}/").status_code == 204
    assert client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["reports"] == []


def test_a_report_that_was_deleted_meanwhile_is_not_attached(owner, incident):
    report = store_report(owner, "late.html")
    report_services.delete_report(owner, Report.objects.get(pk=report.pk))
    with pytest.raises(NotFound, match="The report has been deleted"):
        comparisons_and_reports.attach_report(owner, incident, report)


def test_a_report_of_the_incident_stays_when_its_comparison_goes(sign_in, owner, comparison):
    incident = services.make(owner, Typed("Slow", begins_at="2024-01-01T10:00"))
    kept, other = [place.report for place in comparison.places.order_by("position")]
    comparisons_and_reports.attach_report(owner, incident, kept)
    client = sign_in(owner)
    asks = client.get(f"/comparisons/{comparison.pk}/delete/", headers=HTML).content.decode()
    assert f"“{kept.name}”: an incident has it" in asks
    assert client.post(f"/comparisons/{comparison.pk}/delete/").status_code == 302
    assert list(Report.objects.values_list("pk", flat=True)) == [kept.pk]
    assert other.pk != kept.pk
    assert incident.attached_reports.count() == 1
    answer = client.post(f"/reports/{kept.pk}/delete/", headers={"Accept": "application/json"})
    assert answer.status_code == 409
    assert answer.json()["error"] == f"“{kept.name}” is attached to the incident “Slow”: detach it first."
    comparisons_and_reports.detach_report(owner, incident, kept.pk)
    client.post(f"/reports/{kept.pk}/delete/")
    assert not Report.objects.exists()
