"""Claims, leases and the sweeper: what two workers, a killed one and a lost broker do to a row."""

from __future__ import annotations

import socket
import time
from contextlib import nullcontext, suppress
from datetime import timedelta
from itertools import islice

import pytest
from billiard.exceptions import WorkerLostError
from celery import Celery
from celery.fixups.django import DjangoWorkerFixup
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db import connections as django_connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from awrdiff import celery_app, logs
from awrdiff.processing import dispatch, sweeper, work_claims
from awrdiff.processing.dispatch import send
from awrdiff.processing.models import State
from awrdiff.processing.work_kinds import Chore
from awrdiff.reports import services, tasks
from awrdiff.reports.models import Report, ReportMetrics
from fixtures.fleet.hours import fleet, hours_of
from fixtures.fleet.reports import report_of
from tests.web.conftest import store_report
from tests.web.uploaded import JSON, upload, uploading

pytestmark = pytest.mark.django_db
AGO = timedelta(seconds=1)


@pytest.fixture
def report(owner) -> Report:
    made = store_report(owner)
    Report.objects.filter(pk=made.pk).update(**work_claims.enqueue_values())
    return made


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """Ids that were sent to the workers."""
    found: list[str] = []
    monkeypatch.setattr(tasks.read_report, "apply_async", lambda args, **_: found.append(args[0]))
    return found


def row(report: Report) -> Report:
    report.refresh_from_db()
    return report


def expire(report: Report) -> None:
    Report.objects.filter(pk=report.pk).update(lease_until=timezone.now() - AGO)


def test_only_one_of_two_claims_succeeds(report):
    assert work_claims.claim(Report, report.pk, "reading") is not None
    assert work_claims.claim(Report, report.pk, "reading") is None
    assert (row(report).state, report.attempt, report.stage) == (State.RUNNING, 1, "reading")


@pytest.mark.parametrize("state", [State.RUNNING, State.PENDING])
def test_a_claim_between_look_and_update_wins(report, monkeypatch, state):
    """The other worker takes the row after this one has read its attempt number; and may have given it back."""
    stolen = []
    queryset = type(Report.objects.all())
    first = queryset.first

    def first_then_steal(self):
        seen = first(self)
        if not stolen:
            stolen.append(True)
            lease = timezone.now() + AGO * 60 if state == State.RUNNING else None
            Report.objects.filter(pk=report.pk).update(state=state, attempt=1, lease_until=lease)
        return seen

    monkeypatch.setattr(queryset, "first", first_then_steal)
    assert work_claims.claim(Report, report.pk, "reading") is None
    assert row(report).attempt == 1


def test_a_row_that_is_done_or_gone_is_not_claimed(report):
    Report.objects.update(state=State.READY)
    assert work_claims.claim(Report, report.pk, "reading") is None
    Report.objects.all().delete()
    assert work_claims.claim(Report, report.pk, "reading") is None


def test_an_expired_lease_is_taken_over_and_the_late_one_writes_nothing(report):
    slow = work_claims.claim(Report, report.pk, "reading")
    expire(report)
    quick = work_claims.claim(Report, report.pk, "reading")
    assert quick.attempt == 2
    quick.finish(db_name="RIGHT")
    for late in (lambda: slow.stage("x"), lambda: slow.finish(db_name="WRONG"), lambda: slow.refuse("x", "x")):
        with pytest.raises(work_claims.Superseded):
            late()
    assert (row(report).state, report.db_name) == (State.READY, "RIGHT")


def fail(report: Report) -> None:
    with work_claims.working(work_claims.claim(Report, report.pk, "reading")):
        raise ZeroDivisionError


def test_after_the_last_failure_the_row_says_so(report, settings):
    for _ in range(settings.TASK_MAX_FAILURES):
        assert row(report).state == State.PENDING
        fail(report)
    assert work_claims.claim(Report, report.pk, "reading") is None
    assert (row(report).state, report.error_code) == (State.FAILED, "gave-up")
    assert "3 times" in report.error


def test_a_retry_never_gives_an_attempt_number_twice(report):
    """Or a worker that slept through a retry would write over what the retry made."""
    sleeper = work_claims.claim(Report, report.pk, "reading")
    expire(report)
    work_claims.claim(Report, report.pk, "reading").refuse("no", "no")
    services.restart([report])
    awake = work_claims.claim(Report, report.pk, "reading")
    assert awake.attempt == 3
    with pytest.raises(work_claims.Superseded):
        sleeper.finish(db_name="WRONG")
    Report.objects.filter(pk=report.pk).update(attempt=1)
    sleeper.finish()  # the fence is the number and nothing else


class TestTries:
    """What counts as a failure of the row, and what only as an interruption."""

    @pytest.fixture(autouse=True)
    def connected(self, monkeypatch):
        monkeypatch.setattr(sweeper.connection, "close", lambda: None)  # the test's own process goes on

    def test_a_killed_machine_is_no_failure(self, report, sent, settings):
        for times in range(1, 3 * settings.TASK_MAX_FAILURES):
            assert work_claims.claim(Report, report.pk, "reading") is not None
            expire(report)
            sweeper.sweep()
            assert (row(report).state, report.failures, report.interruptions) == (State.PENDING, 0, times)
            Report.objects.update(due_at=timezone.now() - AGO)

    def test_a_restart_of_everything_is_not_even_an_interruption(self, report, settings):
        for _ in range(2 * settings.TASK_MAX_INTERRUPTIONS):
            assert work_claims.claim(Report, report.pk, "reading") is not None
            assert sweeper.release_running() == 1
        assert (row(report).state, report.failures, report.interruptions) == (State.PENDING, 0, 0)

    def test_what_interrupts_its_worker_every_time_comes_to_an_end(self, report, sent, settings):
        for _ in range(settings.TASK_MAX_INTERRUPTIONS + 1):
            assert work_claims.claim(Report, report.pk, "reading") is not None
            expire(report)
        assert work_claims.claim(Report, report.pk, "reading") is None
        assert (row(report).state, report.error_code) == (State.FAILED, "gave-up")
        assert f"{settings.TASK_MAX_INTERRUPTIONS} times" in report.error

    def test_a_row_that_interrupts_again_and_again_waits_longer_each_time(self, report, sent, settings):
        pauses = []
        for _ in range(7):
            work_claims.claim(Report, report.pk, "reading")
            expire(report)
            sweeper.sweep()
            pauses.append(round((row(report).due_at - timezone.now()).total_seconds() / settings.TASK_DUE_AFTER_S))
        assert pauses == [1, 1, 1, 2, 3, 4, 5]
        assert len(sent) == 2  # at once the first times, later when due

    def test_the_death_of_its_own_process_is_a_failure(self, report, settings):
        for times in range(settings.TASK_MAX_FAILURES):
            assert row(report).failures == times
            with logs.bound(task_id="7"):
                work_claims.claim(Report, report.pk, "reading")
            sweeper.release_killed(task_id="7", exception=WorkerLostError())
        assert (row(report).state, report.error_code) == (State.FAILED, "gave-up")

    def test_the_death_of_its_process_while_the_worker_stops_is_none(self, report, monkeypatch):
        monkeypatch.setattr(sweeper.worker_state, "should_stop", 0)
        with logs.bound(task_id="7"):
            work_claims.claim(Report, report.pk, "reading")
        sweeper.release_killed(task_id="7", exception=WorkerLostError())
        assert (row(report).state, report.failures) == (State.PENDING, 0)
        assert report.due_at <= timezone.now()

    def test_a_task_goes_on_with_the_connection_of_the_one_before_unless_it_is_old_or_broken(self, report, monkeypatch):
        done: list[str] = []
        monkeypatch.setattr(django_connections["default"], "close", lambda: done.append("closed"))
        DjangoWorkerFixup(celery_app.app).close_database()
        monkeypatch.setattr(celery_app, "close_old_connections", lambda: done.append("looked"))
        celery_app._follow(task_id="7")
        celery_app._follow_no_more()
        assert done == ["looked"]

    def test_a_comparison_given_back_for_its_reports_has_not_failed(self, report):
        work_claims.claim(Report, report.pk, "reading").give_back(failed=False)
        assert (row(report).state, report.failures) == (State.PENDING, 0)


def test_a_task_that_takes_too_long_is_said_and_not_repeated(report, settings):
    settings.CELERY_TASK_SOFT_TIME_LIMIT = 540
    held = work_claims.claim(Report, report.pk, "reading")
    with work_claims.working(held):
        raise work_claims.SoftTimeLimitExceeded
    assert (row(report).state, report.error_code) == (State.FAILED, "too-long")
    assert report.error == "Processing took longer than 540 seconds and was stopped."


def test_a_database_fault_gives_the_row_back(report):
    held = work_claims.claim(Report, report.pk, "reading")
    with work_claims.working(held):
        raise DatabaseError("locked")
    assert (row(report).state, report.attempt, report.error) == (State.PENDING, 1, "")
    assert report.due_at > timezone.now()


class TestSweeper:
    def test_leaves_alone_what_is_fresh(self, report, sent):
        assert sweeper.sweep() == 0
        work_claims.claim(Report, report.pk, "reading")
        assert sweeper.sweep() == 0
        assert sent == []

    def test_sends_again_what_the_broker_lost(self, report, sent):
        Report.objects.update(due_at=timezone.now() - AGO)
        assert sweeper.sweep() == 1
        assert sent == [str(report.pk)]
        assert sweeper.sweep() == 0  # not every five seconds

    def test_sends_again_what_a_killed_worker_held(self, report, sent):
        work_claims.claim(Report, report.pk, "reading")
        expire(report)
        assert sweeper.sweep() == 1
        assert (row(report).state, sent) == (State.PENDING, [str(report.pk)])

    def test_goes_on_while_the_broker_is_away(self, report, monkeypatch):
        def away(*args, **kwargs):
            raise ConnectionRefusedError

        monkeypatch.setattr(tasks.read_report, "apply_async", away)
        Report.objects.update(due_at=timezone.now() - AGO)
        assert sweeper.sweep() == 0
        assert row(report).state == State.PENDING

    def test_frees_everything_when_no_worker_runs(self, report, sent):
        work_claims.claim(Report, report.pk, "reading")
        call_command("sweep", "--once", "--no-worker-runs")
        assert sent == [str(report.pk)]

    def test_does_its_chores_and_goes_on_when_one_fails(self, monkeypatch, sent):
        done = []
        bad = Chore("bad", 60, lambda: 1 / 0)
        monkeypatch.setattr(sweeper, "CHORES", [bad, Chore("good", 60, lambda: done.append(1))])
        turns = sweeper.Turns()
        turns.take()
        turns.take()
        assert done == [1]

    def test_clears_sessions_that_have_expired(self):
        for key, days in (("old", -1), ("new", 1)):
            Session.objects.create(session_key=key, session_data="", expire_date=timezone.now() + timedelta(days=days))
        call_command("sweep", "--once")
        assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]


@pytest.mark.parametrize("error", [ConnectionRefusedError, OSError, ValueError, RuntimeError])
def test_whatever_the_broker_raises_stays_with_dispatch(report, monkeypatch, error):
    def away(*args, **kwargs):
        raise error("away")

    monkeypatch.setattr(tasks.read_report, "apply_async", away)
    assert send(tasks.read_report, report.pk) is False


def connections(server):
    """How many wait to be taken; it takes and closes them."""
    server.setblocking(False)
    taken = 0
    with suppress(BlockingIOError):
        while True:
            server.accept()[0].close()
            taken += 1
    return taken


def test_a_silent_broker_costs_a_moment_once(report, monkeypatch):
    """It takes connections and never answers, as a Redis that hangs."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.listen(16)
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        app = Celery("silent", broker=address, set_as_current=False)
        app.conf.broker_transport_options = {"socket_connect_timeout": 60, "socket_timeout": 60}
        monkeypatch.setattr(dispatch, "app", app)
        began = time.monotonic()
        assert send(tasks.read_report, report.pk) is False
        assert time.monotonic() - began < 30  # not 60 and more
        assert connections(silent) > 0
        assert not any(send(tasks.read_report, report.pk) for _ in range(50))
        assert connections(silent) == 0  # nobody waits again
    monkeypatch.setattr(dispatch, "_asked_again_at", 0.0)
    monkeypatch.setattr(dispatch, "_producer", nullcontext)
    monkeypatch.setattr(tasks.read_report, "apply_async", lambda *args, **kwargs: None)
    assert send(tasks.read_report, report.pk) is True


def test_reading_the_next_report_of_a_database_takes_few_statements(tmp_path, monkeypatch):
    """With finding it, placing it, and passing the turn on. What has no result yet has none to be deleted."""
    monkeypatch.setattr(dispatch, "send", lambda *_: True)
    with uploading(tmp_path, "olga") as client:
        first, second = (report_of(fleet(1)[0], hour) for hour in islice(hours_of(fleet(1)[0], 2), 2))
        upload(client, "first.html", first)
        client.post("/reports/", {"file": SimpleUploadedFile("second.html", second)}, headers=JSON)
        with CaptureQueriesContext(connection) as statements:
            tasks.read_report(str(Report.objects.get(name="second.html").pk))
    assert set(Report.objects.values_list("state", flat=True)) == {State.READY}
    sent = [one["sql"] for one in statements]
    assert len(sent) <= 32, sent
    assert not [sql for sql in sent if sql.startswith("DELETE")]


def test_what_is_read_again_replaces_what_was_stored(tmp_path):
    with uploading(tmp_path, "olga") as client:
        report = upload(client, "first.html", report_of(fleet(1)[0], next(iter(hours_of(fleet(1)[0], 1)))))
        stored = report.sections.count(), ReportMetrics.objects.count()
        assert all(stored)
        Report.objects.update(parser_version=0)  # as one that another server's process left behind
        tasks.read_now(report.pk)
    assert Report.objects.get().parser_version > 0
    assert (report.sections.count(), ReportMetrics.objects.count()) == stored
