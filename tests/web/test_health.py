"""/healthz and /readyz: by any name, words only for strangers, and what each part says when it is not well."""

from __future__ import annotations

import errno
from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from django.utils import timezone

from awrdiff.processing import heartbeats
from awrdiff.processing.models import Heartbeat, State
from awrdiff.reports.models import Report

pytestmark = pytest.mark.django_db


@pytest.fixture
def beating():
    for part in heartbeats.PARTS:
        heartbeats.beat(part)


def ready(**more) -> tuple[int, dict]:
    answer = Client().get("/readyz", headers={"Host": "probe.example"}, **more)
    return answer.status_code, answer.json()


def test_all_is_well(beating):
    words = {"database": "ok", "disk": "ok", "storage": "ok", "worker": "ok", "sweeper": "ok", "queue": "ok"}
    assert ready() == (200, {"status": "ok", **words})


def test_health_by_any_name_in_accounts_mode(accounts, settings):
    settings.ALLOWED_HOSTS = ["awr.example.com"]
    client = Client(headers={"Host": "10.0.0.7"})
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/").status_code == 400


@pytest.mark.parametrize("part", heartbeats.PARTS)
def test_what_was_not_heard_of_is_silent(beating, part):
    Heartbeat.objects.filter(part=part).update(at=timezone.now() - timedelta(seconds=61))
    status, found = ready()
    assert (status, found["status"], found[part]) == (200, "degraded", "silent")
    Heartbeat.objects.filter(part=part).delete()
    assert ready()[1][part] == "silent"


@pytest.mark.parametrize("state", [State.PENDING, State.RUNNING])
def test_work_that_waits_too_long_makes_the_queue_late(beating, owner, state, settings):
    report = Report.objects.create(
        team=owner.team, name="a", size=1, sha256="0" * 64, file="a", state=state, queued_at=timezone.now()
    )
    assert ready()[0] == 200
    late = timezone.now() - timedelta(seconds=settings.AWRDIFF_QUEUE_AGE_LIMIT_S + 1)
    Report.objects.filter(pk=report.pk).update(queued_at=late)
    status, found = ready()
    assert (status, found["status"], found["queue"]) == (200, "degraded", "late")
    Report.objects.filter(pk=report.pk).update(state=State.READY)
    assert ready()[1]["queue"] == "ok"


def test_figures_are_for_members(beating, sign_in, owner):
    assert "figures" not in Client().get("/readyz").json()
    assert sign_in(owner).get("/readyz").json()["figures"]["worker_age_s"] < 60


def test_a_disk_that_cannot_be_written(beating, monkeypatch):
    def refuse(_folder):
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr("awrdiff.disk_space.try_writing", refuse)
    status, found = ready()
    assert (status, found["status"], found["disk"]) == (503, "not ready", "not writable")


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_does_not_answer(monkeypatch, error):
    def refuse(*_args):
        raise error

    monkeypatch.setattr(heartbeats, "ages", refuse)
    monkeypatch.setattr("awrdiff.web.views.health.connection.cursor", refuse)
    status, found = ready()
    assert (status, found["database"], found["worker"]) == (503, "silent", "unknown")
    assert Client().get("/healthz").status_code == 503


def test_a_database_without_our_tables_is_not_called_silent(monkeypatch):
    def no_table():
        raise OperationalError("no such table: processing_heartbeat")

    monkeypatch.setattr(heartbeats, "ages", no_table)
    status, found = ready()
    assert (status, found["database"]) == (503, "unprepared")
