"""Evidence of an incident: figures kept as they were, of either direction, and what becomes of them."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonSection, FormerComparison
from awrdiff.incidents import services
from awrdiff.incidents.models import Evidence, Incident, IncidentComparison
from awrdiff.incidents.services import Typed
from awrdiff.pins.models import Pin
from parsers.storage.compressed_blocks import pack, unpack
from tests.web.conftest import computed_both_ways
from tests.web.test_incidents import HTML, JSON, page, post

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner) -> Incident:
    return services.make(owner, Typed("Slow Monday", begins_at="2024-01-01T11:05", ends_at="2024-01-01T12:20"))


def test_evidence_has_the_figures_as_they_were_beside_those_of_now(client, comparison, incident):
    path = f"/incidents/{incident.pk}/evidence/"
    kept = {"comparison": comparison.pk, "anchor": "foreground_wait_events"}
    assert "Attach" in post(client, path, 400, **kept)["error"]
    post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=comparison.pk)
    first, second = (post(client, path, **kept) for _ in range(2))
    assert first == second
    post(client, path, 400, comparison=comparison.pk, anchor="no_such_section")
    Evidence.objects.update(figures=[["", "7 of 9 rows changed"]])
    shown = client.get(path, headers=JSON).json()["evidence"][0]
    assert (shown["then"], shown["differs"], shown["gone"]) == ([["", "7 of 9 rows changed"]], True, False)
    assert shown["now"] != shown["then"]
    post(client, f"{path}{first['id']}/note/", 204, note="the array was slow")
    assert "the array was slow" in page(client, f"/incidents/{incident.pk}/")
    late = post(client, f"{path}{first['id']}/note/", 409, note="it was not")  # without having read the other
    assert late["fields"] == {"note": {"now": "the array was slow", "typed": "it was not"}}
    answer = client.post(f"{path}{first['id']}/note/", {"note": "it was not", "was": "slow"}, headers=HTML)
    assert (answer.status_code, Evidence.objects.get().note) == (409, "the array was slow")
    html = answer.content.decode()
    assert "Saved meanwhile" in html
    assert 'name="was" value="the array was slow"' in html
    post(client, f"{path}{first['id']}/note/", 204, note="it was not", was="the array was slow")
    post(client, f"{path}{first['id']}/note/", 204, note="it was not", was="slow")  # both say the same
    Evidence.objects.update(anchor="gone_section")
    html = client.get(path, headers=HTML).content.decode()
    assert "This is not in the comparison any more" in html
    assert "7 of 9 rows changed" in html
    assert client.delete(f"{path}{first['id']}/").status_code == 204
    assert not Evidence.objects.exists()


def test_the_tray_of_an_incidents_comparison_has_its_evidence_and_own_pins_from_before(
    client, sign_in, colleague, owner, comparison, incident
):
    post(client, f"/comparisons/{comparison.pk}/pins/", anchor="time")
    assert "data-evidence" not in page(client, f"/comparisons/{comparison.pk}/pins/")
    over = services.make(owner, Typed("Later, over", begins_at="2024-01-02T11:05", ends_at="2024-01-02T12:20"))
    services.set_status(owner, over, "resolved")
    for one in (over, incident):
        post(client, f"/incidents/{one.pk}/comparisons/", 204, comparison=comparison.pk)

    def tray(who=client):
        html = page(who, f"/comparisons/{comparison.pk}/pins/")
        removed = [html.count(f'aria-label="Remove {whose} evidence') for whose in ("the incident's", "your")]
        assert removed == [html.count("<small>the incident's"), html.count("<small>mine")]
        return *removed, html.count("data-keep=")

    offered = page(client, f"/comparisons/{comparison.pk}/pins/")
    places = [offered.index(f'value="/incidents/{one.pk}/evidence/"') for one in (incident, over)]
    assert places == sorted(places)  # what is not over comes first
    assert tray() == (0, 1, 1)
    kept = post(
        client, f"/incidents/{incident.pk}/evidence/", comparison=comparison.pk, anchor="foreground_wait_events"
    )
    assert tray() == (1, 1, 1)
    post(client, f"/incidents/{incident.pk}/evidence/", comparison=comparison.pk, anchor="init_parameters")
    assert tray(sign_in(colleague)) == (2, 0, 0)
    text = client.get(f"/comparisons/{comparison.pk}/pins.txt").content.decode()
    assert text.index("init.ora Parameters") < text.index("Where the time went")
    assert client.delete(f"/incidents/{incident.pk}/evidence/{kept['id']}/").status_code == 204
    assert tray() == (1, 1, 1)
    Pin.objects.update(anchor="gone_section")
    assert tray() == (1, 1, 0)


def test_a_row_is_kept_from_both_directions_and_says_when_one_of_them_is_gone(client, comparison, incident):
    computed_both_ways(comparison)
    post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=comparison.pk)
    path = f"/incidents/{incident.pk}/evidence/"
    for pair in (0, REVERSE):
        post(client, path, comparison=comparison.pk, anchor="foreground_wait_events", pair=pair)
    assert sorted(one.pair for one in Evidence.objects.all()) == [0, REVERSE]
    for one, pair in zip(client.get(path, headers=JSON).json()["evidence"], (0, REVERSE), strict=True):
        assert (one["differs"], one["gone"]) == (False, False)
        assert one["url"].startswith(f"/comparisons/{comparison.pk}/?pair={pair}#"), "back to the page it was kept on"
    stored = bytes(Comparison.objects.get().overview)
    Comparison.objects.update(overview=pack(unpack(stored)[:1]))
    Evidence.objects.update(anchor="time")  # of what is not stored by itself
    assert [one["gone"] for one in client.get(path, headers=JSON).json()["evidence"]] == [False, True]
    assert "The comparison is not computed at the moment" in client.get(path, headers=HTML).content.decode()
    Comparison.objects.update(overview=stored)
    Evidence.objects.update(anchor="foreground_wait_events")
    ComparisonSection.objects.filter(pair=REVERSE).delete()
    assert "The comparison is not computed at the moment" not in client.get(path, headers=HTML).content.decode()
    assert [one["gone"] for one in client.get(path, headers=JSON).json()["evidence"]] == [False, True]
    Comparison.objects.update(state="pending")
    assert "The comparison is not computed at the moment" in client.get(path, headers=HTML).content.decode()


def test_a_former_swap_is_attached_and_kept_from_by_its_old_id(client, both_ways, incident):
    former = FormerComparison.objects.create(pk=uuid4(), comparison=both_ways)
    post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=former.pk)
    assert IncidentComparison.objects.get().comparison_id == both_ways.pk
    for pair in (0, REVERSE):
        path = f"/incidents/{incident.pk}/evidence/"
        post(client, path, comparison=former.pk, anchor="foreground_wait_events", pair=pair)
    kept = Evidence.objects.order_by("pk").values_list("comparison", "pair")
    assert list(kept) == [(both_ways.pk, REVERSE), (both_ways.pk, 0)]
    post(client, f"/incidents/{incident.pk}/comparisons/", 404, comparison=uuid4())


def test_a_deleted_comparison_says_before_what_goes_with_it(client, comparison, incident):
    post(client, f"/incidents/{incident.pk}/comparisons/", 204, comparison=comparison.pk)
    post(client, f"/incidents/{incident.pk}/evidence/", comparison=comparison.pk, anchor="time")
    html = page(client, f"/comparisons/{comparison.pk}/delete/")
    assert "its place in 1 incident" in html
    assert "1 piece of evidence in incidents" in html
    client.post(f"/comparisons/{comparison.pk}/delete/")
    assert not Evidence.objects.exists()
    page(client, f"/incidents/{incident.pk}/")
