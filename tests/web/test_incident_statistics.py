"""Statistics across incidents: only what they say, each figure with the number of those that say it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from msgspec.structs import replace

from awrdiff.comparisons import anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import overview
from awrdiff.comparisons.result_storage import pack_overviews
from awrdiff.incidents import action_items, comparisons_and_reports, finding_verdicts, services, timeline
from awrdiff.incidents.models import Incident, IncidentComparison, Verdict
from awrdiff.incidents.statistics import statistics_of
from tests.web import compared
from tests.web.conftest import store_report
from tests.web.pages import check_markup, store_comparison
from tests.web.postmortems import CONFIRMED, UNDECIDED, findings

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
PATH = "/incidents/statistics/"


def made(access, **times: str) -> Incident:
    typed = services.Typed("Slow", begins_at="2024-01-01T10:00", ends_at="2024-01-01T12:00", **times)
    return services.make(access, typed)


def judged(access, incident, *, bad: int | None = 1):
    """A comparison of the incident whose first finding is confirmed; the others nobody has judged."""
    reports = [store_report(access, f"{incident.pk}-{n}.html", waits=100.0 + n) for n in (0, 1)]
    comparison = store_comparison(access, reports, replace(compared.comparison(), findings=tuple(findings())))
    comparisons_and_reports.attach(access, incident, comparison, "PAY")
    IncidentComparison.objects.filter(comparison=comparison).update(bad=bad)
    finding_verdicts.give(
        access, comparison, finding_verdicts.TypedVerdict(anchors.of_finding(findings()[0]), "confirmed")
    )
    return comparison


def both_ways(original: Comparison) -> Comparison:
    """The other way round it says the same."""
    said = overview(original)
    Comparison.objects.filter(pk=original.pk).update(overview=pack_overviews([said], said))
    return original


class TestCauses:
    def test_what_was_confirmed_in_two_incidents_came_back(self, owner, sign_in):
        for _ in range(2):
            judged(owner, made(owner))
        made(owner)
        found = statistics_of(owner)
        assert [(one.title, len(one.incidents)) for one in found.causes] == [(CONFIRMED, 2)]
        assert found.without_cause == 1
        html = sign_in(owner).get(PATH, headers=HTML).content.decode()
        check_markup(html)
        assert CONFIRMED in html
        assert UNDECIDED not in html

    def test_what_rose_and_what_fell_are_two_causes_whose_figures_differ(self, owner):
        titles = ("Reads take 12 ms, SQL 4z7k3abc", "Reads take 0.9 s, SQL 4z7k3abc", "Reads take less, SQL 4z7k3abc")
        for title in titles:
            comparison = judged(owner, made(owner))
            Verdict.objects.filter(comparison=comparison).update(title=title)
        told = {one.title: len(one.incidents) for one in statistics_of(owner).causes}
        assert told == {"Reads take …, SQL 4z7k3abc": 2, "Reads take less, SQL 4z7k3abc": 1}

    def test_a_verdict_that_was_withdrawn_is_no_cause(self, owner):
        comparison = judged(owner, made(owner))
        finding_verdicts.give(
            owner, comparison, finding_verdicts.TypedVerdict(anchors.of_finding(findings()[0]), "withdrawn")
        )
        assert not statistics_of(owner).causes

    @pytest.mark.parametrize(("bad", "open_hours"), [(0, 0), (None, 1)])
    def test_what_is_said_of_another_hour_or_an_open_one_is_no_cause(self, owner, bad, open_hours):
        judged(owner, made(owner), bad=bad)
        found = statistics_of(owner)
        assert (found.causes, found.open_hours, found.without_cause) == ([], open_hours, 1)

    def test_the_other_way_round_all_are_read_together_and_one_that_cannot_be_hides_no_other(self, owner):
        def causes_and_queries() -> tuple[list[int], int]:
            with CaptureQueriesContext(connection) as asked:
                found = statistics_of(owner)
            return [len(one.incidents) for one in found.causes], len(asked)

        turned = [both_ways(judged(owner, made(owner), bad=0))]
        counts, asked = causes_and_queries()
        assert counts == [1]
        turned += [both_ways(judged(owner, made(owner), bad=0)) for _ in range(2)]
        assert causes_and_queries() == ([3], asked)
        Comparison.objects.filter(pk=turned[1].pk).update(overview=b"torn")
        assert causes_and_queries() == ([2], asked)


class TestDatabases:
    def test_each_with_its_incidents_and_those_of_none_beside_it(self, owner, sign_in):
        for _ in range(2):
            judged(owner, made(owner))
        made(owner)
        told = sign_in(owner).get(PATH, headers=JSON).json()
        assert [(one["name"], one["count"]) for one in told["databases"]] == [("PAY", 2)]
        assert (told["of_no_database"], told["incidents"]) == (1, 3)


class TestTimes:
    def test_only_what_people_set_counts_and_says_of_how_many(self, owner, sign_in):
        for minutes in (4, 10):
            made(owner, impact_at="2024-01-01T10:00", detected_at=f"2024-01-01T10:{minutes:02}")
        silent = made(owner)
        timeline.add(owner, silent, timeline.TypedEvent("2024-01-01T10:01", "Users call", "impact"))
        services.set_status(owner, silent, "mitigated")
        found = statistics_of(owner)
        assert {name: sorted(times) for name, times in found.times.items()} == {
            "detected_at": [timedelta(minutes=4), timedelta(minutes=10)],
            "mitigated_at": [],
            "resolved_at": [],  # a window is no duration
        }
        times = sign_in(owner).get(PATH, headers=JSON).json()["times"]
        assert [(one["count"], one["of"], one["median_s"]) for one in times] == [
            (2, 3, 420.0),
            (0, 3, None),
            (0, 3, None),
        ]
        html = " ".join(sign_in(owner).get(PATH, headers=HTML).content.decode().split())
        assert "median, of 2 of 3" in html
        assert "no incident says" in html

    @pytest.mark.parametrize(
        "known",
        [
            {"detected_at": "2024-01-01T10:05"},
            {"impact_at": "2024-01-01T10:00"},
            {"impact_at": "2024-01-01T10:00", "detected_at": "2024-01-01T09:55"},
        ],
    )
    def test_without_the_impact_or_before_it_there_is_no_time(self, owner, known):
        made(owner, **known)
        assert statistics_of(owner).times["detected_at"] == []

    def test_each_is_of_its_own_time(self, owner):
        made(owner, impact_at="2024-01-01T10:00", mitigated_at="2024-01-01T10:30", resolved_at="2024-01-01T11:00")
        found = statistics_of(owner)
        assert found.times["mitigated_at"] == [timedelta(minutes=30)]
        assert found.times["resolved_at"] == [timedelta(hours=1)]


class TestPeriods:
    @pytest.fixture
    def four(self, owner) -> dict[str, Incident]:
        """By the day of their begin, from 60 days ago to the last hour of a year's."""
        now = timezone.now()
        begins = {"now": now - timedelta(hours=1), "60": now - timedelta(days=60), "400": now - timedelta(days=400)}
        found = {name: made(owner) for name in (*begins, "new year")}
        for name, at in {**begins, "new year": datetime(2020, 12, 31, 23, 30, tzinfo=UTC)}.items():
            Incident.objects.filter(pk=found[name].pk).update(begins_at=at, ends_at=at + timedelta(minutes=30))
        return found

    @pytest.mark.parametrize(
        ("asked", "names"),
        [
            ("?days=30", ["now"]),
            ("?days=90", ["now", "60"]),
            ("?days=365", ["now", "60"]),
            ("", ["now", "60", "400", "new year"]),
            ("?since=&until=", ["now", "60", "400", "new year"]),
            ("?since=2020-12-31&until=2020-12-31", ["new year"]),
            ("?until=2020-12-30", []),
            ("?since=2021-01-01", ["now", "60", "400"]),
        ],
    )
    def test_only_incidents_that_began_in_it_are_told_of(self, owner, sign_in, four, asked, names):
        client = sign_in(owner)
        told = client.get(f"{PATH}{asked}", headers=JSON).json()
        assert (told["incidents"], told["times"][2]["of"]) == (len(names), len(names))
        html = client.get(f"{PATH}{asked}", headers=HTML).content.decode()
        check_markup(html)
        assert html.count('aria-current="true"') == (0 if "20" in asked else 1)

    @pytest.mark.parametrize("asked", ["?days=7", "?days=30%20", "?since=soon", "?since=2024-02-01&until=2024-01-01"])
    def test_what_is_no_period_is_refused_in_a_sentence_and_stays_typed(self, owner, sign_in, four, asked):
        client = sign_in(owner)
        assert client.get(f"{PATH}{asked}", headers=JSON).status_code == 400
        answer = client.get(f"{PATH}{asked}", headers=HTML)
        html = answer.content.decode()
        assert (answer.status_code, 'role="alert"' in html) == (400, True)
        assert ('value="soon"' in html) == ("soon" in asked)


def test_open_action_items_and_nothing_of_another_team(owner, stranger, sign_in):
    incident = made(owner)
    action_items.add(owner, incident, action_items.TypedAction("Late", str(owner.user.pk), "2024-02-01"))
    action_items.add(owner, incident, action_items.TypedAction("Some day"))
    done = action_items.add(owner, incident, action_items.TypedAction("Done"))
    type(done).objects.filter(pk=done.pk).update(state="done")
    found = statistics_of(owner).actions
    assert found == {"total": 2, "overdue": 1, "without_owner": 1, "without_due": 1}
    assert statistics_of(stranger).total == 0
    assert "There are no incidents yet." in sign_in(stranger).get(PATH, headers=HTML).content.decode()
