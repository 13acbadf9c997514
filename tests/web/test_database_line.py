"""The time line of a database: what is drawn of its reports, what is missing, and how much is asked for."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from awrdiff.databases import reports_over_time
from awrdiff.incidents.models import Incident, IncidentReport
from tests.web.database_rows import MONDAY, busy, database_named, hour
from tests.web.pages import check_markup, store_comparison

pytestmark = pytest.mark.django_db


@pytest.fixture
def pay(owner):
    return database_named(owner)


def line_of(client, database, query="", name="line"):
    answer = client.get(f"/databases/{database.uid}/{query}")
    assert answer.status_code == 200
    check_markup(answer.content.decode())
    return answer.context[name]


def stacked_of(client, database, query=""):
    return line_of(client, database, query, "stacked")


@pytest.fixture
def client(sign_in, owner):
    return sign_in(owner)


class TestDrawn:
    def test_the_week_before_the_last_report_with_its_classes(self, owner, pay, client):
        for number in (0, 200, 201, 202):
            hour(owner, pay, number, busy(2.0))
        stacked = stacked_of(client, pay)
        assert [one["cells"] for one in stacked["lines"]] == [["2", "1", "0.8"]] * 3
        assert stacked["heads"] == ["DB time", "CPU", "User I/O"]
        assert len(stacked_of(client, pay, "?range=all")["lines"]) == 4
        assert len(stacked_of(client, pay, "?from=2024-01-01T00:00&to=2024-01-02T00:00")["lines"]) == 1
        assert stacked_of(client, pay, "?from=2023-01-01&to=2023-01-02") is None

    def test_a_gap_is_a_gap_and_what_is_not_printed_is_no_zero(self, owner, pay, client):
        for number in (0, 1, 4, 5):
            hour(owner, pay, number, busy(2.0))
        hour(owner, pay, 6, {"db_cpu": 1.0})
        hour(owner, pay, 7)
        stacked = stacked_of(client, pay, "?range=all")
        assert stacked["has_gaps"]
        assert sum(mark.cls == "db-cpu" for mark in stacked["chart"].marks) == 2
        assert sum(mark.cls == "db-time" for mark in stacked["chart"].marks) == 2
        assert [one["cells"][0] for one in stacked["lines"]] == ["2"] * 4 + ["–"] * 2
        assert stacked["lines"][2]["between"] == "120.0 min later"
        assert stacked["waiting"] == 1

    def test_nothing_is_drawn_where_a_report_prints_none_of_it(self, owner, pay, client):
        for number in (0, 1, 2):
            hour(owner, pay, number, busy(2.0) if number != 1 else {"parses": 1.0})
        stacked = stacked_of(client, pay, "?range=all")
        assert stacked["has_gaps"]
        assert sum(mark.cls == "db-cpu" for mark in stacked["chart"].marks) == 2

    def test_instances_are_added_up_and_one_that_is_missing_is_said(self, owner, pay, client):
        for number in (0, 1):
            hour(owner, pay, number, busy(2.0))
        hour(owner, pay, 0, busy(1.0), instance_number=2, instance_name="pay2")
        stacked = stacked_of(client, pay)
        assert [one["cells"][0] for one in stacked["lines"]] == ["3", "2"]
        assert stacked["partial"] == 1
        assert "1 of 2 instances" in stacked["lines"][1]["between"]
        assert [one["cells"][0] for one in stacked_of(client, pay, "?course=awr-2")["lines"]] == ["1"]

    def test_an_instance_with_reports_only_in_the_days_before_is_missed_too(self, owner, pay, client):
        hour(owner, pay, 0, busy(1.0), instance_number=2, instance_name="pay2")
        for number in (0, 50):
            hour(owner, pay, number, busy(2.0))
        (shown,) = stacked_of(client, pay, "?course=all&range=day")["lines"]
        assert "1 of 2 instances" in shown["between"]

    def test_the_same_window_twice_counts_once_and_a_day_is_none_of_its_hours(self, owner, pay, client):
        for number in (0, 0, 1):
            hour(owner, pay, number, busy(2.0))
        hour(owner, pay, 0, busy(2.0), hours=24)
        stacked = stacked_of(client, pay, "?range=all")
        assert len(stacked["lines"]) == 3
        assert stacked["around"] == 1

    def test_restarts_releases_and_parameters_are_marked(self, owner, pay, client):
        hour(owner, pay, 0, busy(2.0), header=started("2023-12-01T08:00:00"))
        hour(owner, pay, 1, busy(2.0), header=started("2024-01-01T00:30:00"), era="e2")
        hour(owner, pay, 2, busy(2.0), header=started("2024-01-01T00:30:00"), era="e3")
        hour(owner, pay, 3, busy(2.0), header=started("2024-01-01T00:30:00"), era="e4", release="19.22.0.0.0")
        marks = [(rule.text, rule.title) for rule in stacked_of(client, pay)["chart"].rules if rule.cls == "mark"]
        assert [letters for letters, _ in marks] == ["R", "P", "V"]
        assert "19.21.0.0.0 → 19.22.0.0.0" in marks[2][1]

    def test_bad_hours_and_comparisons_lead_there(self, owner, pay, client):
        first, second = (hour(owner, pay, number, busy(2.0)) for number in (0, 1))
        comparison = store_comparison(owner, [first, second])
        incident = Incident.objects.create(team=owner.team, title="<b>Payments</b> hang", begins_at="2024-01-01T00:00Z")
        IncidentReport.objects.create(incident=incident, report=second, bad=True)
        stacked = stacked_of(client, pay)
        assert [m.url for m in stacked["chart"].marks if m.cls == "bad"] == [f"/incidents/{incident.pk}/"]
        assert [m.url for m in stacked["chart"].marks if m.cls == "arc"] == [f"/comparisons/{comparison.pk}/"]
        assert [len(one["incidents"]) for one in stacked["lines"]] == [0, 1]
        assert [[c.comparison for c in one["comparisons"]] for one in stacked["lines"]] == [[comparison.pk], []]


def started(text):
    return {"instances": [{"number": 1, "name": "pay1", "startup": text, "host": ""}]}


def test_an_address_that_says_nonsense_is_as_one_that_says_nothing(owner, pay, client):
    hour(owner, pay, 0, busy(2.0))
    wrong = "?range=<b>&course=nowhere&from=x&to=2024-99-99"
    assert stacked_of(client, pay, wrong)["lines"] == stacked_of(client, pay)["lines"]
    turned = line_of(client, pay, "?from=2024-01-02&to=2024-01-01")
    assert (turned["begin"], turned["end"]) == ("2024-01-01T00:00", "2024-01-02T00:00")


def test_many_reports_cost_no_more_queries_than_one(owner, pay, client):
    def queries():
        with CaptureQueriesContext(connection) as found:
            line_of(client, pay, "?range=all")
        return len(found)

    hour(owner, pay, 0, busy(2.0))
    queries()
    one = queries()
    for number in range(1, 40):
        hour(owner, pay, number, busy(2.0), era=f"e{number}")
    assert queries() == one <= 20


def test_of_more_reports_than_are_read_the_latest_are_shown_and_it_is_said(owner, pay, client, monkeypatch):
    monkeypatch.setattr("awrdiff.databases.reports_over_time.read.__kwdefaults__", {"most": 3, "with_largest": False})
    for number in range(5):
        hour(owner, pay, number, busy(2.0))
    stacked = stacked_of(client, pay, "?range=all")
    assert len(stacked["lines"]) == 3
    assert line_of(client, pay, "?range=all")["left_out"]
    assert stacked["lines"][-1]["begin"] == f"{MONDAY.replace(hour=4):%Y-%m-%dT%H:%M}"


class TestRead:
    """Of two instances, each with a report every hour."""

    @pytest.fixture(autouse=True)
    def _hours(self, owner, pay):
        for number in range(4):
            for n in (1, 2):
                hour(owner, pay, number, busy(2.0), instance_number=n, instance_name=f"pay{n}")
        hour(owner, pay, 3, busy(2.0), kind="statspack")

    def test_the_limit_is_of_each_instance_that_is_chosen(self, pay):
        whose = reports_over_time.instances_of(pay, None, None).in_span
        assert [one.id for one in whose] == ["awr-1", "awr-2", "statspack-1"]
        one = reports_over_time.read(pay, None, None, whose[:1], most=3)
        assert ([p.course.id for p in one.points], one.left_out) == (["awr-1"] * 3, True)
        both = reports_over_time.read(pay, None, None, whose[:2], most=4)
        assert (len(both.points), both.left_out) == (8, False)

    def test_what_changed_most_is_not_told_against_a_part_of_the_time_before(self, pay, client, monkeypatch):
        address = f"/databases/{pay.uid}/?from=2024-01-01T02:00&to=2024-01-01T04:00"
        assert "under five reports" in client.get(address).context["movers"]["nothing"]
        monkeypatch.setattr("awrdiff.web.views.database.MOST_MOVED", 2)
        assert "under five reports" in client.get(address).context["movers"]["nothing"]
        monkeypatch.setattr("awrdiff.databases.reports_over_time.INSTANCES", 1)
        assert "Of so many reports" in client.get(address).context["movers"]["nothing"]


def test_of_a_merged_one_the_same_page_of_the_other(owner, pay, client):
    hour(owner, pay, 0, busy(2.0))
    merged = database_named(owner, "PAY2")
    merged.merged_into = pay
    merged.save()
    for page in ("", "metrics/", "statements/0sql000000001/"):
        answer = client.get(f"/databases/{merged.uid}/{page}?range=day&course=awr-1")
        assert answer.url == f"/databases/{pay.uid}/{page}?range=day&course=awr-1"
