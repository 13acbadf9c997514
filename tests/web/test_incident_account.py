"""What an incident says happened: the bad hour among all of its reports, told against the hours around it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from msgspec.structs import replace

from awrdiff.comparisons import anchors, queries
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.incidents import cached_comparison_answers, comparisons_and_reports, finding_verdicts, services
from awrdiff.incidents.models import Incident, IncidentComparison, IncidentReport, Verdict
from awrdiff.incidents.services import Typed
from awrdiff.postmortems.services import draft
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from awrdiff.sharing.models import Shows
from parsers.model import Database
from tests.web.conftest import store_parsed
from tests.web.incident_hours import hour, stored
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON = {"Accept": "application/json"}
HTML = {"Accept": "text/html"}
SWAP = "out of swap"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def incident(owner) -> Incident:
    return services.make(owner, Typed("Slow", begins_at="2024-01-01T10:00", ends_at="2024-01-01T11:00"))


def account(client: Client, incident: Incident) -> dict:
    return client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["what_happened"]


def text_of(client: Client, path: str) -> str:
    html = client.get(path, headers=HTML).content.decode()
    check_markup(html)
    return " ".join(re.sub(r"<[^>]*>", " ", html).replace("&#x27;", "'").split())


def attach(owner, incident: Incident, *comparisons) -> None:
    for comparison in comparisons:
        comparisons_and_reports.attach(owner, incident, comparison, "PAY")


def confirm(owner, comparison, state: str = "confirmed", *, pair: int = 0) -> None:
    answer = queries.overview(comparison, pair).answer
    finding = queries.overview(comparison, pair).findings[answer.findings[0]]
    finding_verdicts.give(
        owner,
        comparison,
        finding_verdicts.TypedVerdict(anchors.of_finding(finding), state, why="swap was full"),
        pair=pair,
    )


class TestOutageInTheMiddle:
    @pytest.fixture
    def triple(self, owner, incident):
        made = stored(owner, hour(9), hour(10, sick=True), hour(11))
        attach(owner, incident, made)
        return made

    def test_it_is_told_against_both_of_its_neighbours(self, client, incident, triple):
        happened = account(client, incident)
        assert (happened["window"], happened["span"]) == ("5 Mar 2024 10:00 – 11:00", "hour")
        before, after = happened["before"], happened["after"]
        assert (before["window"], before["pair"]) == ("5 Mar 2024 09:00 – 10:00", 0)
        assert (after["window"], after["pair"]) == ("5 Mar 2024 11:00 – 12:00", 2)
        assert SWAP in happened["headline"]
        assert happened["headline"] == before["headline"]
        assert happened["load"] == "1.2 → 3.3 active sessions"
        assert "3.3 → 1.2 active sessions" in after["improvement"]
        assert IncidentComparison.objects.get().bad == 1

    def test_the_impact_is_in_sessions_and_rates(self, client, incident, triple):
        figures = {one["name"]: (one["other"], one["bad"]) for one in account(client, incident)["before"]["figures"]}
        assert figures["active sessions"] == (pytest.approx(1.2, abs=0.05), pytest.approx(3.33, abs=0.05))
        assert all(name == "active sessions" or name.endswith(("per second", "%")) for name in figures)

    def test_each_is_a_tab_of_the_page(self, client, incident, triple):
        path = f"/incidents/{incident.pk}/"
        before, after = text_of(client, path), text_of(client, f"{path}?beside=after")
        for text in (before, after):
            assert "not judged" in text
            assert not re.search(r"\b(First|Second)\b", text)
        assert "The comparison with the hour before" in before
        assert "with the hour after" not in before
        assert "The comparison with the hour after" in after
        assert "with the hour before" not in after

    def test_of_windows_that_are_no_hours_it_tells_as_windows(self, client, owner, incident):
        short = [hour(at, sick=at == 10, ends_early_min=10) for at in (9, 10, 11)]
        made = stored(owner, *short)
        attach(owner, incident, made)
        path = f"/incidents/{incident.pk}/"
        client.post(f"{path}comparisons/{made.pk}/hour/", {"place": 1})
        texts = [text_of(client, path), text_of(client, f"{path}?beside=after"), text_of(client, f"{path}?show=all")]
        draft(owner, incident)
        texts += [text_of(client, f"{path}postmortem/")]
        told = " ".join(texts)
        for said in ("The bad window", "with the window before", "with the window after", "The incident's window"):
            assert said in told
        assert not re.search(r"(bad|incident's|sick|with the|neither|[Bb]oth) hours?\b", told)
        assert account(client, incident)["span"] == "window"

    def test_a_tab_keeps_what_else_was_asked(self, client, incident, triple):
        html = client.get(f"/incidents/{incident.pk}/?show=typed&beside=after", headers=HTML).content.decode()
        for when in ("before", "after"):
            assert f'href="?show=typed&amp;beside={when}#what-h"' in html

    def test_any_of_three_may_be_chosen(self, client, owner, incident, triple):
        path = f"/incidents/{incident.pk}/comparisons/{triple.pk}/hour/"
        for place, window, before, after in (
            (2, "11:00 – 12:00", "09:00", None),
            (0, "09:00 – 10:00", None, "11:00"),
            (1, "10:00 – 11:00", "09:00", "11:00"),
        ):
            assert client.post(path, {"place": place}, headers=JSON).status_code == 204
            happened = account(client, incident)
            assert happened["window"].endswith(window)
            for when, at in (("before", before), ("after", after)):
                assert (happened[when] is None) == (at is None)
                assert at is None or at in happened[when]["window"]

    def test_the_list_says_it_too(self, client, owner, incident, triple):
        account(client, incident)
        (line,) = client.get("/incidents/", headers=JSON).json()["incidents"]
        assert SWAP in line["what_happened"]["headline"]
        assert line["what_happened"]["judgement"] == "not judged"
        assert "1.2 → 3.3 active sessions" in text_of(client, "/incidents/")
        confirm(owner, triple)
        (line,) = client.get("/incidents/", headers=JSON).json()["incidents"]
        assert line["what_happened"]["causes"] == ["The host is out of memory."]

    def test_confirmed_causes_come_first_and_end_the_doubt(self, client, owner, incident, triple):
        confirm(owner, triple)
        happened = account(client, incident)
        assert (happened["judgement"], [c["title"] for c in happened["causes"]]) == (
            "confirmed",
            ["The host is out of memory."],
        )
        text = text_of(client, f"/incidents/{incident.pk}/")
        assert text.index("Confirmed by olivia, because swap was full") < text.index(SWAP)
        assert "not judged" not in text

    def test_a_rejected_headline_says_so(self, client, owner, incident, triple):
        confirm(owner, triple, "rejected")
        assert (account(client, incident)["judgement"], account(client, incident)["causes"]) == ("rejected", [])

    def test_the_post_mortem_begins_with_it(self, client, owner, incident, triple):
        path = f"/incidents/{incident.pk}/postmortem/"

        def summary() -> str:
            client.post(path, headers=JSON)
            sections = client.get(path, headers=JSON).json()["sections"]
            return next(one["text"] for one in sections if one["id"] == "summary")

        assert SWAP in summary()
        assert "(not judged)" in summary()
        confirm(owner, triple)
        assert "The host is out of memory" in summary()
        assert "not judged" not in summary()

    def test_whoever_has_a_link_reads_it_without_ids(self, client, owner, incident, triple):
        shared = create_link(owner, incident, days=7, shows=Shows.INCIDENT)[1]
        happened = Client().get(shared, headers=JSON).json()["what_happened"]
        assert SWAP in happened["headline"]
        assert str(triple.pk) not in str(happened)
        assert str(triple.pk) not in Client().get(shared, headers=HTML).content.decode()


def test_a_click_reads_the_comparison_once(client, owner, monkeypatch):
    made, read = stored(owner, hour(9), hour(10, sick=True)), []
    of = cached_comparison_answers._read
    monkeypatch.setattr(
        cached_comparison_answers, "_read", lambda comparison: read.append(comparison) or of(comparison)
    )
    client.post(f"/comparisons/{made.pk}/incident/", headers=JSON)
    row = IncidentComparison.objects.get()
    assert (len(read), row.bad, cached_comparison_answers.load(row.story).suggested) == (1, 1, 1)


class TestSeveralComparisons:
    def test_one_of_two_calm_hours_asks_nobody(self, client, owner, incident):
        attach(owner, incident, stored(owner, hour(8), hour(9)), stored(owner, hour(9), hour(10, sick=True)))
        happened = account(client, incident)
        assert happened["window"].endswith("10:00 – 11:00")
        found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["comparisons"]
        assert [one["asked"] for one in found] == [False, False]

    def test_what_is_chosen_in_one_is_so_in_another(self, client, owner, incident):
        first, second = stored(owner, hour(9), hour(10)), stored(owner, hour(10), hour(11))
        attach(owner, incident, first, second)
        client.post(f"/incidents/{incident.pk}/comparisons/{first.pk}/hour/", {"place": 1}, headers=JSON)
        happened = account(client, incident)
        assert ("09:00" in happened["before"]["window"], "11:00" in happened["after"]["window"]) == (True, True)
        assert dict(IncidentComparison.objects.values_list("comparison", "bad")) == {first.pk: 1, second.pk: 0}

    def test_one_more_changes_the_hour_of_those_there(self, client, owner, incident):
        calm, sick = stored(owner, hour(10), hour(11)), stored(owner, hour(9), hour(10, sick=True))
        attach(owner, incident, calm)
        assert IncidentComparison.objects.get().bad is None
        attach(owner, incident, sick)
        assert dict(IncidentComparison.objects.values_list("comparison", "bad")) == {calm.pk: 0, sick.pk: 1}

    def test_each_chapter_goes_from_the_earlier_hour_to_the_later(self, client, owner, incident):
        """Compared the wrong way round, its pair the other way round tells."""
        made = stored(owner, hour(10, sick=True), hour(9))
        attach(owner, incident, made)
        compute_now(made.pk)
        before = account(client, incident)["before"]
        assert (before["comparison"], before["pair"]) == (str(made.pk), REVERSE)
        assert account(client, incident)["judgement"] == "not judged"
        said = {"team": made.team, "comparison": made, "anchor": before["anchor"], "title": "It.", "user": owner.user}
        for pair, state in ((0, "rejected"), (REVERSE, "explained_by")):  # the same finding, until it is judged there
            Verdict.objects.create(**said, pair=pair, state=state)
            assert account(client, incident)["judgement"] == state
        later = stored(owner, hour(10, sick=True), hour(11))
        attach(owner, incident, later)
        after = account(client, incident)["after"]
        assert (after["comparison"], after["pair"]) == (str(later.pk), 0)

    def test_each_keeps_what_was_chosen_in_it(self, client, owner, incident):
        """However bad the hour is that was chosen in another."""
        triple, pair = (
            stored(owner, hour(9), hour(10, sick=True), hour(11)),
            stored(owner, hour(9), hour(10, sick=True)),
        )
        attach(owner, incident, triple, pair)
        for comparison, place in ((triple, 2), (pair, 1)):
            path = f"/incidents/{incident.pk}/comparisons/{comparison.pk}/hour/"
            assert client.post(path, {"place": place}, headers=JSON).status_code == 204
        account(client, incident)
        found = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["comparisons"]
        assert [[one["is_incident"] for one in each["hours"]] for each in found] == [
            [False, False, True],
            [False, True],
        ]

    def test_outage_and_recovery_alone_are_told_of_the_outage(self, client, owner, incident):
        attach(owner, incident, stored(owner, hour(10, sick=True), hour(11)))
        happened = account(client, incident)
        assert (happened["before"], "11:00" in happened["after"]["window"]) == (None, True)
        assert happened["headline"].startswith("Its host was out of swap") or SWAP in happened["headline"]
        assert not happened["headline"].startswith("First")

    def test_two_databases_are_never_one_series(self, client, owner, incident):
        other = Database("HR", "777")
        attach(owner, incident, stored(owner, hour(9, database=other), hour(10, sick=True)))
        client.post(
            f"/incidents/{incident.pk}/comparisons/{IncidentComparison.objects.get().comparison_id}/hour/",
            {"place": 1},
            headers=JSON,
        )
        happened = account(client, incident)
        assert (happened["before"], happened["after"]) == (None, None)
        assert happened["window"].endswith("10:00 – 11:00")

    def test_each_line_of_two_databases_names_its_own(self, client, owner, incident):
        other = Database("HR", "777")
        alone = stored(owner, hour(9), hour(10, sick=True))
        attach(owner, incident, alone)
        lines = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["timeline"]
        assert not [line["text"] for line in lines if line["text"].endswith((", HR", ", DIAGNOSE"))]
        pair = stored(owner, hour(9, database=other), hour(10, sick=True, database=other))
        attach(owner, incident, pair)
        answer = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()
        windows = [line for line in answer["timeline"] if line["kind"] == "The incident's hour"]
        assert {line["text"].rpartition(", ")[2] for line in windows} == {"HR", "DIAGNOSE"}
        assert len({line["anchor"] for line in windows}) == 2
        restart = {"kind": "restart", "at": "2024-03-05T10:00:00", "end": "", "text": "It was restarted", "side": 0}
        for row in IncidentComparison.objects.all():
            IncidentComparison.objects.filter(pk=row.pk).update(told=[*row.told, restart, restart])
        lines = client.get(f"/incidents/{incident.pk}/", headers=JSON).json()["timeline"]
        restarts = [line for line in lines if line["kind"] == "restart"]
        assert [line["text"] for line in restarts] == ["DIAGNOSE: It was restarted", "HR: It was restarted"]
        assert len({line["anchor"] for line in restarts}) == 2
        check_markup(client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode())

    def test_while_the_hour_is_open_both_are_named_by_their_time(self, client, owner, incident):
        attach(owner, incident, stored(owner, hour(9), hour(10)))
        happened = account(client, incident)
        assert (happened["window"], happened["before"]) == ("", None)
        assert happened["open"]
        assert not re.search(r"\b(First|Second)\b", " ".join(happened["open"]))


class TestOneHourReadTwice:
    def test_it_is_neither_before_nor_after_itself(self, client, owner, incident):
        """As AWR and Statspack read it, some seconds apart."""
        again = replace(hour(10, sick=True), name="again.html")
        begin, end = (
            replace(at, time=at.time + timedelta(seconds=20)) for at in (again.period.begin, again.period.end)
        )
        again = replace(again, period=replace(again.period, begin=begin, end=end))
        attach(owner, incident, stored(owner, hour(9), hour(10, sick=True), again))
        happened = account(client, incident)
        assert ("09:00" in happened["before"]["window"], happened["after"]) == (True, None)
        assert SWAP in happened["headline"]

    def test_a_report_of_the_day_is_none_of_its_hours(self, client, owner, incident):
        """Nor the hour before one: it holds it."""
        days = [_lasting(hour(at, sick=at == 24), 24) for at in (0, 24)]
        pair, of_days = stored(owner, hour(9), hour(10)), stored(owner, *days)
        attach(owner, incident, pair, of_days)
        client.post(f"/incidents/{incident.pk}/comparisons/{of_days.pk}/hour/", {"place": 0}, headers=JSON)
        happened = account(client, incident)
        assert happened["window"] == "5 Mar 2024 00:00 – 6 Mar 00:00"
        assert happened["before"] is None
        assert happened["after"]["window"].startswith("6 Mar")
        assert dict(IncidentComparison.objects.values_list("comparison", "bad")) == {pair.pk: None, of_days.pk: 0}

    def test_a_moment_within_the_hour_is_not_after_it(self, client, owner, incident):
        attach(owner, incident, stored(owner, hour(9), hour(10, sick=True)))
        begin = hour(10).period.begin
        moment = replace(begin, id=begin.id + 1, time=begin.time + timedelta(minutes=30))
        alone = replace(hour(11), period=replace(hour(11).period, begin=moment, end=moment), name="moment.html")
        comparisons_and_reports.attach_report(owner, incident, store_parsed(owner, alone))
        assert account(client, incident)["after"] is None


def _lasting(report, hours: int):
    end = replace(report.period.end, time=report.period.begin.time + timedelta(hours=hours))
    return replace(report, period=replace(report.period, end=end))


class TestWhatIsStillBeingRead:
    PENDING, CALM = "Its reports are still being read.", "No report of it tells of trouble."

    def test_it_is_not_called_calm(self, client, owner, incident):
        made = stored(owner, hour(9), hour(10))
        attach(owner, incident, made)
        IncidentComparison.objects.update(story={})
        path = f"/incidents/{incident.pk}/"
        assert self.CALM in text_of(client, path)
        for state, text in ((State.RUNNING, self.PENDING), (State.FAILED, self.CALM)):
            Comparison.objects.update(state=state)
            assert text in text_of(client, path)
            assert account(client, incident)["is_pending"] is (state == State.RUNNING)

    def test_nor_is_a_report_by_itself(self, client, owner, incident):
        report = store_parsed(owner, hour(9))
        comparisons_and_reports.attach_report(owner, incident, report)
        Report.objects.filter(pk=report.pk).update(state=State.PENDING)
        assert self.PENDING in text_of(client, f"/incidents/{incident.pk}/")


class TestReportsByThemselves:
    def test_the_sick_one_is_the_bad_hour(self, client, owner, incident):
        for report in (hour(9), hour(10, sick=True)):
            comparisons_and_reports.attach_report(owner, incident, store_parsed(owner, report))
        happened = account(client, incident)
        assert happened["window"].endswith("10:00 – 11:00")
        assert happened["headline"].startswith("The hour is sick: ")
        assert "09:00" in happened["before"]["window"]
        assert happened["before"]["comparison"] is None
        html = client.get(f"/incidents/{incident.pk}/", headers=HTML).content.decode()
        assert not re.search(r'<p class="sub">\s*</p>', html)
        IncidentReport.objects.update(bad=False)
        assert account(client, incident)["window"] == ""

    def test_what_another_version_stored_is_no_obstacle(self, client, owner, incident):
        attach(owner, incident, stored(owner, hour(9), hour(10, sick=True)))
        IncidentComparison.objects.update(story={"hours": "none"})
        assert account(client, incident)["window"] == ""


class TestListsAfterAnUpgrade:
    @pytest.fixture
    def several(self, owner):
        """An incident of a comparison and one of a report alone, twice; nobody has looked at them yet."""
        made = stored(owner, hour(9), hour(10, sick=True))
        for number in range(4):
            typed = Typed(f"Slow {number}", begins_at="2024-03-05T10:00", ends_at="2024-03-05T11:00")
            found = services.make(owner, typed)
            if number % 2:
                attach(owner, found, made)
            else:
                comparisons_and_reports.attach_report(owner, found, store_parsed(owner, hour(10, sick=True)))
        IncidentComparison.objects.update(told_of="1.1.1", story={})

    def queries_of_list(self, client: Client) -> list[str]:
        with CaptureQueriesContext(connection) as asked:
            client.get("/incidents/", headers=JSON)
        return [one["sql"] for one in asked.captured_queries]

    def headlines(self, client: Client) -> list[str]:
        found = client.get("/incidents/", headers=JSON).json()["incidents"]
        return [one["what_happened"]["headline"] for one in found]

    def test_a_list_only_reads_and_a_chore_reads_again(self, client, several):
        assert not [sql for sql in self.queries_of_list(client) if sql.startswith('UPDATE "incidents_')]
        assert self.headlines(client) == [""] * 4
        assert comparisons_and_reports.refresh_stale() == 4
        assert all(SWAP in headline for headline in self.headlines(client))
        assert comparisons_and_reports.refresh_stale() == 0

    def test_its_queries_do_not_grow(self, client, several):
        client.get("/incidents/new/")
        four = len(self.queries_of_list(client))
        Incident.objects.filter(title__in=("Slow 2", "Slow 3")).delete()
        assert len(self.queries_of_list(client)) == four

    def test_a_chore_reads_a_few_at_a_time(self, several, monkeypatch):
        monkeypatch.setattr(comparisons_and_reports, "MOST_ASSESSED", 1)
        assert [comparisons_and_reports.refresh_stale(1) for _ in range(3)] == [2, 2, 0]

    def test_a_chore_leaves_time_for_others(self, several, monkeypatch):
        monkeypatch.setattr(comparisons_and_reports, "MOST_S", 0.0)
        assert [comparisons_and_reports.refresh_stale() for _ in range(3)] == [3, 1, 0]

    def test_what_cannot_be_read_yet_keeps_no_other_back(self, owner, several):
        row = IncidentComparison.objects.first()
        Comparison.objects.filter(pk=row.comparison_id).update(stored_format=0)
        assert [comparisons_and_reports.refresh_stale(1), comparisons_and_reports.refresh_stale(1)] == [2, 0]
