"""What the page that waits for its files asks: all of them and their comparison at once, answered when it is done."""

from __future__ import annotations

import threading

import pytest

from awrdiff.comparisons import guest_access
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.models import State
from awrdiff.reports.models import FILE_LOST, SEVERAL, Report
from awrdiff.web.api import progress
from tests.web.conftest import store_report

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(progress.time, "sleep", lambda _s: pytest.fail("it waited"))


def ask(client, reports=(), comparisons=()):
    ids = {"report": [str(r.pk) for r in reports], "comparison": [str(c.pk) for c in comparisons]}
    answer = client.get("/reports/progress/", ids, headers=JSON)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_what_is_settled_is_answered_at_once_in_few_statements(
    client, comparison, reports, django_assert_max_num_queries
):
    ask(client)
    with django_assert_max_num_queries(7):
        found = ask(client, reports, [comparison])
    assert {one["id"]: one["state"] for one in found["reports"]} == {str(r.pk): "ready" for r in reports}
    assert all(one["kind"] == "awr" and one["said"].startswith("AWR") for one in found["reports"]), found
    assert found["comparisons"] == [
        {"id": str(comparison.pk), "state": "ready", "url": f"/comparisons/{comparison.pk}/"}
    ]


def test_a_refusal_and_the_parts_of_a_file_are_told(client, owner, reports):
    first, second = reports
    Report.objects.filter(pk=first.pk).update(state=State.FAILED, error="It is lost.", error_code=FILE_LOST)
    Report.objects.filter(pk=second.pk).update(kind=SEVERAL)
    part = store_report(owner, "part.html")
    Report.objects.filter(pk=part.pk).update(parent=second, number=1)
    by_id = {one["id"]: one for one in ask(client, reports)["reports"]}
    lost, several = by_id[str(first.pk)], by_id[str(second.pk)]
    assert (lost["state"], lost["error"], lost["error_code"], lost["said"]) == ("failed", "It is lost.", FILE_LOST, "")
    assert [one["name"] for one in several["parts"]] == ["part.html"]


def test_a_guest_is_answered_of_what_is_shown_to_them_alone(sign_in, owner, guest, comparison, reports):
    assert ask(sign_in(guest), reports, [comparison]) == {"reports": [], "comparisons": []}
    guest_access.show(owner, comparison, guest.membership)
    answer = ask(sign_in(guest), reports, [comparison])
    assert (answer["reports"], [row["id"] for row in answer["comparisons"]]) == ([], [str(comparison.pk)])


def test_what_is_not_there_or_of_another_team_is_left_out(sign_in, stranger, comparison, reports):
    assert ask(sign_in(stranger), reports, [comparison]) == {"reports": [], "comparisons": []}
    answer = sign_in(stranger).get("/reports/progress/?report=x&comparison=", headers=JSON)
    assert answer.json() == {"reports": [], "comparisons": []}


@pytest.mark.parametrize("of_comparison", [False, True])
@pytest.mark.parametrize("state", [State.PENDING, State.RUNNING])
def test_it_answers_when_the_last_is_settled(client, monkeypatch, comparison, reports, state, of_comparison):
    row = comparison if of_comparison else reports[1]
    rows = type(row).objects.filter(pk=row.pk)
    rows.update(state=state)
    monkeypatch.setattr(progress, "WAITS_S", 60)
    monkeypatch.setattr(progress.time, "sleep", lambda _s: rows.update(state=State.READY))
    found = ask(client, reports, [comparison])
    assert {one["state"] for one in (*found["reports"], *found["comparisons"])} == {"ready"}


def test_it_tells_how_far_it_is_after_a_while(client, monkeypatch, comparison, reports):
    Report.objects.update(state=State.RUNNING, stage="storing")
    Comparison.objects.update(state=State.PENDING)
    slept = []
    monkeypatch.setattr(progress, "WAITS_S", 0.05)
    monkeypatch.setattr(progress.time, "sleep", lambda s: (slept.append(s), threading.Event().wait(s)))
    found = ask(client, reports, [comparison])
    assert [(one["state"], one["stage"]) for one in found["reports"]] == [("running", "storing")] * 2
    assert found["comparisons"][0]["state"] == "pending"
    assert slept


def test_where_others_wait_already_nobody_else_does(client, monkeypatch, reports):
    Report.objects.update(state=State.PENDING)
    monkeypatch.setattr(progress, "_waiting", threading.Semaphore(0))
    assert {one["state"] for one in ask(client, reports)["reports"]} == {"pending"}
    monkeypatch.setattr(progress, "_waiting", places := threading.Semaphore(1))
    monkeypatch.setattr(progress, "WAITS_S", 0)
    ask(client, reports)
    assert places.acquire(blocking=False)  # it was given back
