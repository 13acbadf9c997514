"""Any figures of a database over time, what moved, what is known, and windows that are compared."""

from __future__ import annotations

import csv
import io

import pytest
from django.utils import timezone

from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import past_incident_knowledge
from awrdiff.incidents.models import ActionItem, Incident, IncidentReport, Verdict
from awrdiff.web.templatetags.awr import cells, whole_moments
from tests.web.database_rows import busy, database_named, event, hour, statement
from tests.web.pages import check_markup, store_comparison

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
DAY, WEEK = 24, 168


@pytest.fixture
def pay(owner):
    return database_named(owner)


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


class TestFigures:
    def test_chosen_ones_with_their_normal_and_what_is_not_printed(self, owner, pay, client):
        for week in range(6):
            hour(owner, pay, week * WEEK, busy(2.0 + week / 100))
        hour(owner, pay, 6 * WEEK, {**busy(4.0), "commit_wait": 0.002})
        address = f"/databases/{pay.uid}/metrics/?metric=db_time&metric=Average+log+file+sync&range=day"
        answer = client.get(address)
        check_markup(answer.content.decode())
        page = answer.context["page"]
        assert [title for title, _ in page["chosen"]] == ["DB time", "Average log file sync"]
        assert [cell for cell, _ in page["lines"][0][2]] == ["4.00", "2.00 ms"]
        assert page["lines"][0][2][0][1].startswith("normal 2.0")
        document = client.get(address, headers=JSON).json()
        (report,) = document["reports"]
        assert report["values"] == {"db_time": 4.0, "commit_wait": pytest.approx(0.002)}
        assert report["normal"]["db_time"]["by"] == "hour of the week"
        assert report["normal"]["db_time"]["of"] == 6
        assert report["normal"]["commit_wait"] is None
        found = client.get(f"/api/v1/databases/{pay.uid}/metrics?metrics=db_time,commit_wait&range=day").json()
        assert found["reports"] == document["reports"]
        lines = list(csv.DictReader(io.StringIO(body(client, address.replace("metrics/", "metrics.csv")))))
        assert (lines[0]["db_time"], lines[0]["commit_wait normal"]) == ("4.0", "")

    def test_a_day_around_hours_stands_in_the_table_alone(self, owner, pay, client):
        for day in range(7):
            hour(owner, pay, day * DAY, busy(9.0), hours=24)
            for number in (0, 1):
                hour(owner, pay, day * DAY + number, busy(2.0), statements=[statement("0sql000000001", 0.5)])
        address = f"/databases/{pay.uid}/metrics/?range=all"
        page = client.get(address).context["page"]
        assert (len(page["lines"]), page["around"]) == (21, 7)
        last = client.get(address, headers=JSON).json()["reports"][-3:]
        assert [one["normal"]["db_time"] and one["normal"]["db_time"]["median"] for one in last] in (
            [2.0, None, 2.0],
            [None, 2.0, 2.0],
        )
        history = client.get(f"/databases/{pay.uid}/statements/0sql000000001/").context["page"]
        assert (len(history["lines"]), history["around"]) == (21, 7)

    def test_a_level_that_changed_is_marked(self, owner, pay, client):
        for number in range(8 * WEEK):
            if number % 4 == 0:
                load = 1.0 + (number * 7919 % 101) / 500
                hour(owner, pay, number, busy(load * (3.0 if number >= 7 * WEEK else 1.0)))
        found = client.get(f"/databases/{pay.uid}/metrics/?metric=db_time&range=month", headers=JSON).json()
        assert [round(step["factor"]) for step in found["metrics"][0]["steps"]] == [3]
        rules = client.get(f"/databases/{pay.uid}/metrics/?range=month").context["page"]["courses"][0]["chart"].rules
        assert [rule.text for rule in rules if "step" in rule.cls] == ["×3"] or any("×" in r.text for r in rules)

    def test_a_name_that_is_none_is_said_and_no_more_than_four_are_drawn(self, owner, pay, client):
        hour(owner, pay, 0, busy(2.0))
        wrong = client.get(f"/databases/{pay.uid}/metrics/?metric=<script>x</script>")
        assert wrong.context["page"]["unknown"] == ["<script>x</script>"]
        assert b"<script>x" not in wrong.content
        many = "&".join(f"metric={m}" for m in ("db_time", "db_cpu", "parses", "redo", "sga", "pga"))
        assert len(client.get(f"/databases/{pay.uid}/metrics/?{many}").context["page"]["courses"]) == 4


def body(client, address):
    answer = client.get(address)
    assert answer["Content-Type"].startswith("text/csv")
    return b"".join(answer).decode()


def test_what_changed_most_stands_first_and_what_is_not_listed_is_not_0(owner, pay, client):
    slow, usual, gone = "0slow00000001", "0usual0000001", "0gone00000001"
    for number in range(2 * WEEK):
        if number % 12:
            continue
        later = number >= WEEK
        statements = [statement(slow, 1.5)] if later else [statement(gone, 0.3)]
        hour(
            owner,
            pay,
            number,
            busy(3.0 if later else 1.5),
            statements=[*statements, statement(usual, 0.2)],
            events=[event("db file sequential read", 0.4)],
        )
    lines = client.get(f"/databases/{pay.uid}/?from=2024-01-08&to=2024-01-15").context["movers"]["lines"]
    found = {line.name: line for line in lines}
    assert {"DB time", slow, gone} <= found.keys()
    assert not {usual, "db file sequential read"} & found.keys()
    assert lines[0].name in ("DB time", slow)
    assert (found[slow].before, found[slow].change) == ("not among the largest", "entered")
    assert found[gone].now == "not among the largest"
    assert client.get(f"/databases/{pay.uid}/?range=all").context["movers"] is None
    assert len(lines) <= 10


def test_the_worst_hours_that_were_left_of_a_day_say_nothing_of_what_is_normal(owner, pay, client):
    for number in range(0, WEEK, 12):
        hour(owner, pay, number, busy(9.0), thinned_at=timezone.now())
        hour(owner, pay, WEEK + number, busy(4.0), events=[event("db file sequential read", 0.4)])
    week = "from=2024-01-08&to=2024-01-15"
    answer = client.get(f"/databases/{pay.uid}/metrics/?metric=db_time&range=all")
    assert f"{answer.context['left_until']:%d}" == "07"
    assert [cells[0][1] for _, _, cells, _ in answer.context["page"]["lines"] if "9.00" in cells[0][0]] == [""] * 14
    normals = client.get(f"/databases/{pay.uid}/metrics/?metric=db_time&{week}", headers=JSON).json()["reports"]
    assert {one["normal"]["db_time"] and one["normal"]["db_time"]["median"] for one in normals} == {None}
    moved = client.get(f"/databases/{pay.uid}/?{week}").context["movers"]
    assert not moved["lines"]
    window = {"from": "2024-01-08T00:00", "to": "2024-01-08T01:00"}
    assert client.post(f"/databases/{pay.uid}/compare/", {**window, "against": "normal"}).status_code == 400
    assert client.post(f"/databases/{pay.uid}/compare/", {**window, "against": "week"}).status_code == 302


def test_confirmed_causes_and_open_action_items_are_shown(owner, pay, client, monkeypatch):
    first, second = hour(owner, pay, 0, busy(2.0)), hour(owner, pay, 1, busy(3.0))
    comparison = store_comparison(owner, [first, second])
    for state, title in (("confirmed", "The <b>plan</b> changed"), ("rejected", "Something else")):
        Verdict.objects.create(
            team=owner.team, comparison=comparison, anchor=f"finding/{title}", title=title, state=state
        )
    incident = Incident.objects.create(team=owner.team, title="Hang", begins_at="2024-01-01T00:00Z")
    IncidentReport.objects.create(incident=incident, report=first)
    for state, text in (("open", "Pin the plan"), ("done", "Call")):
        ActionItem.objects.create(incident=incident, text=text, state=state)
    answer = client.get(f"/databases/{pay.uid}/")
    assert [one.title for one in answer.context["causes"].rows] == ["The <b>plan</b> changed"]
    assert [one.text for one in answer.context["actions"].rows] == ["Pin the plan"]
    assert b"The <b>plan" not in answer.content
    for n in range(21):
        named = {"anchor": f"finding/{n}", "title": str(n), "state": "confirmed"}
        Verdict.objects.create(team=owner.team, comparison=comparison, **named)
        ActionItem.objects.create(incident=incident, text=str(n))
    for looked_at in (past_incident_knowledge._MOST_VERDICTS, 20):
        monkeypatch.setattr(past_incident_knowledge, "_MOST_VERDICTS", looked_at)
        answer = client.get(f"/databases/{pay.uid}/")
        for known in ("causes", "actions"):
            assert (len(answer.context[known].rows), answer.context[known].more) == (20, 2)


class TestWindows:
    def compared(self, client, pay, **data):
        answer = client.post(f"/databases/{pay.uid}/compare/", data)
        assert answer.status_code == 302, answer.content
        made = Comparison.objects.latest("created_at")
        return answer.url, [p.report.name for p in made.places.order_by("position")]

    def test_with_its_normal_the_busiest_report_of_the_window_is_looked_at(self, owner, pay, client):
        for week in range(3):
            for number in (9, 10, 11):
                hour(owner, pay, week * WEEK + number, busy(2.0 if number != 10 or week < 2 else 5.0))
        window = {"from": "2024-01-15T09:00", "to": "2024-01-15T11:00", "against": "normal"}
        url, names = self.compared(client, pay, **window)
        assert names == ["9.html", "10.html", "177.html", "178.html", "345.html", "346.html"]
        assert url.endswith("?baseline=0,1,2,3&second=5")

    def test_a_day_is_not_held_against_its_hours(self, owner, pay, client):
        for week in range(3):
            hour(owner, pay, week * WEEK, busy(9.0), hours=24)
            for number in (9, 10):
                hour(owner, pay, week * WEEK + number, busy(2.0))
        window = {"from": "2024-01-15T09:00", "to": "2024-01-15T13:00"}
        assert self.compared(client, pay, **window, against="normal")[1] == [
            f"{n}.html" for n in (9, 10, 177, 178, 345, 346)
        ]
        assert self.compared(client, pay, **window, against="week")[1] == [f"{n}.html" for n in (177, 178, 345, 346)]
        day = {"from": "2024-01-15T11:30", "to": "2024-01-15T12:30", "against": "normal"}
        assert self.compared(client, pay, **day)[1] == ["0.html", "168.html", "336.html"]

    def test_with_last_week_and_with_another_window(self, owner, pay, client):
        for number in (9, 10, WEEK + 9):
            hour(owner, pay, number, busy(2.0))
        own = {"from": "2024-01-08T09:00", "to": "2024-01-08T10:00"}
        assert self.compared(client, pay, **own, against="week")[1] == ["9.html", "177.html"]
        other = {"other_from": "2024-01-01T10:00", "other_to": "2024-01-01T11:00"}
        url, names = self.compared(client, pay, **own, **other, against="other")
        assert names == ["10.html", "177.html"]
        assert "?" not in url

    def test_what_cannot_be_compared_is_said(self, owner, pay, client, sign_in, stranger):
        for number in range(30):
            hour(owner, pay, number, busy(2.0))
        for data, said in (
            ({}, "from when to when the window is"),
            ({"from": "2023-01-01", "to": "2023-01-02"}, "No report of this database"),
            ({"from": "2024-01-01", "to": "2024-01-02"}, "at most 12"),
            ({"from": "2024-01-01T00:00", "to": "2024-01-01T01:00"}, "nothing that is normal yet"),
            ({"from": "2024-01-01T00:00", "to": "2024-01-01T01:00", "against": "other"}, "the other window"),
            ({"from": "2024-01-01T00:00", "to": "2024-01-01T01:00", "against": "x"}, "normal, week or other"),
        ):
            answer = client.post(f"/databases/{pay.uid}/compare/", data, headers=JSON)
            assert answer.status_code == 400
            assert said in answer.content.decode()
        assert sign_in(stranger).post(f"/databases/{pay.uid}/compare/", data).status_code == 404
        assert not Comparison.objects.exists()

    def test_of_several_instances_one_is_chosen(self, owner, pay, client):
        for number in (9, WEEK + 9):
            for instance in (1, 2):
                hour(owner, pay, number, busy(2.0), instance_number=instance, instance_name=f"pay{instance}")
        own = {"from": "2024-01-08T09:00", "to": "2024-01-08T10:00", "against": "week"}
        refused = client.post(f"/databases/{pay.uid}/compare/", own, headers=JSON)
        assert "choose one of them" in refused.content.decode()
        self.compared(client, pay, **own, course="awr-2")
        made = Comparison.objects.get()
        assert {p.report.instance_number for p in made.places.select_related("report")} == {2}


def test_figures_of_a_row_are_escaped():
    assert cells([("<0.01", ""), ("2", "a & b")]) == "<td>&lt;0.01</td><td>2<small>a &amp; b</small></td>"


def test_a_moment_stays_on_one_line_and_nothing_is_markup_by_itself():
    made = whole_moments("<b> since 2026-11-22 14:00")
    assert made == '&lt;b&gt; since <span class="moment">2026-11-22 14:00</span>'
