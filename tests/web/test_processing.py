"""Claims, leases and the sweeper: what two workers, a killed one and a lost broker do to a row."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.utils import timezone

from awrdiff.processing import claims, sweeper
from awrdiff.processing.dispatch import send
from awrdiff.processing.models import State
from awrdiff.reports import tasks
from awrdiff.reports.models import Report
from tests.web.conftest import store_report

pytestmark = pytest.mark.django_db
AGO = timedelta(seconds=1)


@pytest.fixture
def report(owner) -> Report:
    made = store_report(owner)
    Report.objects.filter(pk=made.pk).update(**claims.enqueue_values())
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
    assert claims.claim(Report, report.pk, "reading") is not None
    assert claims.claim(Report, report.pk, "reading") is None
    assert (row(report).state, report.attempt, report.stage) == (State.RUNNING, 1, "reading")


def test_a_claim_between_look_and_update_wins(report, monkeypatch):
    """The other worker takes the row after this one has read its attempt number."""
    stolen = []
    queryset = type(Report.objects.all())
    first = queryset.first

    def first_then_steal(self):
        seen = first(self)
        if not stolen:
            stolen.append(True)
            Report.objects.filter(pk=report.pk).update(
                state=State.RUNNING, attempt=1, lease_until=timezone.now() + AGO * 60
            )
        return seen

    monkeypatch.setattr(queryset, "first", first_then_steal)
    assert claims.claim(Report, report.pk, "reading") is None
    assert row(report).attempt == 1


def test_a_row_that_is_done_or_gone_is_not_claimed(report):
    Report.objects.update(state=State.READY)
    assert claims.claim(Report, report.pk, "reading") is None
    Report.objects.all().delete()
    assert claims.claim(Report, report.pk, "reading") is None


def test_an_expired_lease_is_taken_over_and_the_late_one_writes_nothing(report):
    slow = claims.claim(Report, report.pk, "reading")
    expire(report)
    quick = claims.claim(Report, report.pk, "reading")
    assert quick.attempt == 2
    quick.finish(db_name="RIGHT")
    for late in (lambda: slow.stage("x"), lambda: slow.finish(db_name="WRONG"), lambda: slow.refuse("x", "x")):
        with pytest.raises(claims.Superseded):
            late()
    assert (row(report).state, report.db_name) == (State.READY, "RIGHT")


def test_after_the_last_attempt_the_row_says_so(report, settings):
    for attempt in range(settings.TASK_MAX_ATTEMPTS):
        held = claims.claim(Report, report.pk, "reading")
        assert held.attempt == attempt + 1
        expire(report)  # killed
    assert claims.claim(Report, report.pk, "reading") is None
    assert (row(report).state, report.error_code) == (State.FAILED, "gave-up")
    assert "tried again" in report.error


def test_a_task_that_takes_too_long_is_said_and_not_repeated(report):
    held = claims.claim(Report, report.pk, "reading")
    with claims.working(held):
        raise claims.SoftTimeLimitExceeded
    assert (row(report).state, report.error_code) == (State.FAILED, "too-long")
    assert "seconds" in report.error


def test_a_database_fault_gives_the_row_back(report):
    held = claims.claim(Report, report.pk, "reading")
    with claims.working(held):
        raise DatabaseError("locked")
    assert (row(report).state, report.attempt, report.error) == (State.PENDING, 1, "")
    assert report.due_at > timezone.now()


class TestSweeper:
    def test_leaves_alone_what_is_fresh(self, report, sent):
        assert sweeper.sweep() == 0
        claims.claim(Report, report.pk, "reading")
        assert sweeper.sweep() == 0
        assert sent == []

    def test_sends_again_what_the_broker_lost(self, report, sent):
        Report.objects.update(due_at=timezone.now() - AGO)
        assert sweeper.sweep() == 1
        assert sent == [str(report.pk)]
        assert sweeper.sweep() == 0  # not every five seconds

    def test_sends_again_what_a_killed_worker_held(self, report, sent):
        claims.claim(Report, report.pk, "reading")
        expire(report)
        assert sweeper.sweep() == 1
        assert (row(report).state, sent) == (State.PENDING, [str(report.pk)])

    def test_gives_up_on_what_killed_its_worker_every_time(self, report, sent, settings):
        for _ in range(settings.TASK_MAX_ATTEMPTS):
            claims.claim(Report, report.pk, "reading")
            expire(report)
        assert sweeper.sweep() == 0
        assert row(report).state == State.FAILED

    def test_goes_on_while_the_broker_is_away(self, report, monkeypatch):
        def away(*args, **kwargs):
            raise ConnectionRefusedError

        monkeypatch.setattr(tasks.read_report, "apply_async", away)
        Report.objects.update(due_at=timezone.now() - AGO)
        assert sweeper.sweep() == 0
        assert row(report).state == State.PENDING

    def test_frees_everything_when_no_worker_runs(self, report, sent):
        claims.claim(Report, report.pk, "reading")
        call_command("sweep", "--once", "--no-worker-runs")
        assert sent == [str(report.pk)]

    @pytest.mark.parametrize(
        ("state", "code", "again"),
        [
            (State.READY, "", True),
            (State.FAILED, "not-awr", True),
            (State.FAILED, "gave-up", True),
            (State.FAILED, "file-lost", False),
        ],
    )
    def test_reads_again_what_other_parsers_read_or_refused(self, report, sent, state, code, again):
        Report.objects.update(state=state, error_code=code, parser_version=0)
        sweeper.sweep()
        assert (row(report).state == State.PENDING) == again


@pytest.mark.parametrize("error", [ConnectionRefusedError, OSError, ValueError, RuntimeError])
def test_whatever_the_broker_raises_stays_with_dispatch(report, monkeypatch, error):
    def away(*args, **kwargs):
        raise error("away")

    monkeypatch.setattr(tasks.read_report, "apply_async", away)
    assert send(tasks.read_report, report.pk) is False
