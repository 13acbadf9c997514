"""Departures of stored reports: measured as reports come, in whatever order, whoever dies meanwhile."""

from __future__ import annotations

import random
import uuid
from datetime import datetime, timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from awrdiff.accounts.models import Team
from awrdiff.analysis.metrics.binary_storage import pack_figures, unpack_figures
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION
from awrdiff.analysis.normal.report_deviation import Hour, departure_of
from awrdiff.databases import report_assignment
from awrdiff.databases.models import Database
from awrdiff.fleet import database_status, deviation_measurement, tasks
from awrdiff.fleet.models import Departure, Standing
from awrdiff.processing.models import State
from awrdiff.reports import services
from awrdiff.reports.models import Report, ReportMetrics
from fixtures.fleet.hours import Planted, fleet, hours_of, plant
from fixtures.fleet.reports import report_of
from parsers.model import Value
from tests.web.fleets import measure_all, store_fleet
from tests.web.uploaded import upload, uploading

pytestmark = pytest.mark.django_db

(QUIET,) = fleet(1)
PLANTED = plant(QUIET, Planted("log switch storm", 40, 41, 3000.0))
HOURS = list(hours_of(PLANTED, 48))


def departures() -> list[tuple[object, ...]]:
    columns = ("begin_at", "sessions", "normal", "of", "by", "above", "is_alarm", "nearest", "parts")
    return list(Departure.objects.order_by("begin_at").values_list(*columns))


@pytest.fixture
def database(owner) -> Database:
    (made,) = store_fleet(owner, [(PLANTED, HOURS)])
    return made


def test_a_planted_hour_is_the_only_alarm_and_says_what_carries_it(database):
    measure_all()
    assert [d[2] is None for d in departures()] == [True] * 24 + [False] * 24
    (alarm,) = Departure.objects.filter(is_alarm=True)
    assert alarm.begin_at == HOURS[40].begin.isoformat()
    assert alarm.above == pytest.approx(alarm.sessions - alarm.normal)
    ((kind, name, above, at_least), *_) = alarm.parts
    assert (kind, name, at_least) == ("event", "log file switch completion", False)
    assert above == pytest.approx(HOURS[40].switch_s / 3600, rel=0.05)
    assert Report.objects.filter(pk=alarm.nearest, database=database).exists()
    assert not deviation_measurement.due().exists()


def test_it_is_what_all_reports_before_say(owner):
    """Most are asked for those of their hour alone. In eight days Saturday and Sunday are of the hours around them."""
    store_fleet(owner, [(QUIET, list(hours_of(QUIET, 8 * 24)))])
    measure_all()
    stored = list(Departure.objects.order_by("begin_at"))
    hours = [Hour(d.pk, datetime.fromisoformat(d.begin_at), d.era, Value(d.sessions, d.half)) for d in stored]
    for departure, hour in zip(stored, hours, strict=True):
        found = departure_of(hour, hours)
        said = (found.normal.by, found.normal.of, found.nearest, found.is_alarm) if found else ("", 0, None, False)
        assert (departure.by, departure.of, departure.nearest, departure.is_alarm) == said


def test_an_hour_that_is_always_alike_is_asked_of_all_weeks_of_its_own_beside_the_latest_of_others():
    at = [datetime(2025, 1, 6, 9) + timedelta(hours=n) for n in range(24 * 50)]
    every = [Hour(n, begin, "", Value(float(begin.hour == 9), 0.005)) for n, begin in enumerate(at)]
    stored = {"T09:": [one for one in every if one.begin.hour == 9], "": every[-deviation_measurement.MOST :]}
    asked = Hour(-1, datetime(2025, 2, 25, 9), "", Value(1.0, 0.005))
    told = deviation_measurement._History(0, "1", "awr 60", asked.begin.isoformat(), stored=stored).before(asked)
    assert told == [one for one in every if one.begin.hour == 9 or one in stored[""]]
    assert departure_of(asked, told).normal == departure_of(asked, every).normal


def test_measured_twice_or_in_small_batches_it_is_the_same(database, monkeypatch):
    measure_all()
    first = departures()
    monkeypatch.setattr(deviation_measurement, "BATCH", 7)
    deviation_measurement.reports_moved([database.pk], HOURS[0].begin.isoformat())
    measure_all()
    assert departures() == first


def test_in_whatever_order_they_come_it_is_the_same(database):
    measure_all()
    first = departures()
    Departure.objects.all().delete()
    Standing.objects.all().delete()
    Report.objects.update(database=None)
    reports = list(Report.objects.values_list("pk", flat=True))
    random.Random(3).shuffle(reports)
    for pks in (reports[:20], reports[20:]):
        report_assignment._give(Report.objects.filter(pk__in=pks), database.pk)
        measure_all()
    assert departures() == first


def test_who_dies_half_way_leaves_it_due(database, monkeypatch):
    def dies(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(deviation_measurement, "as_a_whole", dies)
        with pytest.raises(KeyboardInterrupt):
            deviation_measurement.measure(database.pk)
    assert departures() == []
    assert not deviation_measurement.due().exists()  # until the lease ends
    assert not deviation_measurement.measure(database.pk)
    Standing.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    measure_all()
    assert len(departures()) == len(HOURS)


def test_what_is_marked_while_it_is_measured_stays_due(database, monkeypatch):
    measure_all()
    deviation_measurement.reports_moved([database.pk], HOURS[30].begin.isoformat())
    computed = deviation_measurement._departures

    def while_another_comes(*arguments):
        deviation_measurement.reports_moved([database.pk], HOURS[10].begin.isoformat())
        return computed(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(deviation_measurement, "_departures", while_another_comes)
        assert deviation_measurement.measure(database.pk)
    assert Standing.objects.get().due_from == HOURS[10].begin.isoformat()


def test_what_is_marked_later_leaves_what_was_measured(database, monkeypatch):
    monkeypatch.setattr(deviation_measurement, "BATCH", 20)
    computed = deviation_measurement._departures

    def while_another_comes(*arguments):
        deviation_measurement.reports_moved([database.pk], HOURS[-1].begin.isoformat())
        return computed(*arguments)

    monkeypatch.setattr(deviation_measurement, "_departures", while_another_comes)
    assert deviation_measurement.measure(database.pk)
    assert Standing.objects.get().due_from == HOURS[20].begin.isoformat()


def test_a_report_that_is_of_another_database_now_is_measured_there(owner, database):
    other = Database.objects.create(team=owner.team, dbid="1", name="OTHER")
    measure_all()
    report_assignment._give(Report.objects.filter(begin_at__gte=HOURS[12].begin.isoformat()), other.pk)
    measure_all()
    counts = [Departure.objects.filter(database=one).count() for one in (database, other)]
    assert counts == [12, len(HOURS) - 12]
    assert Departure.objects.filter(database=other, normal=None).count() == 24


def test_one_that_moves_while_it_is_measured_keeps_its_departure(owner, database, monkeypatch):
    other = Database.objects.create(team=owner.team, dbid="1", name="OTHER")
    computed = deviation_measurement._departures

    def while_one_moves(pk, rows, thinned):
        made = computed(pk, rows, thinned)
        if pk == database.pk:
            report_assignment._give(Report.objects.filter(begin_at=HOURS[5].begin.isoformat()), other.pk)
            deviation_measurement.measure(other.pk)
        return made

    monkeypatch.setattr(deviation_measurement, "_departures", while_one_moves)
    deviation_measurement.measure(database.pk)
    assert Departure.objects.get(begin_at=HOURS[5].begin.isoformat()).database_id == other.pk


def test_a_report_of_a_day_or_of_another_kind_says_nothing_of_an_hour(database):
    measure_all()
    first = departures()
    for n, (kind, elapsed_s) in enumerate((("awr", 86_400), ("statspack", 3600))):
        for at in (23, 47):
            copied(HOURS[at].begin.isoformat(), 100.0, kind=kind, elapsed_s=elapsed_s, sha256=f"{n}{at}")
    deviation_measurement.reports_moved([database.pk], HOURS[0].begin.isoformat())
    measure_all()
    hourly = Departure.objects.filter(interval="awr 60").order_by("begin_at")
    assert [(one.begin_at, one.normal, one.is_alarm) for one in hourly] == [(d[0], d[2], d[6]) for d in first]
    assert not Departure.objects.exclude(interval="awr 60").exclude(normal=None).exists()


def test_text_and_html_of_the_same_hours_are_both_held_against_their_own(database):
    for hour in HOURS:
        copied(hour.begin.isoformat(), 1.0, era="cut", format="text")
    measure_all()
    of = {era: Departure.objects.filter(era=era).latest("begin_at").of for era in ("built", "cut")}
    assert of["built"] == of["cut"] == 5


def copied(begin, times, era="built", **values):
    """Another report of that begin with so many times the figures."""
    row = ReportMetrics.objects.select_related("report").filter(report__begin_at=begin, era="built").first()
    report, created_at = row.report, row.report.created_at
    figures = unpack_figures(bytes(row.figures))
    figures["db_time"] = Value(figures["db_time"].number * times, figures["db_time"].half)
    report.pk, report._state.adding = uuid.uuid4(), True
    for name, value in values.items():
        setattr(report, name, value)
    report.save()
    Report.objects.filter(pk=report.pk).update(created_at=created_at)
    return ReportMetrics.objects.create(report=report, era=era, figures=pack_figures(figures), largest=row.largest)


def test_what_is_deleted_says_no_more_what_is_normal(owner, database, sign_in):
    measure_all()
    report = Report.objects.get(begin_at=HOURS[10].begin.isoformat())
    services.delete_report(owner, report)
    assert Standing.objects.get().due_from == HOURS[10].begin.isoformat()


def test_damaged_metrics_hold_up_no_other(database, caplog):
    damaged = Report.objects.get(begin_at=HOURS[40].begin.isoformat())
    ReportMetrics.objects.filter(report=damaged).update(largest=b"no document")
    measure_all()
    assert len(departures()) == len(HOURS)
    assert str(damaged.pk) in caplog.text
    assert Departure.objects.get(report=damaged).sessions is None


def test_those_of_an_older_version_are_made_anew_once_their_metrics_are(database):
    measure_all()
    Standing.objects.update(version=deviation_measurement.VERSION - 1)
    Report.objects.filter(begin_at=HOURS[0].begin.isoformat()).update(metrics_version=METRICS_VERSION - 1)
    assert deviation_measurement.take_up() == 0
    Report.objects.update(metrics_version=METRICS_VERSION)
    assert deviation_measurement.take_up() == 1
    assert Standing.objects.get().due_from == HOURS[0].begin.isoformat()
    assert deviation_measurement.take_up() == 0


def test_databases_that_were_there_before_are_taken_up(database):
    Standing.objects.all().delete()
    assert deviation_measurement.take_up() == 1
    measure_all()
    assert len(departures()) == len(HOURS)


def test_a_report_that_is_read_is_measured_and_one_of_a_bulk_only_after_it(tmp_path, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks, "send", lambda task, pk: sent.append(pk))
    monkeypatch.setattr(tasks, "wake", lambda task, pk: sent.append(pk) or True)
    with uploading(tmp_path, "olga") as client:
        report = upload(client, "0.html", report_of(QUIET, HOURS[0]))
    assert sent == [report.database_id]
    Report.objects.update(in_bulk=True)
    tasks.report_settled(report.pk)
    assert len(sent) == 1
    Report.objects.update(state=State.RUNNING)
    assert tasks.look_for_due() == 0
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "AT_MOST", timedelta(0))
        assert tasks.look_for_due() == 1
    own = report.team
    Report.objects.update(team=Team.objects.exclude(pk=own.pk).first() or Team.objects.create(name="Others"))
    assert tasks.look_for_due() == 1
    Report.objects.update(state=State.READY, team=own)
    assert tasks.look_for_due() == 1
    tasks.measure(str(report.database_id))
    made = Departure.objects.get()
    assert (made.sessions, made.normal) == (pytest.approx(HOURS[0].db_time_s / 3600, rel=1e-4), None)


def test_a_database_is_measured_while_the_bulk_of_others_is_read(database, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks, "wake", lambda task, pk: sent.append(pk) or True)
    now = timezone.now()
    Report.objects.update(in_bulk=True, placed_at=now, created_at=now)
    reading = Report.objects.filter(database=database).first()
    reading.pk, reading.database, reading.state, reading.placed_at = uuid.uuid4(), None, State.PENDING, None
    reading.created_at = now
    reading.save(force_insert=True)
    deviation_measurement.reports_moved([database.pk], HOURS[0].begin.isoformat())
    assert tasks.look_for_due() == 0, "the next file may be its own"
    Report.objects.filter(database=database).update(placed_at=now - tasks.QUIET)
    assert (tasks.look_for_due(), sent) == (1, [database.pk])
    # One of its own that somebody waits for says nothing of its bulk.
    Report.objects.filter(database=database).update(placed_at=now, in_bulk=False)
    assert tasks.look_for_due() == 1
    Report.objects.filter(database=database).update(in_bulk=True)
    Report.objects.filter(database=None).update(state=State.READY)
    assert tasks.look_for_due() == 1, "nothing is read any more"


def test_how_often_they_come_is_known(database):
    measure_all()
    standing = Standing.objects.get()
    assert (standing.every_s, standing.patience_s) == (3600, 5400)
    assert standing.last_end == (HOURS[-1].begin + timedelta(hours=1)).isoformat()
    assert standing.release == "19.24.0.0.0"


def test_a_backfill_is_no_sign_of_life_and_no_rhythm(database):
    measure_all()
    before = Standing.objects.values("came_at", "every_s", "patience_s", "last_end").get()
    now = timezone.now()
    for n in range(120):
        begin = datetime(2013, 1, 1) + timedelta(hours=n)
        made = copied_plain(database, begin, now + timedelta(minutes=n))
    copied_plain(database, HOURS[-1].begin + timedelta(hours=9), now, kind="ash")
    copied_plain(database, datetime(9999, 12, 31, 23, 30), now)
    assert made.database_id == database.pk
    assert database_status.as_a_whole(database.pk).items() >= before.items()
    Report.objects.filter(begin_at__gt="2014").delete()
    assert database_status.as_a_whole(database.pk)["every_s"] is None


def test_the_hour_that_comes_again_in_autumn_is_an_arrival(database):
    last = Report.objects.latest("begin_at")
    again = last.created_at + timedelta(hours=1)
    copied_plain(database, datetime.fromisoformat(last.begin_at), again)
    assert database_status.as_a_whole(database.pk)["came_at"] == again


def test_an_instance_that_is_silent_is_missed(database):
    for hour in HOURS[:30]:
        copied_plain(database, hour.begin, timezone.make_aware(hour.begin + timedelta(hours=1)), instance_number=2)
    (silent,) = database_status.as_a_whole(database.pk)["silent"]
    assert silent == ["2", (HOURS[29].begin + timedelta(hours=1)).isoformat()]


def test_so_is_one_without_a_number_by_its_name_or_by_the_number_of_that(database):
    nameless = {"instance_number": None, "instance_name": "Standby"}
    for hour in HOURS[:30]:
        copied_plain(database, hour.begin, timezone.make_aware(hour.begin + timedelta(hours=1)), **nameless)
    end = (HOURS[29].begin + timedelta(hours=1)).isoformat()
    assert database_status.as_a_whole(database.pk)["silent"] == [["standby", end]]
    for number, at, silent in ((2, 3, [["2", end]]), (2, -1, []), (3, -1, [])):
        named = {"instance_number": number, "instance_name": "STANDBY"}
        copied_plain(database, HOURS[at].begin, timezone.make_aware(HOURS[at].begin + timedelta(hours=1)), **named)
        assert database_status.as_a_whole(database.pk)["silent"] == silent


def test_hours_of_the_first_year_there_is_are_hours(database):
    """A window may begin in the year 1 and end now."""
    now = timezone.now()
    for n in range(60):
        made = copied_plain(database, datetime(1, 1, 1) + timedelta(hours=n), now - timedelta(hours=60 - n))
        Report.objects.filter(pk=made.pk).update(end_at=(made.created_at.replace(tzinfo=None)).isoformat())
    Report.objects.filter(name__startswith="DB").delete()
    found = database_status.as_a_whole(database.pk)
    assert (found["every_s"], found["silent"]) == (3600, [])


def test_one_that_prints_its_number_no_more_is_not_silent(database):
    Report.objects.filter(begin_at__gte=HOURS[24].begin.isoformat()).update(instance_number=None)
    assert database_status.as_a_whole(database.pk)["silent"] == []


@pytest.mark.parametrize("ahead", [20, 40])
def test_what_is_dated_ahead_is_no_life_of_its_instance(database, ahead):
    for hour in HOURS[:30]:
        copied_plain(database, hour.begin, timezone.make_aware(hour.begin + timedelta(hours=1)), instance_number=2)
    came_at = timezone.make_aware(HOURS[30].begin + timedelta(minutes=70))
    copied_plain(database, HOURS[30].begin + timedelta(hours=ahead), came_at, instance_number=2)
    (silent,) = database_status.as_a_whole(database.pk)["silent"]
    assert silent == ["2", (HOURS[29].begin + timedelta(hours=1)).isoformat()]


@pytest.mark.parametrize("zone", ["", "Asia/Tokyo"])
def test_east_of_utc_a_nightly_upload_of_the_newest_first_is_not_dated_ahead(database, zone):
    Database.objects.update(zone=zone)
    Report.objects.update(created_at=F("created_at") - timedelta(hours=9))
    newest = HOURS[-1].begin + timedelta(hours=8)
    for n in range(8):
        begin, came_at = newest - timedelta(hours=n), newest + timedelta(hours=1 - 9, seconds=n)
        copied_plain(database, begin, timezone.make_aware(came_at))
    assert database_status.as_a_whole(database.pk)["last_end"] == (newest + timedelta(hours=1)).isoformat()


def test_what_begins_after_it_came_is_dated_ahead_where_the_zone_is_known(database):
    copied_plain(database, HOURS[-1].begin + timedelta(hours=5), timezone.make_aware(HOURS[-1].begin))
    for zone, hours in (("", 6), ("UTC", 1)):
        Database.objects.update(zone=zone)
        last_end = database_status.as_a_whole(database.pk)["last_end"]
        assert last_end == (HOURS[-1].begin + timedelta(hours=hours)).isoformat()


def test_the_first_that_came_may_be_dated_ahead(database):
    Report.objects.filter(begin_at__gte=HOURS[10].begin.isoformat()).delete()
    before = database_status.as_a_whole(database.pk)
    first = timezone.make_aware(HOURS[0].begin + timedelta(minutes=50))
    copied_plain(database, HOURS[0].begin + timedelta(hours=20), first)
    assert database_status.as_a_whole(database.pk) == before


def test_one_that_is_dated_ahead_is_believed_until_the_next_comes(database):
    before = database_status.as_a_whole(database.pk)
    for n in range(1, 6):
        begin = HOURS[-1].begin + timedelta(hours=n)
        came_at = timezone.make_aware(begin + timedelta(hours=1))
        copied_plain(database, begin, came_at)
        if n == 2:
            copied_plain(database, begin + timedelta(hours=20), came_at + timedelta(minutes=10))
    now = database_status.as_a_whole(database.pk)
    assert (now["came_at"], now["last_end"]) == (came_at, came_at.replace(tzinfo=None).isoformat())
    assert (now["every_s"], now["patience_s"]) == (before["every_s"], before["patience_s"])
    assert now["silent"] == []


def copied_plain(database, begin, created_at, **values):
    report = Report.objects.filter(database=database, name__startswith="DB").first()
    report.pk, report._state.adding, report.sha256, report.name = uuid.uuid4(), True, uuid.uuid4().hex * 2, "copy"
    report.begin_at = begin.isoformat()
    report.end_at = (begin + timedelta(hours=1)).isoformat() if begin.year < 9999 else report.begin_at
    for name, value in values.items():
        setattr(report, name, value)
    report.save()
    Report.objects.filter(pk=report.pk).update(created_at=created_at)
    return report
