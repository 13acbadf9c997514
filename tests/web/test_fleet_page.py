"""The list of databases: what changed most first, what is silent on top, and nothing claimed that is not known."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.databases import queries
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database
from awrdiff.fleet import deviations
from awrdiff.fleet.models import Departure, Standing
from awrdiff.processing.models import State
from awrdiff.reports.models import LEFT_OUT, Report
from awrdiff.web.presenters.page.home import MOST_WINDOWS
from awrdiff.web.views.fleet import basis_text
from fixtures.fleet.hours import BEGIN, HOUR, Planted, fleet, hours_of, plant
from tests.web.fleets import measure_all, store_fleet
from tests.web.pages import check_markup
from tests.web.test_api import is_as_described

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}
NOW = (BEGIN + 48 * HOUR + timedelta(minutes=20)).replace(tzinfo=UTC)
PLANTED = {
    2: Planted("load step", 43, 44, 6.0),
    5: Planted("plan change", 38, 39, 150.0),
    7: Planted("log switch storm", 40, 41, 6000.0),
}
LAST_DAY = deviations.Span(24)


def built(count: int = 10):
    """A fleet without bursts, three hours of which are planted; the last database went silent after 40 hours."""
    databases = [plant(one, PLANTED[n]) if n in PLANTED else one for n, one in enumerate(fleet(count, 3))]
    found = [(one, [hour for hour in hours_of(one, 48) if not hour.is_burst]) for one in databases]
    return [*found[:-1], (found[-1][0], found[-1][1][:40])]


@pytest.fixture(scope="module")
def stored(lasting):
    with lasting():
        from tests.web.conftest import context_of

        access = context_of("olivia", "Payments")
        store_fleet(access, built())
        measure_all()
        return access


@pytest.fixture
def morning(stored, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    return stored


def asked(access, span=LAST_DAY, page=1, **wanted):
    return deviations.night(access, span, deviations.Wanted(**wanted), page)


def test_the_planted_hours_come_first_and_no_other_is_an_alarm(morning):
    found = asked(morning)
    assert {one.database.name for one in found.lines[:3]} == {"DB002", "DB005", "DB007"}
    assert [one.alarms for one in found.lines] == [1, 1, 1, *[0] * 7]
    assert found.alarmed == 3
    by_name = {one.database.name: one for one in found.lines}
    for number, planted in PLANTED.items():
        assert by_name[f"DB00{number}"].worst.begin_at == (BEGIN + planted.first * HOUR).isoformat()
    assert by_name["DB005"].worst.parts[0][:2] in (["statement", "0lines0000001"], ["event", "db file sequential read"])
    assert by_name["DB007"].worst.parts[0][:2] == ["event", "log file switch completion"]
    above = [one.alarm for one in found.lines[:3]]
    assert above == sorted(above, reverse=True)


def test_another_time_finds_other_hours(morning):
    early = deviations.Span.between(BEGIN + 37 * HOUR, BEGIN + 40 * HOUR)
    found = asked(morning, early)
    assert [one.database.name for one in found.lines if one.alarms] == ["DB005"]
    assert {len(one.hours) for one in found.lines} <= {2, 3}
    assert asked(morning, deviations.Span(7 * 24)).lines[0].reports > 24


def test_a_database_on_another_clock_is_asked_by_its_own(morning):
    Database.objects.filter(name="DB002").update(zone="Asia/Tokyo")
    hours = next(one for one in asked(morning).lines if one.database.name == "DB002").hours
    assert hours[0].begin >= (BEGIN + 33 * HOUR).isoformat()
    others = next(one for one in asked(morning).lines if one.database.name == "DB001").hours
    assert others[0].begin < (BEGIN + 26 * HOUR).isoformat()


def test_who_is_silent_stands_on_top_and_what_has_no_rhythm_does_not(morning):
    (silent,) = asked(morning).overdue
    assert silent.database.name == "DB009"
    Standing.objects.filter(database=silent.database).update(every_s=None, patience_s=None)
    assert asked(morning).overdue == []


def test_silence_that_lasted_a_month_is_no_news(morning, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: NOW + timedelta(days=31))
    found = asked(morning)
    assert found.overdue == []
    assert not any(one.overdue for one in found.lines)
    assert found.lacking == {"report": 10}


def test_what_is_being_measured_is_said_to_be_and_not_overdue(morning, sign_in):
    Standing.objects.filter(database__name="DB009").update(due_from=BEGIN.isoformat())
    Departure.objects.filter(database__name="DB009").delete()
    Departure.objects.filter(database__name="DB001").update(normal=None, above=None)
    Departure.objects.filter(database__name="DB008").delete()
    assert asked(morning).overdue == []
    html = sign_in(morning).get("/databases/", headers=HTML).content.decode()
    assert (
        "3 of 7 databases that could be judged lie beyond 6 deviations above normal; 3 could not: "
        "1 without a report of an interval, 1 without a normal yet, 1 being measured." in html
    )
    Standing.objects.filter(database__name="DB001").update(silent=[["2", "2025-01-07T03:00:00"]])
    Standing.objects.filter(database__name="DB002").update(due_from=BEGIN.isoformat())
    html = sign_in(morning).get("/databases/", headers=HTML).content.decode()
    assert html.count("being measured: not all of its reports are told of yet") == 1
    assert html.count('instance 2: no report since <span class="moment">2025-01-07 03:00</span>') == 2


def test_a_report_of_the_year_9999_is_not_of_last_night(morning, sign_in):
    one = Departure.objects.filter(database__name="DB001").latest("begin_at")
    Departure.objects.filter(pk=one.pk).update(begin_at="9999-12-31T23:30:00")
    assert all(hour.begin < "2026" for line in asked(morning).lines for hour in line.hours)
    query = "?from=9999-12-31T00:00&to=9999-12-31T23:59"
    assert sign_in(morning).get(f"/databases/{query}", headers=HTML).status_code == 200


def test_a_worst_hour_whose_figures_are_damaged_hides_no_other(morning, sign_in):
    worst = asked(morning, text="DB002").lines[0].worst
    Departure.objects.filter(pk=worst.pk).update(sessions=None)
    document = is_as_described("fleet", "get", sign_in(morning).get("/api/v1/fleet"))
    assert None in [line["worst"]["sessions"] for line in document["items"] if line["worst"]]
    assert sign_in(morning).get("/databases/", headers=HTML).status_code == 200


def test_instances_are_not_mixed_and_an_hour_is_one_alarm(morning):
    worst = asked(morning, text="DB002").lines[0].worst
    for instance, sessions in (("2", worst.sessions - 0.5), ("3", 0.0)):
        report = Report.objects.get(pk=worst.pk)
        report.pk, report._state.adding = None, True
        report.pk = uuid.uuid4()
        report.save()
        one = Departure.objects.get(pk=worst.pk)
        one.report, one.instance, one.sessions, one.above = report, instance, sessions, sessions - worst.normal
        one.is_alarm = one.above > 0
        one.save(force_insert=True)
    (line,) = asked(morning, text="DB002").lines
    assert (line.alarms, line.worst.instance, {hour.instance for hour in line.hours}) == (1, "1", {"1"})
    assert (line.instances, line.lowest.instance) == (["1", "2", "3"], "3")
    assert basis_text(line.worst, line.instances).startswith("instance 1: ")


@pytest.mark.parametrize(
    ("begin", "days"), [("2025-01-10T09:00:00", "working days"), ("2025-01-11T09:00:00", "weekends")]
)
def test_which_days_say_what_is_normal_is_told(begin, days):
    one = Departure(begin_at=begin, by="hour of the day", of=7, sessions=3.0, normal=1.0, deviation=0.1, above=2.0)
    assert basis_text(one, ["1"]).endswith(f"7 reports of the same hour of {days}")


def test_files_that_could_not_be_read_are_told_and_a_readme_is_not(morning):
    Report.objects.filter(name__startswith="DB001-").update(state=State.READY)
    common = {"team": morning.team, "size": 1, "sha256": "0" * 64, "file": "", "state": State.FAILED}
    for name, code in (("broken.html", "unreadable"), ("readme.txt", LEFT_OUT)):
        Report.objects.create(name=name, error="It is cut off.", error_code=code, **common)
    found = asked(morning)
    assert ([one.name for one in found.failed], found.failed_count) == (["broken.html"], 1)


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"text": "db00 1"}, {"DB001"}),
        ({"tag": "prod"}, {"DB003", "DB004"}),
        ({"tag": "prod", "text": "004"}, {"DB004"}),
        ({"release": "19.24.0.0.0"}, {f"DB00{n}" for n in range(10)}),
        ({"release": "12.1.0.2.0"}, set()),
    ],
)
def test_filters(morning, wanted, names):
    Database.objects.filter(name__in=("DB003", "DB004")).update(tags=["prod"])
    found = asked(morning, **wanted)
    assert ({one.database.name for one in found.lines}, found.there) == (names, 10)


def test_pages_hold_all_of_them_once(morning, monkeypatch):
    monkeypatch.setattr(deviations, "PER_PAGE", 4)
    pages = [asked(morning, page=n) for n in (1, 2, 3)]
    names = [one.database.name for found in pages for one in found.lines]
    assert (len(names), len(set(names)), pages[0].pages) == (10, 10, 3)
    assert asked(morning, page=99).page == 3
    assert pages[1].lines[0].hours


def test_a_database_with_few_reports_is_not_judged(morning):
    Departure.objects.filter(database__name="DB002").update(
        normal=None, deviation=None, above=None, is_alarm=False, parts=[]
    )
    line = next(one for one in asked(morning).lines if one.database.name == "DB002")
    assert (line.comparable, line.worst, line.alarms) == (0, None, 0)


@pytest.mark.parametrize(("hours", "later"), [(0, 0), (5, 4), (0, 15 * 24)])
def test_times_that_cannot_be_are_refused(hours, later):
    with pytest.raises(DatabaseRefused):
        deviations.Span.between(BEGIN + hours * HOUR, BEGIN + later * HOUR)


def test_the_page_says_it_and_compares_in_one_click(morning, sign_in):
    client = sign_in(morning)
    with CaptureQueriesContext(connection) as asked_for:
        html = client.get("/databases/", headers=HTML).content.decode()
    assert len(asked_for) <= 12, [q["sql"][:90] for q in asked_for]
    check_markup(html)
    assert "3 of 10 databases lie beyond 6 deviations above normal." in html
    assert 'no report since <span class="moment">2025-01-07 16:00</span>; usually one every hour' in html
    assert html.count("<svg") == 10 + html.count('viewBox="0 0 100 100"')
    worst = next(one.worst for one in asked(morning).lines)
    assert f'value="{worst.nearest}"' in html
    made = client.post("/comparisons/", {"report": [worst.nearest, worst.pk]}, headers=HTML)
    assert made.status_code == 302


@pytest.mark.parametrize(("files", "said"), [(1, "1 file more is being read."), (2, "2 files more are being read.")])
def test_what_is_still_coming_is_told(morning, sign_in, files, said):
    client = sign_in(morning)
    assert "being read." not in client.get("/databases/", headers=HTML).content.decode()
    for one in Report.objects.order_by("pk")[:files]:
        one.pk, one.database, one.state = uuid.uuid4(), None, State.PENDING
        one.save(force_insert=True)
    assert said in client.get("/databases/", headers=HTML).content.decode()
    assert client.get("/api/v1/fleet").json()["reading"] == files


def test_without_a_report_of_the_time_the_load_of_the_latest_is_drawn(morning, sign_in, monkeypatch):
    assert 'class="load"' not in sign_in(morning).get("/databases/", headers=HTML).content.decode()
    monkeypatch.setattr(timezone, "now", lambda: NOW + timedelta(days=3))
    client = sign_in(morning)
    with CaptureQueriesContext(connection) as asked_for:
        html = client.get("/databases/", headers=HTML).content.decode()
    assert len(asked_for) <= 13, [q["sql"][:90] for q in asked_for]
    check_markup(html)
    assert html.count('class="load"') == 10
    drawn = html.split('class="load"')[1].split("</div>")[0]
    assert drawn.count("<rect") == MOST_WINDOWS
    assert "Active sessions of 40 reports" in drawn


def test_the_latest_windows_of_each_are_at_most_so_many_also_where_some_begin_at_once(morning):
    databases = list(Database.objects.order_by("name"))
    one, few = databases[0], databases[-1]
    Report.objects.filter(database=one, begin_at__gte=(BEGIN + 44 * HOUR).isoformat()).update(begin_at="2030-01-01")
    Report.objects.filter(database=few).exclude(pk=Report.objects.filter(database=few).first().pk).delete()
    found = queries.latest_of_each(databases, 3)
    assert list(found) == [database.pk for database in databases]
    assert {report.begin_at for report in found[one.pk]} == {"2030-01-01"}
    assert [len(found[database.pk]) for database in databases] == [*[3] * 9, 1]
    of_second = Report.objects.filter(database=databases[1]).order_by("-begin_at", "-created_at")
    assert found[databases[1].pk] == list(of_second[:3])


def test_nothing_is_compared_with_a_nearest_that_is_gone(morning):
    nearest = [one.worst.nearest for one in asked(morning).lines if one.alarms]
    Report.objects.filter(pk__in=nearest).delete()
    assert [one.worst.nearest for one in asked(morning).lines if one.alarms] == [None] * len(nearest) != []


def test_the_same_in_json_for_a_script(morning, sign_in):
    answer = sign_in(morning).get("/api/v1/fleet")
    document = is_as_described("fleet", "get", answer)
    assert [one["name"] for one in document["items"] if one["alarms"]] == [
        one.database.name for one in asked(morning).lines[:3]
    ]
    assert document["items"][0]["worst"]["alarm"] is True
    assert [one["name"] for one in document["overdue"]] == ["DB009"]
    assert sign_in(morning).get("/api/v1/fleet?since=yesterday").status_code == 400


def test_a_guest_a_stranger_and_who_reads_only(morning, sign_in, guest, stranger):
    assert sign_in(guest).get("/databases/").status_code == 404
    assert "DB002" not in sign_in(stranger).get("/databases/", headers=HTML).content.decode()
    assert asked(stranger).there == 0


def test_an_empty_list_says_how_reports_come(owner, sign_in, stranger):
    html = sign_in(stranger).get("/databases/", headers=HTML).content.decode()
    check_markup(html)
    assert "/docs/collect/" in html


def test_a_time_without_windows_leads_to_the_last_that_has(stored, sign_in):
    html = sign_in(stored).get("/databases/", headers=HTML).content.decode()
    check_markup(html)
    assert "?from=2025-01-07T00%3A00&amp;to=2025-01-08T00%3A00" in html
    html = (
        sign_in(stored).get("/databases/?from=2025-01-07T00%3A00&to=2025-01-08T00%3A00", headers=HTML).content.decode()
    )
    assert "3 of 10 databases" in html


@pytest.mark.parametrize(
    "query", ["from=x&to=y", "from=2025-01-01T00:00", "from=2025-01-01T00:00Z&to=2025-01-02T00:00Z"]
)
def test_what_is_no_time_is_refused_in_a_sentence(owner, sign_in, query):
    answer = sign_in(owner).get(f"/databases/?{query}", headers=HTML)
    assert answer.status_code == 400
    assert "without a zone" in answer.content.decode()


def test_a_hostile_query_is_a_query(owner, sign_in):
    for query in ("q=%00%3Cscript%3E", "tag='%22%3E", "page=-1", "page=999999999999", "within=%00"):
        html = sign_in(owner).get(f"/databases/?{query}", headers=HTML)
        assert html.status_code == 200
        assert b"<script>" not in html.content


def test_the_day_is_of_the_moment(monkeypatch):
    span = deviations.Span(24)
    at = datetime(2026, 3, 29, 12, tzinfo=UTC)
    assert span.of("Europe/Vienna", at) == ("2026-03-28T14:00:00", "2026-03-30T16:00:00")
    assert span.of("", at) == ("2026-03-28T12:00:00", "2026-03-30T14:00:00")
