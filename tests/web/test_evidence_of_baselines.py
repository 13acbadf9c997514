"""A pin of a report against a baseline, kept as evidence of an incident: with its view, wherever evidence is shown."""

from __future__ import annotations

import pytest
from django.test import Client

from awrdiff.comparisons import baseline_reports
from awrdiff.incidents import comparisons_and_reports, services
from awrdiff.incidents.models import Evidence, Incident
from awrdiff.postmortems import services as postmortems
from awrdiff.sharing import services as sharing
from awrdiff.sharing.models import Shows
from awrdiff.web import links
from tests.web.pages import check_markup
from tests.web.test_baselines import AGAINST, EVENTS, JSON, SYNC
from tests.web.test_pins_of_baselines import pin, tray

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}
ROW = f"{EVENTS}/{SYNC}"
FIGURE = "0.28 (0.25 – 0.31) → 25, above all 5 · z = 1,201"


@pytest.fixture
def incident(owner, series) -> Incident:
    found = services.make(
        owner, services.Typed("Slow Monday", begins_at="2024-02-05T09:00", ends_at="2024-02-05T11:00")
    )
    comparisons_and_reports.attach(owner, found, series, "PAY")
    return found


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def keep(client, incident, made, query=AGAINST, anchor=ROW, status=201, **fields):
    data = {"comparison": made.pk, "anchor": anchor, **fields}
    answer = client.post(f"/incidents/{incident.pk}/evidence/?{query}", data, headers=JSON)
    assert answer.status_code == status, answer.content
    return answer.json()


def listed(client, incident):
    return client.get(f"/incidents/{incident.pk}/evidence/", headers=JSON).json()["evidence"]


def test_the_tray_offers_it_with_its_view(client, series, incident):
    pin(client, series)
    html = client.get(tray(series), headers=HTML).content.decode()
    check_markup(html)
    assert f'data-query="?{AGAINST.replace("&", "&amp;")}"' in html.split("data-keep=")[1]
    keep(client, incident, series)
    html = client.get(tray(series), headers=HTML).content.decode()
    check_markup(html)
    assert "Remove the incident's evidence log file sync" in html
    assert FIGURE in html.split("Remove your evidence")[0]


def test_it_has_the_figures_of_the_view_and_leads_back_to_it(client, series, incident):
    kept = keep(client, incident, series)
    assert keep(client, incident, series) == kept
    (shown,) = listed(client, incident)
    assert dict(shown["then"])["Waits per s"] == FIGURE
    assert shown["place"].endswith("Monday 5 Feb 2024 09:00–10:00 against the median of 5 reports")
    assert shown["url"] == f"/comparisons/{series.pk}/?{AGAINST}#{ROW}"
    assert (shown["now"], shown["differs"], shown["gone"]) == (shown["then"], False, False)
    assert client.get(shown["url"]).status_code == 200
    html = client.get(f"/incidents/{incident.pk}/evidence/", headers=HTML).content.decode()
    check_markup(html)
    assert "Unchanged since" in html
    assert f'href="/comparisons/{series.pk}/?{AGAINST.replace("&", "&amp;")}#{ROW}"' in html


def test_what_changed_since_and_what_is_gone_is_said(client, series, incident):
    keep(client, incident, series)
    Evidence.objects.update(figures=[["Waits per s", "0.1 → 0.2"]])
    (shown,) = listed(client, incident)
    assert (shown["differs"], dict(shown["now"])["Waits per s"]) == (True, FIGURE)
    Evidence.objects.update(anchor=f"{EVENTS}/000000000000")
    (shown,) = listed(client, incident)
    assert (shown["gone"], shown["now"], shown["then"]) == (True, None, [["Waits per s", "0.1 → 0.2"]])


def test_each_view_and_the_pair_are_kept_by_themselves(client, series, incident):
    keep(client, incident, series)
    keep(client, incident, series, query="baseline=1,2&second=5")
    keep(client, incident, series, query="baseline=0&second=5")  # a pair that is stored
    keep(client, incident, series, query="", pair="4")  # the same
    found = Evidence.objects.order_by("pk").values_list("baseline", "pair")
    assert list(found) == [("0,1,2,3,4/5", 0), ("1,2/5", 0), ("", 4)]
    assert all(not one["differs"] and not one["gone"] for one in listed(client, incident))


@pytest.mark.parametrize(
    ("query", "anchor"),
    [("baseline=0,1&second=9", ROW), ("baseline=", ROW), (AGAINST, "finding:redo"), (AGAINST, f"{EVENTS}/0000")],
)
def test_what_is_not_there_is_refused(client, series, incident, query, anchor):
    assert "nothing here to keep" in keep(client, incident, series, query, anchor, 400)["error"]
    assert not Evidence.objects.exists()


def test_many_rows_of_a_table_are_read_once(client, series, incident, monkeypatch):
    for anchor in (ROW, EVENTS, "summary"):
        keep(client, incident, series, anchor=anchor)
    read = []
    known = baseline_reports.held_against
    monkeypatch.setattr(baseline_reports, "held_against", lambda *a: read.append(a[2]) or known(*a))
    assert [one["gone"] for one in listed(client, incident)] == [False] * 3
    assert read == [EVENTS]


def test_the_post_mortem_has_it_and_keeps_it_once_it_is_reviewed(client, owner, colleague, series, incident):
    keep(client, incident, series)
    post = postmortems.draft(owner, incident)
    path = f"/incidents/{incident.pk}/postmortem/"
    place = f"/comparisons/{series.pk}/?{AGAINST}#{ROW}"

    def written() -> tuple[str, str]:
        return client.get(path).content.decode(), client.get(f"/incidents/{incident.pk}/postmortem.md").content.decode()

    page, text = written()
    assert place.replace("&", "&amp;") in page
    assert place in text
    assert FIGURE in page
    assert "Baseline → the hour held against it" in page
    postmortems.review(colleague, post, seen_version=post.version)
    Evidence.objects.all().delete()
    page, text = written()
    assert place.replace("&", "&amp;") in page
    assert place in text


def test_whoever_holds_a_link_to_the_incident_reads_the_view_and_no_address(client, owner, series, incident):
    keep(client, incident, series)
    path = links.shared(sharing.create_link(owner, incident, days=1, shows=Shows.INCIDENT)[1])
    page = Client().get(path).content.decode()
    assert FIGURE in page
    assert "against the median of 5 reports" in page
    assert str(series.pk) not in page
