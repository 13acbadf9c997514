"""Of old days the worst hours are kept: what goes is what was shown before, and what is left is nobody's normal."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff.audit.models import AuditLine
from awrdiff.databases import report_assignment
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database
from awrdiff.fleet import deviation_measurement, thinning
from awrdiff.fleet.models import Departure, Standing, Thinning
from awrdiff.incidents import comparisons_and_reports
from awrdiff.incidents.services import Typed, make
from awrdiff.processing import work_kinds
from awrdiff.processing.models import State
from awrdiff.reports import services
from awrdiff.reports.models import Report, ReportMetrics, ReportTrace
from awrdiff.sharing.models import Shows
from fixtures.fleet.hours import BEGIN, HOUR, Planted, fleet, hours_of, plant
from tests.web.conftest import store_report
from tests.web.fleets import LATER, measure_all, old_and_new, store_fleet
from tests.web.pages import store_comparison
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
JSON, HTML = {"Accept": "application/json"}, {"Accept": "text/html"}
DAYS = 3  # that are old
NOW = datetime(2025, 3, 29, 15, tzinfo=UTC)
FIRST_RUN = datetime(2025, 3, 31, tzinfo=UTC)
(ONE,) = fleet(1)
STORM = 40  # the hour that is far beyond normal


@pytest.fixture
def clock(monkeypatch):
    def at(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    at(NOW)
    return at


@pytest.fixture
def database(owner, clock):
    (made,) = store_fleet(owner, [old_and_new(ONE, DAYS)])
    measure_all()
    return made


def run_all() -> int:
    """All turns of the sweeper that a run takes."""
    done = 0
    while Thinning.objects.filter(next_at__lte=timezone.now()).exists():
        done += thinning.thin_out()
    return done


def of_day(day: int) -> list[tuple[object, str]]:
    begin = (BEGIN + timedelta(days=day)).date().isoformat()
    return list(Report.objects.filter(begin_at__startswith=begin).order_by("begin_at").values_list("pk", "begin_at"))


def worst_of(day: int, column: str, many: int) -> set[str]:
    begin = (BEGIN + timedelta(days=day)).date().isoformat()
    rows = Departure.objects.filter(begin_at__startswith=begin).exclude(**{column: None}).order_by(f"-{column}")
    return set(rows.values_list("begin_at", flat=True)[:many])


def departures() -> dict[object, tuple[object, ...]]:
    columns = ("pk", "begin_at", "sessions", "normal", "of", "by", "above", "is_alarm", "parts")
    return {row[0]: row for row in Departure.objects.values_list(*columns)}


def test_what_goes_is_what_was_shown_and_no_sooner(owner, database, clock):
    measured, before = departures(), Report.objects.count()
    wanted = {day: worst_of(day, "above" if day else "sessions", 2) for day in range(DAYS)}
    storm = (BEGIN + STORM * HOUR).isoformat()
    assert storm in wanted[1]
    shown = thinning.preview(owner.team, thinning.rule_for(owner, "70", "2"))
    going = {one.pk for one in shown.first}
    assert (shown.reports, shown.rule.at) == (before - 1 - 2 * DAYS, FIRST_RUN)

    thinning.choose(owner, "70", "2")
    for moment in (NOW, FIRST_RUN - timedelta(seconds=1)):
        clock(moment)
        assert thinning.thin_out() == 0
    clock(FIRST_RUN + timedelta(hours=3))
    assert run_all() == shown.reports
    assert not Report.objects.filter(pk__in=going).exists()
    assert {day: {begin for _, begin in of_day(day)} for day in range(DAYS)} == wanted
    assert set(Report.objects.filter(thinned_at=None).values_list("begin_at", flat=True)) == {
        (BEGIN + timedelta(days=LATER)).isoformat()
    }
    assert departures() == {pk: measured[pk] for pk in Report.objects.values_list("pk", flat=True)}
    assert not ReportMetrics.objects.exclude(report__in=Report.objects.all()).exists()
    line = AuditLine.objects.get(action="thinned out")
    assert (line.who, line.thing) == ("server", f"{shown.reports} reports, {10 * shown.reports} bytes")
    assert not AuditLine.objects.filter(action="deleted").exists()

    for later in range(1, 3):
        clock(FIRST_RUN + timedelta(days=later, hours=3))
        assert run_all() == 0
    assert AuditLine.objects.filter(action="thinned out").count() == 1


def test_what_was_left_is_no_normal_and_keeps_its_own(owner, database, clock):
    thinning.choose(owner, "70", "5")
    clock(FIRST_RUN)
    run_all()
    kept = departures()
    assert Standing.objects.get().due_from == ""  # what goes by itself has nothing measured anew
    Report.objects.filter(thinned_at=None).update(begin_at=(BEGIN + timedelta(days=DAYS, hours=10)).isoformat())
    deviation_measurement.reports_moved([database.pk], BEGIN.isoformat())
    measure_all()
    after = departures()
    (late,) = set(Report.objects.filter(thinned_at=None).values_list("pk", flat=True))
    assert {pk: row for pk, row in after.items() if pk != late} == {pk: row for pk, row in kept.items() if pk != late}
    assert after[late][3] is None  # fifteen of the worst hours are there, and say nothing of what is normal


def test_held_reports_stay_and_it_is_said_why(owner, database, clock):
    before = thinning.preview(owner.team, thinning.rule_for(owner, "70", "1"))
    compared, incident, linked, traced, unknown, demo = [Report.objects.get(pk=one.pk) for one in before.first[:6]]
    store_comparison(owner, [compared, Report.objects.get(pk=before.first[10].pk)])
    comparisons_and_reports.attach_report(owner, make(owner, Typed("Slow", begins_at="2025-01-07T11:05")), incident)
    create_link(owner, linked, days=100, shows=Shows.REPORT)
    ReportTrace.objects.create(report=traced, trace=store_report(owner, "lgwr.trc"))
    Departure.objects.filter(pk=unknown.pk).delete()
    Report.objects.filter(pk=demo.pk).update(is_demo=True)

    shown = thinning.preview(owner.team, thinning.rule_for(owner, "70", "1"))
    assert shown.holds == Counter({"in a comparison": 2, "in an incident": 1, "shown by a link": 1, "with a trace": 1})
    assert shown.unknown == 1
    assert shown.reports == before.reports - 7
    held = {one.pk for one in shown.held_first}
    for report in Report.objects.filter(database=database):
        assert not services.kept_by(report) or report.pk in held, services.kept_by(report)
    thinning.choose(owner, "70", "1")
    clock(FIRST_RUN)
    assert run_all() == shown.reports
    for stays in (compared, incident, linked, traced, unknown, demo):
        assert Report.objects.filter(pk=stays.pk).exists()


def _compare(owner, pks):
    store_comparison(owner, list(Report.objects.filter(pk__in=pks)))


def _move(owner, pks):
    report_assignment._give(Report.objects.filter(pk__in=pks), Database.objects.get(name="DB001").pk)


@pytest.mark.parametrize(
    "changed",
    [
        _compare,
        _move,
        lambda owner, pks: Report.objects.filter(pk__in=pks).update(lease_until=FIRST_RUN),
        lambda owner, pks: Report.objects.filter(pk__in=pks).update(is_demo=True),
        lambda owner, pks: Departure.objects.filter(pk__in=pks).update(is_alarm=True),
    ],
    ids=["compared", "moved", "being renewed", "demo", "alarm"],
)
def test_what_became_otherwise_after_it_was_looked_for(owner, database, clock, monkeypatch, changed):
    (other,) = fleet(2)[1:]
    store_fleet(owner, [old_and_new(other, 0)])
    thinning.choose(owner, "70", "1")
    clock(FIRST_RUN)
    batches, pks = thinning._batches, []

    def meanwhile(days):
        found = list(batches(days))
        if not pks:
            pks.extend(one.pk for one in found[0][0].going[:2])
            changed(owner, pks)
        return iter(found)

    monkeypatch.setattr(thinning, "_batches", meanwhile)
    assert run_all() > 0
    assert Report.objects.filter(pk__in=pks).count() == 2


def test_killed_anywhere_it_goes_on_and_counts_each_once(owner, database, clock, monkeypatch):
    thinning.choose(owner, "70", "2")
    shown = thinning.preview(owner.team, thinning.rule_for(owner, "70", "2"))
    clock(FIRST_RUN)
    monkeypatch.setattr(thinning, "BATCH", 10)
    calls = Counter[str]()

    def dies_after(name: str, at: int):
        real = getattr(thinning, name)

        def call(*arguments):
            result = real(*arguments)
            calls[name] += 1
            if calls[name] == at:
                raise KeyboardInterrupt
            return result

        return call

    for name, at in (("remove", 3), ("_remove", 4), ("_note_removed", 1)):
        with monkeypatch.context() as patch:
            patch.setattr(thinning, name, dies_after(name, at))
            with pytest.raises(KeyboardInterrupt):
                run_all()
    run_all()
    line = AuditLine.objects.get(action="thinned out")
    assert line.thing.startswith(f"{shown.reports} reports,")
    assert not Report.objects.filter(pk__in=[one.pk for one in shown.first]).exists()
    assert [len(of_day(day)) for day in range(DAYS)] == [2] * DAYS


def test_a_turn_is_short_and_the_next_goes_on_where_it_was(owner, clock, monkeypatch):
    store_fleet(owner, [old_and_new(one, 1) for one in fleet(3)])
    measure_all()
    thinning.choose(owner, "70", "20")
    clock(FIRST_RUN)
    monkeypatch.setattr(thinning, "_AT_MOST_S", -1.0)
    assert [thinning.thin_out() for _ in range(7)] == [4, 0, 4, 0, 4, 0, 0]
    assert AuditLine.objects.get(action="thinned out").thing.startswith("12 reports,")
    assert Thinning.objects.get().next_at > FIRST_RUN


def test_two_sweepers_and_an_owner_who_thinks_again(owner, database, clock, monkeypatch):
    thinning.choose(owner, "70", "2")
    clock(FIRST_RUN)
    monkeypatch.setattr(thinning, "BATCH", 10)
    own = Thinning.objects.get()
    rule = thinning.Rule(70, 2, own.next_at)
    latest = thinning._latest(owner.team.pk, rule)
    first, second, *_ = thinning._batches(thinning._days(list(thinning._old(owner.team.pk, rule)), rule, latest))
    assert [thinning._remove(own, rule, latest, first) for _ in range(2)] == [10, 0]
    thinning.choose(owner, "", "")
    assert thinning._remove(own, rule, latest, second) is None
    thinning._end(own)
    assert (thinning.thin_out(), Thinning.objects.count()) == (0, 0)
    assert AuditLine.objects.get(action="thinned out").thing.startswith("10 reports,")
    thinning.choose(owner, "70", "2")
    assert Thinning.objects.get().next_at == FIRST_RUN + timedelta(days=2)


@pytest.mark.parametrize(
    ("latest", "begins", "came", "placed"),
    [
        (71, 80, NOW, NOW),
        (2, 81, FIRST_RUN - timedelta(hours=1), FIRST_RUN),
        (2, 74, NOW - timedelta(days=8), NOW),
        (2, 365 * 6, NOW - timedelta(days=10), NOW - timedelta(days=10)),
    ],
    ids=["goes on", "wakes", "was read lately", "is misdated"],
)
def test_what_comes_after_it_was_shown_takes_nothing_more(owner, database, clock, latest, begins, came, placed):
    known = Report.objects.filter(begin_at=(BEGIN + timedelta(days=LATER)).isoformat())
    known.update(begin_at=(BEGIN + timedelta(days=latest)).isoformat())
    shown = thinning.preview(owner.team, thinning.rule_for(owner, "70", "2"))
    thinning.choose(owner, "70", "2")
    newer = store_report(owner, "newer.html")
    columns = {"state": State.READY, "kind": "awr", "database": database, "created_at": came, "placed_at": placed}
    Report.objects.filter(pk=newer.pk).update(begin_at=(BEGIN + timedelta(days=begins)).isoformat(), **columns)
    clock(FIRST_RUN)
    assert (run_all(), shown.reports > 0) == (shown.reports, latest == 71)

    for days in (5, 6):
        clock(FIRST_RUN + timedelta(days=days))
        run_all()
    is_believed = begins < 100
    assert [len(of_day(day)) < 20 for day in range(2)] == [is_believed] * 2  # by then it was shown


def test_what_fails_for_one_team_keeps_no_other_from_its_turn(owner, stranger, database, clock, monkeypatch):
    store_fleet(stranger, [old_and_new(ONE, 1)])
    Report.objects.filter(team=stranger.team).update(begin_at="0001-01-01T00:00:00", end_at="0001-01-01T01:00:00")
    measure_all()
    assert thinning.preview(stranger.team, thinning.rule_for(stranger, "70", "2")).reports == 0
    for access in (stranger, owner):
        thinning.choose(access, "70", "2")
    latest = thinning._latest

    def fails(team, rule):
        if team == stranger.team.pk:
            raise RuntimeError
        return latest(team, rule)

    clock(FIRST_RUN)
    monkeypatch.setattr(thinning, "_latest", fails)
    assert [thinning.thin_out() > 0 for _ in range(2)] == [True, False]


@pytest.fixture
def ten_weeks(owner, clock):
    """Five hours of each day; on the sixth day one is far above normal, which five days before it say. The first four
    days are thinned out."""
    hours = hours_of(plant(ONE, Planted("load step", 6 * 24 + 9, 6 * 24 + 10, 6.0)), 24 * 75)
    (made,) = store_fleet(owner, [(ONE, [hour for hour in hours if hour.begin.hour in (3, 8, 9, 14, 20)])])
    measure_all()
    thinning.choose(owner, "70", "1")
    clock(FIRST_RUN)
    run_all()
    assert Report.objects.filter(begin_at__lt=(BEGIN + timedelta(days=4)).isoformat()).count() < 8
    return made


def measured() -> dict[object, tuple[object, ...]]:
    return {pk: row for pk, row in departures().items() if row[6] is not None}


def measure_anew() -> None:
    Standing.objects.update(version=0)
    deviation_measurement.take_up()
    measure_all()


def test_what_was_measured_by_days_that_are_thinned_since_stays(owner, ten_weeks):
    before = measured()
    assert Departure.objects.get(begin_at=(BEGIN + timedelta(days=6, hours=9)).isoformat()).is_alarm
    measure_anew()
    assert measured() == before
    other = Database.objects.create(team=owner.team, dbid="1", name="OTHER")
    with transaction.atomic():
        report_assignment.lock(owner.team.pk)
        report_assignment.move(ten_weeks, other)
    measure_all()
    measure_anew()
    assert measured() == before


@pytest.mark.parametrize("is_there", [False, True])
def test_what_comes_only_when_its_normal_is_thinned_is_unknown_and_stays(ten_weeks, clock, owner, is_there):
    begin = (BEGIN + timedelta(days=7, hours=3)).isoformat()
    quiet = Report.objects.get(begin_at=begin)
    own = Departure.objects.filter(pk=quiet.pk)
    own.update(above=None, by="") if is_there else own.delete()
    measure_anew()
    made = Departure.objects.get(pk=quiet.pk)
    assert (made.by, made.above, made.is_alarm) == (deviation_measurement.THINNED, None, False)
    assert made.sessions  # a normal hour of those that come
    rule = thinning.Rule(70, 1, FIRST_RUN + timedelta(days=5))
    Report.objects.filter(begin_at=(BEGIN + timedelta(days=74, hours=20)).isoformat()).update(
        begin_at=(BEGIN + timedelta(days=79)).isoformat(), created_at=rule.before + timedelta(days=70, hours=-1)
    )
    shown = thinning.preview(owner.team, rule)
    assert shown.unknown == 1
    assert begin[:10] in {one.begin_at[:10] for one in shown.first}
    assert quiet.pk not in {one.pk for one in shown.first}


def test_thinned_out_while_it_is_measured(database, owner, clock, monkeypatch):
    thinning.choose(owner, "70", "2")
    clock(FIRST_RUN)
    before, computed, removed = departures(), deviation_measurement._departures, []

    def meanwhile(pk, rows, thinned):
        if rows[0].report.begin_at > BEGIN.isoformat():
            removed.append(run_all())
        return computed(pk, rows, thinned)

    monkeypatch.setattr(deviation_measurement, "BATCH", 30)
    deviation_measurement.reports_moved([database.pk], BEGIN.isoformat())
    monkeypatch.setattr(deviation_measurement, "_departures", meanwhile)
    measure_all()
    assert removed[0] > 0
    assert departures() == {pk: before[pk] for pk in Report.objects.values_list("pk", flat=True)}


@pytest.mark.skipif(connection.vendor != "postgresql", reason="on SQLite a transaction that writes is alone")
def test_two_owners_at_once_wait_for_each_other(owner, clock):
    thinning.choose(owner, "70", "2")
    with CaptureQueriesContext(connection) as asked:
        thinning.choose(owner, "80", "2")
    locks = [query["sql"] for query in asked if "FOR NO KEY UPDATE" in query["sql"]]
    assert any('"accounts_team"' in sql for sql in locks), locks


def test_a_silent_database_keeps_its_last_days_whole(owner, database, clock):
    Report.objects.filter(begin_at=(BEGIN + timedelta(days=LATER)).isoformat()).delete()
    assert thinning.preview(owner.team, thinning.rule_for(owner, "70", "1")).reports == 0
    clock(NOW + timedelta(days=1000))
    assert thinning.preview(owner.team, thinning.rule_for(owner, "70", "1")).reports == 0


def test_history_that_came_lately_stays(owner, database, clock):
    Report.objects.update(created_at=NOW - timedelta(days=1))
    assert thinning.preview(owner.team, thinning.rule_for(owner, "70", "1")).reports == 0


def test_the_number_of_questions_is_that_of_batches_and_not_of_reports(owner, clock, monkeypatch):
    store_fleet(owner, [old_and_new(one, DAYS) for one in fleet(2)])
    measure_all()
    rule = thinning.rule_for(owner, "70", "2")
    with CaptureQueriesContext(connection) as two:
        thinning.preview(owner.team, rule)
    store_fleet(owner, [old_and_new(one, DAYS) for one in fleet(5)[2:]])
    measure_all()
    with CaptureQueriesContext(connection) as five:
        thinning.preview(owner.team, rule)
    assert len(two) == len(five) <= 4
    thinning.choose(owner, "70", "2")
    own, latest = Thinning.objects.get(), thinning._latest(owner.team.pk, rule)
    asked = []
    for size in (5, 50):
        monkeypatch.setattr(thinning, "BATCH", size)
        rows = list(thinning._old(owner.team.pk, rule))
        batch = next(thinning._batches(thinning._days(rows, rule, latest)))
        with CaptureQueriesContext(connection) as found:
            assert thinning._remove(own, rule, latest, batch) >= size
        asked.append(len(found))
    assert asked[0] == asked[1]


class TestPage:
    def test_an_owner_sees_what_goes_before_it_is_chosen(self, sign_in, owner, database):
        client = sign_in(owner)
        page = client.get("/team/old-reports/?days=70&hours=2", headers=HTML).content.decode()
        shown = thinning.preview(owner.team, thinning.rule_for(owner, "70", "2"))
        assert f"{shown.reports} reports would go" in page
        assert "31 March 2025" in page
        assert f"/reports/{shown.first[0].pk}/" in page
        assert not Thinning.objects.exists()
        found = client.get("/team/old-reports/?days=70&hours=2", headers=JSON).json()
        assert (found["chosen"], found["preview"]["reports"]) == (None, shown.reports)

        assert client.post("/team/old-reports/", {"days": "70", "hours": "2"}, headers=JSON).status_code == 204
        assert client.get("/team/old-reports/", headers=JSON).json() == {
            "chosen": {"after_days": 70, "hours": 2, "next_at": "2025-03-31T00:00:00Z"},
            "preview": found["preview"],
        }
        assert (
            "Nothing is removed until 31 March 2025, 00:00 UTC"
            in client.get("/team/old-reports/", headers=HTML).content.decode()
        )
        assert AuditLine.objects.filter(action="old reports", who=f"user {owner.user.pk}").count() == 1
        client.post("/team/old-reports/", {"days": ""}, headers=JSON)
        assert not Thinning.objects.exists()

    def test_what_was_shown_the_day_before_is_shown_again(self, sign_in, owner, database, clock):
        client, at = sign_in(owner), FIRST_RUN.isoformat()
        assert f'name="at" value="{at}"' in client.get("/team/old-reports/?days=70&hours=2").content.decode()
        clock(NOW + timedelta(hours=10))
        typed = {"days": "70", "hours": "2", "at": at}
        assert client.post("/team/old-reports/", typed, headers=JSON).status_code == 409
        answer = client.post("/team/old-reports/", typed, headers=HTML)
        later = (FIRST_RUN + timedelta(days=1)).isoformat()
        assert (answer.status_code, Thinning.objects.exists()) == (409, False)
        assert f'name="at" value="{later}"' in answer.content.decode()
        assert client.post("/team/old-reports/", {**typed, "at": later}, headers=JSON).status_code == 204

    @pytest.mark.parametrize(
        ("days", "hours"),
        [("69", "2"), ("70", "0"), ("70", "25"), ("", "2"), ("-70", "2"), ("٧٠", "2"), ("9" * 30, "2")],
    )
    def test_what_cannot_be_is_refused(self, sign_in, owner, days, hours):
        answer = sign_in(owner).get("/team/old-reports/", {"days": days, "hours": hours}, headers=HTML)
        assert (answer.status_code, b'role="alert"' in answer.content) == (400, True)
        if days:
            with pytest.raises(DatabaseRefused):
                thinning.choose(owner, days, hours)
        assert not Thinning.objects.exists()

    def test_others_are_refused(self, sign_in, colleague, database):
        client = sign_in(colleague)
        assert client.get("/team/old-reports/?days=70&hours=2", headers=JSON).status_code == 403
        assert client.post("/team/old-reports/", {"days": "70", "hours": "2"}, headers=JSON).status_code == 403
        with pytest.raises(PermissionDenied):
            thinning.choose(colleague, "70", "2")


def test_the_sweeper_does_it():
    assert thinning.thin_out in {chore.run for chore in work_kinds.CHORES}
