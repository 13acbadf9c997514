"""The server's clock was ahead for a while and is put back: nothing waits until it is that late again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from awrdiff.accounts import rate_limits
from awrdiff.accounts.errors import TooMuch
from awrdiff.fleet import deviation_measurement
from awrdiff.fleet import digests as mornings
from awrdiff.fleet.models import Digest, Standing
from awrdiff.notices import chores
from awrdiff.notices.models import Notice, NoticeChoice
from awrdiff.processing import fair_scheduling, heartbeats, outdated_result_renewal, sweeper, work_claims
from awrdiff.processing.models import Heartbeat
from awrdiff.reports import files
from awrdiff.reports.models import Report
from tests.web.at_work import DUE_S, LEASE_S, NOW, after, clock, report, row, sent
from tests.web.conftest import store_report
from tests.web.database_rows import database_named

__all__ = ["clock", "report", "sent"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
DAY_S, YEAR_S = 86_400, 31_536_000


@pytest.fixture(params=[3600, DAY_S * 3, YEAR_S], ids=["an hour", "three days", "a year"])
def ahead_s(request, monkeypatch) -> int:
    """The clock is ahead until `put_back`."""
    monkeypatch.setattr(timezone, "now", lambda: after(request.param))
    return request.param


def put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def test_a_row_whose_worker_died_meanwhile_is_taken_again(report, sent, ahead_s, monkeypatch):
    first = work_claims.claim(Report, report.pk, "reading", version=7)
    put_back(monkeypatch)
    assert fair_scheduling._Running.now().rows == {}
    assert sweeper.sweep() == 1
    assert sent == [str(report.pk)]
    second = work_claims.claim(Report, report.pk, "reading", version=7)
    assert (second.attempt, row(report)["lease_until"]) == (first.attempt + 1, after(LEASE_S))
    with pytest.raises(work_claims.Superseded):
        first.finish()


def test_a_clock_that_is_a_little_ahead_of_anothers_takes_no_row_away(report, sent, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: after(LEASE_S / 2))
    work_claims.claim(Report, report.pk, "reading", version=7)
    put_back(monkeypatch)
    assert (sweeper.sweep(), work_claims.claim(Report, report.pk, "reading", version=7)) == (0, None)


def test_what_was_being_renewed_then_keeps_no_other_from_it(report, ahead_s, monkeypatch):
    held = {"due_at": after(ahead_s + DUE_S), "lease_until": after(ahead_s + LEASE_S)}
    Report.objects.filter(pk=report.pk).update(state="ready", parser_version=1, **held)
    assert outdated_result_renewal._is_busy(Report, after(ahead_s))
    put_back(monkeypatch)
    assert not outdated_result_renewal._is_busy(Report, NOW)


def test_what_was_to_be_sent_again_then_is_sent_now(report, sent, ahead_s, monkeypatch):
    work_claims.claim(Report, report.pk, "reading", version=7).give_back()
    put_back(monkeypatch)
    assert sweeper.sweep() == 1
    assert row(report)["due_at"] == after(DUE_S)


def test_a_sign_of_life_of_then_says_nothing_of_now(ahead_s, monkeypatch):
    heartbeats.beat("worker")
    Heartbeat.objects.create(part=f"{files.BACKUP}-1", host="a", at=timezone.now())
    put_back(monkeypatch)
    assert heartbeats.ages()["worker"] == ("silent", -ahead_s)
    assert not heartbeats.is_heard(files.BACKUP, 60)
    heartbeats.beat("worker")
    assert heartbeats.ages()["worker"] == ("ok", 0)


def test_what_was_uploaded_then_keeps_nobody_from_uploading(owner, ahead_s, monkeypatch):
    store_report(owner)
    put_back(monkeypatch)
    rate_limits.check_stored(1, "", (Report.objects.all(), "created_at"))
    store_report(owner)
    with pytest.raises(TooMuch):
        rate_limits.check_stored(1, "", (Report.objects.all(), "created_at"))


def test_a_team_is_told_of_its_databases_today(owner, ahead_s, monkeypatch):
    digest = Digest.objects.create(team=owner.team, at_hour=0, zone="", told_on=timezone.now().date())
    put_back(monkeypatch)
    mornings.gather()
    digest.refresh_from_db()
    assert digest.told_on == NOW.date()
    assert not mornings._tell(digest, NOW)


def test_the_mail_of_a_day_comes_within_two(owner, ahead_s, monkeypatch, settings):
    settings.AWRDIFF_MAILS = True
    NoticeChoice.objects.create(user=owner.user, mail="digest", last_digest_at=timezone.now())
    Notice.objects.create(team=owner.team, user=owner.user, what="night", kind="databases", thing="1", for_digest=True)
    put_back(monkeypatch)
    made = chores.gather()
    assert made == (ahead_s > DAY_S)
    monkeypatch.setattr(timezone, "now", lambda: after(2 * DAY_S))
    assert chores.gather() == (not made)


def test_a_database_that_nobody_measures_is_measured(owner, ahead_s, monkeypatch):
    found = database_named(owner, "SHOP")
    Standing.objects.create(
        database=found, due_from="2024-01-01", lease_until=timezone.now() + deviation_measurement.LEASE
    )
    put_back(monkeypatch)
    assert deviation_measurement.due().count() == (timedelta(seconds=ahead_s) > deviation_measurement.LEASE)
