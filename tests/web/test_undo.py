"""A wrong file: a comparison is made without it, and what nobody has used goes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.services import RETIRES_WITHIN
from awrdiff.reports.models import Report
from tests.web.conftest import store_report
from tests.web.pages import store_comparison

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


@pytest.fixture
def three(owner, reports) -> list[Report]:
    return [*reports, store_report(owner, "third.html", begin="2024-01-03T10:00:00")]


def asked(client, reports, **fields) -> str:
    answer = client.post("/comparisons/", {"report": [str(r.pk) for r in reports], **fields}, headers=JSON)
    assert answer.status_code == 201, answer.content
    return answer.json()["id"]


def left_of(client, pk: str, place: int):
    return client.post(f"/comparisons/{pk}/without/", {"place": str(place)}, headers=JSON)


def reports_in(pk: str) -> list[Report]:
    return [place.report for place in Comparison.objects.get(pk=pk).places.order_by("position")]


def is_there(pk: str) -> bool:
    return Comparison.objects.filter(pk=pk).exists()


def test_without_one_of_three_the_others_are_compared_and_no_file_goes(client, three):
    pk = asked(client, three)
    answer = left_of(client, pk, 1)
    assert answer.status_code == 201
    assert reports_in(answer.json()["id"]) == [three[0], three[2]]
    assert not is_there(pk)
    assert Report.objects.filter(pk__in=[r.pk for r in three]).count() == 3


def test_without_one_of_two_the_other_is_looked_at_alone(client, reports):
    pk = asked(client, reports)
    answer = client.post(f"/comparisons/{pk}/without/", {"place": "0"})
    assert answer.status_code == 302
    assert answer["Location"] == f"/reports/{reports[1].pk}/"
    assert not is_there(pk)


def test_a_place_that_is_not_there_changes_nothing(client, three):
    pk = asked(client, three)
    for place in ("3", "-1", "one", ""):
        assert client.post(f"/comparisons/{pk}/without/", {"place": place}, headers=JSON).status_code == 400
    assert is_there(pk)


def test_another_in_its_stead(client, three):
    pk = asked(client, three[:2])
    other = asked(client, three[1:], replaces=pk)
    assert not is_there(pk)
    assert asked(client, three[1:], replaces=other) == other
    assert is_there(other)


def pinned(client, pk: str) -> None:
    assert (
        client.post(f"/comparisons/{pk}/pins/", {"anchor": "foreground_wait_events"}, headers=JSON).status_code == 201
    )


def talked_about(client, pk: str) -> None:
    sent = {"anchor": "foreground_wait_events", "body": "Why?"}
    assert client.post(f"/comparisons/{pk}/threads/", sent, headers=JSON).status_code in (200, 201)


def shared(client, pk: str) -> None:
    assert client.post(f"/comparisons/{pk}/links/", {"days": "30"}, headers=JSON).status_code == 201


def titled(client, pk: str) -> None:
    assert client.post(f"/comparisons/{pk}/title/", {"title": "Slow Monday"}, headers=JSON).status_code == 200


def in_an_incident(client, pk: str) -> None:
    assert client.post(f"/comparisons/{pk}/incident/", {"key": "", "title": "Monday"}).status_code == 302


def older(_client, pk: str) -> None:
    Comparison.objects.filter(pk=pk).update(created_at=timezone.now() - RETIRES_WITHIN - timedelta(seconds=1))


@pytest.mark.parametrize("use", [pinned, talked_about, shared, titled, in_an_incident, older])
def test_what_somebody_has_used_stays(client, owner, three, use):
    pk = str(store_comparison(owner, three).pk)
    use(client, pk)
    assert left_of(client, pk, 2).status_code == 201
    assert is_there(pk)


def test_what_nobody_has_used_goes_also_seen_the_other_way_round(client, owner, three):
    pk = str(store_comparison(owner, three).pk)
    assert client.post(f"/comparisons/{pk}/swap/").status_code == 302
    assert left_of(client, pk, 2).status_code == 201
    assert not Comparison.objects.filter(places__report=three[2]).exists()


def test_what_a_colleague_made_stays(client, sign_in, colleague, three):
    pk = asked(client, three)
    assert left_of(sign_in(colleague), pk, 2).status_code == 201
    assert is_there(pk)
