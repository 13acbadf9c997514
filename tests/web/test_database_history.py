"""How a statement or an event went over the reports of a database: its page, its JSON, and what leads there."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from awrdiff.web import links
from tests.web.database_rows import busy, database_named, event, hour, statement
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
SQL = "0sql000000001"


@pytest.fixture
def pay(owner):
    return database_named(owner)


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


def with_statement(owner, pay, number, *statements, **columns):
    return hour(owner, pay, number, busy(2.0), statements=statements, events=[event("log file sync", 0.2)], **columns)


def test_a_statement_in_each_report_with_what_is_not_known(owner, pay, client):
    with_statement(owner, pay, 0, statement(SQL, 0.5, 0.01, ["111"]))
    with_statement(owner, pay, 1, statement("0other0000001", 0.5))
    with_statement(owner, pay, 2, statement(SQL, 1.5, 0.08, ["222"]))
    hour(owner, pay, 3)
    answer = client.get(f"/databases/{pay.uid}/statements/{SQL}/")
    check_markup(answer.content.decode())
    page = answer.context["page"]
    assert [line["cells"][0] for line in page["lines"]] == ["0.5", "–", "1.5", "–"]
    assert "not among the 1 statements" in page["lines"][1]["note"]
    assert "plan 111 → 222" in page["lines"][2]["note"]
    assert page["lines"][2]["plans"] == ("222",)
    assert {"Active sessions", "Time of one execution, s", "Executions per second"} <= set(page["heads"])
    assert "in 2 of 3 reports" in page["summary"][0]
    found = client.get(f"/databases/{pay.uid}/statements/{SQL}/", headers=JSON).json()["reports"]
    assert [one["state"] for one in found] == ["listed", "not listed", "listed", "not taken yet"]
    assert [one["elapsed_per_exec_s"] for one in found] == [0.01, None, 0.08, None]
    assert found[2]["changes"] == ["entered", "changed plan"]
    assert client.get(f"/api/v1/databases/{pay.uid}/statements/{SQL}?range=day").json()["reports"] == found


def test_an_event_and_the_instance_that_has_it(owner, pay, client):
    hour(owner, pay, 0, busy(2.0))
    hour(owner, pay, 0, busy(2.0), events=[event("log file sync", 0.4)], instance_number=2, instance_name="pay2")
    address = f"/databases/{pay.uid}/events/log%20file%20sync/"
    found = client.get(address, headers=JSON).json()
    assert (found["course"], [one["sessions"] for one in found["reports"]]) == ("awr-2", [0.4])
    assert client.get(f"{address}?course=awr-1", headers=JSON).json()["reports"][0]["state"] == "not listed"
    assert [line["cells"][0] for line in client.get(address).context["page"]["lines"]] == ["0.4"]
    assert client.get(f"/api/v1/databases/{pay.uid}/events/log%20file%20sync?rang=day").status_code == 400


@pytest.mark.parametrize("key", ["<script>alert(1)</script>", "../../x", "a" * 2000, "%00", "a\nb"])
def test_a_hostile_name_is_a_name(owner, pay, client, key):
    hour(owner, pay, 0, busy(2.0))
    for kind in ("statements", "events"):
        answer = client.get(f"/databases/{pay.uid}/{kind}/{quote(key, safe='')}/")
        assert answer.status_code in (200, 404)
        assert "<script>alert" not in answer.content.decode()


def test_a_report_s_page_of_a_thing_leads_there_and_no_guest_is_told(owner, guest, pay):
    assert links.history(owner, pay, "sql", "a/b") == f"/databases/{pay.uid}/statements/a/b/"
    assert links.history(owner, pay, "event", "log file sync") == f"/databases/{pay.uid}/events/log%20file%20sync/"
    assert links.history(owner, pay, "object", "x") == links.history(guest, pay, "sql", "x") == ""
    assert not links.history(owner, None, "sql", "x")
